package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/viper"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/tools"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"idem-mcp": main})
}

// TestScripts runs testdata/*.txtar: what a person types and sees.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			e.Setenv("CORPUS", filepath.Join(root, "review", "testdata", "corpus"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "prepend": prepend},
	})
}

// code runs the program and compares its exit code: code 1 duplicates x.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N args…")
	}
	err := ts.Exec("idem-mcp", args[1:]...)
	got := "0"
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		got = string(rune('0' + exit.ExitCode()))
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// prepend puts lines before a file: prepend N 'text' file. Every %d in the text is
// the line's number.
func prepend(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: prepend N text file")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(args[1], "%d", strconv.Itoa(i)) + "\n")
	}
	path := ts.MkAbs(args[2])
	old, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, append([]byte(b.String()), old...), 0o600))
}

// TestExampleConfig: config.example.yaml shows every key with its default.
func TestExampleConfig(t *testing.T) {
	const path = "../../config.example.yaml"
	v := viper.New()
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil {
		t.Fatal(err)
	}
	for k, want := range defaults() {
		if !v.InConfig(k) && !slices.Contains(v.AllKeys(), k) {
			t.Errorf("config.example.yaml lacks %s", k)
			continue
		}
		got := v.Get(k)
		if list, ok := want.([]string); ok {
			got, want = v.GetStringSlice(k), list
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v in config.example.yaml and %v by default", k, got, want)
		}
	}
	if _, err := load(path, nil); err != nil {
		t.Errorf("config.example.yaml cannot be loaded: %v", err)
	}
	var keys []string
	structKeys(reflect.TypeFor[config](), "", &keys)
	for _, k := range keys {
		if _, ok := defaults()[k]; !ok {
			t.Errorf("%s has no default", k)
		}
	}
	if len(keys) != len(defaults()) {
		t.Errorf("%d keys in the struct, %d defaults", len(keys), len(defaults()))
	}
}

func structKeys(t reflect.Type, prefix string, keys *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue // not a setting
		}
		name := prefix + f.Tag.Get("mapstructure")
		if f.Type.Kind() == reflect.Struct {
			structKeys(f.Type, name+".", keys)
		} else {
			*keys = append(*keys, name)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, c := range map[string]struct {
		file string
		env  []string
		want string // part of the error; "" for none
	}{
		"defaults":            {},
		"a file":              {file: "data_sharing: full\nsource:\n  paths: [a, b]\n"},
		"an unknown key":      {file: "source:\n  path: [a]\n", want: "Did you mean source.paths?"},
		"an unknown section":  {file: "sources:\n  kind: file\n", want: "Did you mean source.kind?"},
		"an unknown variable": {env: []string{"IDEM_MCP_SERVE_TOKN=x"}, want: "Did you mean IDEM_MCP_SERVE_TOKEN?"},
		"a variable":          {env: []string{"IDEM_MCP_SOURCE_PATHS=a,b", "IDEM_MCP_DATA_SHARING=full"}},
		"a token of Catalyst": {env: []string{"IDEM_MCP_CATALYST_TOKEN=x"}},
		"a bad value":         {env: []string{"IDEM_MCP_DATA_SHARING=ful"}, want: `Did you mean "full"?`},
		"a bad type":          {file: "fingerprints: [maybe]\n", want: "read the configuration"},
		"no YAML":             {file: "a: [", want: "read "},
		"two tokens":          {env: []string{"IDEM_MCP_SERVE_TOKEN=a", "IDEM_MCP_SERVE_TOKEN_FILE=b"}, want: "both"},
		"no such file":        {env: []string{"IDEM_MCP_CONFIG=" + filepath.Join(dir, "none.yaml")}, want: "there is no configuration file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := ""
			if c.file != "" {
				path = write(strings.ReplaceAll(name, " ", "-")+".yaml", c.file)
			}
			got, err := load(path, c.env)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if name == "a file" || name == "a variable" {
					if got.DataSharing != "full" || !slices.Equal(got.Source.Paths, []string{"a", "b"}) {
						t.Errorf("%+v", got)
					}
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || fault.KindOf(err) != fault.Config {
				t.Errorf("error %v, want one holding %q", err, c.want)
			}
		})
	}
}

// TestLocalFile: a file in the working directory, which a cloned repository can
// bring along, may not say where credentials go nor what is shared.
func TestLocalFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, text := range []string{"catalyst:\n  url: https://evil.example/mcp\n", "data_sharing: full\n", "fingerprints: true\n", "review:\n  roots: [/]\n"} {
		if err := os.WriteFile(localFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := load("", nil); err == nil || !strings.Contains(err.Error(), "may not") {
			t.Errorf("a local file may say %q: %v", text, err)
		}
	}
	if err := os.WriteFile(localFile, []byte("links:\n  project: shop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := load("", nil); err != nil || c.Links.Project != "shop" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestStdioOutput starts the program's serve command and parses every line of
// standard output as JSON-RPC.
func TestStdioOutput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
not json
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"idem_find_duplicates","arguments":{"run":"s2-04-label-exhausted"}}}
{"jsonrpc":"2.0","id":4,"method":"no/such"}
`
	t.Setenv("HOME", t.TempDir())
	code := execute(t.Context(), world{Args: []string{"serve", "../../examples/runs", "--log-level", "debug"}, Stdin: strings.NewReader(in), Stdout: &stdout, Stderr: &stderr, Env: os.Environ(), Now: time.Now})
	if code != exitNothing {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	n := 0
	for line := range strings.Lines(stdout.String()) {
		var m struct {
			Version string `json:"jsonrpc"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
			t.Errorf("standard output holds %q", line)
		}
		n++
	}
	if n < 5 {
		t.Errorf("%d answers: %s", n, stdout.String())
	}
	for line := range strings.Lines(stderr.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("the log holds %q", line)
		}
	}
}

// TestEveryCommandHasAnExample keeps --help useful.
func TestEveryCommandHasAnExample(t *testing.T) {
	a := &app{}
	for _, c := range a.root().Commands() {
		if c.Name() != "version" && c.Name() != "help" && !strings.Contains(c.Example, "idem-mcp "+c.Name()) {
			t.Errorf("%s has no example", c.Name())
		}
	}
	if n := len(tools.All()); n < 6 {
		t.Errorf("%d capabilities", n)
	}
}

// TestReadme: the samples in README.md are what the commands above them print. A
// line may be cut short by "…”", and the end of an answer left out.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("HOME", t.TempDir())
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"duplicates examples/runs/s2-04-label-exhausted",
		"review examples/shop --with-runs examples/shop/runs",
		"duplicates examples/runs/s7-pg-03-appkill --log examples/runs/ledger.jsonl",
		"duplicates examples/runs/s7-pg-03-appkill",
	} {
		_, rest, ok := strings.Cut(string(readme), "go run ./cmd/idem-mcp "+line+"\n```\n\n```\n")
		sample, _, found := strings.Cut(rest, "```\n")
		if !ok || !found {
			t.Errorf("README.md has lost the sample of %s", line)
			continue
		}
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), world{Args: strings.Fields(line), Stdout: &stdout, Stderr: &stderr, Env: os.Environ(), Now: time.Now})
		if want := map[bool]int{true: exitNothing, false: exitFound}[strings.Contains(sample, "no repeat is visible")]; code != want {
			t.Fatalf("%s: exit code %d: %s", line, code, stderr.String())
		}
		got := strings.Split(stdout.String(), "\n")
		for i, line := range strings.Split(strings.TrimSuffix(sample, "\n"), "\n") {
			want := strings.TrimRight(strings.TrimSuffix(line, "…”"), " ")
			if i >= len(got) || !strings.HasPrefix(got[i], want) {
				t.Errorf("line %d of the sample:\n%s\nis not what is printed:\n%s", i+1, line, got[min(i, len(got)-1)])
			}
		}
	}
}
