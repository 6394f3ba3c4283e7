package catalyst

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// DefaultServer is Catalyst's production MCP server. The address is also the
// OAuth resource and is compared byte for byte: a trailing slash is another
// resource.
const DefaultServer = "https://mcp.cloud.r1.diagrid.io/mcp"

// TokenEnv names the environment variable that holds a bearer token for use
// without a browser. It wins over a stored sign-in.
const TokenEnv = "IDEM_MCP_CATALYST_TOKEN"

// DefaultProject is the project that every organization has.
const DefaultProject = "default"

const (
	defaultRedirect    = "http://127.0.0.1/callback"
	defaultCallTimeout = 40 * time.Second // the server's own limit is 30 s
	defaultMaxAnswer   = 16 << 20
	defaultConcurrency = 4
	defaultPageSize    = 50
	maxPageSize        = 50
	defaultRetryBase   = 250 * time.Millisecond
	defaultCacheBytes  = 64 << 20
)

// Config is everything the source needs. The zero value reads the project
// "default" of the production server with a stored sign-in.
type Config struct {
	// Server is the address of the MCP server; empty: DefaultServer.
	Server string
	// ClientID is the OAuth client registered for this program. It has no
	// default: another client's id would pass us off as that client.
	ClientID string
	// RedirectURL is the redirect registered for ClientID; its port is chosen at
	// sign-in when it names none. Empty: http://127.0.0.1/callback.
	RedirectURL string
	// Project is a project's name or its uid (digits, "prj-" optional); empty:
	// "default".
	Project string
	// App is the app used for a run whose app nobody named.
	App string
	// SharingLevel is the level that an operator configured, told "as
	// configured" where the server states none. It is not a filter and must be
	// left unstated when nobody configured it.
	SharingLevel history.Level
	// NoLevelProbe keeps the source from asking for one export per process to
	// learn the level where nothing else tells it.
	NoLevelProbe bool
	// Fingerprint is passed on to the reader of histories.
	Fingerprint *history.Fingerprinter

	// TokenFile is where the sign-in is kept when the system has no keyring;
	// empty: under the user's configuration directory.
	TokenFile string
	// NoKeyring keeps the sign-in in TokenFile even where a keyring exists.
	NoKeyring bool
	// Getenv reads the environment; nil: os.Getenv.
	Getenv func(string) string

	// Transport is the base of every HTTP exchange; nil: http.DefaultTransport.
	Transport http.RoundTripper
	// CallTimeout bounds one call, retries included (0: 40 s), MaxAnswer its
	// bytes (0: 16 MiB), Concurrency the calls in flight (0: 4), PageSize the
	// rows of a page (0: 50, at most 50), RetryBase the first backoff (0: 250 ms),
	// CacheBytes the finished runs kept (0: 64 MiB of answers).
	CallTimeout time.Duration
	MaxAnswer   int64
	Concurrency int
	PageSize    int
	RetryBase   time.Duration
	CacheBytes  int64
	// Now is the clock; nil: the system's.
	Now func() time.Time
	// Version is this program's version, told to the server.
	Version string
}

// withDefaults validates c and fills in what was left out.
func (c Config) withDefaults() (Config, *url.URL, error) {
	if c.Server == "" {
		c.Server = DefaultServer
	}
	u, err := url.Parse(c.Server)
	if err != nil || u.Host == "" {
		return c, nil, configFault("catalyst.url is not an address", nil)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return c, nil, configFault("catalyst.url must hold no user name, password, query or fragment", nil)
	}
	if !secure(u) {
		return c, nil, configFault("catalyst.url must be https (plain http is accepted on the loopback only)", nil)
	}
	if c.RedirectURL == "" {
		c.RedirectURL = defaultRedirect
	}
	r, err := url.Parse(c.RedirectURL)
	if err != nil || r.Scheme != "http" || !loopback(r.Hostname()) || r.RawQuery != "" || r.Fragment != "" || r.User != nil {
		return c, nil, configFault("catalyst.redirect_url must be a plain http address on the loopback, such as "+defaultRedirect, nil)
	}
	if c.Project == "" {
		c.Project = DefaultProject
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	if c.Now == nil {
		c.Now = time.Now //nolint:forbidigo // the one place where this package has a clock of its own
	}
	if c.PageSize > maxPageSize {
		return c, nil, configFault(fmt.Sprintf("PageSize must be at most %d", maxPageSize), nil)
	}
	orDefault(&c.CallTimeout, defaultCallTimeout)
	orDefault(&c.MaxAnswer, defaultMaxAnswer)
	orDefault(&c.Concurrency, defaultConcurrency)
	orDefault(&c.PageSize, defaultPageSize)
	orDefault(&c.RetryBase, defaultRetryBase)
	orDefault(&c.CacheBytes, defaultCacheBytes)
	if c.Version == "" {
		c.Version = "dev"
	}
	if strings.ContainsAny(c.ClientID, " \t\r\n") {
		return c, nil, configFault("catalyst.client_id must not contain white space", nil)
	}
	return c, u, nil
}

func orDefault[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

func configFault(what string, cause error) error {
	return &fault.Error{Kind: fault.Config, What: what, Means: "nothing was asked of Catalyst", Cause: cause}
}

// secure reports whether u may carry a token: https, or http that does not
// leave this machine.
func secure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// ParseProject keeps a name and a uid apart: digits, with or without "prj-",
// are a uid, anything else is a name.
func ParseProject(s string) history.Project {
	if uid, ok := projectUID(s); ok {
		return history.Project{UID: uid}
	}
	return history.Project{Name: s}
}

func projectUID(s string) (uid string, ok bool) {
	d := strings.TrimPrefix(s, "prj-")
	if d == "" || strings.Trim(d, "0123456789") != "" {
		return "", false
	}
	return d, true
}
