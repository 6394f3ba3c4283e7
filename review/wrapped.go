package review

import "github.com/idem-mcp/idem-mcp/review/knowledge"

// wrapped is the function that a wrapper outside the repository is given, and
// that calling what it gives back runs: traceable(f, options), withRetry(n)(f).
// Calls that run or keep what they are given are no wrappers.
func (ro *roster) wrapped(f *File, e *Expr, in *Func) *Func {
	e = peel(e)
	if e.Op != OpCall || e.New || iterates(knowledge.Norm(calleeName(e.X))) {
		return nil
	}
	if e.X != nil && ro.function(f, e.X, in) != nil {
		return nil // what it gives back is seen by walking it
	}
	var found *Func
	for _, a := range e.Args {
		fn := (*Func)(nil)
		switch v := peel(a.Value); v.Op {
		case OpLambda:
			if fn = v.Func; fn.File == nil {
				fn.File = f
			}
		case OpName, OpMember:
			fn = ro.function(f, v, in)
		case OpCall:
			fn = ro.wrapped(f, v, in)
		}
		switch {
		case fn == nil:
		case found != nil:
			return nil // which of them it runs is not known
		default:
			found = fn
		}
	}
	return found
}

// wrappedExports enters the functions that a module hands out inside wrappers,
// under the names it hands them out.
func (ro *roster) wrappedExports(f *File, enter func(*Func, *Type)) {
	if f.Top == nil {
		return
	}
	for _, name := range f.Exports {
		st := findLet(f.Top.Body, name)
		if st == nil || st.Value == nil {
			continue
		}
		fn := ro.wrapped(f, st.Value, nil)
		if fn == nil {
			fn = ro.inner(f, st.Value)
		}
		if fn == nil {
			continue
		}
		enter(fn, nil)
		if c := ro.acts[fn]; c != nil && c.name == fn.Name {
			c.name = name
		}
	}
}

// inner is the function that a wrapper of the repository is given, where what it
// makes of it is a function of its own.
func (ro *roster) inner(f *File, e *Expr) *Func {
	e = peel(e)
	if e.Op != OpCall || e.New || e.X == nil {
		return nil
	}
	wrapper := ro.function(f, e.X, nil)
	if wrapper == nil || !returnsFunc(wrapper) {
		return nil
	}
	for _, a := range e.Args {
		switch v := peel(a.Value); v.Op {
		case OpLambda:
			if v.Func.File == nil {
				v.Func.File = f
			}
			return v.Func
		case OpName, OpMember:
			if fn := ro.function(f, v, nil); fn != nil {
				return fn
			}
		}
	}
	return nil
}

func returnsFunc(fn *Func) bool {
	for _, st := range fn.Body {
		if st.Op == Return && st.Value != nil && st.Value.Op == OpLambda {
			return true
		}
	}
	return false
}

// handedOn is the function behind a module's variable that was given the answer
// of a wrapper: calling the variable runs it.
func (t *tracer) handedOn(st *Stmt, ms *scope) *Value {
	e := peel(st.Value)
	if f := t.repo.family(ms.file); e.Op != OpCall || e.New || f != "js" && f != "python" || iterates(knowledge.Norm(calleeName(e.X))) {
		return nil
	}
	var found *Value
	for _, a := range e.Args {
		v := (*Value)(nil)
		switch x := peel(a.Value); x.Op {
		case OpLambda, OpName:
			v = t.eval(x, ms)
		}
		switch {
		case v == nil || v.Fn == nil:
		case found != nil:
			return nil
		default:
			found = v
		}
	}
	return found
}
