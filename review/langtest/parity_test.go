package langtest_test

import (
	"context"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// TestParity reviews every section of every program. A section "want" lists the
// facts: one line per acting effect ("class [key=origins] [dedupe] [guarded]"),
// then the verdict. Sections whose name starts with "lib" belong to the program
// of their extension.
func TestParity(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, s := range ar.Files {
			if s.Name == "want" {
				want = strings.TrimSpace(string(s.Data))
			}
		}
		for _, l := range lang.All() {
			files := fstest.MapFS{}
			main := ""
			for _, s := range ar.Files {
				if l.Reads(s.Name) {
					files[s.Name] = &fstest.MapFile{Data: s.Data}
					if !strings.HasPrefix(s.Name, "lib") {
						main = s.Name
					}
				}
			}
			t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar")+"/"+l.Name, func(t *testing.T) {
				if main == "" {
					t.Skip("no program in this language: the construct does not exist there, or the column is not filled yet")
				}
				res, err := review.Review(context.Background(), review.Config{Files: files, Paths: []string{main}, Languages: lang.All(), Rules: rules.All()})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, facts(res)); diff != "" {
					t.Errorf("facts differ (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func facts(res review.Result) string {
	var out []string
	if len(res.Activities) == 0 {
		return "no activity found"
	}
	for _, a := range res.Activities {
		for _, e := range a.Effects {
			if e.Class == "read" || e.Class == "llm" {
				continue
			}
			line := e.Class
			if e.Key != "" {
				line += " key=" + e.Key
			}
			if e.Guard != "" {
				line += " guarded"
			}
			out = append(out, line)
		}
		var kinds []string
		for _, f := range a.Findings {
			if f.Severity != review.Advice {
				kinds = append(kinds, f.Kind)
			}
		}
		sort.Strings(kinds)
		out = append(out, strings.TrimSpace(string(a.Verdict)+" "+strings.Join(kinds, " ")))
	}
	return strings.Join(out, "\n")
}
