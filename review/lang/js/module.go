package js

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func literal(n parse.Node) string { return strings.Trim(n.Text(), "'\"`") }

func (l *lowering) add(im review.Import, n parse.Node) {
	im.Line = n.Line()
	l.file.Imports = append(l.file.Imports, im)
}

func (l *lowering) imports(n parse.Node) {
	p := literal(n.Field("source"))
	if r := n.First("import_require_clause"); r.OK() { // import x = require("y")
		l.add(review.Import{Path: literal(r.Field("source")), Name: r.First("identifier").Text()}, n)
		return
	}
	clause := n.First("import_clause")
	if !clause.OK() {
		l.add(review.Import{Path: p}, n)
		return
	}
	for c := range clause.Children() {
		switch c.Kind() {
		case "identifier":
			l.add(review.Import{Path: p, Member: "default", Name: c.Text()}, n)
		case "namespace_import":
			l.add(review.Import{Path: p, Member: "*", Name: c.First("identifier").Text()}, n)
		case "named_imports":
			for s := range c.Children() {
				if s.Kind() == "import_specifier" {
					member, alias := specifier(s)
					l.add(review.Import{Path: p, Member: member, Name: alias}, n)
				}
			}
		}
	}
}

func specifier(s parse.Node) (member, alias string) {
	member = literal(s.Field("name"))
	if alias = literal(s.Field("alias")); alias == "" {
		alias = member
	}
	return member, alias
}

// export lowers what an export statement declares; a renamed or default export
// is a variable of the file with the outer name.
func (l *lowering) export(n parse.Node) []*review.Stmt {
	if src := n.Field("source"); src.OK() {
		l.reexport(n, literal(src))
		return nil
	}
	marks := l.decorators(n)
	if d := n.Field("declaration"); d.OK() {
		out := l.exported(d, marks)
		if nm := d.Field("name").Text(); n.Has("default") && nm != "" {
			out = append(out, l.alias("default", name(nm, d), n))
		}
		return out
	}
	if v := n.Field("value"); v.OK() {
		return l.exportDefault(v, n, marks)
	}
	var out []*review.Stmt
	for c := range n.First("export_clause").Children() {
		if c.Kind() != "export_specifier" {
			continue
		}
		member, alias := specifier(c)
		l.exports[member] = true
		if alias != member {
			out = append(out, l.alias(alias, name(member, c), c))
		}
	}
	if n.Has("=") { // export = x
		out = append(out, l.alias("default", l.expr(n.Last()), n))
	}
	return out
}

func (l *lowering) alias(outer string, v *review.Expr, n parse.Node) *review.Stmt {
	s := st(review.Let, n)
	s.Type, s.Value = "var", v
	s.Targets = []*review.Expr{name(outer, n)}
	return s
}

func (l *lowering) exported(d parse.Node, marks []*review.Expr) []*review.Stmt {
	switch d.Kind() {
	case "lexical_declaration", "variable_declaration":
		return l.variables(d, true)
	case "class_declaration", "abstract_class_declaration":
		l.class(d, d.Field("name").Text(), marks)
		return nil
	case "function_declaration", "generator_function_declaration":
		l.exports[d.Field("name").Text()] = true
	}
	return l.stmt(d)
}

func (l *lowering) exportDefault(v, n parse.Node, marks []*review.Expr) []*review.Stmt {
	switch v.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		nm := v.Field("name").Text()
		if nm == "" {
			nm = "default"
		}
		l.exports[nm] = true
		out := l.define(l.function(v, nm), v)
		if nm != "default" {
			out = append(out, l.alias("default", name(nm, v), n))
		}
		return out
	case "class":
		l.class(v, "default", marks)
		return nil
	case "identifier":
		l.exports[v.Text()] = true
	case "object":
		l.exportObject(v)
	}
	return []*review.Stmt{l.alias("default", l.expr(v), n)}
}

// exportObject marks the functions of the file that an exported object lists.
func (l *lowering) exportObject(n parse.Node) {
	for c := range n.Children() {
		switch c.Kind() {
		case "shorthand_property_identifier":
			l.exports[c.Text()] = true
		case "pair":
			if v := c.Field("value"); v.Kind() == "identifier" {
				l.exports[v.Text()] = true
			}
		}
	}
}

func (l *lowering) reexport(n parse.Node, p string) {
	clause := n.First("export_clause")
	if ns := n.First("namespace_export"); ns.OK() {
		l.add(review.Import{Path: p, Member: "*", Name: literal(ns.First()), Export: true}, n)
		return
	}
	if !clause.OK() {
		l.add(review.Import{Path: p, Member: "*", Export: true}, n)
		return
	}
	for c := range clause.Children() {
		if c.Kind() == "export_specifier" {
			member, alias := specifier(c)
			l.add(review.Import{Path: p, Member: member, Name: alias, Export: true}, n)
		}
	}
}

// required is the path of require("path"), and what is taken out of it:
// require("path").member.
func required(n parse.Node) (p, member string, ok bool) {
	for n.Kind() == "member_expression" {
		if member != "" {
			return "", "", false
		}
		member = n.Field("property").Text()
		n = n.Field("object")
	}
	if n.Kind() != "call_expression" || n.Field("function").Text() != "require" {
		return "", "", false
	}
	arg := n.Field("arguments").First()
	if arg.Kind() != "string" {
		return "", "", false
	}
	return literal(arg), member, true
}

// require lowers `const x = require("y")` and its destructured forms to
// imports.
func (l *lowering) require(target, value parse.Node) bool {
	p, member, ok := required(value)
	if !ok {
		return false
	}
	switch target.Kind() {
	case "identifier":
		l.add(review.Import{Path: p, Member: member, Name: target.Text()}, value)
		return true
	case "object_pattern":
		for c := range target.Children() {
			switch c.Kind() {
			case "shorthand_property_identifier_pattern":
				l.add(review.Import{Path: p, Member: c.Text(), Name: c.Text()}, value)
			case "pair_pattern":
				l.add(review.Import{Path: p, Member: literal(c.Field("key")), Name: c.Field("value").Text()}, value)
			}
		}
		return true
	}
	return false
}

// commonExport lowers exports.x = …, module.exports.x = … and
// module.exports = ….
func (l *lowering) commonExport(n parse.Node) ([]*review.Stmt, bool) {
	left, right := n.Field("left"), n.Field("right")
	if left.Kind() != "member_expression" || l.fn != nil {
		return nil, false
	}
	obj, prop := left.Field("object").Text(), left.Field("property").Text()
	if obj == "module" && prop == "exports" {
		return l.commonDefault(right, n), true
	}
	if obj != "exports" && obj != "module.exports" {
		return nil, false
	}
	switch right.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		l.exports[prop] = true
		return l.define(l.function(right, prop), right), true
	case "identifier":
		l.exports[right.Text()] = true
		if right.Text() == prop {
			return nil, true
		}
	}
	return []*review.Stmt{l.alias(prop, l.expr(right), n)}, true
}

func (l *lowering) commonDefault(v, n parse.Node) []*review.Stmt {
	if p, _, ok := required(v); ok { // module.exports = require("./x")
		l.add(review.Import{Path: p, Member: "*", Export: true}, n)
		return nil
	}
	if v.Kind() != "object" {
		return l.exportDefault(v, n, nil)
	}
	var out []*review.Stmt
	for c := range v.Children() {
		switch c.Kind() {
		case "shorthand_property_identifier":
			l.exports[c.Text()] = true
		case "spread_element":
			if p, _, ok := required(c.First()); ok {
				l.add(review.Import{Path: p, Member: "*", Export: true}, c)
			}
		case "method_definition":
			l.exports[c.Field("name").Text()] = true
			out = append(out, l.define(l.function(c, c.Field("name").Text()), c)...)
		case "pair":
			out = append(out, l.commonPair(literal(c.Field("key")), c.Field("value"), c)...)
		}
	}
	return out
}

func (l *lowering) commonPair(key string, v, n parse.Node) []*review.Stmt {
	switch v.Kind() {
	case "arrow_function", "function_expression", "generator_function":
		l.exports[key] = true
		return l.define(l.function(v, key), v)
	case "identifier":
		l.exports[v.Text()] = true
		if v.Text() == key {
			return nil
		}
	}
	return []*review.Stmt{l.alias(key, l.expr(v), n)}
}
