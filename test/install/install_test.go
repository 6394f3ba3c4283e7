// Package install_test holds what a release is made of against programs of others:
// the bundle against its own validator, the Dockerfile against a linter. They are
// npm packages, so a plain go test skips them and .ci/run does not.
package install_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"

	"github.com/idem-mcp/idem-mcp/release"
)

// program is one of the npm packages.
func program(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	if os.Getenv("CLIENT_TESTS") == "" {
		t.Skip("set CLIENT_TESTS=1 after `npm ci` in test/install, or run: make test")
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join("node_modules", ".bin", name), args...).CombinedOutput()
	return string(out), err
}

// TestBundleValidates: the validator of the bundle's format accepts the manifest,
// unpacks the bundle, and is heard when it does not accept one.
func TestBundleValidates(t *testing.T) {
	dir := t.TempDir()
	programs := map[string]string{}
	for _, p := range release.Platforms() {
		programs[p.Name] = "install_test.go"
	}
	if err := release.Write("1.2.3", dir, programs, map[string]string{"LICENSE": "../../LICENSE"}); err != nil {
		t.Fatal(err)
	}
	unpacked := filepath.Join(dir, "unpacked")
	if out, err := program(t, "mcpb", "unpack", filepath.Join(dir, release.BundleName("1.2.3")), unpacked); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	manifest := filepath.Join(unpacked, "manifest.json")
	if out, err := program(t, "mcpb", "validate", manifest); err != nil || !strings.Contains(out, "passes") {
		t.Errorf("%v: %s", err, out)
	}
	info, err := os.Stat(filepath.Join(unpacked, release.Platforms()[0].Program))
	if err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the program is not executable after unpacking: %v", err)
	}
	if err := os.WriteFile(manifest, []byte(`{"manifest_version": "0.3", "name": "idem-mcp"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := program(t, "mcpb", "validate", manifest); err == nil {
		t.Errorf("half a manifest is accepted: %s", out)
	}
}

// TestDockerfileLint: the linter finds nothing, and is heard when it does.
func TestDockerfileLint(t *testing.T) {
	if out, err := program(t, "dockerfile-utils", "lint", "../../Dockerfile"); err != nil || strings.TrimSpace(out) != "" {
		t.Errorf("%v: %s", err, out)
	}
	bad := filepath.Join(t.TempDir(), "Dockerfile")
	if err := os.WriteFile(bad, []byte("FROM scratch\nCOPPY a b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := program(t, "dockerfile-utils", "lint", bad); err == nil && strings.TrimSpace(out) == "" {
		t.Error("the linter accepts an instruction that there is not")
	}
}

// TestDockerfile: what the linter does not look at. The image runs as a numbered
// user that is not root, holds only what it copies, with the licences, and its
// program is built as that of the archives.
func TestDockerfile(t *testing.T) {
	text := read(t, "../../Dockerfile")
	stages := regexp.MustCompile(`(?m)^FROM `).Split(text, -1)
	last := stages[len(stages)-1]
	if !strings.HasPrefix(last, "scratch\n") || strings.Contains(last, "\nRUN ") || strings.Contains(text, "\nADD ") {
		t.Errorf("the image is more than what it copies:\n%s", last)
	}
	if !regexp.MustCompile(`(?m)^USER [1-9]\d+:[1-9]\d+$`).MatchString(last) {
		t.Error("the image has no numbered user that is not root")
	}
	if !strings.Contains(last, "LICENSE /THIRD_PARTY_LICENSES") {
		t.Error("the image lacks the licences")
	}
	releaser := read(t, "../../.goreleaser.yaml")
	for _, flag := range []string{"-trimpath", "netgo,osusergo", "-s -w", "-X main.released=", "-X main.commit=", "-X main.committed=", "-linkmode external", "-static"} {
		if !strings.Contains(text, flag) || !strings.Contains(releaser, flag) {
			t.Errorf("%s is not in both of Dockerfile and .goreleaser.yaml", flag)
		}
	}
	for _, name := range []string{"released", "commit", "committed"} { // the linker does not say that a name is unknown
		if !regexp.MustCompile(`(?m)^var .*\b` + name + `\b.* string$`).MatchString(read(t, "../../cmd/idem-mcp/version.go")) {
			t.Errorf("cmd/idem-mcp has no variable %s for the linker", name)
		}
	}
}

// TestGoInstall: `go install …@version` takes the module: nothing in go.mod that it
// refuses in a module that is not the main one, and no file that a module cannot
// hold.
func TestGoInstall(t *testing.T) {
	f, err := modfile.Parse("go.mod", []byte(read(t, "../../go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Replace) > 0 || len(f.Exclude) > 0 {
		t.Error("go install refuses a module with replace or exclude directives")
	}
	list, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("not a clone, or no git: %v", err)
	}
	var files []modzip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if _, err := os.Lstat(tracked(name).path()); err == nil {
			files = append(files, tracked(name))
		}
	}
	var size counter
	if err := modzip.Create(&size, module.Version{Path: f.Module.Mod.Path, Version: "v0.0.1"}, files); err != nil {
		t.Error(err)
	}
	if len(files) < 500 || size < 100_000 {
		t.Errorf("%d files, %d bytes", len(files), size)
	}
}

// tracked is a file of the repository, by its path there.
type tracked string

func (f tracked) path() string                 { return filepath.Join("../..", string(f)) }
func (f tracked) Path() string                 { return string(f) }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(f.path()) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(f.path()) }

// counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
