package js

import (
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func ex(op review.Op, n parse.Node) *review.Expr {
	return &review.Expr{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

func named(op review.Op, s string, n parse.Node) *review.Expr {
	e := ex(op, n)
	e.Name = s
	return e
}

func (l *lowering) opaque(n parse.Node) *review.Expr {
	e := ex(review.OpOpaque, n)
	for c := range n.Children() {
		if c.Kind() != "comment" {
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
	}
	return e
}

func (l *lowering) expr(n parse.Node) *review.Expr {
	switch n.Kind() {
	case "", "comment":
		return nil
	case "identifier", "property_identifier", "private_property_identifier", "shorthand_property_identifier", "this", "super":
		return named(review.OpName, n.Text(), n)
	case "undefined", "null":
		return ex(review.OpNull, n)
	case "true", "false":
		return named(review.OpBool, n.Kind(), n)
	case "number":
		return named(review.OpNumber, n.Text(), n)
	case "string":
		return named(review.OpString, unquote(n.Text()), n)
	case "regex":
		return named(review.OpString, n.Text(), n)
	case "template_string":
		return l.template(n)
	case "type_identifier", "predefined_type", "generic_type", "nested_type_identifier":
		return named(review.OpType, n.Text(), n)
	case "parenthesized_expression", "non_null_expression", "satisfies_expression", "jsx_expression", "computed_property_name":
		return l.expr(n.First())
	case "as_expression", "type_assertion":
		return l.cast(n)
	case "member_expression":
		return l.member(n)
	case "subscript_expression":
		return l.subscript(n)
	case "call_expression", "new_expression":
		return l.call(n)
	case "await_expression", "yield_expression":
		e := ex(review.OpAwait, n)
		e.X = l.expr(n.First())
		return e
	case "arrow_function", "function_expression", "generator_function":
		fn := &review.Func{Name: n.Field("name").Text(), Parent: l.fn, Line: n.Line(), EndLine: n.EndLine(), Result: annotation(n.Field("return_type"))}
		l.fill(fn, n)
		e := ex(review.OpLambda, n)
		e.Func = fn
		return e
	case "class":
		nm := n.Field("name").Text()
		if nm == "" {
			nm = "class@" + strconv.Itoa(n.Line())
		}
		l.class(n, nm, nil)
		return named(review.OpType, nm, n)
	case "object":
		return l.object(n)
	case "array":
		return l.array(n)
	case "object_pattern", "array_pattern":
		return l.pattern(n)
	case "ternary_expression":
		e := ex(review.OpCond, n)
		e.Z, e.X, e.Y = l.expr(n.Field("condition")), l.expr(n.Field("consequence")), l.expr(n.Field("alternative"))
		return e
	case "assignment_expression", "augmented_assignment_expression":
		e := ex(review.OpAssign, n)
		e.X, e.Y = l.expr(n.Field("left")), l.expr(n.Field("right"))
		e.Name = strings.TrimSuffix(n.Field("operator").Text(), "=")
		return e
	case "binary_expression":
		e := ex(review.OpBinary, n)
		e.X, e.Y, e.Name = l.expr(n.Field("left")), l.expr(n.Field("right")), n.Field("operator").Text()
		return e
	case "unary_expression", "update_expression":
		e := ex(review.OpUnary, n)
		e.X, e.Name = l.expr(n.Field("argument")), n.Field("operator").Text()
		return e
	case "spread_element":
		return l.expr(n.First())
	}
	return l.opaque(n)
}

func unquote(s string) string {
	inner := strings.Trim(s, "'\"")
	if !strings.Contains(inner, "\\") {
		return inner
	}
	if u, err := strconv.Unquote("\"" + strings.ReplaceAll(strings.ReplaceAll(inner, "\\'", "'"), "\"", "\\\"") + "\""); err == nil {
		return u
	}
	return inner
}

func (l *lowering) template(n parse.Node) *review.Expr {
	e := ex(review.OpTemplate, n)
	text := func(from, to int, src string, at parse.Node) {
		if s := src[from:to]; s != "" {
			e.Args = append(e.Args, review.Arg{Value: named(review.OpString, s, at)})
		}
	}
	src, start := n.Text(), n.Start()
	if len(src) < 2 {
		return named(review.OpString, "", n)
	}
	pos, end := 1, len(src)-1
	for c := range n.Children() {
		if c.Kind() != "template_substitution" {
			continue
		}
		if at := c.Start() - start; at >= pos && at <= end {
			text(pos, at, src, n)
		}
		if v := l.expr(c.First()); v != nil {
			e.Args = append(e.Args, review.Arg{Value: v})
		}
		pos = c.End() - start
	}
	if pos <= end {
		text(pos, end, src, n)
	}
	switch {
	case len(e.Args) == 0:
		return named(review.OpString, "", n)
	case len(e.Args) == 1 && e.Args[0].Value.Op == review.OpString:
		return named(review.OpString, e.Args[0].Value.Name, n)
	}
	return e
}

func (l *lowering) cast(n parse.Node) *review.Expr {
	var value, typ parse.Node
	for c := range n.Children() {
		if n.Kind() == "type_assertion" && !typ.OK() {
			typ = c.First()
		} else if !value.OK() {
			value = c
		} else {
			typ = c
		}
	}
	x := l.expr(value)
	t := annotation(typ)
	if t == "" {
		return x
	}
	e := named(review.OpCast, t, n)
	e.X = x
	return e
}

func environment(s string) bool { return s == "process.env" || s == "import.meta.env" }

func (l *lowering) setting(key *review.Expr, n parse.Node) *review.Expr {
	e := ex(review.OpCall, n)
	e.X, e.Args = name("getenv", n), []review.Arg{{Value: key}}
	return e
}

func (l *lowering) member(n parse.Node) *review.Expr {
	obj, prop := n.Field("object"), n.Field("property")
	if environment(obj.Text()) {
		return l.setting(named(review.OpString, prop.Text(), prop), n)
	}
	e := named(review.OpMember, prop.Text(), n)
	if e.X = l.expr(obj); e.X == nil {
		e.X = ex(review.OpNull, n)
	}
	return e
}

func (l *lowering) subscript(n parse.Node) *review.Expr {
	obj, index := n.Field("object"), n.Field("index")
	if environment(obj.Text()) {
		return l.setting(l.expr(index), n)
	}
	if index.Kind() == "string" { // o["name"] is o.name
		e := named(review.OpMember, unquote(index.Text()), n)
		e.X = l.expr(obj)
		return e
	}
	e := ex(review.OpIndex, n)
	e.X, e.Y = l.expr(obj), l.expr(index)
	return e
}

func (l *lowering) call(n parse.Node) *review.Expr {
	e := ex(review.OpCall, n)
	fn := n.Field("function")
	if n.Kind() == "new_expression" {
		fn, e.New = n.Field("constructor"), true
	}
	if fn.Kind() == "import" { // await import("x")
		return l.opaque(n.Field("arguments"))
	}
	if p, member, ok := required(n); ok { // require("x") where it is used
		nm := "require(" + p + ")"
		l.add(review.Import{Path: p, Member: member, Name: nm}, n)
		return name(nm, n)
	}
	e.X = l.expr(fn)
	if e.X != nil && e.X.Op == review.OpAwait { // the grammar reads `await f<T>(x)` in two ways
		e.X = e.X.X
	}
	for t := range n.Field("type_arguments").Children() {
		e.Types = append(e.Types, t.Text())
	}
	args := n.Field("arguments")
	if args.Kind() == "template_string" { // sql`…`
		e.Args = []review.Arg{{Value: l.expr(args)}}
		return e
	}
	for c := range args.Children() {
		if c.Kind() != "comment" {
			e.Args = append(e.Args, review.Arg{Spread: c.Kind() == "spread_element", Value: l.expr(c)})
		}
	}
	return unwrapped(e)
}

// unwrapped takes off calls that give back the function or object they are
// asked of: f.bind(x), Object.freeze(x).
func unwrapped(e *review.Expr) *review.Expr {
	if e.X == nil || e.X.Op != review.OpMember || e.New {
		return e
	}
	switch {
	case e.X.Name == "bind" && len(e.Args) == 1:
		return e.X.X
	case e.X.X != nil && e.X.X.Op == review.OpName && e.X.X.Name == "Object" && (e.X.Name == "freeze" || e.X.Name == "seal") && len(e.Args) == 1:
		return e.Args[0].Value
	case e.X.X != nil && e.X.X.Op == review.OpName && e.X.X.Name == "Object" && e.X.Name == "assign" && len(e.Args) > 1:
		o := &review.Expr{Op: review.OpObject, Line: e.Line, EndLine: e.EndLine}
		for _, a := range e.Args {
			o.Args = append(o.Args, review.Arg{Spread: true, Value: a.Value})
		}
		return o
	}
	return e
}

func (l *lowering) object(n parse.Node) *review.Expr {
	e := ex(review.OpObject, n)
	for c := range n.Children() {
		switch c.Kind() {
		case "pair":
			a := review.Arg{}
			key, v := c.Field("key"), c.Field("value")
			if key.Kind() == "computed_property_name" {
				a.Key = l.expr(key)
			} else {
				a.Name = unquote(key.Text())
			}
			a.Value = l.expr(v)
			if a.Value != nil && a.Value.Op == review.OpLambda {
				a.Value.Func.Name = a.Name
			}
			e.Args = append(e.Args, a)
		case "shorthand_property_identifier":
			e.Args = append(e.Args, review.Arg{Name: c.Text(), Value: name(c.Text(), c)})
		case "spread_element":
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c.First())})
		case "method_definition":
			fn := &review.Func{Name: literal(c.Field("name")), Parent: l.fn, Line: c.Line(), EndLine: c.EndLine()}
			l.fill(fn, c)
			v := ex(review.OpLambda, c)
			v.Func = fn
			e.Args = append(e.Args, review.Arg{Name: fn.Name, Value: v})
		}
	}
	return e
}

func (l *lowering) array(n parse.Node) *review.Expr {
	e := ex(review.OpList, n)
	for c := range n.Children() {
		if c.Kind() != "comment" {
			e.Args = append(e.Args, review.Arg{Spread: c.Kind() == "spread_element", Value: l.expr(c)})
		}
	}
	return e
}
