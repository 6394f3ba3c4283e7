package java

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func st(op review.StmtOp, n parse.Node) *review.Stmt {
	return &review.Stmt{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

func (l *lowering) block(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for c := range n.Children() {
		out = append(out, l.stmt(c)...)
	}
	return out
}

// body is a statement that stands for a block.
func (l *lowering) body(n parse.Node) []*review.Stmt {
	if n.Kind() == "block" {
		return l.block(n)
	}
	return l.stmt(n)
}

func (l *lowering) stmt(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "":
		return nil
	case "line_comment", "block_comment":
		l.comment(n)
		return nil
	case "block":
		s := st(review.Block, n)
		s.Body = l.block(n)
		return []*review.Stmt{s}
	case "synchronized_statement":
		s := st(review.Block, n)
		s.Body = append(l.do(n.First("parenthesized_expression")), l.block(n.Field("body"))...)
		return []*review.Stmt{s}
	case "labeled_statement":
		return l.stmt(n.Last())
	case "expression_statement":
		return l.do(n.First())
	case "local_variable_declaration":
		return l.vars(n)
	case "return_statement", "yield_statement":
		s := st(review.Return, n)
		if v := n.First(); v.OK() {
			s.Value = l.expr(v)
		}
		return []*review.Stmt{s}
	case "throw_statement":
		s := st(review.Throw, n)
		s.Value = l.expr(n.First())
		return []*review.Stmt{s}
	case "if_statement":
		s := st(review.If, n)
		s.Value = l.expr(n.Field("condition"))
		s.Body = l.body(n.Field("consequence"))
		s.Else = l.body(n.Field("alternative"))
		return []*review.Stmt{s}
	case "while_statement", "do_statement":
		s := st(review.Loop, n)
		s.Value = l.expr(n.Field("condition"))
		s.Body = l.body(n.Field("body"))
		return []*review.Stmt{s}
	case "for_statement":
		return l.loop(n)
	case "enhanced_for_statement":
		s := st(review.Loop, n)
		s.Type = n.Field("type").Text()
		s.Targets = []*review.Expr{l.name(n.Field("name"))}
		s.Value = l.expr(n.Field("value"))
		s.Body = l.body(n.Field("body"))
		return []*review.Stmt{s}
	case "try_statement", "try_with_resources_statement":
		return []*review.Stmt{l.try(n)}
	case "switch_expression", "switch_statement":
		return []*review.Stmt{l.cases(n, false)}
	case "break_statement", "continue_statement":
		s := st(review.Jump, n)
		s.Name = strings.TrimSuffix(n.Kind(), "_statement")
		return []*review.Stmt{s}
	case "explicit_constructor_invocation":
		s := st(review.Do, n)
		s.Value = l.opaque(n.Field("arguments"))
		return []*review.Stmt{s}
	case "assert_statement":
		s := st(review.Do, n)
		s.Value = l.opaque(n)
		return []*review.Stmt{s}
	}
	if l.declaration(n) {
		return nil
	}
	return l.do(n)
}

// do is an expression whose value is not used; an assignment is a Let.
func (l *lowering) do(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "assignment_expression":
		s := st(review.Let, n)
		s.Name = strings.TrimSuffix(n.Field("operator").Text(), "=")
		s.Targets = []*review.Expr{l.expr(n.Field("left"))}
		s.Value = l.expr(n.Field("right"))
		return []*review.Stmt{s}
	case "update_expression":
		s := st(review.Let, n)
		s.Name = "+"
		if strings.Contains(n.Text(), "--") {
			s.Name = "-"
		}
		s.Targets = []*review.Expr{l.expr(n.First())}
		s.Value = &review.Expr{Op: review.OpNumber, Name: "1", Line: n.Line(), EndLine: n.EndLine()}
		return []*review.Stmt{s}
	case "":
		return nil
	}
	s := st(review.Do, n)
	s.Value = l.expr(n)
	return []*review.Stmt{s}
}

func (l *lowering) vars(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for d := range n.Fields("declarator") {
		s := st(review.Let, n)
		s.Type = n.Field("type").Text()
		s.Targets = []*review.Expr{l.name(d.Field("name"))}
		if v := d.Field("value"); v.OK() {
			s.Value = l.expr(v)
		}
		out = append(out, s)
	}
	return out
}

func (l *lowering) loop(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for i := range n.Fields("init") {
		out = append(out, l.stmt(i)...)
	}
	s := st(review.Loop, n)
	if c := n.Field("condition"); c.OK() {
		s.Value = l.expr(c)
	}
	s.Body = l.body(n.Field("body"))
	for u := range n.Fields("update") {
		s.Body = append(s.Body, l.do(u)...)
	}
	return append(out, s)
}

func (l *lowering) try(n parse.Node) *review.Stmt {
	s := st(review.Try, n)
	s.Body = l.block(n.Field("body"))
	var res []parse.Node
	for r := range n.Field("resources").Children() {
		if r.Kind() == "resource" {
			res = append(res, r)
		}
	}
	for i := len(res) - 1; i >= 0; i-- {
		w := st(review.With, res[i])
		if v := res[i].Field("value"); v.OK() {
			w.Type = res[i].Field("type").Text()
			w.Targets = []*review.Expr{l.name(res[i].Field("name"))}
			w.Value = l.expr(v)
			if w.Type != "var" { // the declared type comes with the value
				w.Value = &review.Expr{Op: review.OpCast, X: w.Value, Name: w.Type, Line: res[i].Line(), EndLine: res[i].EndLine()}
			}
		} else {
			w.Value = l.expr(res[i].First())
		}
		w.Body = s.Body
		w.EndLine = n.EndLine()
		s.Body = []*review.Stmt{w}
	}
	for c := range n.Children() {
		switch c.Kind() {
		case "catch_clause":
			p := c.First("catch_formal_parameter")
			k := review.Catch{Name: p.Field("name").Text(), Line: c.Line()}
			for t := range p.First("catch_type").Children() {
				k.Types = append(k.Types, t.Text())
			}
			k.Body = l.block(c.Field("body"))
			s.Catches = append(s.Catches, k)
		case "finally_clause":
			s.Finally = l.block(c.First("block"))
		}
	}
	if len(s.Catches) == 0 && len(s.Finally) == 0 {
		s.Op = review.Block
	}
	return s
}

// cases is a switch. As an expression its arms are returns.
func (l *lowering) cases(n parse.Node, value bool) *review.Stmt {
	s := st(review.Switch, n)
	s.Value = l.expr(n.Field("condition"))
	for c := range n.Field("body").Children() {
		if c.Kind() != "switch_rule" && c.Kind() != "switch_block_statement_group" {
			continue
		}
		k := review.Catch{Line: c.Line()}
		for p := range c.Children() {
			switch p.Kind() {
			case "switch_label":
				for v := range p.Children() {
					k.Values = append(k.Values, l.expr(v))
				}
			case "expression_statement":
				if value && c.Kind() == "switch_rule" {
					r := st(review.Return, p)
					r.Value = l.expr(p.First())
					k.Body = append(k.Body, r)
					continue
				}
				k.Body = append(k.Body, l.stmt(p)...)
			case "block":
				k.Body = append(k.Body, l.block(p)...)
			default:
				k.Body = append(k.Body, l.stmt(p)...)
			}
		}
		if n := len(k.Body); n > 0 && k.Body[n-1].Op == review.Jump && k.Body[n-1].Name == "break" {
			k.Body = k.Body[:n-1] // the end of the case, not of what is around it
		}
		s.Catches = append(s.Catches, k)
	}
	return s
}
