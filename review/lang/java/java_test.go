package java_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang/java"
)

// TestLower compares the lowered form of every program in testdata with the
// form that stands beside it.
func TestLower(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(f)
			if err != nil {
				t.Fatal(err)
			}
			src := ar.Files[0].Data
			file, err := java.Language().Lower("Test.java", src)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: ar.Comment, Files: []txtar.File{ar.Files[0], {Name: "want", Data: []byte(dump(file))}}}
			golden.File(t, f, txtar.Format(out))
		})
	}
}

func TestModule(t *testing.T) {
	m := java.Language().Module
	if got := m("a/B.java", "com.acme.Order"); len(got) != 1 || got[0] != "*/com/acme/Order" {
		t.Errorf("com.acme.Order: %v", got)
	}
	if got := m("a/B.java", "java.util.Map"); got != nil {
		t.Errorf("the standard library is not in the repository: %v", got)
	}
}

// FuzzLower: no input makes it panic, and every line lies inside the file.
func FuzzLower(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, p := range files {
		if ar, err := txtar.ParseFile(p); err == nil {
			f.Add(ar.Files[0].Data)
		}
	}
	f.Add([]byte("class A { void f() { switch (x) { case 1 -> y(); } } }"))
	f.Add([]byte("class A { Object o = new B() { int c; void d() {} void e() {} }; } }}}"))
	f.Add([]byte("record R(int a) { R { if (a < 0) throw new E(); } } enum X { A, B { void f() {} } }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := java.Language().Lower("Test.java", src)
		if err != nil {
			return
		}
		last := strings.Count(string(src), "\n") + 1
		for _, fn := range file.Funcs {
			if fn.Line < 1 || fn.EndLine > last || fn.EndLine < fn.Line {
				t.Errorf("%s spans %d to %d of %d lines", fn.Name, fn.Line, fn.EndLine, last)
			}
			stmts(fn.Body, func(s *review.Stmt) {
				if s.Line < 1 || s.EndLine > last {
					t.Errorf("statement in %s spans %d to %d of %d lines", fn.Name, s.Line, s.EndLine, last)
				}
			})
		}
		dump(file)
	})
}

func stmts(body []*review.Stmt, visit func(*review.Stmt)) {
	for _, s := range body {
		visit(s)
		for _, sub := range [][]*review.Stmt{s.Body, s.Else, s.Finally} {
			stmts(sub, visit)
		}
		for _, c := range s.Catches {
			stmts(c.Body, visit)
		}
	}
}

// dump writes a file in lines: package, imports, types with fields, functions
// with their statements.
func dump(f *review.File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", f.Package)
	for _, im := range f.Imports {
		fmt.Fprintf(&b, "import %s %s %s\n", im.Path, im.Member, im.Name)
	}
	for _, t := range f.Types {
		kind := "type"
		if t.Interface {
			kind = "interface"
		}
		fmt.Fprintf(&b, "%s%s %s %s\n", marks(t.Annotations), kind, t.Name, strings.Join(t.Bases, " "))
		for _, fd := range t.Fields {
			static := ""
			if fd.Static {
				static = "static "
			}
			fmt.Fprintf(&b, "  %s%s%s %s %s\n", marks(fd.Annotations), static, fd.Name, fd.Type, expr(fd.Value))
		}
	}
	for _, fn := range f.Funcs {
		owner := ""
		if fn.Owner != nil {
			owner = fn.Owner.Name + "."
		}
		var flags []string
		for _, fl := range []struct {
			on   bool
			name string
		}{{fn.Static, "static"}, {fn.Abstract, "abstract"}, {fn.Exported, "exported"}} {
			if fl.on {
				flags = append(flags, fl.name)
			}
		}
		fmt.Fprintf(&b, "%sfunc %s%s(%s) %s [%s] %d-%d\n", marks(fn.Annotations), owner, fn.Name, params(fn.Params), fn.Result, strings.Join(flags, " "), fn.Line, fn.EndLine)
		block(&b, fn.Body, "  ")
	}
	if f.Errors > 0 {
		fmt.Fprintf(&b, "errors %d\n", f.Errors)
		block(&b, f.Top.Body, "")
	}
	return b.String()
}

func marks(as []*review.Expr) string {
	var b strings.Builder
	for _, a := range as {
		b.WriteString("@" + expr(a) + " ")
	}
	return b.String()
}

func params(ps []review.Param) string {
	var out []string
	for _, p := range ps {
		s := marks(p.Annotations) + p.Name + " " + p.Type
		if p.Rest {
			s += "..."
		}
		out = append(out, strings.TrimSpace(s))
	}
	return strings.Join(out, ", ")
}

var stmtNames = map[review.StmtOp]string{review.Do: "do", review.Let: "let", review.If: "if", review.Loop: "loop", review.Try: "try", review.Return: "return", review.Throw: "throw", review.With: "with", review.Block: "block", review.Switch: "switch", review.Jump: "jump", review.Define: "define", review.Delete: "delete"}

func block(b *strings.Builder, body []*review.Stmt, in string) {
	for _, s := range body {
		var targets []string
		for _, t := range s.Targets {
			targets = append(targets, expr(t))
		}
		line := strings.Join([]string{stmtNames[s.Op], s.Name, s.Type, strings.Join(targets, ","), expr(s.Value)}, " ")
		fmt.Fprintf(b, "%s%s\n", in, strings.Join(strings.Fields(line), " "))
		block(b, s.Body, in+"  ")
		if len(s.Else) > 0 {
			fmt.Fprintf(b, "%selse\n", in)
			block(b, s.Else, in+"  ")
		}
		for _, c := range s.Catches {
			var vals []string
			for _, v := range c.Values {
				vals = append(vals, expr(v))
			}
			fmt.Fprintf(b, "%scase %s\n", in, strings.TrimSpace(strings.Join(append(c.Types, vals...), "|")+" "+c.Name))
			block(b, c.Body, in+"  ")
		}
		if len(s.Finally) > 0 {
			fmt.Fprintf(b, "%sfinally\n", in)
			block(b, s.Finally, in+"  ")
		}
	}
}

func expr(e *review.Expr) string {
	if e == nil {
		return ""
	}
	args := func() string {
		var out []string
		for _, a := range e.Args {
			s := expr(a.Value)
			if a.Name != "" {
				s = a.Name + "=" + s
			}
			out = append(out, s)
		}
		return strings.Join(out, ", ")
	}
	switch e.Op {
	case review.OpName, review.OpNumber, review.OpBool:
		return e.Name
	case review.OpType:
		return "<" + e.Name + ">"
	case review.OpNull:
		return "null"
	case review.OpString:
		return fmt.Sprintf("%q", e.Name)
	case review.OpMember:
		return expr(e.X) + "." + e.Name
	case review.OpIndex:
		return expr(e.X) + "[" + expr(e.Y) + "]"
	case review.OpCall:
		n := ""
		if e.New {
			n = "new "
		}
		return n + expr(e.X) + "(" + args() + ")"
	case review.OpTemplate:
		return "template(" + args() + ")"
	case review.OpList:
		return "[" + args() + "]"
	case review.OpBinary:
		return "(" + expr(e.X) + " " + e.Name + " " + expr(e.Y) + ")"
	case review.OpUnary:
		return e.Name + expr(e.X)
	case review.OpCond:
		return "(" + expr(e.Z) + " ? " + expr(e.X) + " : " + expr(e.Y) + ")"
	case review.OpAssign:
		return "(" + expr(e.X) + " " + e.Name + "= " + expr(e.Y) + ")"
	case review.OpCast:
		return "(" + e.Name + ")" + expr(e.X)
	case review.OpLambda:
		var b strings.Builder
		block(&b, e.Func.Body, "")
		return "(" + params(e.Func.Params) + ") -> {" + strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\n' }), "; ") + "}"
	}
	return "opaque(" + args() + ")"
}
