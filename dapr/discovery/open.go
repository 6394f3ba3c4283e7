package discovery

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/dapr/component"
	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/dapr/store/postgres"
	"github.com/idem-mcp/idem-mcp/dapr/store/redis"
	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// OpenComponent returns a source over a component's store. The store is dialled
// by the first read.
func OpenComponent(set component.Set, c component.Component, o history.Options) (*store.Source, error) {
	open := map[string]func(component.Settings, store.Config) (*store.Source, error){
		"state.postgresql": openPostgres, "state.postgres": openPostgres,
		"state.sqlite": openSQLite,
		"state.redis":  openRedis,
	}[c.Type]
	if open == nil {
		return nil, &fault.Error{
			Kind: fault.Unsupported, What: "component " + clean.Line(c.Name, 100) + " is of type " + clean.Line(c.Type, 100),
			Means: "only state.postgresql, state.sqlite and state.redis are read straight from the store",
			Do:    "Use the sidecar (source: sidecar, Dapr 1.17 or later), or export runs with dapr workflow history ID -o json",
		}
	}
	s, err := set.Resolve(c)
	if err != nil {
		return nil, err
	}
	return open(s, store.Config{Options: o, Component: c.Name + " (" + c.Type + " " + c.Version + ", " + c.Path + ")"})
}

// needsIdentity refuses sign-in methods that only the sidecar can use.
func needsIdentity(s component.Settings, items ...string) error {
	for _, item := range items {
		if s.Bool(item) {
			return &fault.Error{
				Kind: fault.Unsupported, What: "component " + clean.Line(s.Name, 100) + " signs in with " + item,
				Means: "this needs the identity of the sidecar", Do: "Use the sidecar (source: sidecar)",
			}
		}
	}
	return nil
}

func openPostgres(s component.Settings, c store.Config) (*store.Source, error) {
	if err := needsIdentity(s, "useAzureAD", "useAWSIAM"); err != nil {
		return nil, err
	}
	conn, err := connectionString(s)
	if err != nil {
		return nil, err
	}
	// v2 knows tablePrefix, v1 tableName; early texts of v2 name tableName.
	table := s.Get("tableName")
	if prefix := s.Get("tablePrefix"); s.Version == "v2" && prefix != "" {
		table = prefix + "state"
	}
	return postgres.New(postgres.Config{ConnectionString: conn, Table: table, ExecMode: s.Get("queryExecMode"), Config: c})
}

// connectionString is the component's, with the items beside it that override
// its parts.
func connectionString(s component.Settings) (string, error) {
	conn := s.Get("connectionString", "url")
	parts := []struct{ key, value string }{
		{"host", s.Get("hostaddr", "host")}, {"port", s.Get("port")}, {"user", s.Get("user")},
		{"password", s.Get("password")}, {"database", s.Get("database")}, {"sslrootcert", s.Get("sslRootCert")},
	}
	if !strings.HasPrefix(conn, "postgres://") && !strings.HasPrefix(conn, "postgresql://") {
		for _, p := range parts {
			if p.value != "" {
				conn += " " + p.key + "='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(p.value) + "'"
			}
		}
		return strings.TrimSpace(conn), nil
	}
	u, err := url.Parse(conn)
	if err != nil {
		// The cause would quote the password.
		return "", &fault.Error{Kind: fault.Config, What: "component " + clean.Line(s.Name, 100) + ": connectionString cannot be read as a URL"}
	}
	host, port, user := u.Hostname(), u.Port(), u.User.Username()
	password, _ := u.User.Password()
	for _, p := range parts {
		switch {
		case p.value == "":
		case p.key == "host":
			host = p.value
		case p.key == "port":
			port = p.value
		case p.key == "user":
			user = p.value
		case p.key == "password":
			password = p.value
		case p.key == "database":
			u.Path = "/" + p.value
		default:
			q := u.Query()
			q.Set(p.key, p.value)
			u.RawQuery = q.Encode()
		}
	}
	u.Host = host
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	if user != "" {
		u.User = url.UserPassword(user, password)
	}
	return u.String(), nil
}

func openSQLite(s component.Settings, c store.Config) (*store.Source, error) {
	dir := filepath.Dir(s.Path)
	return sqlite.New(sqlite.Config{
		ConnectionString: s.Get("connectionString", "url"), Table: s.Get("tableName"),
		Dirs: []string{".", dir, filepath.Dir(dir)}, Config: c,
	})
}

func openRedis(s component.Settings, c store.Config) (*store.Source, error) {
	if err := needsIdentity(s, "useEntraID", "useAzureAD", "useOIDC"); err != nil {
		return nil, err
	}
	conf := redis.Config{
		Username: s.Get("redisUsername"), Password: s.Get("redisPassword"), Cluster: s.Get("redisType") == "cluster",
		SentinelUsername: s.Get("sentinelUsername"), SentinelPassword: s.Get("sentinelPassword"), Config: c,
	}
	for _, h := range strings.Split(s.Get("redisHost"), ",") {
		if h = strings.TrimSpace(h); h == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(h); err != nil && s.Get("redisPort") != "" {
			h = net.JoinHostPort(h, s.Get("redisPort"))
		}
		conf.Hosts = append(conf.Hosts, h)
	}
	if s.Bool("failover") {
		conf.Master = s.Get("sentinelMasterName")
	}
	if db := s.Get("redisDB"); db != "" && !conf.Cluster {
		n, err := strconv.Atoi(db)
		if err != nil || n < 0 {
			return nil, &fault.Error{Kind: fault.Config, What: fmt.Sprintf("component %s: redisDB is not a number", clean.Line(s.Name, 100))}
		}
		conf.DB = n
	}
	if s.Bool("enableTLS") {
		conf.TLS = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: s.Bool("insecureSkipTLSVerify")} //nolint:gosec // the component's own setting
		if cert, key := s.Get("clientCert"), s.Get("clientKey"); cert != "" && key != "" {
			pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
			if err != nil {
				return nil, &fault.Error{Kind: fault.Config, What: fmt.Sprintf("component %s: clientCert and clientKey cannot be used", clean.Line(s.Name, 100))}
			}
			conf.TLS.Certificates = []tls.Certificate{pair}
		}
	}
	return redis.New(conf)
}
