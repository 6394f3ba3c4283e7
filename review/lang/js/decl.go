package js

import (
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// primitive types say nothing about what a value does.
var primitive = map[string]bool{
	"string": true, "number": true, "boolean": true, "any": true, "unknown": true, "void": true, "never": true, "object": true, "undefined": true, "null": true, "bigint": true, "symbol": true, "const": true, "this": true,
	"Promise<void>": true, "Promise<string>": true, "Promise<boolean>": true, "Promise<number>": true, "Promise<any>": true, "string[]": true, "Record": true, "Function": true, "Error": true, "Promise<unknown>": true, "number[]": true, "any[]": true,
}

// annotation is the written type of a type annotation: a name with its
// arguments, or "" when it is a shape or a primitive.
func annotation(n parse.Node) string {
	s := strings.TrimSpace(strings.TrimPrefix(n.Text(), ":"))
	if s == "" || primitive[s] || len(s) > 200 {
		return ""
	}
	if head, _, ok := strings.Cut(s, "<"); ok && (head == "Record" || head == "Array") {
		if head == "Record" {
			return ""
		}
		s = strings.TrimSuffix(strings.TrimPrefix(s, "Array<"), ">")
	}
	if !(s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 'a' && s[0] <= 'z' || s[0] == '_' || s[0] == '$') || strings.Contains(s, "=>") || strings.HasPrefix(s, "typeof ") {
		return ""
	}
	if head, _, _ := strings.Cut(s, "|"); primitive[strings.TrimSpace(head)] {
		return ""
	}
	return s
}

func isFunction(n parse.Node) bool {
	switch n.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		return true
	}
	return false
}

// variables lowers a declaration; functions and classes it names become what
// they are.
func (l *lowering) variables(n parse.Node, exported bool) []*review.Stmt {
	var out []*review.Stmt
	for d := range n.Children() {
		if d.Kind() != "variable_declarator" {
			continue
		}
		target, value := d.Field("name"), d.Field("value")
		for value.Kind() == "parenthesized_expression" || value.Kind() == "satisfies_expression" {
			value = value.First()
		}
		if exported {
			l.exports[target.Text()] = true
		}
		switch {
		case l.require(target, value):
			continue
		case target.Kind() == "identifier" && isFunction(value):
			out = append(out, l.define(l.function(value, target.Text()), d)...)
			continue
		case target.Kind() == "identifier" && value.Kind() == "class":
			l.class(value, target.Text(), nil)
			continue
		}
		s := st(review.Let, d)
		s.Type = annotation(d.Field("type"))
		if s.Type == "" {
			s.Type = "var"
		}
		s.Targets = []*review.Expr{l.pattern(target)}
		s.Value = l.expr(value)
		out = append(out, l.caught(s)...)
	}
	return out
}

// pattern lowers the target of an assignment: a name or a destructuring.
func (l *lowering) pattern(n parse.Node) *review.Expr {
	switch n.Kind() {
	case "":
		return nil
	case "identifier", "shorthand_property_identifier_pattern":
		return name(n.Text(), n)
	case "assignment_pattern", "object_assignment_pattern":
		return l.pattern(n.Field("left"))
	case "rest_pattern":
		return l.pattern(n.First())
	case "array_pattern":
		e := ex(review.OpList, n)
		gap := true
		for c := range n.All() {
			switch {
			case c.Text() == ",":
				if gap { // [, second]
					e.Args = append(e.Args, review.Arg{Value: name("_", c)})
				}
				gap = true
			case c.Named() && c.Kind() != "comment":
				e.Args = append(e.Args, review.Arg{Value: l.pattern(c)})
				gap = false
			}
		}
		return e
	case "object_pattern":
		e := ex(review.OpObject, n)
		for c := range n.Children() {
			switch c.Kind() {
			case "shorthand_property_identifier_pattern":
				e.Args = append(e.Args, review.Arg{Name: c.Text(), Value: name(c.Text(), c)})
			case "object_assignment_pattern":
				e.Args = append(e.Args, review.Arg{Name: c.Field("left").Text(), Value: l.pattern(c.Field("left"))})
			case "pair_pattern":
				e.Args = append(e.Args, review.Arg{Name: literal(c.Field("key")), Value: l.pattern(c.Field("value"))})
			case "rest_pattern":
				e.Args = append(e.Args, review.Arg{Spread: true, Value: l.pattern(c)})
			}
		}
		return e
	}
	return l.expr(n)
}

// function lowers any form of function: declaration, expression, arrow, method.
func (l *lowering) function(n parse.Node, nm string) *review.Func {
	fn := &review.Func{Name: nm, Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	fn.Result = annotation(n.Field("return_type"))
	l.file.Funcs = append(l.file.Funcs, fn)
	l.fill(fn, n)
	return fn
}

// fill lowers parameters and body. A parameter that is taken apart gets a name
// of its own, and the body starts by taking it apart.
func (l *lowering) fill(fn *review.Func, n parse.Node) {
	outer := l.fn
	l.fn = fn
	var parts []*review.Stmt
	if p := n.Field("parameter"); p.OK() {
		fn.Params = []review.Param{{Name: p.Text()}}
	}
	for p := range n.Field("parameters").Children() {
		if param, split, ok := l.param(p, len(fn.Params)); ok {
			fn.Params = append(fn.Params, param)
			if split != nil {
				parts = append(parts, split)
			}
		}
	}
	b := n.Field("body")
	if b.Kind() == "statement_block" {
		fn.Body = append(parts, l.block(b)...)
	} else if b.OK() {
		s := st(review.Return, b)
		s.Value = l.expr(b)
		fn.Body = append(parts, l.caught(s)...)
	}
	l.fn = outer
}

func (l *lowering) param(n parse.Node, i int) (review.Param, *review.Stmt, bool) {
	p := review.Param{}
	target := n
	switch n.Kind() {
	case "required_parameter", "optional_parameter":
		target = n.Field("pattern")
		p.Type = annotation(n.Field("type"))
		p.Default = l.expr(n.Field("value"))
		p.Annotations = l.decorators(n)
		if !target.OK() || target.Kind() == "this" {
			return p, nil, false
		}
	case "comment", "decorator":
		return p, nil, false
	}
	if target.Kind() == "assignment_pattern" {
		p.Default = l.expr(target.Field("right"))
		target = target.Field("left")
	}
	if target.Kind() == "rest_pattern" {
		p.Rest = true
		target = target.First()
	}
	if target.Kind() == "identifier" {
		p.Name = target.Text()
		return p, nil, true
	}
	p.Name = "{" + strconv.Itoa(i) + "}"
	s := st(review.Let, n)
	s.Type, s.Value = "var", name(p.Name, n)
	s.Targets = []*review.Expr{l.pattern(target)}
	return p, s, true
}

func (l *lowering) decorators(n parse.Node) []*review.Expr {
	var out []*review.Expr
	for c := range n.Children() {
		if c.Kind() == "decorator" {
			out = append(out, l.expr(c.First()))
		}
	}
	return out
}

func (l *lowering) class(n parse.Node, nm string, marks []*review.Expr) *review.Type {
	t := &review.Type{Name: nm, Annotations: append(marks, l.decorators(n)...), Line: n.Line(), EndLine: n.EndLine()}
	l.file.Types = append(l.file.Types, t)
	for c := range n.First("class_heritage").Children() {
		switch c.Kind() {
		case "extends_clause":
			t.Bases = append(t.Bases, c.Field("value").Text()+c.Field("type_arguments").Text())
		case "implements_clause":
			for i := range c.Children() {
				t.Bases = append(t.Bases, i.Text())
			}
		default:
			t.Bases = append(t.Bases, c.Text())
		}
	}
	outer, typ := l.fn, l.typ
	l.typ = t
	var pending []*review.Expr
	for c := range n.Field("body").Children() {
		switch c.Kind() {
		case "decorator":
			pending = append(pending, l.expr(c.First()))
			continue
		case "method_definition", "abstract_method_signature", "method_signature":
			l.method(t, c, pending)
		case "field_definition", "public_field_definition":
			l.field(t, c, pending)
		case "comment":
			l.stmt(c)
			continue
		}
		pending = nil
	}
	l.fn, l.typ = outer, typ
	return t
}

func (l *lowering) method(t *review.Type, n parse.Node, marks []*review.Expr) {
	fn := &review.Func{Name: literal(n.Field("name")), Owner: t, Receiver: "this", Annotations: append(marks, l.decorators(n)...), Line: n.Line(), EndLine: n.EndLine()}
	fn.Static = n.Has("static")
	fn.Abstract = n.Kind() != "method_definition"
	access := n.First("accessibility_modifier").Text()
	fn.Exported = access != "private" && access != "protected" && !strings.HasPrefix(fn.Name, "#") && !strings.HasPrefix(fn.Name, "_")
	fn.Result = annotation(n.Field("return_type"))
	l.addMethod(t, fn, n)
	if fn.Name != "constructor" {
		return
	}
	for p := range n.Field("parameters").Children() {
		if p.Has("accessibility_modifier") || p.Has("readonly") {
			t.Fields = append(t.Fields, review.Field{Name: p.Field("pattern").Text(), Type: annotation(p.Field("type")), Annotations: l.decorators(p), Line: p.Line()})
			self := &review.Expr{Op: review.OpMember, X: name("this", p), Name: p.Field("pattern").Text(), Line: p.Line(), EndLine: p.EndLine()}
			s := st(review.Let, p)
			s.Targets, s.Value = []*review.Expr{self}, name(p.Field("pattern").Text(), p)
			fn.Body = append([]*review.Stmt{s}, fn.Body...)
		}
	}
	l.initFields(fn, fn.Body)
}

func (l *lowering) addMethod(t *review.Type, fn *review.Func, n parse.Node) {
	t.Methods = append(t.Methods, fn)
	l.file.Funcs = append(l.file.Funcs, fn)
	outer := l.fn
	l.fn = nil
	l.fill(fn, n)
	l.fn = outer
}

// field is a property; one that holds a function is a method.
func (l *lowering) field(t *review.Type, n parse.Node, marks []*review.Expr) {
	id := n.Field("name")
	if !id.OK() {
		id = n.Field("property")
	}
	value := n.Field("value")
	if isFunction(value) {
		fn := &review.Func{Name: literal(id), Owner: t, Receiver: "this", Annotations: marks, Static: n.Has("static"), Line: n.Line(), EndLine: n.EndLine()}
		fn.Exported = n.First("accessibility_modifier").Text() != "private"
		l.addMethod(t, fn, value)
		return
	}
	t.Fields = append(t.Fields, review.Field{Name: literal(id), Type: annotation(n.Field("type")), Static: n.Has("static"), Value: l.expr(value), Annotations: append(marks, l.decorators(n)...), Line: n.Line()})
}

// initFields are the fields a constructor sets: this.x = value.
func (l *lowering) initFields(fn *review.Func, body []*review.Stmt) {
	types := map[string]string{}
	for _, p := range fn.Params {
		types[p.Name] = p.Type
	}
	for _, s := range body {
		if s.Op == review.Let && len(s.Targets) == 1 && s.Targets[0] != nil {
			t := s.Targets[0]
			if t.Op == review.OpMember && t.X != nil && t.X.Op == review.OpName && t.X.Name == "this" {
				l.initField(fn.Owner, t.Name, s, types)
			}
		}
		l.initFields(fn, s.Body)
		l.initFields(fn, s.Else)
	}
}

func (l *lowering) initField(t *review.Type, nm string, s *review.Stmt, types map[string]string) {
	typ, value := "", s.Value
	if value != nil && value.Op == review.OpName {
		typ = types[value.Name]
	}
	for i := range t.Fields {
		if t.Fields[i].Name == nm {
			if t.Fields[i].Value == nil && (value == nil || value.Op != review.OpName) {
				t.Fields[i].Value = value
			}
			if t.Fields[i].Type == "" {
				t.Fields[i].Type = typ
			}
			return
		}
	}
	t.Fields = append(t.Fields, review.Field{Name: nm, Type: typ, Value: value, Line: s.Line})
}

// declaredType lowers interfaces, aliases and enums. An alias is an interface
// that extends what it stands for.
func (l *lowering) declaredType(n parse.Node) {
	t := &review.Type{Name: n.Field("name").Text(), Line: n.Line(), EndLine: n.EndLine()}
	l.file.Types = append(l.file.Types, t)
	switch n.Kind() {
	case "enum_declaration":
		l.enum(t, n.Field("body"))
		return
	case "type_alias_declaration":
		t.Interface = true
		v := n.Field("value")
		if v.Kind() == "object_type" {
			l.shape(t, v)
		} else if s := strings.TrimSpace(v.Text()); len(s) < 200 {
			t.Bases = []string{s}
		}
		return
	}
	t.Interface = true
	for c := range n.First("extends_type_clause").Children() {
		t.Bases = append(t.Bases, c.Text())
	}
	l.shape(t, n.Field("body"))
}

func (l *lowering) shape(t *review.Type, n parse.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case "method_signature":
			fn := &review.Func{Name: literal(c.Field("name")), Owner: t, Receiver: "this", Abstract: true, Exported: true, Result: annotation(c.Field("return_type")), Line: c.Line(), EndLine: c.EndLine()}
			l.addMethod(t, fn, c)
		case "property_signature":
			typ := c.Field("type")
			if f := typ.First("function_type"); f.OK() {
				fn := &review.Func{Name: literal(c.Field("name")), Owner: t, Receiver: "this", Abstract: true, Exported: true, Line: c.Line(), EndLine: c.EndLine()}
				l.addMethod(t, fn, f)
				continue
			}
			t.Fields = append(t.Fields, review.Field{Name: literal(c.Field("name")), Type: annotation(typ), Line: c.Line()})
		}
	}
}

func (l *lowering) enum(t *review.Type, n parse.Node) {
	for c := range n.Children() {
		f := review.Field{Line: c.Line()}
		switch c.Kind() {
		case "enum_assignment":
			f.Name, f.Value = literal(c.Field("name")), l.expr(c.Field("value"))
		case "property_identifier", "string":
			f.Name = literal(c)
			f.Value = &review.Expr{Op: review.OpString, Name: f.Name, Line: c.Line(), EndLine: c.EndLine()}
		default:
			continue
		}
		t.Fields = append(t.Fields, f)
	}
}
