package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/tools"
)

// TestReviewStaysUnderTheRoots: neither "..", an absolute path nor a symbolic
// link lets an assistant read outside what the operator allows.
func TestReviewStaysUnderTheRoots(t *testing.T) {
	outside, inside := t.TempDir(), t.TempDir()
	secret := "import requests\ndef steal(x):\n    requests.post('https://pay.example/charges', json=x)  # TOP-SECRET\n"
	write(t, filepath.Join(outside, "secret.py"), secret)
	write(t, filepath.Join(inside, "ok.py"), "def ok(x):\n    return x\n")
	if err := os.Symlink(filepath.Join(outside, "secret.py"), filepath.Join(inside, "link.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(inside, "folder")); err != nil {
		t.Fatal(err)
	}
	d := deps(t, "../examples/runs/s1-01-seq-3")
	d.Code.Roots = []string{inside}
	c := byName(t, "review_code")
	for _, path := range []string{
		filepath.Join(outside, "secret.py"), outside, "../" + filepath.Base(outside) + "/secret.py", "link.py", "folder", "folder/secret.py", "..", "/etc/passwd",
	} {
		r := c.Call(t.Context(), d, arguments(t, map[string]any{"paths": []string{path}, "symbol": []string{"steal"}}))
		if r.Err == nil || strings.Contains(r.Text+string(r.JSON), "TOP-SECRET") {
			t.Errorf("%s: err=%v\n%s", path, r.Err, r.Text)
		}
	}
	for _, path := range []string{".", inside, "ok.py"} { // the whole root, with the links in it
		r := c.Call(t.Context(), d, arguments(t, map[string]any{"paths": []string{path}, "symbol": []string{"steal", "ok"}}))
		if r.Err != nil || strings.Contains(r.Text+string(r.JSON), "TOP-SECRET") {
			t.Errorf("%s: err=%v\n%s", path, r.Err, r.Text)
		}
	}
}

// TestReviewFindsTheProjectAround: a file named alone is reviewed with what it
// calls elsewhere in its project, and files are named from where the reader is.
func TestReviewFindsTheProjectAround(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pyproject.toml"), "[project]\nname='x'\n")
	write(t, filepath.Join(dir, "lib", "pay.py"), "import requests\n\n\ndef charge(o):\n    requests.post('https://pay.example/charges', json=o)\n")
	write(t, filepath.Join(dir, "app", "acts.py"), "from lib.pay import charge\n\n\ndef act(ctx, o):\n    charge(o)\n")
	d := deps(t, "../examples/runs/s1-01-seq-3")
	d.Shell = true
	r := byName(t, "review_code").Call(t.Context(), d, arguments(t, map[string]any{"paths": []string{filepath.Join(dir, "app")}, "symbol": []string{"act"}}))
	if r.Err != nil || !r.Found {
		t.Fatalf("%v\n%s", r.Err, r.Text)
	}
	var out struct {
		Activities []struct {
			File     string
			Findings []struct{ File string }
		}
	}
	if err := json.Unmarshal(r.JSON, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.Activities[0]; got.File != "acts.py" || got.Findings[0].File != "../lib/pay.py" {
		t.Errorf("%+v", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func arguments(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOneHugeActivity: an activity that alone is more than an answer may hold is
// shown in part, and the answer says so.
func TestOneHugeActivity(t *testing.T) {
	code := "import requests\ndef charge(ctx, o):\n" + strings.Repeat("    requests.post('https://pay.example/charges', json=o)\n", 2000)
	args := arguments(t, map[string]any{"language": "python", "code": code, "symbol": []string{"charge"}})
	r := byName(t, "review_code").Call(t.Context(), deps(t, "../examples/runs/s1-01-seq-3"), args)
	if r.Err != nil || len(r.JSON) > tools.Budget || len(r.Text) > tools.Budget {
		t.Fatalf("%v: %d bytes, %d of text, want at most %d", r.Err, len(r.JSON), len(r.Text), tools.Budget)
	}
	if !strings.Contains(r.Text, "of 2000 findings") || !strings.Contains(r.Text, "IDEM002") {
		t.Errorf("%.1500s", r.Text)
	}
}
