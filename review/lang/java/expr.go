package java

import (
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func ex(op review.Op, n parse.Node) *review.Expr {
	return &review.Expr{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

func (l *lowering) opaque(n parse.Node) *review.Expr {
	e := ex(review.OpOpaque, n)
	for c := range n.Children() {
		e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
	}
	return e
}

func (l *lowering) name(n parse.Node) *review.Expr {
	e := ex(review.OpName, n)
	e.Name = n.Text()
	return e
}

func (l *lowering) expr(n parse.Node) *review.Expr {
	switch n.Kind() {
	case "":
		return nil
	case "identifier", "this", "super", "underscore_pattern":
		return l.name(n)
	case "scoped_identifier": // in annotations
		e := ex(review.OpMember, n)
		e.X, e.Name = l.expr(n.Field("scope")), n.Field("name").Text()
		return e
	case "type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type", "floating_point_type", "boolean_type", "void_type":
		e := ex(review.OpType, n)
		e.Name = n.Text()
		return e
	case "class_literal":
		e := ex(review.OpType, n)
		e.Name = n.First().Text()
		return e
	case "field_access":
		e := ex(review.OpMember, n)
		e.X, e.Name = l.expr(n.Field("object")), n.Field("field").Text()
		return e
	case "array_access":
		e := ex(review.OpIndex, n)
		e.X, e.Y = l.expr(n.Field("array")), l.expr(n.Field("index"))
		return e
	case "method_invocation":
		return l.call(n)
	case "object_creation_expression":
		return l.creation(n)
	case "array_creation_expression":
		if v := n.Field("value"); v.OK() {
			return l.expr(v)
		}
		e := ex(review.OpList, n)
		return e
	case "array_initializer", "element_value_array_initializer":
		return l.list(n)
	case "string_literal":
		return l.str(n)
	case "character_literal":
		e := ex(review.OpString, n)
		e.Name = strings.Trim(n.Text(), "'")
		return e
	case "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "binary_integer_literal", "decimal_floating_point_literal", "hex_floating_point_literal":
		e := ex(review.OpNumber, n)
		e.Name = n.Text()
		return e
	case "true", "false":
		e := ex(review.OpBool, n)
		e.Name = n.Kind()
		return e
	case "null_literal":
		return ex(review.OpNull, n)
	case "binary_expression":
		e := ex(review.OpBinary, n)
		e.X, e.Y, e.Name = l.expr(n.Field("left")), l.expr(n.Field("right")), n.Field("operator").Text()
		return e
	case "unary_expression":
		e := ex(review.OpUnary, n)
		e.X, e.Name = l.expr(n.Field("operand")), n.Field("operator").Text()
		return e
	case "update_expression":
		e := ex(review.OpUnary, n)
		e.X, e.Name = l.expr(n.First()), "++"
		if strings.Contains(n.Text(), "--") {
			e.Name = "--"
		}
		return e
	case "assignment_expression":
		e := ex(review.OpAssign, n)
		e.X, e.Y = l.expr(n.Field("left")), l.expr(n.Field("right"))
		e.Name = strings.TrimSuffix(n.Field("operator").Text(), "=")
		return e
	case "ternary_expression":
		e := ex(review.OpCond, n)
		e.Z, e.X, e.Y = l.expr(n.Field("condition")), l.expr(n.Field("consequence")), l.expr(n.Field("alternative"))
		return e
	case "cast_expression":
		e := ex(review.OpCast, n)
		e.X, e.Name = l.expr(n.Field("value")), n.Field("type").Text()
		return e
	case "parenthesized_expression":
		return l.expr(n.First())
	case "instanceof_expression":
		return l.instance(n)
	case "lambda_expression":
		return l.lambda(n)
	case "method_reference":
		return l.reference(n)
	case "switch_expression":
		return l.switched(n)
	case "annotation", "marker_annotation":
		return l.annotation(n)
	case "line_comment", "block_comment":
		return ex(review.OpNull, n)
	}
	return l.opaque(n)
}

func (l *lowering) args(n parse.Node) []review.Arg {
	var out []review.Arg
	for c := range n.Children() {
		if c.Kind() == "line_comment" || c.Kind() == "block_comment" {
			continue
		}
		out = append(out, review.Arg{Value: l.expr(c)})
	}
	return out
}

func (l *lowering) call(n parse.Node) *review.Expr {
	e := ex(review.OpCall, n)
	name := n.Field("name")
	if obj := n.Field("object"); obj.OK() {
		e.X = &review.Expr{Op: review.OpMember, X: l.expr(obj), Name: name.Text(), Line: name.Line(), EndLine: name.EndLine()}
		e.Line = name.Line() // a chain over many lines: the link's own line
	} else {
		e.X = l.name(name)
	}
	for t := range n.Field("type_arguments").Children() {
		e.Types = append(e.Types, t.Text())
	}
	e.Args = l.args(n.Field("arguments"))
	return l.format(e)
}

// format turns String.format("…%s", a) and "…%s".formatted(a) into templates.
func (l *lowering) format(e *review.Expr) *review.Expr {
	if e.X.Op != review.OpMember || e.X.X == nil {
		return e
	}
	args := e.Args
	var f *review.Expr
	switch {
	case e.X.Name == "format" && e.X.X.Op == review.OpName && e.X.X.Name == "String" && len(args) > 0:
		if args[0].Value.Op != review.OpString && len(args) > 1 { // a locale
			args = args[1:]
		}
		f, args = args[0].Value, args[1:]
	case e.X.Name == "formatted":
		f = e.X.X
	}
	if f == nil || f.Op != review.OpString {
		return e
	}
	t := &review.Expr{Op: review.OpTemplate, Line: e.Line, EndLine: e.EndLine}
	text := func(s string) {
		if s != "" {
			t.Args = append(t.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: s, Line: e.Line, EndLine: e.EndLine}})
		}
	}
	rest, i := f.Name, 0
	for {
		at := strings.IndexByte(rest, '%')
		if at < 0 || at+1 >= len(rest) {
			break
		}
		text(rest[:at])
		rest = strings.TrimLeft(rest[at+1:], "+-# 0123456789.,$")
		switch {
		case rest == "":
		case rest[0] == '%' || rest[0] == 'n':
			text(rest[:1])
			rest = rest[1:]
		default:
			rest = rest[1:]
			if i < len(args) {
				t.Args = append(t.Args, args[i])
				i++
			}
		}
	}
	text(rest)
	return t
}

// creation is new T(…). An anonymous class with one method is a lambda, so that
// it sees the variables around it; a larger one is a type of its own.
func (l *lowering) creation(n parse.Node) *review.Expr {
	e := ex(review.OpCall, n)
	typ := n.Field("type")
	e.New = true
	e.X = ex(review.OpType, typ)
	e.X.Name = typ.Text()
	if i := strings.IndexByte(e.X.Name, '<'); i > 0 {
		for a := range typ.First("type_arguments").Children() {
			e.Types = append(e.Types, a.Text())
		}
		e.X.Name = e.X.Name[:i]
	}
	e.Args = l.args(n.Field("arguments"))
	body := n.First("class_body")
	if !body.OK() {
		return e
	}
	var methods []parse.Node
	for c := range body.Children() {
		if c.Kind() == "method_declaration" {
			methods = append(methods, c)
		}
	}
	if len(methods) == 1 && len(e.Args) == 0 {
		fn := &review.Func{Params: l.params(methods[0].Field("parameters")), Result: methods[0].Field("type").Text(), Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
		l.within(fn, func() { fn.Body = l.block(methods[0].Field("body")) })
		lam := ex(review.OpLambda, n)
		lam.Func = fn
		return lam
	}
	l.anon++
	t := &review.Type{Name: e.X.Name + "$" + strconv.Itoa(l.anon), Bases: []string{typ.Text()}, Line: n.Line(), EndLine: n.EndLine()}
	l.members(t, body)
	e.X.Name = t.Name
	return e
}

func (l *lowering) within(fn *review.Func, f func()) {
	outer := l.fn
	l.fn = fn
	f()
	l.fn = outer
}

func (l *lowering) list(n parse.Node) *review.Expr {
	e := ex(review.OpList, n)
	e.Args = l.args(n)
	return e
}

func (l *lowering) str(n parse.Node) *review.Expr {
	e := ex(review.OpString, n)
	var b strings.Builder
	for c := range n.Children() {
		switch c.Kind() {
		case "string_fragment", "multiline_string_fragment":
			b.WriteString(c.Text())
		case "escape_sequence":
			if s, err := strconv.Unquote(`"` + c.Text() + `"`); err == nil {
				b.WriteString(s)
			} else if c.Text() == `\'` {
				b.WriteByte('\'')
			}
		}
	}
	e.Name = b.String()
	return e
}

// instance is x instanceof T t: a test that also names the value.
func (l *lowering) instance(n parse.Node) *review.Expr {
	v := l.expr(n.Field("left"))
	if nm := n.Field("name"); nm.OK() {
		a := ex(review.OpAssign, n)
		a.X = l.name(nm)
		a.Y = &review.Expr{Op: review.OpCast, X: v, Name: n.Field("right").Text(), Line: n.Line(), EndLine: n.EndLine()}
		return a
	}
	e := ex(review.OpBinary, n)
	e.X, e.Name = v, "instanceof"
	e.Y = l.expr(n.Field("right"))
	if e.Y == nil {
		e.Y = l.opaque(n.Field("pattern"))
	}
	return e
}

func (l *lowering) lambda(n parse.Node) *review.Expr {
	fn := &review.Func{Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	switch p := n.Field("parameters"); p.Kind() {
	case "formal_parameters":
		fn.Params = l.params(p)
	case "inferred_parameters":
		for c := range p.Children() {
			fn.Params = append(fn.Params, review.Param{Name: c.Text()})
		}
	default:
		fn.Params = []review.Param{{Name: p.Text()}}
	}
	body := n.Field("body")
	l.within(fn, func() {
		if body.Kind() == "block" {
			fn.Body = l.block(body)
			return
		}
		s := st(review.Return, body)
		s.Value = l.expr(body)
		fn.Body = []*review.Stmt{s}
	})
	e := ex(review.OpLambda, n)
	e.Func = fn
	return e
}

// reference is x::m, the function that calls m on x, or on its argument.
func (l *lowering) reference(n parse.Node) *review.Expr {
	var on parse.Node
	name := ""
	for c := range n.All() {
		switch {
		case !on.OK() && c.Named():
			on = c
		case c.Kind() == "identifier" || c.Kind() == "new":
			name = c.Text()
		}
	}
	fn := &review.Func{Params: []review.Param{{Name: "it"}}, Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	c := ex(review.OpCall, n)
	it := &review.Expr{Op: review.OpName, Name: "it", Line: n.Line(), EndLine: n.EndLine()}
	c.Args = []review.Arg{{Value: it}}
	if name == "new" {
		c.New = true
		c.X = &review.Expr{Op: review.OpType, Name: on.Text(), Line: n.Line(), EndLine: n.EndLine()}
	} else {
		c.X = &review.Expr{Op: review.OpMember, X: l.expr(on), Name: name, Line: n.Line(), EndLine: n.EndLine()}
	}
	s := st(review.Return, n)
	s.Value = c
	fn.Body = []*review.Stmt{s}
	e := ex(review.OpLambda, n)
	e.Func = fn
	return e
}

// switched is a switch used as a value: the call of a function whose arms
// return.
func (l *lowering) switched(n parse.Node) *review.Expr {
	fn := &review.Func{Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	l.within(fn, func() { fn.Body = []*review.Stmt{l.cases(n, true)} })
	e := ex(review.OpCall, n)
	e.X = &review.Expr{Op: review.OpLambda, Func: fn, Line: n.Line(), EndLine: n.EndLine()}
	return e
}
