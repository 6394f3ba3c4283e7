package scaffold_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/review"
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
	for _, key := range keys(t, src) {
		if _, ok := reflect.TypeFor[review.Rule]().FieldByName(key); !ok {
			t.Errorf("rule.go does not compile: a rule has no field %s", key)
		}
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

// keys are the field names in the rule that the source returns.
func keys(t *testing.T, src []byte) (out []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok {
			for _, e := range lit.Elts {
				out = append(out, e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name)
			}
		}
		return true
	})
	if len(out) < 5 {
		t.Errorf("fields %v", out)
	}
	return out
}
