package review

import "github.com/idem-mcp/idem-mcp/review/knowledge"

// under walks fn with a condition in force.
func (t *tracer) under(c *Cond, fn func() bool) bool {
	n := len(t.conds)
	t.conds = append(t.conds, c)
	left := fn()
	t.conds = t.conds[:n]
	return left
}

func (t *tracer) branch(st *Stmt, s *scope) bool {
	cv := t.eval(st.Value, s)
	c := &Cond{Value: cv, Text: text(st.Value), Site: t.site(s, st.Line, st.Line)}
	t.tested(st, cv, c.Text)
	if alwaysFalse(st.Value) {
		return t.body(st.Else, s)
	}
	a := t.under(c, func() bool { return t.body(st.Body, s) })
	b := false
	if len(st.Else) > 0 {
		b = t.under(&Cond{Value: cv, Text: "not " + c.Text, Site: c.Site}, func() bool { return t.body(st.Else, s) })
	}
	if a != b { // one side left: what follows stands behind the test
		t.conds = append(t.conds, &Cond{Value: cv, Text: c.Text, Exit: true, Site: c.Site})
	}
	return a && b
}

func alwaysFalse(e *Expr) bool { return e != nil && e.Op == OpBool && e.Name == "false" }

func (t *tracer) cases(st *Stmt, s *scope) bool {
	var v *Value
	if st.Value != nil {
		v = t.eval(st.Value, s)
	} else {
		v = &Value{}
	}
	all, def := true, false
	for i := range st.Catches {
		k := &st.Catches[i]
		cv := v
		for _, e := range k.Values {
			cv = blend(cv, t.eval(e, s))
		}
		def = def || len(k.Values) == 0
		c := &Cond{Value: cv, Text: text(st.Value), Site: t.site(s, k.Line, k.Line)}
		if !t.under(c, func() bool { return t.body(k.Body, s) }) {
			all = false
		}
	}
	return all && def && len(st.Catches) > 0
}

func (t *tracer) loop(st *Stmt, s *scope) {
	n := len(t.conds)
	var v *Value
	if st.Value != nil {
		v = t.eval(st.Value, s)
	}
	if len(st.Targets) > 0 && v != nil {
		item := t.element(v, s)
		if len(st.Targets) == 1 {
			t.assign(st.Targets[0], item, "", s, st.Type != "")
		} else {
			for _, target := range st.Targets {
				t.assign(target, item, "", s, true)
			}
		}
	}
	t.loops++
	t.counters(st, s)
	saved := t.retry
	if how := retryLoop(st); how != "" {
		t.retry = how + " at line " + itoa(st.Line)
	}
	c := &Cond{Value: blend(v), Text: "loop", Site: t.site(s, st.Line, st.Line)}
	t.under(c, func() bool { return t.body(st.Body, s) })
	t.loops--
	t.retry = saved
	t.conds = t.conds[:n]
}

// element is one item of a collection.
func (t *tracer) element(v *Value, s *scope) *Value {
	if len(v.Elems) == 1 {
		return v.Elems[0]
	}
	out := blend(v)
	out.Sym = v.Sym + "[]"
	out.Shared, out.Varies = v.Shared, true
	if len(v.Elems) > 1 {
		first := v.Elems[0]
		out.Fields, out.Class, out.Type = first.Fields, first.Class, first.Type
	}
	return out
}

func (t *tracer) try(st *Stmt, s *scope) bool {
	f := &tryFrame{catches: st.Catches, dup: dupCatch(st.Catches), site: t.site(s, st.Line, st.Line)}
	for i := range st.Catches {
		f.swallows = f.swallows || !raises(st.Catches[i].Body)
	}
	t.tries = append(t.tries, f)
	n := len(t.conds)
	left := t.body(st.Body, s)
	t.tries = t.tries[:len(t.tries)-1]
	if len(st.Else) > 0 && !left {
		left = t.body(st.Else, s)
	}
	after := append([]*Cond(nil), t.conds[n:]...)
	all := len(st.Catches) > 0
	for i := range st.Catches {
		k := &st.Catches[i]
		if k.Name != "" {
			s.vars[k.Name] = &Value{Type: first(k.Types), Origin: FromOutside}
		}
		c := &Cond{Value: &Value{}, Text: "catch " + first(k.Types), Site: t.site(s, k.Line, k.Line)}
		if !t.under(c, func() bool { return t.body(k.Body, s) }) {
			all = false
		}
	}
	t.conds = append(t.conds[:n], after...)
	if len(st.Finally) > 0 && t.body(st.Finally, s) {
		return true
	}
	return left && (all || len(st.Catches) == 0)
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// raises reports whether every way through a handler ends in an error.
func raises(body []*Stmt) bool {
	for _, st := range body {
		switch st.Op {
		case Throw:
			return true
		case Return, Jump:
			return false
		case If:
			if raises(st.Body) && raises(st.Else) {
				return true
			}
		case Block, With:
			if raises(st.Body) {
				return true
			}
		}
	}
	return false
}

func (t *tracer) with(st *Stmt, s *scope) bool {
	v := t.eval(st.Value, s)
	for _, target := range st.Targets {
		t.assign(target, v, "", s, true)
	}
	old := t.tx
	for _, e := range v.From {
		if e.Class == knowledge.Tx {
			t.tx = e
		}
	}
	left := t.body(st.Body, s)
	t.tx = old
	return left
}
