package discovery_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/dapr/component"
	"github.com/idem-mcp/idem-mcp/dapr/discovery"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func stateComponent(name, typ string, items ...string) string {
	s := "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {name: " + name + "}\nspec:\n  type: " + typ + "\n  version: v1\n  metadata:\n  - {name: actorStateStore, value: 'true'}\n"
	for i := 0; i < len(items); i += 2 {
		s += fmt.Sprintf("  - {name: %s, value: %q}\n", items[i], items[i+1])
	}
	return s
}

// world is a home, a working directory and an environment.
type world struct {
	discovery.Surroundings
	env map[string]string
}

func newWorld(t testing.TB) *world {
	w := &world{env: map[string]string{}}
	w.Dir, w.Home = t.TempDir(), t.TempDir()
	w.Getenv = func(k string) string { return w.env[k] }
	return w
}

func TestSearch(t *testing.T) {
	real, err := os.ReadFile("../store/sqlite/testdata/state.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		set    func(t *testing.T, w *world)
		source string
		why    string
		passed string
	}{
		{"nothing", func(*testing.T, *world) {}, "", "", "neither DAPR_GRPC_ENDPOINT nor DAPR_GRPC_PORT is set; no components folder"},
		{"port", func(_ *testing.T, w *world) { w.env["DAPR_GRPC_PORT"] = "50001" }, "sidecar", "DAPR_GRPC_PORT is set (127.0.0.1:50001)", ""},
		{"endpoint before port and folder", func(t *testing.T, w *world) {
			w.env["DAPR_GRPC_PORT"], w.env["DAPR_GRPC_ENDPOINT"] = "50001", "https://dapr.local"
			write(t, w.Dir, "components/s.yaml", stateComponent("s", "state.sqlite", "connectionString", "x.db"))
		}, "sidecar", "DAPR_GRPC_ENDPOINT is set (dapr.local:443 (TLS))", ""},
		{"Catalyst endpoint, then a folder", func(t *testing.T, w *world) {
			w.env["DAPR_GRPC_ENDPOINT"] = "https://grpc-prj165.cloud.r1.diagrid.io"
			write(t, w.Home, ".dapr/components/statestore.yaml", stateComponent("statestore", "state.redis", "redisHost", "127.0.0.1:1"))
		}, "state store", "component statestore (state.redis) in", "names a Catalyst endpoint"},
		{"project before home", func(t *testing.T, w *world) {
			write(t, w.Home, ".dapr/components/statestore.yaml", stateComponent("home", "state.redis", "redisHost", "127.0.0.1:1"))
			write(t, w.Dir, "components/s.yaml", stateComponent("s", "state.sqlite", "connectionString", "data/x.db"))
			write(t, w.Dir, "data/x.db", string(real))
		}, "state store", "component s (state.sqlite) in", ""},
		{"an unknown store, then home", func(t *testing.T, w *world) {
			write(t, w.Dir, "components/s.yaml", stateComponent("s", "state.azure.cosmosdb"))
			write(t, w.Dir, "components/broken.yaml", "kind: [")
			write(t, w.Home, ".dapr/components/statestore.yaml", stateComponent("home", "state.redis", "redisHost", "127.0.0.1:1"))
		}, "state store", "component home (state.redis)", "broken.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.set(t, w)
			found, err := discovery.Search(w.Surroundings, discovery.Config{})
			if err != nil {
				t.Fatal(err)
			}
			name := ""
			if found.Source != nil {
				defer found.Source.Close()
				name = found.Source.Describe(context.Background()).Name
			}
			passed := strings.Join(found.Passed, "; ")
			if name != c.source || !strings.Contains(found.Why, c.why) || (c.why == "") != (found.Why == "") || !strings.Contains(passed, c.passed) {
				t.Errorf("%q because %q, passed %q", name, found.Why, passed)
			}
		})
	}
	w := newWorld(t)
	w.env["DAPR_GRPC_ENDPOINT"] = "dapr.local:1?x=y"
	if _, err := discovery.Search(w.Surroundings, discovery.Config{}); fault.KindOf(err) != fault.Config {
		t.Errorf("a wrong endpoint: %v", err)
	}
}

// TestOpenSQLite reads a real store through its component file, whose relative
// path is relative to the folder above.
func TestOpenSQLite(t *testing.T) {
	w := newWorld(t)
	real, err := os.ReadFile("../store/sqlite/testdata/state.db")
	if err != nil {
		t.Fatal(err)
	}
	write(t, w.Dir, "data/state.db", string(real))
	write(t, w.Dir, "components/statestore.yaml", stateComponent("statestore", "state.sqlite", "connectionString", "data/state.db"))
	found, err := discovery.Open(filepath.Join(w.Dir, "components", "statestore.yaml"), "", w.Surroundings, discovery.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer found.Source.Close()
	run, err := found.Source.Run(context.Background(), history.Ref{Instance: "s2-03-connrefused-three"})
	if err != nil || len(run.Events) != 30 {
		t.Fatalf("%v", err)
	}
	d := found.Source.Describe(context.Background())
	if d.Problem != nil || !strings.Contains(fmt.Sprint(d.Details), "statestore (state.sqlite v1") {
		t.Errorf("%+v", d)
	}
}

func TestOpenComponent(t *testing.T) {
	const pg = "postgres://user:hunter2@db.local:5433/dapr?sslmode=require"
	for _, c := range []struct {
		name, yaml string
		where      string // of the source
		kind       fault.Kind
		says       string
	}{
		{"postgres v1", stateComponent("s", "state.postgresql", "connectionString", "host=db.local user=u password=hunter2 database=dapr", "tableName", "wf.state"), "db.local:5432/dapr, table wf.state", 0, ""},
		{"postgres v2", strings.Replace(stateComponent("s", "state.postgresql", "connectionString", pg, "tablePrefix", "wf."), "version: v1", "version: v2", 1), "db.local:5433/dapr, table wf.state", 0, ""},
		{"postgres, parts beside a URL", stateComponent("s", "state.postgres", "url", pg, "host", "other.local", "port", "6000", "database", "x", "password", "hunter2"), "other.local:6000/x, table state", 0, ""},
		{"postgres, parts alone", stateComponent("s", "state.postgresql", "host", "h.local", "user", "it's", "password", `hun\ter2`, "database", "x"), "h.local:5432/x, table state", 0, ""},
		{"postgres, Azure", stateComponent("s", "state.postgresql", "connectionString", pg, "useAzureAD", "true"), "", fault.Unsupported, "identity of the sidecar"},
		{"postgres, Catalyst", stateComponent("s", "state.postgresql", "connectionString", "host=pg.cloud.r1.diagrid.io"), "", fault.Unsupported, "catalyst source"},
		{"redis", stateComponent("s", "state.redis", "redisHost", "a.local:7000, b.local", "redisPort", "7001", "redisPassword", "hunter2", "redisType", "cluster"), "a.local:7000,b.local:7001", 0, ""},
		{"redis, database", stateComponent("s", "state.redis", "redisHost", "a.local", "redisDB", "3"), "a.local:6379, database 3", 0, ""},
		{"redis, no host", stateComponent("s", "state.redis"), "", fault.Config, "redisHost"},
		{"redis, wrong database", stateComponent("s", "state.redis", "redisHost", "a", "redisDB", "x"), "", fault.Config, "redisDB"},
		{"redis, Entra", stateComponent("s", "state.redis", "redisHost", "a", "useEntraID", "true"), "", fault.Unsupported, "identity of the sidecar"},
		{"sqlite in memory", stateComponent("s", "state.sqlite", "connectionString", ":memory:"), "", fault.Unsupported, "sidecar"},
		{"sqlite, wrong table", stateComponent("s", "state.sqlite", "connectionString", "x.db", "tableName", "a b"), "", fault.Config, "tableName"},
		{"mongodb", stateComponent("s", "state.mongodb"), "", fault.Unsupported, "Use the sidecar"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := component.Parse([]byte(c.yaml), "x.yaml")
			if err != nil {
				t.Fatal(err)
			}
			s, err := discovery.OpenComponent(component.Set{Components: found}, found[0], history.Options{})
			if fault.KindOf(err) != c.kind || (err != nil && !strings.Contains(err.Error(), c.says)) {
				t.Fatalf("%s: %v", fault.KindOf(err), err)
			}
			if strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Errorf("a secret is told: %v", err)
			}
			if err != nil {
				return
			}
			defer s.Close()
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if d := s.Describe(ctx); d.Where != c.where {
				t.Errorf("where: %q", d.Where)
			}
		})
	}
}

// TestSecretsStaySecret: a wrong password in a component never shows, whatever
// fails.
func TestSecretsStaySecret(t *testing.T) {
	w := newWorld(t)
	secret := base64.StdEncoding.EncodeToString([]byte("a password nobody guesses"))
	write(t, w.Dir, "components/s.yaml", "kind: Component\nmetadata: {name: s}\nspec:\n  type: state.postgresql\n  metadata:\n  - name: connectionString\n    secretKeyRef: {name: PG}\nauth: {secretStore: e}\n---\nkind: Component\nmetadata: {name: e}\nspec: {type: secretstores.local.env}\n")
	for _, conn := range []string{
		"host=127.0.0.1 port=1 user=u connect_timeout=1 password=" + secret, "postgres://u:" + secret + "@127.0.0.1:1/x?connect_timeout=1",
		"postgres://u:" + secret + "@127.0.0.1:port/x", "host=127.0.0.1 sslmode=wrong password=" + secret, secret,
	} {
		w.env["PG"] = conn
		found, err := discovery.Open(filepath.Join(w.Dir, "components"), "", w.Surroundings, discovery.Config{})
		text := fmt.Sprintf("%v %+v", err, found.Why)
		if found.Source != nil {
			_, rerr := found.Source.Run(context.Background(), history.Ref{Instance: "x"})
			text += fmt.Sprintf(" %v %+v", rerr, found.Source.Describe(context.Background()))
			found.Source.Close()
		}
		if strings.Contains(text, secret) {
			t.Errorf("the secret is told: %s", text)
		}
	}
}
