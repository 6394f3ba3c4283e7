package langtest_test

import (
	"context"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// TestJava reviews what has no counterpart elsewhere: builders, declared
// statements, entities, transactions, factories.
func TestJava(t *testing.T) {
	const path = "testdata/java/libraries.txtar"
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
	ar.Files[0].Data = []byte(facts(res) + "\n")
	golden.File(t, path, txtar.Format(ar))
}
