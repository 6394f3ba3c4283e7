package js_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang/js"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

func languages() []*review.Language {
	return []*review.Language{js.JavaScript(), js.TypeScript()}
}

// TestFacts reviews every program of testdata. The section "want" lists, per
// activity, its name, the file it is in, its verdict with the kinds of
// findings, its acting effects and its call sites. The first lines of a program
// may name symbols to review by hand: "symbols: a b".
func TestFacts(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			want, fsys := "", fstest.MapFS{}
			for _, s := range ar.Files {
				if s.Name == "want" {
					want = strings.TrimSpace(string(s.Data))
					continue
				}
				fsys[s.Name] = &fstest.MapFile{Data: s.Data}
			}
			c := review.Config{Files: fsys, Languages: languages(), Rules: rules.All()}
			for l := range strings.Lines(string(ar.Comment)) {
				if names, ok := strings.CutPrefix(l, "symbols:"); ok {
					c.Symbols = strings.Fields(names)
				}
			}
			res, err := review.Review(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			if *golden.Update {
				for i, s := range ar.Files {
					if s.Name == "want" {
						ar.Files[i].Data = []byte(facts(res) + "\n")
					}
				}
				if err := os.WriteFile(f, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, facts(res)); d != "" {
				t.Errorf("facts differ (-want +got):\n%s", d)
			}
		})
	}
}

func facts(res review.Result) string {
	var b strings.Builder
	for _, a := range res.Activities {
		fmt.Fprintf(&b, "%s %s:%d %s", a.Name, a.File, a.Line, a.Verdict)
		for _, f := range a.Findings {
			if f.Severity != review.Advice {
				fmt.Fprintf(&b, " %s", f.Kind)
			}
		}
		b.WriteString("\n")
		for _, e := range a.Effects {
			if e.Class == "read" || e.Class == "tx" {
				continue
			}
			fmt.Fprintf(&b, "  %s %s:%d", e.Class, e.File, e.Line)
			if e.Key != "" {
				b.WriteString(" key=" + e.Key)
			}
			if e.Guard != "" {
				b.WriteString(" guarded")
			}
			b.WriteString("\n")
		}
		for _, s := range a.CallSites {
			fmt.Fprintf(&b, "  called by %s:%d retries=%v\n", s.Workflow, s.Line, s.Retries)
		}
	}
	return strings.TrimSpace(b.String())
}

// FuzzLower holds that any bytes lower without a panic, in every grammar, and
// that what comes back stays inside the file.
func FuzzLower(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, p := range files {
		if ar, err := txtar.ParseFile(p); err == nil {
			for _, s := range ar.Files {
				f.Add(s.Data)
			}
		}
	}
	for _, s := range []string{"export =", "module.exports = {...require('x')}", "f`${`", "class { #x = () => { get", "const {a: {b = [,...c]}} = d", "a?.[b]?.(c)!", "<T,>(x: T) => x", "enum E { A = 1, 'b' }", "namespace N { export const x = 1 }", "label: for (;;) continue label"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lines := strings.Count(string(src), "\n") + 1
		for _, p := range []string{"a.js", "a.ts", "a.tsx"} {
			l := js.TypeScript()
			if p == "a.js" {
				l = js.JavaScript()
			}
			file, err := l.Lower(p, src)
			if err != nil {
				continue
			}
			for _, fn := range file.Funcs {
				if fn.Line < 1 || fn.EndLine < fn.Line || fn.EndLine > lines {
					t.Fatalf("%s: %q spans lines %d to %d of %d", p, fn.Name, fn.Line, fn.EndLine, lines)
				}
			}
		}
		fsys := fstest.MapFS{"a.ts": {Data: src}, "b.js": {Data: src}}
		if _, err := review.Review(context.Background(), review.Config{Files: fsys, Languages: languages(), Rules: rules.All()}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestModule(t *testing.T) {
	for _, c := range []struct{ from, imported, want string }{
		{"src/worker.ts", "./activities", "src/activities src/activities/index"},
		{"src/a/b.ts", "../c.js", "src/c src/c/index"},
		{"worker.ts", "..", ""},
		{"src/a.ts", ".", "src src/index"},
		{"src/a.ts", "@/lib/db", "*/src/lib/db */src/lib/db/index */lib/db */lib/db/index"},
		{"src/a.ts", "@temporalio/client", ""},
		{"src/a.ts", "node:fs", ""},
	} {
		if got := strings.Join(js.TypeScript().Module(c.from, c.imported), " "); got != c.want {
			t.Errorf("Module(%q, %q) = %q, want %q", c.from, c.imported, got, c.want)
		}
	}
}
