package release_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/idem-mcp/idem-mcp/release"
	"github.com/idem-mcp/idem-mcp/tools"
)

// made is a bundle and server.json of made-up programs.
func made(t *testing.T, version string) (bundle, server []byte) {
	t.Helper()
	dir := t.TempDir()
	programs := map[string]string{}
	for _, p := range release.Platforms() {
		programs[p.Name] = filepath.Join(dir, p.Name)
		if err := os.WriteFile(programs[p.Name], []byte("program for "+p.Name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := release.Write(version, dir, programs, map[string]string{"LICENSE": "../LICENSE"}); err != nil {
		t.Fatal(err)
	}
	return read(t, filepath.Join(dir, release.BundleName(version))), read(t, filepath.Join(dir, "server.json"))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// valid holds a document against a schema of testdata.
func valid(schema string, document []byte) error {
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", schema))
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func member(t *testing.T, bundle []byte, name string) (*zip.File, []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(bundle), int64(len(bundle)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return f, b
	}
	t.Fatalf("%s is not in the bundle", name)
	return nil, nil
}

// TestBundle: the manifest is valid, and each command that it names is a program in
// the bundle that may be executed.
func TestBundle(t *testing.T) {
	bundle, _ := made(t, "1.2.3")
	_, raw := member(t, bundle, "manifest.json")
	if err := valid("mcpb-manifest-v0.3.schema.json", raw); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Version string
		Server  struct {
			Entry  string `json:"entry_point"`
			Config struct {
				Command   string
				Overrides map[string]struct {
					Command string
					Args    []string
				} `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
		Tools         []struct{ Name string }
		Config        map[string]json.RawMessage `json:"user_config"`
		Compatibility struct{ Platforms []string }
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if m.Version != "1.2.3" || len(m.Tools) != len(tools.All()) {
		t.Errorf("version %s, %d tools", m.Version, len(m.Tools))
	}
	asked := regexp.MustCompile(`\$\{user_config\.(\w+)\}`)
	for _, p := range m.Compatibility.Platforms {
		o := m.Server.Config.Overrides[p]
		inside, ok := strings.CutPrefix(o.Command, "${__dirname}/")
		if !ok {
			t.Errorf("%s starts %q, which is not in the bundle", p, o.Command)
			continue
		}
		if f, b := member(t, bundle, inside); f.Mode().Perm() != 0o755 || string(b) != "program for "+p {
			t.Errorf("%s starts %s: mode %v, %q", p, inside, f.Mode(), b)
		}
		for _, q := range asked.FindAllStringSubmatch(strings.Join(o.Args, " "), -1) {
			if m.Config[q[1]] == nil {
				t.Errorf("%s asks for %s, which is no setting", p, q[1])
			}
		}
	}
	if len(m.Compatibility.Platforms) != 3 {
		t.Errorf("platforms %v", m.Compatibility.Platforms)
	}
	member(t, bundle, m.Server.Entry)
	member(t, bundle, "LICENSE")
	if again, _ := made(t, "1.2.3"); !bytes.Equal(bundle, again) {
		t.Error("the same programs give another bundle")
	}
}

// TestServerJSON: the entry for the registry is valid, and names the bundle as it
// is.
func TestServerJSON(t *testing.T) {
	bundle, raw := made(t, "1.2.3-rc.1")
	if err := valid("server.schema.json", raw); err != nil {
		t.Fatal(err)
	}
	var s struct {
		Schema   string `json:"$schema"`
		Version  string
		Packages []struct {
			Identifier, Version string
			Sum                 string `json:"fileSha256"`
		}
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bundle)
	p := s.Packages[0]
	if s.Version != "1.2.3-rc.1" || p.Version != s.Version || !strings.HasSuffix(p.Identifier, "/v1.2.3-rc.1/idem-mcp_1.2.3-rc.1.mcpb") {
		t.Errorf("%s", raw)
	}
	if p.Sum != hex.EncodeToString(sum[:]) {
		t.Error("the checksum is not that of the bundle")
	}
	if !bytes.Contains(read(t, "testdata/server.schema.json"), []byte(`"$id": "`+s.Schema+`"`)) {
		t.Errorf("testdata has not the schema %s", s.Schema)
	}
}

// TestRefuses: what the schemas let pass and must not.
func TestRefuses(t *testing.T) {
	for _, version := range []string{"", "v1.2.3", "1.2", "latest", "^1.2.3"} {
		if _, err := release.Manifest(version); err == nil {
			t.Errorf("a manifest of version %q", version)
		}
		if _, err := release.Server(version, strings.Repeat("0", 64)); err == nil {
			t.Errorf("server.json of version %q", version)
		}
	}
	if err := release.Write("1.2.3", t.TempDir(), map[string]string{"linux": "../LICENSE"}, nil); err == nil || !strings.Contains(err.Error(), "darwin") {
		t.Errorf("a bundle without all programs: %v", err)
	}
	if raw, err := release.Server("1.2.3", "not a sum"); err != nil || valid("server.schema.json", raw) == nil {
		t.Errorf("the schema takes any checksum: %v", err)
	}
}

// TestGoreleaser: the configuration of releases fits the schema that goreleaser
// prints of it, and builds what release/bundle and release/licences rest on.
// `goreleaser check` looks deeper; `make release` runs it.
func TestGoreleaser(t *testing.T) {
	var v any
	if err := yaml.Unmarshal(read(t, "../.goreleaser.yaml"), &v); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := valid("goreleaser.schema.json", raw); err != nil {
		t.Fatal(err)
	}
	var c struct {
		Builds []struct {
			ID           string
			Goos, Goarch []string
			Env, Ldflags []string
		}
		Universal []struct{ IDs []string } `json:"universal_binaries"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	built := map[string]bool{}
	for _, b := range c.Builds {
		for _, goos := range b.Goos {
			for _, arch := range b.Goarch {
				built[goos+"/"+arch] = slices.Contains(b.Env, "CGO_ENABLED=1")
			}
		}
		static := strings.Contains(strings.Join(b.Ldflags, " "), "-static")
		if static != (b.Goos[0] == "linux") {
			t.Errorf("%s: static is %v", b.ID, static)
		}
	}
	want := map[string]bool{"linux/amd64": true, "linux/arm64": true, "windows/amd64": true, "darwin/amd64": false, "darwin/arm64": false}
	if !maps.Equal(built, want) {
		t.Errorf("targets, and whether they have cgo: %v, want %v", built, want)
	}
	if len(c.Universal) != 1 || !slices.Equal(c.Universal[0].IDs, []string{"without-review"}) {
		t.Errorf("universal binaries of %v", c.Universal)
	}
}
