package csharp

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func st(op review.StmtOp, n parse.Node) *review.Stmt {
	return &review.Stmt{Op: op, Line: n.Line(), EndLine: n.EndLine()}
}

// block is the statements of a block, or the one statement that stands for it.
func (l *lowering) block(n parse.Node) []*review.Stmt {
	if !n.OK() {
		return nil
	}
	if n.Kind() != "block" {
		return l.stmts([]parse.Node{n})
	}
	var all []parse.Node
	for c := range n.Children() {
		all = append(all, c)
	}
	return l.stmts(all)
}

// stmts lowers a sequence. What follows a using declaration is its body.
func (l *lowering) stmts(all []parse.Node) []*review.Stmt {
	var out []*review.Stmt
	for i, n := range all {
		if n.Kind() == "local_declaration_statement" && n.Has("using") {
			rest := all[i+1:]
			return append(out, l.with(n, n.First("variable_declaration"), func() []*review.Stmt { return l.stmts(rest) })...)
		}
		out = append(out, l.flush(l.stmt(n))...)
	}
	return out
}

// flush puts the declarations met inside expressions before the statements.
func (l *lowering) flush(s []*review.Stmt) []*review.Stmt {
	if len(l.pre) == 0 {
		return s
	}
	out := append(l.pre, s...)
	l.pre = nil
	return out
}

func (l *lowering) stmt(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "", "empty_statement":
		return nil
	case "comment":
		l.comment(n)
		return nil
	case "block":
		s := st(review.Block, n)
		s.Body = l.block(n)
		return []*review.Stmt{s}
	case "expression_statement":
		return l.do(n.First())
	case "local_declaration_statement":
		return l.vars(n.First("variable_declaration"))
	case "local_function_statement":
		return l.localFunction(n)
	case "return_statement":
		return l.ret(n)
	case "throw_statement":
		s := st(review.Throw, n)
		if v := n.First(); v.OK() {
			s.Value = l.expr(v)
		}
		return []*review.Stmt{s}
	case "if_statement":
		return l.ifs(n)
	case "for_statement", "foreach_statement", "while_statement", "do_statement":
		return l.loop(n)
	case "switch_statement":
		return l.cases(n)
	case "try_statement":
		return l.try(n)
	case "using_statement":
		v := n.First("variable_declaration")
		if !v.OK() {
			v = n.First()
		}
		return l.with(n, v, func() []*review.Stmt { return l.block(n.Field("body")) })
	case "lock_statement", "checked_statement", "unsafe_statement", "fixed_statement", "labeled_statement", "global_statement", "preproc_if", "preproc_else", "preproc_elif", "ERROR":
		s := st(review.Block, n)
		var all []parse.Node
		for c := range n.Children() {
			if c.FieldName() != "condition" {
				all = append(all, c)
			}
		}
		s.Body = l.stmts(all)
		return []*review.Stmt{s}
	case "break_statement", "continue_statement", "goto_statement":
		s := st(review.Jump, n)
		s.Name = strings.TrimSuffix(n.Kind(), "_statement")
		return []*review.Stmt{s}
	case "yield_statement":
		return l.do(n)
	case "variable_declaration":
		return l.vars(n)
	}
	return l.do(n)
}

// do is an expression as a statement; an assignment is one of its own.
func (l *lowering) do(n parse.Node) []*review.Stmt {
	switch n.Kind() {
	case "assignment_expression":
		s := st(review.Let, n)
		if op := operator(n); op != "=" {
			s.Name = strings.TrimSuffix(op, "=")
		}
		left := n.Field("left")
		if left.Kind() == "tuple_expression" {
			for a := range left.Children() {
				s.Targets = append(s.Targets, l.expr(a.Last()))
			}
		} else {
			s.Targets = []*review.Expr{l.expr(left)}
		}
		var after []*review.Stmt
		s.Value, after = l.orThrow(n.Field("right"), "", s.Targets)
		return append([]*review.Stmt{s}, after...)
	case "postfix_unary_expression", "prefix_unary_expression":
		op := operator(n)
		if op == "++" || op == "--" {
			s := st(review.Let, n)
			s.Name = op[:1]
			s.Targets = []*review.Expr{l.expr(n.First())}
			s.Value = &review.Expr{Op: review.OpNumber, Name: "1", Line: n.Line(), EndLine: n.EndLine()}
			return []*review.Stmt{s}
		}
	}
	s := st(review.Do, n)
	s.Value = l.expr(n)
	return []*review.Stmt{s}
}

// orThrow lowers "v ?? throw e" in an assignment to the value and, after it, the
// test that throws.
func (l *lowering) orThrow(n parse.Node, typ string, targets []*review.Expr) (*review.Expr, []*review.Stmt) {
	right := n.Field("right")
	if n.Kind() != "binary_expression" || right.Kind() != "throw_expression" || len(targets) != 1 {
		return l.hinted(n, typ), nil
	}
	v := l.hinted(n.Field("left"), typ)
	s := st(review.If, right)
	s.Value = ex(review.OpBinary, right)
	s.Value.X, s.Value.Name, s.Value.Y = targets[0], "==", ex(review.OpNull, right)
	throw := st(review.Throw, right)
	throw.Value = l.expr(right.First())
	s.Body = []*review.Stmt{throw}
	return v, []*review.Stmt{s}
}

func (l *lowering) vars(n parse.Node) []*review.Stmt {
	var out []*review.Stmt
	typ := n.Field("type").Text()
	for d := range n.Children() {
		if d.Kind() != "variable_declarator" {
			continue
		}
		s := st(review.Let, d)
		s.Type = typ
		var after []*review.Stmt
		s.Targets = l.targets(d)
		if init := d.Last(); init.FieldName() == "" && init.Kind() != "tuple_pattern" && init.Kind() != "bracketed_argument_list" {
			s.Value, after = l.orThrow(init, typ, s.Targets)
		}
		out = append(append(out, s), after...)
	}
	return out
}

// targets are the names a declarator or a tuple pattern declares.
func (l *lowering) targets(n parse.Node) []*review.Expr {
	if t := n.First("tuple_pattern"); t.OK() {
		return l.targets(t)
	}
	var out []*review.Expr
	for c := range n.All() {
		if c.FieldName() == "name" && c.Named() {
			out = append(out, name(c))
		} else if c.Kind() == "tuple_pattern" {
			out = append(out, l.targets(c)...)
		} else if c.Kind() == "discard" {
			out = append(out, &review.Expr{Op: review.OpName, Name: "_", Line: c.Line(), EndLine: c.EndLine()})
		}
	}
	return out
}

func name(n parse.Node) *review.Expr {
	e := ex(review.OpName, n)
	e.Name = strings.TrimPrefix(n.Text(), "@")
	return e
}

// with is a using statement or declaration.
func (l *lowering) with(n, v parse.Node, body func() []*review.Stmt) []*review.Stmt {
	s := st(review.With, n)
	if v.Kind() == "variable_declaration" {
		for d := range v.Children() {
			if d.Kind() == "variable_declarator" {
				s.Targets = l.targets(d)
				if init := d.Last(); init.FieldName() == "" {
					s.Value = l.hinted(init, v.Field("type").Text())
				}
			}
		}
	} else {
		s.Value = l.expr(v)
	}
	out := l.flush([]*review.Stmt{s})
	s.Body = body()
	return out
}

func (l *lowering) localFunction(n parse.Node) []*review.Stmt {
	fn := &review.Func{Name: n.Field("name").Text(), Parent: l.fn, Result: n.Field("type").Text(), Params: l.params(n.Field("parameters")), Annotations: l.attributes(n), Line: n.Line(), EndLine: n.EndLine()}
	l.file.Funcs = append(l.file.Funcs, fn)
	l.body(fn, n.Field("body"))
	if l.fn == nil {
		return nil // of a top-level program: a function of the file
	}
	s := st(review.Define, n)
	s.Func = fn
	return []*review.Stmt{s}
}

func (l *lowering) ret(n parse.Node) []*review.Stmt {
	v := n.First()
	s := st(review.Return, n)
	if !v.OK() {
		return []*review.Stmt{s}
	}
	if v.Kind() == "binary_expression" && v.Field("right").Kind() == "throw_expression" {
		let := st(review.Let, n)
		let.Type = "var"
		let.Targets = []*review.Expr{{Op: review.OpName, Name: "_result", Line: n.Line(), EndLine: n.EndLine()}}
		var after []*review.Stmt
		let.Value, after = l.orThrow(v, "", let.Targets)
		s.Value = let.Targets[0]
		return append(append([]*review.Stmt{let}, after...), s)
	}
	typ := ""
	if l.fn != nil {
		typ = l.fn.Result
	}
	s.Value = l.hinted(v, typ)
	return []*review.Stmt{s}
}

func (l *lowering) ifs(n parse.Node) []*review.Stmt {
	s := st(review.If, n)
	s.Value = l.expr(n.Field("condition"))
	out := l.flush([]*review.Stmt{s})
	s.Body = l.block(n.Field("consequence"))
	s.Else = l.block(n.Field("alternative"))
	return out
}

func (l *lowering) loop(n parse.Node) []*review.Stmt {
	s := st(review.Loop, n)
	var out []*review.Stmt
	switch n.Kind() {
	case "foreach_statement":
		s.Type = "var"
		if left := n.Field("left"); left.Kind() == "tuple_pattern" {
			s.Targets = l.targets(left)
		} else {
			s.Targets = []*review.Expr{name(left)}
		}
		s.Value = l.expr(n.Field("right"))
	case "for_statement":
		for i := range n.Fields("initializer") {
			if i.Named() {
				out = append(out, l.flush(l.stmt(i))...)
			}
		}
		s.Value = l.expr(n.Field("condition"))
	default:
		s.Value = l.expr(n.Field("condition"))
	}
	out = append(out, l.flush([]*review.Stmt{s})...)
	s.Body = l.block(n.Field("body"))
	for u := range n.Fields("update") {
		if u.Named() {
			s.Body = append(s.Body, l.flush(l.do(u))...)
		}
	}
	return out
}

func (l *lowering) cases(n parse.Node) []*review.Stmt {
	s := st(review.Switch, n)
	s.Value = l.expr(n.Field("value"))
	out := l.flush([]*review.Stmt{s})
	var values []*review.Expr
	for sec := range n.Field("body").Children() {
		if sec.Kind() != "switch_section" {
			continue
		}
		k := review.Catch{Line: sec.Line()}
		def := sec.Has("default")
		var body []parse.Node
		for c := range sec.Children() {
			switch {
			case c.Kind() == "when_clause":
				values = append(values, l.expr(c.First()))
			case isPattern(c):
				values = append(values, l.pattern(c, plainName(s.Value)))
			case strings.HasSuffix(c.Kind(), "_statement") || c.Kind() == "block" || c.Kind() == "comment" || strings.HasPrefix(c.Kind(), "preproc"):
				body = append(body, c)
			default:
				values = append(values, l.expr(c))
			}
		}
		if len(body) == 0 && !def {
			continue // falls through to the next section
		}
		if !def {
			k.Values = values
		}
		values = nil
		pre := l.pre
		l.pre = nil
		k.Body = append(pre, l.stmts(body)...)
		s.Catches = append(s.Catches, k)
	}
	return out
}

func (l *lowering) try(n parse.Node) []*review.Stmt {
	s := st(review.Try, n)
	s.Body = l.block(n.Field("body"))
	for c := range n.Children() {
		switch c.Kind() {
		case "catch_clause":
			k := review.Catch{Line: c.Line()}
			d := c.First("catch_declaration")
			if t := d.Field("type"); t.OK() {
				k.Types = []string{t.Text()}
			}
			k.Name = d.Field("name").Text()
			if f := c.First("catch_filter_clause"); f.OK() {
				k.Values = []*review.Expr{l.expr(f.First())}
			}
			pre := l.pre
			l.pre = nil
			k.Body = append(pre, l.block(c.Field("body"))...)
			s.Catches = append(s.Catches, k)
		case "finally_clause":
			s.Finally = l.block(c.First("block"))
		}
	}
	return []*review.Stmt{s}
}
