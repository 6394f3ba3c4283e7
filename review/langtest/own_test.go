package langtest_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// TestOwn reviews what a language has for itself, or what needs files of several
// folders: modules, lists of functions, generated clients, declared statements,
// entities, factories.
func TestOwn(t *testing.T) {
	all, _ := filepath.Glob("testdata/*/*.txtar")
	if len(all) == 0 {
		t.Fatal("no programs")
	}
	for _, path := range all {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			for _, s := range ar.Files[1:] {
				files[s.Name] = &fstest.MapFile{Data: s.Data}
			}
			res, err := review.Review(context.Background(), review.Config{Files: files, Languages: lang.All(), Rules: rules.All()})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, a := range res.Activities {
				b.WriteString(a.Name + ": " + facts(review.Result{Activities: []review.ActivityResult{a}}) + "\n")
			}
			ar.Files[0].Data = []byte(b.String())
			golden.File(t, path, txtar.Format(ar))
		})
	}
}
