package golang

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

func (l *lowering) expr(n parse.Node) *review.Expr {
	switch n.Kind() {
	case "":
		return nil
	case "identifier", "field_identifier", "package_identifier", "blank_identifier":
		e := ex(review.OpName, n)
		e.Name = n.Text()
		return e
	case "type_identifier", "qualified_type", "pointer_type", "slice_type", "map_type", "array_type", "generic_type", "interface_type", "struct_type", "function_type", "channel_type":
		e := ex(review.OpType, n)
		e.Name = n.Text()
		return e
	case "selector_expression":
		e := ex(review.OpMember, n)
		e.X, e.Name = l.expr(n.Field("operand")), n.Field("field").Text()
		return e
	case "index_expression":
		e := ex(review.OpIndex, n)
		e.X, e.Y = l.expr(n.Field("operand")), l.expr(n.Field("index"))
		return e
	case "slice_expression":
		e := ex(review.OpIndex, n)
		e.X = l.expr(n.Field("operand"))
		return e
	case "call_expression":
		return l.call(n)
	case "type_conversion_expression":
		return l.conversion(n)
	case "type_assertion_expression":
		e := ex(review.OpCast, n)
		e.X, e.Name = l.expr(n.Field("operand")), n.Field("type").Text()
		return e
	case "interpreted_string_literal", "raw_string_literal", "rune_literal":
		e := ex(review.OpString, n)
		e.Name = strings.Trim(n.Text(), "`\"'")
		if s, err := strconv.Unquote(n.Text()); err == nil {
			e.Name = s
		}
		return e
	case "int_literal", "float_literal", "imaginary_literal":
		e := ex(review.OpNumber, n)
		e.Name = n.Text()
		return e
	case "true", "false":
		e := ex(review.OpBool, n)
		e.Name = n.Kind()
		return e
	case "nil":
		return ex(review.OpNull, n)
	case "binary_expression":
		e := ex(review.OpBinary, n)
		e.X, e.Y, e.Name = l.expr(n.Field("left")), l.expr(n.Field("right")), n.Field("operator").Text()
		return e
	case "unary_expression":
		e := ex(review.OpUnary, n)
		e.X, e.Name = l.expr(n.Field("operand")), n.Field("operator").Text()
		if e.Name == "*" {
			return e.X
		}
		return e
	case "parenthesized_expression":
		return l.expr(n.First())
	case "composite_literal":
		return l.composite(n.Field("body"), n.Field("type").Text(), n)
	case "literal_value":
		return l.composite(n, "", n)
	case "literal_element":
		return l.expr(n.First())
	case "func_literal":
		fn := &review.Func{Params: l.params(n.Field("parameters")), Result: result(n), Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
		outer := l.fn
		l.fn = fn
		fn.Body = l.block(n.Field("body"))
		l.fn = outer
		e := ex(review.OpLambda, n)
		e.Func = fn
		return e
	case "expression_list":
		return l.exprs(n)
	case "comment":
		return nil
	}
	return l.opaque(n)
}

func (l *lowering) call(n parse.Node) *review.Expr {
	e := ex(review.OpCall, n)
	e.X = l.expr(n.Field("function"))
	for t := range n.Field("type_arguments").Children() {
		e.Types = append(e.Types, t.Text())
	}
	for c := range n.Field("arguments").Children() {
		switch c.Kind() {
		case "comment":
		case "variadic_argument":
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c.First())})
		default:
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
	}
	if e.X != nil && e.X.Op == review.OpName {
		switch e.X.Name {
		case "string", "int", "int64", "float64", "uint64", "int32", "uint", "float32":
			if len(e.Args) == 1 {
				return e.Args[0].Value
			}
		case "make": // make(map[K]V), make([]T, n): empty
			if len(e.Args) > 0 {
				if typ := n.Field("arguments").First().Text(); strings.HasPrefix(typ, "map[") {
					return ex(review.OpObject, n)
				} else if strings.HasPrefix(typ, "[]") {
					return ex(review.OpList, n)
				}
			}
		case "append": // append(xs, x) is the list with one more
			return l.appended(e)
		}
	}
	if e.X != nil && e.X.Op == review.OpMember && e.X.Name == "Sprintf" && len(e.Args) > 0 && e.Args[0].Value.Op == review.OpString {
		return l.sprintf(e)
	}
	return e
}

func (l *lowering) appended(e *review.Expr) *review.Expr {
	out := &review.Expr{Op: review.OpList, Line: e.Line, EndLine: e.EndLine}
	for i, a := range e.Args {
		if i == 0 {
			a.Spread = true
		}
		out.Args = append(out.Args, a)
	}
	return out
}

// sprintf turns a literal format into a template.
func (l *lowering) sprintf(e *review.Expr) *review.Expr {
	t := &review.Expr{Op: review.OpTemplate, Line: e.Line, EndLine: e.EndLine}
	text := func(s string) {
		if s != "" {
			t.Args = append(t.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: s, Line: e.Line}})
		}
	}
	f, i := e.Args[0].Value.Name, 1
	for {
		at := strings.IndexByte(f, '%')
		if at < 0 || at+1 >= len(f) {
			break
		}
		text(f[:at])
		f = f[at+1:]
		if f[0] == '%' {
			text("%")
			f = f[1:]
			continue
		}
		f = strings.TrimLeft(f, "+-# 0123456789.*[]")
		if f != "" {
			f = f[1:]
		}
		if i < len(e.Args) {
			t.Args = append(t.Args, review.Arg{Value: e.Args[i].Value})
			i++
		}
	}
	text(f)
	return t
}

func (l *lowering) conversion(n parse.Node) *review.Expr {
	t := n.Field("type")
	if t.Kind() == "generic_type" { // G[int](x)
		e := ex(review.OpCall, n)
		base := t.Field("type")
		e.X = l.expr(base)
		if e.X != nil && e.X.Op == review.OpType {
			if i := strings.LastIndexByte(e.X.Name, '.'); i > 0 {
				e.X = &review.Expr{Op: review.OpMember, X: &review.Expr{Op: review.OpName, Name: e.X.Name[:i], Line: e.Line}, Name: e.X.Name[i+1:], Line: e.Line}
			} else {
				e.X.Op = review.OpName
			}
		}
		for a := range t.Field("type_arguments").Children() {
			e.Types = append(e.Types, a.Text())
		}
		e.Args = []review.Arg{{Value: l.expr(n.Field("operand"))}}
		return e
	}
	return l.expr(n.Field("operand"))
}

func (l *lowering) composite(body parse.Node, typ string, n parse.Node) *review.Expr {
	e := ex(review.OpObject, n)
	e.Name = typ
	keyed := false
	for c := range body.Children() {
		switch c.Kind() {
		case "keyed_element":
			keyed = true
			k, v := c.Field("key"), c.Field("value")
			a := review.Arg{Value: l.expr(v)}
			inner := k
			if inner.Kind() == "literal_element" {
				inner = inner.First()
			}
			switch ke := l.expr(inner); {
			case inner.Kind() == "identifier" && !strings.HasPrefix(typ, "map["):
				a.Name = inner.Text()
			case ke != nil && ke.Op == review.OpString:
				a.Name = ke.Name
			default:
				a.Key = ke
			}
			e.Args = append(e.Args, a)
		case "comment":
		default:
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
	}
	if !keyed && strings.HasPrefix(typ, "[") {
		e.Op, e.Name = review.OpList, ""
	}
	return e
}
