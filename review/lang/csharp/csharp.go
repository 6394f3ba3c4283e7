// Package csharp lowers C# to the reviewer's common form.
//
// Three things are written differently than they read, because the common form
// has one way to say them: a property that computes (DateTime.UtcNow) is a call;
// a variable declared inside an expression (out var x, is T x) is declared by a
// statement before it; the rest of a block after a using declaration is the body
// of that using.
package csharp

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// Language is C#.
func Language() *review.Language {
	return &review.Language{Name: "csharp", Family: "csharp", Extensions: []string{".cs"}, Comment: "//", Lower: lower}
}

type lowering struct {
	file *review.File
	fn   *review.Func
	typ  *review.Type
	pre  []*review.Stmt // declarations met inside the expression being lowered
	hint string         // the declared type that new() stands for
}

func lower(path string, src []byte) (*review.File, error) {
	t, err := parse.Parse(parse.CSharp, src)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	l := &lowering{file: &review.File{Path: path, Language: "csharp", Errors: t.Errors()}}
	l.file.Top = &review.Func{Line: 1}
	var top []parse.Node
	for n := range t.Root().Children() {
		if n.Kind() == "global_statement" {
			top = append(top, n.First())
			continue
		}
		l.declaration(n)
	}
	l.file.Top.Body = l.stmts(top)
	return l.file, nil
}

// declaration lowers what may stand in a file, a namespace or a type.
func (l *lowering) declaration(n parse.Node) {
	switch n.Kind() {
	case "using_directive":
		l.using(n)
	case "namespace_declaration", "file_scoped_namespace_declaration":
		l.file.Package = n.Field("name").Text()
		if b := n.Field("body"); b.OK() {
			l.declarations(b)
			return
		}
		l.declarations(n)
	case "class_declaration", "struct_declaration", "record_declaration", "interface_declaration":
		l.typeDeclaration(n)
	case "method_declaration", "constructor_declaration", "operator_declaration", "conversion_operator_declaration":
		l.method(n)
	case "field_declaration", "event_field_declaration":
		l.field(n)
	case "property_declaration":
		l.property(n)
	case "comment":
		l.comment(n)
	case "declaration_list", "preproc_if", "preproc_else", "preproc_elif", "ERROR":
		l.declarations(n)
	case "global_statement":
		l.file.Top.Body = append(l.file.Top.Body, l.stmts([]parse.Node{n.First()})...)
	}
}

func (l *lowering) declarations(n parse.Node) {
	for c := range n.Children() {
		l.declaration(c)
	}
}

func (l *lowering) comment(n parse.Node) {
	l.file.Comments = append(l.file.Comments, review.Comment{Text: strings.Trim(n.Text(), "/* \r\n"), Line: n.Line()})
}

func (l *lowering) using(n parse.Node) {
	im := review.Import{Line: n.Line()}
	for c := range n.Children() {
		if c.FieldName() == "name" {
			im.Name = c.Text()
			continue
		}
		im.Path = c.Text()
	}
	if im.Name == "" {
		im.Member = "*"
	}
	l.file.Imports = append(l.file.Imports, im)
}

func (l *lowering) typeDeclaration(n parse.Node) {
	t := &review.Type{Name: n.Field("name").Text(), Interface: n.Kind() == "interface_declaration", Annotations: l.attributes(n), Line: n.Line(), EndLine: n.EndLine()}
	for c := range n.First("base_list").Children() {
		switch c.Kind() {
		case "argument_list", "comment":
		case "primary_constructor_base_type":
			t.Bases = append(t.Bases, c.Field("type").Text())
		default:
			t.Bases = append(t.Bases, c.Text())
		}
	}
	l.file.Types = append(l.file.Types, t)
	for _, p := range l.params(n.First("parameter_list")) {
		t.Fields = append(t.Fields, review.Field{Name: p.Name, Type: p.Type, Annotations: p.Annotations, Line: n.Line()})
	}
	outer, fn := l.typ, l.fn
	l.typ, l.fn = t, nil
	l.declarations(n.Field("body"))
	l.typ, l.fn = outer, fn
}

// attributes are the attribute lists of a declaration, one expression each.
func (l *lowering) attributes(n parse.Node) []*review.Expr {
	var out []*review.Expr
	for list := range n.Children() {
		if list.Kind() != "attribute_list" {
			continue
		}
		for a := range list.Children() {
			if a.Kind() != "attribute" {
				continue
			}
			name := ex(review.OpName, a)
			name.Name = lastName(a.Field("name").Text())
			args := a.First("attribute_argument_list")
			if !args.OK() {
				out = append(out, name)
				continue
			}
			call := ex(review.OpCall, a)
			call.X = name
			for c := range args.Children() {
				if c.Kind() == "attribute_argument" {
					call.Args = append(call.Args, review.Arg{Name: c.Field("name").Text(), Value: l.expr(c.Last())})
				}
			}
			out = append(out, call)
		}
	}
	return out
}

// lastName is the last part of a qualified name without type arguments.
func lastName(s string) string {
	s, _, _ = strings.Cut(s, "<")
	return strings.TrimSpace(s[strings.LastIndexByte(s, '.')+1:])
}

func modifiers(n parse.Node) map[string]bool {
	m := map[string]bool{}
	for c := range n.Children() {
		if c.Kind() == "modifier" {
			m[c.Text()] = true
		}
	}
	return m
}

func (l *lowering) method(n parse.Node) {
	mods := modifiers(n)
	fn := &review.Func{Name: n.Field("name").Text(), Owner: l.typ, Static: mods["static"], Annotations: l.attributes(n), Line: n.Line(), EndLine: n.EndLine()}
	fn.Result = n.Field("returns").Text()
	fn.Params = l.params(n.Field("parameters"))
	fn.Exported = mods["public"] || mods["internal"] || l.typ != nil && l.typ.Interface
	body := n.Field("body")
	fn.Abstract = !body.OK()
	if l.typ != nil {
		l.typ.Methods = append(l.typ.Methods, fn)
		if !fn.Static {
			fn.Receiver = "this"
		}
	}
	l.file.Funcs = append(l.file.Funcs, fn)
	l.body(fn, body)
}

// body lowers a block or an expression body into fn.
func (l *lowering) body(fn *review.Func, body parse.Node) {
	outer, pre := l.fn, l.pre
	l.fn, l.pre = fn, nil
	switch body.Kind() {
	case "":
	case "block":
		fn.Body = l.block(body)
	case "arrow_expression_clause":
		fn.Body = l.result(body.First())
	default:
		fn.Body = l.result(body)
	}
	l.fn, l.pre = outer, pre
}

// result is an expression body: one return, or a throw.
func (l *lowering) result(n parse.Node) []*review.Stmt {
	if n.Kind() == "throw_expression" {
		s := st(review.Throw, n)
		s.Value = l.expr(n.First())
		return l.flush([]*review.Stmt{s})
	}
	s := st(review.Return, n)
	s.Value = l.expr(n)
	return l.flush([]*review.Stmt{s})
}

func (l *lowering) params(n parse.Node) []review.Param {
	var out []review.Param
	if n.Kind() == "implicit_parameter" {
		return []review.Param{{Name: n.Text()}}
	}
	restType := ""
	for c := range n.Children() {
		switch {
		case c.Kind() == "parameter":
			p := review.Param{Name: c.Field("name").Text(), Type: c.Field("type").Text(), Annotations: l.attributes(c)}
			mods := modifiers(c)
			for _, m := range []string{"this", "out"} {
				if mods[m] {
					p.Annotations = append(p.Annotations, &review.Expr{Op: review.OpName, Name: m, Line: c.Line()})
				}
			}
			if d := c.Last(); d.FieldName() == "" && d.Kind() != "attribute_list" && d.Kind() != "modifier" {
				p.Default = l.expr(d)
			}
			out = append(out, p)
		case c.FieldName() == "type":
			restType = c.Text()
		case c.FieldName() == "name": // params T[] name
			out = append(out, review.Param{Name: c.Text(), Type: restType, Rest: true})
		}
	}
	return out
}

func (l *lowering) field(n parse.Node) {
	mods := modifiers(n)
	for d := range n.Children() {
		if d.Kind() != "variable_declaration" || l.typ == nil {
			continue
		}
		typ := d.Field("type").Text()
		for v := range d.Children() {
			if v.Kind() != "variable_declarator" {
				continue
			}
			f := review.Field{Name: v.Field("name").Text(), Type: typ, Static: mods["static"], Annotations: l.attributes(n), Line: v.Line()}
			if init := v.Last(); init.FieldName() == "" {
				f.Value = l.hinted(init, typ)
			}
			l.typ.Fields = append(l.typ.Fields, f)
		}
	}
}

func (l *lowering) property(n parse.Node) {
	if l.typ == nil {
		return
	}
	f := review.Field{Name: n.Field("name").Text(), Type: n.Field("type").Text(), Static: modifiers(n)["static"], Annotations: l.attributes(n), Line: n.Line()}
	v := n.Field("value")
	if v.Kind() == "arrow_expression_clause" {
		v = v.First()
	}
	if v.OK() {
		f.Value = l.hinted(v, f.Type)
	} else if b := n.Field("accessors").First("accessor_declaration").Field("body"); b.OK() {
		if r := b.First("return_statement"); r.OK() {
			f.Value = l.expr(r.First())
		} else if b.Kind() == "arrow_expression_clause" {
			f.Value = l.expr(b.First())
		}
	}
	l.pre = nil
	l.typ.Fields = append(l.typ.Fields, f)
}
