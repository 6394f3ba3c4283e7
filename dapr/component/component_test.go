package component_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/dapr/component"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// write makes files under a new folder and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

const several = `# two components and something else
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: pubsub
spec:
  type: pubsub.redis
  version: v1
---
apiVersion: dapr.io/v1alpha1
kind: Configuration
metadata: {name: config}
---
apiVersion: dapr.io/v1alpha1
kind: Component
metadata:
  name: statestore
  namespace: production
spec:
  type: state.postgresql
  version: v2
  metadata:
  - name: connectionString
    secretKeyRef:
      name: pg
      key: conn
  - name: tablePrefix
    value: dapr.
  - name: actorStateStore
    value: true
  - name: maxConns
    value: 4
  - name: password
    envRef: PGPASS
auth:
  secretStore: files
scopes: [orders, billing]
`

func TestLoad(t *testing.T) {
	dir := write(t, map[string]string{
		"c/state.yaml":   several,
		"c/other.yml":    "kind: Component\nmetadata: {name: cache}\nspec: {type: state.redis}\n",
		"c/broken.yaml":  "kind: Component\n  spec: [hunter2",
		"c/notes.txt":    "kind: Component",
		"c/secrets.yaml": "kind: Component\nmetadata: {name: files}\nspec:\n  type: secretstores.local.file\n  metadata:\n  - {name: secretsFile, value: secrets.json}\n",
		"secrets.json":   `{"pg": {"conn": "host=db password=hunter2"}, "flat": "x", "n": 5}`,
	})
	for _, path := range []string{filepath.Join(dir, "c"), filepath.Join(dir, "c", "state.yaml")} {
		set, err := component.Load(path, env("PGPASS", "hunter2"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := set.Pick("")
		if err != nil {
			t.Fatal(err)
		}
		s, err := set.Resolve(c)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{c.Name, c.Namespace, c.Type, c.Version, fmt.Sprint(c.Scopes), s.Get("connectionstring", "url"), s.Get("TABLEPREFIX"), s.Get("maxConns"), s.Get("password"), fmt.Sprint(s.Bool("actorStateStore"))}
		want := []string{"statestore", "production", "state.postgresql", "v2", "[orders billing]", "host=db password=hunter2", "dapr.", "4", "hunter2", "true"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", path, diff)
		}
		// Whatever is printed of it, and however.
		for _, text := range []string{
			fmt.Sprint(set, c, s), fmt.Sprintf("%v %+v %#v %s", s, s, s, s), fmt.Sprintf("%v %+v %#v", &s, &s, &s),
			fmt.Sprintf("%+v %#v", c, set), strings.Join(set.Skipped, " "),
		} {
			if strings.Contains(text, "hunter2") {
				t.Errorf("a secret is printed: %s", text)
			}
		}
	}
	set, _ := component.Load(filepath.Join(dir, "c"), nil)
	if len(set.Skipped) != 1 || !strings.Contains(set.Skipped[0], "broken.yaml") {
		t.Errorf("skipped %q", set.Skipped)
	}
}

func TestPick(t *testing.T) {
	state := func(name, extra string) string {
		return "kind: Component\nmetadata: {name: " + name + "}\nspec:\n  type: state.redis\n  metadata: [" + extra + "]\n---\n"
	}
	actor := "{name: actorStateStore, value: 'true'}"
	for name, c := range map[string]struct {
		yaml, ask string
		want      string
		says      string
	}{
		"only one":       {state("a", ""), "", "a", ""},
		"the actors'":    {state("a", "") + state("b", actor), "", "b", ""},
		"by name":        {state("a", "") + state("b", actor), "a", "a", ""},
		"none":           {"kind: Component\nmetadata: {name: p}\nspec: {type: pubsub.redis}\n", "", "", "no state store"},
		"unknown name":   {state("a", ""), "z", "", "one of: a"},
		"two":            {state("a", "") + state("b", ""), "", "", "one of: a, b"},
		"two for actors": {state("a", actor) + state("b", actor), "", "", "one of: a, b"},
	} {
		found, err := component.Parse([]byte(c.yaml), "x.yaml")
		if err != nil {
			t.Fatal(err)
		}
		got, err := component.Set{Components: found}.Pick(c.ask)
		if got.Name != c.want || (err != nil) != (c.says != "") || (err != nil && !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %s, %v", name, got.Name, err)
		}
	}
}

func TestSecrets(t *testing.T) {
	const head = "kind: Component\nmetadata: {name: s}\nspec:\n  type: state.redis\n  metadata:\n  - name: redisPassword\n"
	const file = "---\nkind: Component\nmetadata: {name: files}\nspec:\n  type: secretstores.local.file\n  metadata:\n  - {name: secretsFile, value: secrets.json}\n"
	for name, c := range map[string]struct {
		yaml, want, says string
	}{
		"flat file secret":      {head + "    secretKeyRef: {name: flat, key: flat}\nauth: {secretStore: files}\n" + file, "x", ""},
		"no key":                {head + "    secretKeyRef: {name: flat}\nauth: {secretStore: files}\n" + file, "x", ""},
		"nested":                {head + "    secretKeyRef: {name: redis, key: pw}\nauth: {secretStore: files}\n" + file, "y", ""},
		"nested by separator":   {head + "    secretKeyRef: {name: 'redis:pw', key: 'redis:pw'}\nauth: {secretStore: files}\n" + file, "y", ""},
		"own separator":         {head + "    secretKeyRef: {name: redis.pw, key: redis.pw}\nauth: {secretStore: files}\n" + file + "  - {name: nestedSeparator, value: .}\n", "y", ""},
		"not in the file":       {head + "    secretKeyRef: {name: z, key: z}\nauth: {secretStore: files}\n" + file, "", "secret z is not in"},
		"environment":           {head + "    secretKeyRef: {name: PW, key: PW}\nauth: {secretStore: e}\n---\nkind: Component\nmetadata: {name: e}\nspec: {type: secretstores.local.env}\n", "from env", ""},
		"environment, prefix":   {head + "    secretKeyRef: {name: W}\nauth: {secretStore: e}\n---\nkind: Component\nmetadata: {name: e}\nspec:\n  type: secretstores.local.env\n  metadata: [{name: prefix, value: P}]\n", "from env", ""},
		"environment, Dapr's":   {head + "    secretKeyRef: {name: DAPR_API_TOKEN}\nauth: {secretStore: e}\n---\nkind: Component\nmetadata: {name: e}\nspec: {type: secretstores.local.env}\n", "", "not given out"},
		"environment, unset":    {head + "    secretKeyRef: {name: NONE}\nauth: {secretStore: e}\n---\nkind: Component\nmetadata: {name: e}\nspec: {type: secretstores.local.env}\n", "", "NONE is not set"},
		"no store named":        {head + "    secretKeyRef: {name: a, key: b}\n", "", "kubernetes (the default)"},
		"store not there":       {head + "    secretKeyRef: {name: a, key: b}\nauth: {secretStore: vault}\n", "", "vault is not among"},
		"store of another type": {head + "    secretKeyRef: {name: a, key: b}\nauth: {secretStore: v}\n---\nkind: Component\nmetadata: {name: v}\nspec: {type: secretstores.hashicorp.vault}\n", "", "secretstores.hashicorp.vault"},
		"envRef unset":          {head + "    envRef: NONE\n", "", "NONE is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"state.yaml": c.yaml, "secrets.json": `{"flat":"x","redis":{"pw":"y"}}`})
			set, err := component.Load(filepath.Join(dir, "state.yaml"), env("PW", "from env", "DAPR_API_TOKEN", "t"))
			if err != nil {
				t.Fatal(err)
			}
			picked, err := set.Pick("")
			if err != nil {
				t.Fatal(err)
			}
			s, err := set.Resolve(picked)
			if c.says != "" {
				if fault.KindOf(err) != fault.Config || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || s.Get("redisPassword") != c.want {
				t.Errorf("%q, %v", s.Get("redisPassword"), err)
			}
		})
	}
}

func TestBadFiles(t *testing.T) {
	dir := write(t, map[string]string{"big.yaml": strings.Repeat("# x\n", 1<<19), "none.yaml": "kind: Subscription\n", "bomb.yaml": bomb(), "list.yaml": "- 1\n- 2\n"})
	for name, kind := range map[string]fault.Kind{"big.yaml": fault.TooLarge, "none.yaml": fault.BadInput, "bomb.yaml": fault.BadInput, "list.yaml": fault.BadInput, "absent.yaml": fault.Config} {
		if _, err := component.Load(filepath.Join(dir, name), nil); fault.KindOf(err) != kind {
			t.Errorf("%s: %s: %v", name, fault.KindOf(err), err)
		}
	}
}

// bomb is YAML whose aliases multiply.
func bomb() string {
	s := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		s += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	return s + "kind: Component\nscopes: *a8\n"
}

func TestPlaces(t *testing.T) {
	dir := write(t, map[string]string{
		"work/components/x.yaml": "", "work/dapr/components/x.yaml": "", "home/.dapr/components/x.yaml": "", "named/x.yaml": "", "fromrun/x.yaml": "", "work/app/res/x.yaml": "",
		"work/dapr.yaml": "version: 1\ncommon:\n  resourcesPath: ../fromrun\napps:\n- appID: a\n  resourcesPaths: [app/res, nosuch]\n",
	})
	got := component.Places(filepath.Join(dir, "work"), filepath.Join(dir, "home"), env("DAPR_COMPONENTS_PATH", filepath.Join(dir, "named")))
	for i := range got {
		got[i], _ = filepath.Rel(dir, got[i])
	}
	want := []string{"named", "work/app/res", "fromrun", "work/components", "work/dapr/components", "home/.dapr/components"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(several))
	f.Add([]byte(bomb()[:200]))
	f.Add([]byte("kind: Component\nspec: {type: state.redis, metadata: [{name: a, value: [1]}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := component.Parse(data, "x.yaml")
		if err != nil && fault.KindOf(err) == fault.Unknown {
			t.Errorf("an error without a kind: %v", err)
		}
		set := component.Set{Components: found}
		for _, c := range found {
			if c.Type == "" {
				t.Error("a component without a type")
			}
		}
		if _, err := set.Pick(""); err != nil && fault.KindOf(err) == fault.Unknown {
			t.Errorf("an error without a kind: %v", err)
		}
	})
}
