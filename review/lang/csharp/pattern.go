package csharp

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func (l *lowering) switchExpr(n parse.Node) *review.Expr {
	subject := l.expr(n.First())
	var arms []parse.Node
	for c := range n.Children() {
		if c.Kind() == "switch_expression_arm" {
			arms = append(arms, c)
		}
	}
	out := ex(review.OpNull, n)
	for i := len(arms) - 1; i >= 0; i-- {
		e := ex(review.OpCond, arms[i])
		e.Z = l.matches(arms[i], subject, arms[i].First())
		if i > 0 { // the subject is evaluated once
			e.Z = l.pattern(arms[i].First(), plainName(subject))
		}
		e.X, e.Y = l.expr(arms[i].Last()), out
		out = e
	}
	return out
}

func isPattern(n parse.Node) bool {
	return strings.HasSuffix(n.Kind(), "_pattern") || n.Kind() == "discard"
}

// matches is "x is pattern"; null tests become comparisons.
func (l *lowering) matches(n parse.Node, x *review.Expr, p parse.Node) *review.Expr {
	e := ex(review.OpBinary, n)
	e.X, e.Name = x, "is"
	switch strings.Join(strings.Fields(p.Text()), " ") {
	case "null":
		e.Name, e.Y = "==", ex(review.OpNull, p)
		return e
	case "not null", "{ }", "{}":
		e.Name, e.Y = "!=", ex(review.OpNull, p)
		return e
	case "true":
		return x
	case "false":
		u := ex(review.OpUnary, n)
		u.Name, u.X = "!", x
		return u
	}
	if d := declaring(p); d.Field("name").OK() && x != nil {
		a := ex(review.OpAssign, p)
		a.X, a.Y = name(d.Field("name")), x
		if t := d.Field("type"); t.OK() {
			c := ex(review.OpCast, p)
			c.Name, c.X = t.Text(), x
			a.Y = c
		}
		e.X = a
	}
	e.Y = l.pattern(p, nil)
	return e
}

// plainName is e if reading it again does nothing, else nil.
func plainName(e *review.Expr) *review.Expr {
	for x := e; x != nil; x = x.X {
		if x.Op == review.OpName {
			return e
		}
		if x.Op != review.OpMember {
			return nil
		}
	}
	return nil
}

// declaring is the pattern that declares a variable for the whole value: also
// in "x is not T t", after which t is a T.
func declaring(p parse.Node) parse.Node {
	switch p.Kind() {
	case "declaration_pattern", "var_pattern", "recursive_pattern":
		return p
	case "negated_pattern", "parenthesized_pattern":
		return declaring(p.First())
	}
	return parse.Node{}
}

// pattern keeps the text of types and constants of a pattern, and calls in it. A
// variable that it declares for subject is declared by a statement before.
func (l *lowering) pattern(p parse.Node, subject *review.Expr) *review.Expr {
	if subject != nil {
		if d := declaring(p); d.Field("name").OK() {
			l.declare(name(d.Field("name")), either(d.Field("type").Text(), "var"), subject)
		}
	}
	e := ex(review.OpOpaque, p)
	for c := range p.Children() {
		if c.FieldName() == "name" {
			continue
		}
		if v := l.expr(c); v != nil {
			if c.FieldName() == "type" {
				v = &review.Expr{Op: review.OpType, Name: c.Text(), Line: c.Line(), EndLine: c.EndLine()}
			}
			e.Args = append(e.Args, review.Arg{Value: v})
		}
	}
	return e
}
