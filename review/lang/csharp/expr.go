package csharp

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
		if v := l.expr(c); v != nil {
			e.Args = append(e.Args, review.Arg{Value: v})
		}
	}
	return e
}

// operator is the operator token of a node.
func operator(n parse.Node) string {
	if o := n.Field("operator"); o.OK() {
		return o.Text()
	}
	for c := range n.All() {
		if !c.Named() && c.Text() != "(" {
			return c.Text()
		}
	}
	return ""
}

// hinted lowers an initial value of a variable of the type: new() is then of it.
func (l *lowering) hinted(n parse.Node, typ string) *review.Expr {
	old := l.hint
	l.hint = ""
	if n.Kind() == "implicit_object_creation_expression" && typ != "var" {
		l.hint = typ
	}
	e := l.expr(n)
	l.hint = old
	return e
}

func (l *lowering) expr(n parse.Node) *review.Expr {
	switch n.Kind() {
	case "", "comment":
		return nil
	case "identifier", "discard", "this", "base":
		e := name(n)
		if e.Name == "base" {
			e.Name = "this"
		}
		return e
	case "predefined_type":
		e := ex(review.OpName, n)
		e.Name = n.Text()
		return e
	case "generic_name", "qualified_name", "alias_qualified_name":
		return l.typeName(n)
	case "member_access_expression":
		return l.member(n, l.expr(n.Field("expression")), n.Field("name"))
	case "conditional_access_expression":
		return l.conditional(n)
	case "element_access_expression":
		e := ex(review.OpIndex, n)
		e.X = l.expr(n.Field("expression"))
		if a := n.Field("subscript").First("argument"); a.OK() && a.Last().Kind() != "range_expression" {
			e.Y = l.expr(a.Last())
		}
		return e
	case "invocation_expression":
		return l.call(n)
	case "object_creation_expression", "implicit_object_creation_expression":
		return l.creation(n)
	case "anonymous_object_creation_expression":
		return l.anonymous(n)
	case "array_creation_expression", "implicit_array_creation_expression", "implicit_stackalloc_expression", "stackalloc_expression":
		return l.list(n.First("initializer_expression"), n)
	case "initializer_expression":
		return l.initializer(n, "", n)
	case "collection_expression":
		return l.list(n, n)
	case "tuple_expression":
		return l.tuple(n)
	case "with_expression":
		return l.with2(n)
	case "lambda_expression", "anonymous_method_expression":
		return l.lambda(n)
	case "parenthesized_expression", "checked_expression", "ref_expression", "expression_element", "arrow_expression_clause":
		return l.expr(n.First())
	case "await_expression", "throw_expression":
		e := ex(review.OpAwait, n)
		e.X = l.expr(n.First())
		return e
	case "cast_expression":
		e := ex(review.OpCast, n)
		e.Name, e.X = n.Field("type").Text(), l.expr(n.Field("value"))
		return e
	case "as_expression":
		e := ex(review.OpCast, n)
		e.Name, e.X = n.Field("right").Text(), l.expr(n.Field("left"))
		return e
	case "typeof_expression":
		e := ex(review.OpType, n)
		e.Name = n.Field("type").Text()
		return e
	case "default_expression", "null_literal":
		return ex(review.OpNull, n)
	case "array_type", "nullable_type", "pointer_type", "tuple_type":
		e := ex(review.OpType, n)
		e.Name = n.Text()
		return e
	}
	return l.expr2(n)
}

// expr2 are literals and operators.
func (l *lowering) expr2(n parse.Node) *review.Expr {
	switch n.Kind() {
	case "string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal":
		e := ex(review.OpString, n)
		e.Name = literal(n)
		return e
	case "interpolated_string_expression":
		return l.interpolated(n)
	case "integer_literal", "real_literal":
		e := ex(review.OpNumber, n)
		e.Name = n.Text()
		return e
	case "boolean_literal":
		e := ex(review.OpBool, n)
		e.Name = n.Text()
		return e
	case "binary_expression":
		e := ex(review.OpBinary, n)
		e.X, e.Y, e.Name = l.expr(n.Field("left")), l.expr(n.Field("right")), operator(n)
		return e
	case "prefix_unary_expression", "postfix_unary_expression", "unary_expression":
		op := operator(n)
		if op == "!" && n.Kind() == "postfix_unary_expression" {
			return l.expr(n.First())
		}
		e := ex(review.OpUnary, n)
		e.X, e.Name = l.expr(n.First()), op
		return e
	case "conditional_expression":
		e := ex(review.OpCond, n)
		e.Z, e.X, e.Y = l.expr(n.Field("condition")), l.expr(n.Field("consequence")), l.expr(n.Field("alternative"))
		return e
	case "assignment_expression":
		e := ex(review.OpAssign, n)
		e.X, e.Y = l.expr(n.Field("left")), l.expr(n.Field("right"))
		e.Name = strings.TrimSuffix(operator(n), "=")
		return e
	case "is_expression":
		e := ex(review.OpBinary, n)
		e.X, e.Name = l.expr(n.Field("left")), "is"
		e.Y = ex(review.OpType, n)
		e.Y.Name = n.Field("right").Text()
		return e
	case "is_pattern_expression":
		x := l.expr(n.Field("expression"))
		return l.matches(n, x, n.Field("pattern"))
	case "switch_expression":
		return l.switchExpr(n)
	case "declaration_expression":
		return l.declared(n)
	case "argument":
		return l.expr(n.Last())
	case "query_expression":
		return l.query(n)
	}
	return l.opaque(n)
}

// clocks are properties that compute: reading one is a call.
var clocks = map[string]bool{
	"DateTime.Now": true, "DateTime.UtcNow": true, "DateTime.Today": true, "DateTimeOffset.Now": true, "DateTimeOffset.UtcNow": true,
	"System.DateTime.Now": true, "System.DateTime.UtcNow": true, "System.DateTimeOffset.UtcNow": true,
}

func (l *lowering) member(n parse.Node, x *review.Expr, nm parse.Node) *review.Expr {
	e := ex(review.OpMember, n)
	e.X = x
	e.Name = identifier(nm)
	if clocks[n.Text()] {
		call := ex(review.OpCall, n)
		call.X = e
		return call
	}
	return e
}

func identifier(n parse.Node) string {
	if n.Kind() == "generic_name" {
		return n.First("identifier").Text()
	}
	return strings.TrimPrefix(n.Text(), "@")
}

func (l *lowering) conditional(n parse.Node) *review.Expr {
	x := l.expr(n.Field("condition"))
	if b := n.First("member_binding_expression"); b.OK() {
		return l.member(n, x, b.Field("name"))
	}
	if b := n.First("element_binding_expression"); b.OK() {
		e := ex(review.OpIndex, n)
		e.X, e.Y = x, l.expr(b.First("argument").Last())
		return e
	}
	return l.opaque(n)
}

// typeName is a type or generic method named in an expression.
func (l *lowering) typeName(n parse.Node) *review.Expr {
	if n.Kind() == "qualified_name" {
		e := ex(review.OpMember, n)
		e.X, e.Name = l.expr(n.Field("qualifier")), identifier(n.Field("name"))
		return e
	}
	e := ex(review.OpName, n)
	e.Name = identifier(n)
	return e
}

// same are calls that give back what they were called on.
var same = map[string]bool{"ConfigureAwait": true, "GetAwaiter": true, "GetResult": true, "AsTask": true}

func (l *lowering) call(n parse.Node) *review.Expr {
	f := n.Field("function")
	if f.Text() == "nameof" {
		e := ex(review.OpType, n)
		e.Name = lastName(n.Field("arguments").First("argument").Text())
		return e
	}
	x := l.expr(f)
	if x != nil && x.Op == review.OpMember && same[x.Name] {
		return x.X
	}
	e := ex(review.OpCall, n)
	e.X = x
	nm := f
	if f.Kind() == "member_access_expression" {
		nm = f.Field("name")
	} else if f.Kind() == "conditional_access_expression" {
		nm = f.First("member_binding_expression").Field("name")
	}
	for t := range nm.First("type_argument_list").Children() {
		e.Types = append(e.Types, t.Text())
	}
	e.Args = l.args(n.Field("arguments"))
	if x != nil && x.Op == review.OpMember && x.Name == "Format" && x.X != nil && strings.EqualFold(x.X.Name, "string") && len(e.Args) > 0 && e.Args[0].Value != nil && e.Args[0].Value.Op == review.OpString {
		return format(e)
	}
	return e
}

func (l *lowering) args(n parse.Node) []review.Arg {
	var out []review.Arg
	for c := range n.Children() {
		if c.Kind() != "argument" {
			continue
		}
		a := review.Arg{Name: c.Field("name").Text()}
		v := c.Last()
		if t := c.First("this"); t.OK() {
			v = t
		}
		if c.Has("out") || c.Has("ref") {
			e := ex(review.OpUnary, c)
			e.Name = "&"
			e.X = l.expr(v)
			a.Value = e
		} else {
			a.Value = l.expr(v)
		}
		out = append(out, a)
	}
	return out
}

// declared is "out T x": the variable is declared by a statement before.
func (l *lowering) declared(n parse.Node) *review.Expr {
	nm := n.Field("name")
	if !nm.OK() {
		return l.opaque(n)
	}
	l.declare(name(nm), n.Field("type").Text(), nil)
	return name(nm)
}

func (l *lowering) declare(nm *review.Expr, typ string, v *review.Expr) {
	s := &review.Stmt{Op: review.Let, Type: typ, Targets: []*review.Expr{nm}, Value: v, Line: nm.Line, EndLine: nm.EndLine}
	l.pre = append(l.pre, s)
}

// format turns string.Format("…{0}…", a) into a template.
func format(e *review.Expr) *review.Expr {
	t := &review.Expr{Op: review.OpTemplate, Line: e.Line, EndLine: e.EndLine}
	rest := e.Args[0].Value.Name
	for {
		a := strings.IndexByte(rest, '{')
		b := strings.IndexByte(rest, '}')
		if a < 0 || b < a {
			break
		}
		t.Args = append(t.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: rest[:a], Line: e.Line}})
		digits, _, _ := strings.Cut(rest[a+1:b], ":")
		if i, err := strconv.Atoi(digits); err == nil && i >= 0 && i+1 < len(e.Args) {
			t.Args = append(t.Args, review.Arg{Value: e.Args[i+1].Value})
		}
		rest = rest[b+1:]
	}
	t.Args = append(t.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: rest, Line: e.Line}})
	return t
}

// creation is new T(…) { … }. With an initializer alone it is an object, a map
// or a list; with arguments it is a call whose named arguments are the
// initializer's.
func (l *lowering) creation(n parse.Node) *review.Expr {
	typ := n.Field("type").Text()
	args, init := n.First("argument_list"), n.First("initializer_expression")
	if n.Kind() == "implicit_object_creation_expression" {
		typ, l.hint = strings.TrimSuffix(l.hint, "?"), ""
		if i := strings.IndexByte(typ, '<'); i > 0 && (typ[:i] == "Task" || typ[:i] == "ValueTask") {
			typ = strings.TrimSuffix(typ[i+1:], ">")
		}
	}
	given := l.args(args)
	if init.OK() && (len(given) == 0 || typ == "") {
		e := l.initializer(init, typ, n)
		e.Args = append(given, e.Args...)
		return e
	}
	if typ == "" {
		e := ex(review.OpObject, n)
		e.Args = given
		return e
	}
	e := ex(review.OpCall, n)
	e.New = true
	e.X = ex(review.OpType, n)
	e.X.Name = typ
	e.Args = given
	if init.OK() {
		e.Args = append(e.Args, l.initializer(init, "", n).Args...)
	}
	return e
}

func (l *lowering) initializer(init parse.Node, typ string, n parse.Node) *review.Expr {
	e := ex(review.OpObject, n)
	e.Name = typ
	keyed := false
	for c := range init.Children() {
		switch c.Kind() {
		case "comment":
		case "assignment_expression":
			keyed = true
			a := review.Arg{Value: l.expr(c.Field("right"))}
			if left := c.Field("left"); left.Kind() == "element_binding_expression" {
				a = keyOf(l.expr(left.First("argument").Last()), a)
			} else {
				a.Name = left.Text()
			}
			e.Args = append(e.Args, a)
		case "initializer_expression": // { key, value }
			var parts []*review.Expr
			for p := range c.Children() {
				if p.Kind() != "comment" {
					parts = append(parts, l.expr(p))
				}
			}
			if len(parts) == 2 {
				keyed = true
				e.Args = append(e.Args, keyOf(parts[0], review.Arg{Value: parts[1]}))
				continue
			}
			for _, p := range parts {
				e.Args = append(e.Args, review.Arg{Value: p})
			}
		default:
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
	}
	if !keyed && len(e.Args) > 0 {
		e.Op, e.Name = review.OpList, ""
	}
	return e
}

func keyOf(k *review.Expr, a review.Arg) review.Arg {
	if k != nil && (k.Op == review.OpString || k.Op == review.OpType) {
		a.Name = k.Name
		return a
	}
	a.Key = k
	return a
}

// anonymous is new { A = 1, b.C, d }: named parts, or the last name of a value.
func (l *lowering) anonymous(n parse.Node) *review.Expr {
	e := ex(review.OpObject, n)
	label := ""
	var last parse.Node
	flush := func() {
		if !last.OK() {
			return
		}
		v := l.expr(last)
		nm := label
		if nm == "" && v != nil && (v.Op == review.OpName || v.Op == review.OpMember) {
			nm = v.Name
		}
		e.Args = append(e.Args, review.Arg{Name: nm, Value: v})
		last, label = parse.Node{}, ""
	}
	for c := range n.All() {
		switch {
		case c.Kind() == "=":
			label, last = last.Text(), parse.Node{}
		case c.Kind() == "," || c.Kind() == "}":
			flush()
		case c.Named() && c.Kind() != "comment":
			last = c
		}
	}
	flush()
	return e
}

func (l *lowering) list(n, whole parse.Node) *review.Expr {
	e := ex(review.OpList, whole)
	for c := range n.Children() {
		if c.Kind() == "collection_element" {
			c = c.First()
		}
		switch c.Kind() {
		case "comment":
		case "spread_element":
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c.First())})
		default:
			e.Args = append(e.Args, review.Arg{Value: l.expr(c)})
		}
	}
	return e
}

func (l *lowering) tuple(n parse.Node) *review.Expr {
	e := ex(review.OpList, n)
	for c := range n.Children() {
		if c.Kind() == "argument" {
			e.Args = append(e.Args, review.Arg{Value: l.expr(c.Last())})
		}
	}
	return e
}

// with2 is a record copied with changes.
func (l *lowering) with2(n parse.Node) *review.Expr {
	e := ex(review.OpObject, n)
	for c := range n.Children() {
		switch c.Kind() {
		case "comment":
		case "with_initializer":
			e.Args = append(e.Args, review.Arg{Name: c.First().Text(), Value: l.expr(c.Last())})
		default:
			e.Args = append(e.Args, review.Arg{Spread: true, Value: l.expr(c)})
		}
	}
	return e
}

func (l *lowering) lambda(n parse.Node) *review.Expr {
	fn := &review.Func{Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	if p := n.Field("parameters"); p.OK() {
		fn.Params = l.params(p)
	}
	body := n.Field("body")
	if !body.OK() {
		body = n.First("block")
	}
	l.body(fn, body)
	e := ex(review.OpLambda, n)
	e.Func = fn
	return e
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// query is a LINQ query: its sources, and a function of its variables that the
// clauses call.
func (l *lowering) query(n parse.Node) *review.Expr {
	from := n.First("from_clause")
	fn := &review.Func{Parent: l.fn, Line: n.Line(), EndLine: n.EndLine()}
	fn.Params = []review.Param{{Name: from.Field("name").Text()}}
	outer, pre := l.fn, l.pre
	l.fn, l.pre = fn, nil
	s := st(review.Return, n)
	v := ex(review.OpOpaque, n)
	for c := range n.Children() {
		if c.Kind() != "from_clause" || c.Start() != from.Start() {
			v.Args = append(v.Args, review.Arg{Value: l.expr(c)})
		}
	}
	s.Value = v
	fn.Body = l.flush([]*review.Stmt{s})
	l.fn, l.pre = outer, pre
	lam := ex(review.OpLambda, n)
	lam.Func = fn
	call := ex(review.OpCall, n)
	call.X = ex(review.OpMember, n)
	call.X.X, call.X.Name = l.expr(from.Last()), "Select"
	call.Args = []review.Arg{{Value: lam}}
	return call
}

func literal(n parse.Node) string {
	t := n.Text()
	switch n.Kind() {
	case "verbatim_string_literal":
		t = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(t, "@"), `"`), `"`)
		return strings.ReplaceAll(t, `""`, `"`)
	case "raw_string_literal":
		return strings.TrimSpace(n.First("raw_string_content").Text())
	}
	t = strings.TrimSuffix(strings.TrimSuffix(t, "u8"), "U8")
	if s, err := strconv.Unquote(t); err == nil {
		return s
	}
	return strings.Trim(t, `"'`)
}

func (l *lowering) interpolated(n parse.Node) *review.Expr {
	e := ex(review.OpTemplate, n)
	for c := range n.Children() {
		switch c.Kind() {
		case "string_content":
			e.Args = append(e.Args, review.Arg{Value: &review.Expr{Op: review.OpString, Name: c.Text(), Line: c.Line(), EndLine: c.EndLine()}})
		case "interpolation":
			for v := range c.Children() {
				if !strings.HasPrefix(v.Kind(), "interpolation_") {
					e.Args = append(e.Args, review.Arg{Value: l.expr(v)})
					break
				}
			}
		}
	}
	return e
}
