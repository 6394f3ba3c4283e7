// Package java lowers Java to the reviewer's common form.
package java

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// Language is Java.
func Language() *review.Language {
	return &review.Language{Name: "java", Family: "java", Extensions: []string{".java"}, Comment: "//", Lower: lower, Module: module}
}

// module is the file of an imported type; an import of a package means none.
func module(_, imported string) []string {
	if strings.HasPrefix(imported, "java.") || strings.HasPrefix(imported, "javax.") {
		return nil
	}
	return []string{"*/" + strings.ReplaceAll(imported, ".", "/")}
}

type lowering struct {
	file *review.File
	typ  *review.Type
	fn   *review.Func
	anon int
}

func lower(p string, src []byte) (*review.File, error) {
	t, err := parse.Parse(parse.Java, src)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	l := &lowering{file: &review.File{Path: p, Language: "java", Errors: t.Errors()}}
	l.file.Top = &review.Func{Line: 1}
	for n := range t.Root().Children() {
		l.item(n)
	}
	return l.file, nil
}

// item is a part of a file: a type, and in pasted or broken text a method or
// statements.
func (l *lowering) item(n parse.Node) {
	switch n.Kind() {
	case "package_declaration":
		l.file.Package = n.First("scoped_identifier", "identifier").Text()
	case "import_declaration":
		l.imports(n)
	case "method_declaration", "constructor_declaration":
		l.method(n)
	case "ERROR":
		for c := range n.Children() {
			l.item(c)
		}
	default:
		if !l.declaration(n) {
			l.file.Top.Body = append(l.file.Top.Body, l.stmt(n)...)
		}
	}
}

func (l *lowering) comment(n parse.Node) {
	l.file.Comments = append(l.file.Comments, review.Comment{Text: strings.Trim(n.Text(), "/* \n"), Line: n.Line()})
}

// imports: a type of a package, a static member of a type, or all of either.
func (l *lowering) imports(n parse.Node) {
	full := n.First("scoped_identifier", "identifier").Text()
	im := review.Import{Path: full, Member: "*", Line: n.Line()}
	if i := strings.LastIndexByte(full, '.'); i > 0 && !n.Has("asterisk") {
		im.Path, im.Member, im.Name = full[:i], full[i+1:], full[i+1:]
	}
	l.file.Imports = append(l.file.Imports, im)
}

// declaration lowers a type; it reports false for anything else.
func (l *lowering) declaration(n parse.Node) bool {
	switch n.Kind() {
	case "class_declaration", "interface_declaration", "record_declaration", "enum_declaration":
		t := &review.Type{Name: n.Field("name").Text(), Interface: n.Kind() == "interface_declaration", Annotations: l.annotations(n), Line: n.Line(), EndLine: n.EndLine()}
		t.Bases = bases(n)
		if n.Kind() == "record_declaration" {
			for _, p := range l.params(n.Field("parameters")) {
				t.Fields = append(t.Fields, review.Field{Name: p.Name, Type: p.Type, Annotations: p.Annotations, Line: n.Line()})
			}
		}
		l.members(t, n.Field("body"))
	case "annotation_type_declaration", "module_declaration":
	case "line_comment", "block_comment":
		l.comment(n)
	default:
		return false
	}
	return true
}

func bases(n parse.Node) []string {
	var out []string
	if s := n.Field("superclass"); s.OK() {
		out = append(out, s.First().Text())
	}
	for _, list := range []parse.Node{n.Field("interfaces"), n.First("extends_interfaces")} {
		for b := range list.First("type_list").Children() {
			out = append(out, b.Text())
		}
	}
	return out
}

// members lowers a body of a type, nested types included.
func (l *lowering) members(t *review.Type, body parse.Node) {
	outer, fn := l.typ, l.fn
	l.typ, l.fn = t, nil
	l.file.Types = append(l.file.Types, t)
	for c := range body.Children() {
		l.memberOf(t, c)
	}
	l.typ, l.fn = outer, fn
}

func (l *lowering) memberOf(t *review.Type, c parse.Node) {
	switch c.Kind() {
	case "field_declaration", "constant_declaration":
		l.field(t, c)
	case "method_declaration", "constructor_declaration", "compact_constructor_declaration":
		l.method(c)
	case "enum_constant":
		t.Fields = append(t.Fields, review.Field{Name: c.Field("name").Text(), Type: t.Name, Static: true, Value: &review.Expr{Op: review.OpString, Name: c.Field("name").Text(), Line: c.Line()}, Line: c.Line()})
	case "enum_body_declarations":
		for m := range c.Children() {
			l.memberOf(t, m)
		}
	case "static_initializer", "block":
		fn := &review.Func{Owner: t, Static: true, Line: c.Line(), EndLine: c.EndLine()}
		l.fn = fn
		fn.Body = l.block(c.First("block"))
		l.fn = nil
	default:
		l.declaration(c)
	}
}

func (l *lowering) field(t *review.Type, n parse.Node) {
	mods := n.First("modifiers")
	for d := range n.Fields("declarator") {
		f := review.Field{Name: d.Field("name").Text(), Type: n.Field("type").Text(), Static: mods.Has("static") || n.Kind() == "constant_declaration", Annotations: l.annotations(n), Line: d.Line()}
		if v := d.Field("value"); v.OK() {
			f.Value = l.expr(v)
		}
		t.Fields = append(t.Fields, f)
	}
}

// annotations are the marks of a declaration or parameter.
func (l *lowering) annotations(n parse.Node) []*review.Expr {
	var out []*review.Expr
	for c := range n.First("modifiers").Children() {
		if c.Kind() == "annotation" || c.Kind() == "marker_annotation" {
			out = append(out, l.annotation(c))
		}
	}
	return out
}

func (l *lowering) annotation(n parse.Node) *review.Expr {
	name := ex(review.OpName, n)
	name.Name = n.Field("name").Text()
	if n.Kind() == "marker_annotation" {
		return name
	}
	e := ex(review.OpCall, n)
	e.X = name
	for a := range n.Field("arguments").Children() {
		switch a.Kind() {
		case "element_value_pair":
			e.Args = append(e.Args, review.Arg{Name: a.Field("key").Text(), Value: l.expr(a.Field("value"))})
		case "line_comment", "block_comment":
		default:
			e.Args = append(e.Args, review.Arg{Value: l.expr(a)})
		}
	}
	return e
}

func (l *lowering) method(n parse.Node) {
	fn := &review.Func{Name: n.Field("name").Text(), Owner: l.typ, Result: n.Field("type").Text(), Annotations: l.annotations(n), Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	mods := n.First("modifiers")
	fn.Static = mods.Has("static")
	fn.Exported = !mods.Has("private") && !mods.Has("protected")
	if fn.Owner != nil && !fn.Static {
		fn.Receiver = "this"
	}
	fn.Params = l.params(n.Field("parameters"))
	body := n.Field("body")
	fn.Abstract = !body.OK()
	l.file.Funcs = append(l.file.Funcs, fn)
	if l.typ != nil {
		l.typ.Methods = append(l.typ.Methods, fn)
	}
	outer := l.fn
	l.fn = fn
	if n.Kind() == "compact_constructor_declaration" { // the components are set after it
		for _, f := range l.typ.Fields {
			if !f.Static {
				fn.Params = append(fn.Params, review.Param{Name: f.Name, Type: f.Type})
			}
		}
		fn.Body = append(l.block(body), l.setAll(fn, n)...)
	} else {
		fn.Body = l.block(body)
	}
	l.fn = outer
}

// setAll is the end of a record's compact constructor: every component is set.
func (l *lowering) setAll(fn *review.Func, n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for _, p := range fn.Params {
		s := st(review.Let, n)
		s.Targets = []*review.Expr{{Op: review.OpMember, X: &review.Expr{Op: review.OpName, Name: "this", Line: n.Line()}, Name: p.Name, Line: n.Line(), EndLine: n.Line()}}
		s.Value = &review.Expr{Op: review.OpName, Name: p.Name, Line: n.Line(), EndLine: n.Line()}
		out = append(out, s)
	}
	return out
}

func (l *lowering) params(n parse.Node) []review.Param {
	var out []review.Param
	for p := range n.Children() {
		switch p.Kind() {
		case "formal_parameter":
			out = append(out, review.Param{Name: p.Field("name").Text(), Type: p.Field("type").Text(), Annotations: l.annotations(p)})
		case "spread_parameter":
			out = append(out, review.Param{Name: p.First("variable_declarator").Field("name").Text(), Type: spreadType(p), Rest: true})
		}
	}
	return out
}

func spreadType(p parse.Node) string {
	for c := range p.Children() {
		if c.Kind() != "modifiers" {
			return c.Text()
		}
	}
	return ""
}
