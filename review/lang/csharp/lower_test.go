package csharp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang/csharp"
)

// TestLower holds the common form of small sources: one txtar each, the source
// and what it is lowered to.
func TestLower(t *testing.T) {
	files, _ := filepath.Glob("testdata/lower/*.txtar")
	if len(files) == 0 {
		t.Fatal("no sources")
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := csharp.Language().Lower("in.cs", ar.Files[0].Data)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: ar.Comment, Files: []txtar.File{ar.Files[0], {Name: "want", Data: []byte(dump(f))}}}
			golden.File(t, name, txtar.Format(out))
		})
	}
}

// FuzzLower: whatever the bytes, lowering ends, and every place lies in the
// file.
func FuzzLower(f *testing.F) {
	files, _ := filepath.Glob("testdata/lower/*.txtar")
	for _, name := range files {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(ar.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := csharp.Language().Lower("in.cs", src)
		if err != nil {
			return
		}
		lines := strings.Count(string(src), "\n") + 1
		for _, fn := range file.Funcs {
			if fn.Line < 1 || fn.EndLine > lines || fn.Line > fn.EndLine {
				t.Fatalf("%s at %d-%d of %d lines", fn.Name, fn.Line, fn.EndLine, lines)
			}
		}
		dump(file)
	})
}

func dump(f *review.File) string {
	var b strings.Builder
	for _, im := range f.Imports {
		fmt.Fprintf(&b, "import %s %s %s\n", im.Path, im.Member, im.Name)
	}
	for _, ty := range f.Types {
		fmt.Fprintf(&b, "type %s %v interface=%v %s\n", ty.Name, ty.Bases, ty.Interface, exprs(ty.Annotations))
		for _, fd := range ty.Fields {
			fmt.Fprintf(&b, "\tfield %s %s static=%v %s\n", fd.Name, fd.Type, fd.Static, expr(fd.Value))
		}
	}
	for _, fn := range f.Funcs {
		owner := ""
		if fn.Owner != nil {
			owner = fn.Owner.Name + "."
		}
		fmt.Fprintf(&b, "func %s%s(%s) %s static=%v exported=%v abstract=%v %s\n", owner, fn.Name, params(fn), fn.Result, fn.Static, fn.Exported, fn.Abstract, exprs(fn.Annotations))
		body(&b, fn.Body, 1)
	}
	if len(f.Top.Body) > 0 {
		b.WriteString("top\n")
		body(&b, f.Top.Body, 1)
	}
	return b.String()
}

func params(fn *review.Func) string {
	var out []string
	for _, p := range fn.Params {
		out = append(out, strings.TrimSpace(exprs(p.Annotations)+" "+p.Type+" "+p.Name))
	}
	return strings.Join(out, ", ")
}

var ops = [...]string{"do", "let", "if", "loop", "try", "return", "throw", "with", "block", "switch", "jump", "define", "delete"}

func body(b *strings.Builder, ss []*review.Stmt, depth int) {
	tab := strings.Repeat("\t", depth)
	for _, s := range ss {
		fmt.Fprintf(b, "%s%s", tab, ops[s.Op])
		for _, part := range []string{s.Name, s.Type, exprs(s.Targets), expr(s.Value)} {
			if part != "" {
				b.WriteString(" " + part)
			}
		}
		b.WriteString("\n")
		body(b, s.Body, depth+1)
		for _, k := range s.Catches {
			fmt.Fprintf(b, "%scase %v %s %s\n", tab, k.Types, k.Name, exprs(k.Values))
			body(b, k.Body, depth+1)
		}
		if len(s.Else) > 0 {
			b.WriteString(tab + "else\n")
			body(b, s.Else, depth+1)
		}
		if len(s.Finally) > 0 {
			b.WriteString(tab + "finally\n")
			body(b, s.Finally, depth+1)
		}
		if s.Func != nil {
			fmt.Fprintf(b, "%s\t%s(%s)\n", tab, s.Func.Name, params(s.Func))
		}
	}
}

func exprs(es []*review.Expr) string {
	var out []string
	for _, e := range es {
		out = append(out, expr(e))
	}
	return strings.Join(out, ", ")
}

// expr spells an expression in a form of its own, so that every kind shows.
func expr(e *review.Expr) string {
	if e == nil {
		return ""
	}
	var args []string
	for _, a := range e.Args {
		s := expr(a.Value)
		switch {
		case a.Spread:
			s = "..." + s
		case a.Key != nil:
			s = "[" + expr(a.Key) + "]: " + s
		case a.Name != "":
			s = a.Name + ": " + s
		}
		args = append(args, s)
	}
	list := strings.Join(args, ", ")
	switch e.Op {
	case review.OpName, review.OpNumber, review.OpBool:
		return e.Name
	case review.OpString:
		return fmt.Sprintf("%q", e.Name)
	case review.OpNull:
		return "null"
	case review.OpMember:
		return expr(e.X) + "." + e.Name
	case review.OpIndex:
		return expr(e.X) + "[" + expr(e.Y) + "]"
	case review.OpCall:
		mark := ""
		if e.New {
			mark = "new "
		}
		types := ""
		if len(e.Types) > 0 {
			types = "<" + strings.Join(e.Types, ", ") + ">"
		}
		return mark + expr(e.X) + types + "(" + list + ")"
	case review.OpTemplate:
		return "template(" + list + ")"
	case review.OpBinary:
		return "(" + expr(e.X) + " " + e.Name + " " + expr(e.Y) + ")"
	case review.OpUnary:
		return e.Name + expr(e.X)
	case review.OpObject:
		return "object " + e.Name + "{" + list + "}"
	case review.OpList:
		return "list[" + list + "]"
	case review.OpLambda:
		var b strings.Builder
		body(&b, e.Func.Body, 0)
		return "lambda(" + params(e.Func) + "){" + strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "; ") + "}"
	case review.OpCond:
		return "cond(" + expr(e.Z) + ", " + expr(e.X) + ", " + expr(e.Y) + ")"
	case review.OpAssign:
		return "(" + expr(e.X) + " " + e.Name + "= " + expr(e.Y) + ")"
	case review.OpCast:
		return "cast<" + e.Name + ">(" + expr(e.X) + ")"
	case review.OpType:
		return "type " + e.Name
	case review.OpAwait:
		return "await " + expr(e.X)
	}
	return "opaque(" + list + ")"
}
