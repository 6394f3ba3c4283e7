package scaffold_test

import (
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/review/rules/ruletest"
	"github.com/idem-mcp/idem-mcp/review/rules/scaffold"
)

// TestNew writes a rule and expects the checks to miss one thing only: an
// example that must report.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	folder, err := scaffold.New(dir, "some-fault")
	if err != nil {
		t.Fatal(err)
	}
	got := ruletest.Folder(os.DirFS(folder), []string{"python", "go"})
	if d := cmp.Diff([]string{"no want line"}, got); d != "" {
		t.Errorf("complaints (-want +got):\n%s", d)
	}
	src, err := os.ReadFile(filepath.Join(folder, "rule.go"))
	if err != nil {
		t.Fatal(err)
	}
	if pretty, err := format.Source(src); err != nil || string(pretty) != string(src) {
		t.Errorf("rule.go is not formatted: %v", err)
	}
	if _, err := scaffold.New(dir, "some-fault"); err == nil {
		t.Error("a folder that exists was written again")
	}
	if _, err := scaffold.New(dir, "Fault"); err == nil {
		t.Error("a slug of one capitalised word was taken")
	}
	if err := scaffold.WriteAll(dir); err != nil {
		t.Error(err)
	}
}
