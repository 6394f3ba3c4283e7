package python

import (
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
	case "identifier", "keyword_identifier":
		e := ex(review.OpName, n)
		e.Name = n.Text()
		return e
	case "attribute":
		e := ex(review.OpMember, n)
		e.X, e.Name = l.expr(n.Field("object")), n.Field("attribute").Text()
		return e
	case "subscript":
		e := ex(review.OpIndex, n)
		e.X = l.expr(n.Field("value"))
		if s := n.Field("subscript"); s.Kind() != "slice" {
			e.Y = l.expr(s)
		}
		return e
	case "call":
		return l.call(n)
	case "string":
		return l.str(n)
	case "concatenated_string":
		e := ex(review.OpTemplate, n)
		for c := range n.Children() {
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
		return e
	case "integer", "float":
		e := ex(review.OpNumber, n)
		e.Name = n.Text()
		return e
	case "true", "false":
		e := ex(review.OpBool, n)
		e.Name = n.Kind()
		return e
	case "none":
		return ex(review.OpNull, n)
	case "binary_operator", "boolean_operator":
		e := ex(review.OpBinary, n)
		e.X, e.Y, e.Name = l.expr(n.Field("left")), l.expr(n.Field("right")), operator(n)
		switch e.Name {
		case "or":
			e.Name = "||"
		case "and":
			e.Name = "&&"
		case "%":
			if e.X.Op == review.OpString || e.X.Op == review.OpTemplate {
				return l.percent(e)
			}
		}
		return e
	case "comparison_operator":
		return l.comparison(n)
	case "not_operator", "unary_operator":
		e := ex(review.OpUnary, n)
		e.X = l.expr(n.Field("argument"))
		e.Name = operator(n)
		if n.Kind() == "not_operator" {
			e.Name = "!"
		}
		return e
	case "parenthesized_expression":
		return l.expr(n.First())
	case "await", "yield":
		e := ex(review.OpAwait, n)
		e.X = l.expr(n.First())
		return e
	case "conditional_expression":
		return l.conditional(n)
	case "named_expression":
		e := ex(review.OpAssign, n)
		e.X, e.Y = l.expr(n.Field("name")), l.expr(n.Field("value"))
		return e
	case "dictionary":
		return l.dict(n)
	case "list", "tuple", "set", "expression_list", "pattern_list", "tuple_pattern", "list_pattern":
		return l.list(n)
	case "lambda":
		return l.lambda(n)
	case "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension":
		return l.comprehension(n)
	case "comment", "line_continuation":
		return ex(review.OpNull, n)
	case "type":
		return l.expr(n.First())
	}
	return l.opaque(n)
}

func (l *lowering) call(n parse.Node) *review.Expr {
	e := ex(review.OpCall, n)
	e.X = l.expr(n.Field("function"))
	args := n.Field("arguments")
	if args.Kind() == "generator_expression" {
		e.Args = []review.Arg{{Value: l.expr(args)}}
		return e
	}
	for c := range args.Children() {
		switch c.Kind() {
		case "comment":
		case "keyword_argument":
			e.Args = append(e.Args, review.Arg{Name: c.Field("name").Text(), Value: l.expr(c.Field("value"))})
		case "list_splat", "dictionary_splat":
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c.First())})
		default:
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
	}
	return l.format(carried(e))
}

// format turns "…{}…".format(a, b) into a template.
func (l *lowering) format(e *review.Expr) *review.Expr {
	if e.X == nil || e.X.Op != review.OpMember || e.X.Name != "format" || e.X.X == nil || e.X.X.Op != review.OpString {
		return e
	}
	t := &review.Expr{Op: review.OpTemplate, Line: e.Line, EndLine: e.EndLine}
	rest, i := e.X.X.Name, 0
	for {
		a := strings.IndexByte(rest, '{')
		b := strings.IndexByte(rest, '}')
		if a < 0 || b < a {
			break
		}
		t.Args = append(t.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: rest[:a], Line: e.Line}})
		if i < len(e.Args) {
			t.Args = append(t.Args, review.Arg{Value: e.Args[i].Value})
		}
		i++
		rest = rest[b+1:]
	}
	for ; i < len(e.Args); i++ {
		t.Args = append(t.Args, review.Arg{Value: e.Args[i].Value})
	}
	t.Args = append(t.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: rest, Line: e.Line}})
	return t
}

func (l *lowering) percent(e *review.Expr) *review.Expr {
	t := &review.Expr{Op: review.OpTemplate, Line: e.Line, EndLine: e.EndLine}
	t.Args = append(t.Args, review.Arg{Value: e.X})
	if e.Y.Op == review.OpList {
		t.Args = append(t.Args, e.Y.Args...)
	} else {
		t.Args = append(t.Args, review.Arg{Value: e.Y})
	}
	return t
}

func (l *lowering) str(n parse.Node) *review.Expr {
	e := ex(review.OpString, n)
	var parts []review.Arg
	var b strings.Builder
	for c := range n.Children() {
		switch c.Kind() {
		case "string_content":
			b.WriteString(c.Text())
		case "interpolation":
			if b.Len() > 0 {
				parts = append(parts, review.Arg{Value: &review.Expr{Op: review.OpString, Name: b.String(), Line: n.Line()}})
				b.Reset()
			}
			parts = append(parts, review.Arg{Value: l.expr(c.Field("expression"))})
		}
	}
	if parts == nil {
		e.Name = b.String()
		return e
	}
	if b.Len() > 0 {
		parts = append(parts, review.Arg{Value: &review.Expr{Op: review.OpString, Name: b.String(), Line: n.Line()}})
	}
	e.Op, e.Args = review.OpTemplate, parts
	return e
}

func (l *lowering) comparison(n parse.Node) *review.Expr {
	var operands []parse.Node
	op := ""
	for c := range n.All() {
		if c.FieldName() == "operators" || !c.Named() {
			op += c.Text()
			continue
		}
		operands = append(operands, c)
	}
	if len(operands) != 2 {
		return l.opaque(n)
	}
	e := ex(review.OpBinary, n)
	e.X, e.Y, e.Name = l.expr(operands[0]), l.expr(operands[1]), op
	return e
}

func (l *lowering) conditional(n parse.Node) *review.Expr {
	var p []parse.Node
	for c := range n.Children() {
		p = append(p, c)
	}
	if len(p) != 3 {
		return l.opaque(n)
	}
	e := ex(review.OpCond, n)
	e.X, e.Z, e.Y = l.expr(p[0]), l.expr(p[1]), l.expr(p[2])
	return e
}

func (l *lowering) dict(n parse.Node) *review.Expr {
	e := ex(review.OpObject, n)
	for c := range n.Children() {
		switch c.Kind() {
		case "pair":
			a := review.Arg{Value: l.expr(c.Field("value"))}
			if k := l.expr(c.Field("key")); k != nil && k.Op == review.OpString {
				a.Name = k.Name
			} else {
				a.Key = k
			}
			e.Args = append(e.Args, a)
		case "dictionary_splat":
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c.First())})
		}
	}
	return e
}

func (l *lowering) list(n parse.Node) *review.Expr {
	e := ex(review.OpList, n)
	for c := range n.Children() {
		if c.Kind() == "comment" {
			continue
		}
		if c.Kind() == "list_splat" || c.Kind() == "list_splat_pattern" {
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c.First())})
			continue
		}
		e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
	}
	return e
}

func (l *lowering) lambda(n parse.Node) *review.Expr {
	fn := &review.Func{Params: l.params(n.Field("parameters")), Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	body := n.Field("body")
	s := st(review.Return, body)
	s.Value = l.expr(body)
	fn.Body = []*review.Stmt{s}
	e := ex(review.OpLambda, n)
	e.Func = fn
	return e
}

// comprehension becomes the call of a function that loops: its body happens
// once per element, in a scope of its own.
func (l *lowering) comprehension(n parse.Node) *review.Expr {
	fn := &review.Func{Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	ret := st(review.Return, n)
	ret.Value = l.comprehended(n.Field("body"))
	body := []*review.Stmt{ret}
	var clauses []parse.Node
	for c := range n.Children() {
		if c.Kind() == "for_in_clause" || c.Kind() == "if_clause" {
			clauses = append(clauses, c)
		}
	}
	for i := len(clauses) - 1; i >= 0; i-- {
		c := clauses[i]
		if c.Kind() == "if_clause" {
			s := st(review.If, c)
			s.Value, s.Body = l.expr(c.First()), body
			body = []*review.Stmt{s}
			continue
		}
		s := st(review.Loop, c)
		s.Targets, s.Value, s.Body = l.targets(c.Field("left")), l.expr(c.Field("right")), body
		body = []*review.Stmt{s}
	}
	fn.Body = body
	call := ex(review.OpCall, n)
	call.X = &review.Expr{Op: review.OpLambda, Func: fn, Line: n.Line(), EndLine: n.EndLine()}
	return call
}

func (l *lowering) comprehended(n parse.Node) *review.Expr {
	if n.Kind() == "pair" {
		e := ex(review.OpObject, n)
		e.Args = []review.Arg{{Key: l.expr(n.Field("key")), Value: l.expr(n.Field("value"))}}
		return e
	}
	return l.expr(n)
}
