package review

import (
	"slices"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// follow walks the function of this repository that a call means.
func (t *tracer) follow(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	if c.fn != nil && c.fn.Fn != nil {
		return t.enter2(c.fn.Fn, e, args, c.fn.self(), c.fn.scope, s), true
	}
	if ty := t.constructed(c, e); ty != nil {
		return t.construct(ty, e, args, s), true
	}
	if c.recv == nil {
		if c.fn != nil && c.fn.Lib != "" && c.fn.Fn == nil {
			return nil, false // imported from elsewhere
		}
		if fn := t.ownMethod(c.name, len(e.Args), s); fn != nil {
			return t.enter2(fn, e, args, t.root(s).self, nil, s), true
		}
		return nil, false
	}
	if c.recv.Class != nil {
		if targets := t.methods(c.recv.Class, c.name, len(e.Args)); len(targets) > 0 {
			var out *Value
			for _, fn := range targets {
				self := c.recv
				if fn.Owner != nil && fn.Owner != c.recv.Class {
					cp := *c.recv
					cp.Class, cp.Type = fn.Owner, fn.Owner.Name
					self = &cp
				}
				out = join(out, t.enter2(fn, e, args, self, nil, s))
			}
			return out, true
		}
	}
	if fn := t.extension(c, s); fn != nil {
		return t.enterWith(fn, fn.Params, append([]*Value{c.recv}, bind(fn.Params[1:], e, args)...), nil, nil, e.Line, s), true
	}
	return nil, false
}

func (v *Value) self() *Value { return v.Fields["self"] }

// constructed is the type of this repository that a call makes.
func (t *tracer) constructed(c *callee, e *Expr) *Type {
	if c.fn != nil && c.fn.Class != nil && c.fn.Class.Interface && c.fn.Lib != "" {
		return nil // a class of a library that was made for the shape: mongoose.model<Order>()
	}
	if c.fn != nil && c.fn.Class != nil && c.fn.Fn == nil && (e.New || c.fn.Sym == c.fn.Class.Name || c.fn.Type == c.fn.Class.Name) {
		return c.fn.Class
	}
	if c.recv != nil && c.recv.Module != nil && c.fn != nil && c.fn.Class != nil {
		return c.fn.Class
	}
	return nil
}

// construct makes an object: the arguments are its fields, the constructor is
// walked for what it does.
func (t *tracer) construct(ty *Type, e *Expr, args []*Value, s *scope) *Value {
	out := blend(args...)
	out.Type, out.Class, out.Local = ty.Name, ty, true
	t.fields(out, e, args)
	var names []string
	ctor := t.ctor(ty, len(e.Args))
	if ctor != nil {
		for _, p := range ctor.Params {
			names = append(names, p.Name)
		}
		if len(names) > 0 && ctor.Receiver == names[0] {
			names = names[1:]
		}
	} else {
		for _, f := range ty.Fields {
			if !f.Static {
				names = append(names, f.Name)
			}
		}
	}
	for i, a := range e.Args {
		if a.Name == "" && !a.Spread && i < len(names) && i < len(args) {
			out.Fields[names[i]] = args[i]
		}
	}
	if ctor != nil && len(ctor.Body) > 0 {
		t.enter2(ctor, e, args, out, nil, s)
	}
	return out
}

// ctor is the constructor that takes n arguments, else the first.
func (t *tracer) ctor(ty *Type, n int) *Func {
	var first *Func
	for _, m := range ty.Methods {
		if m.Name == "__init__" || m.Name == "constructor" || m.Name == ty.Name {
			if len(m.Params) == n && m.Name == ty.Name {
				return m
			}
			if first == nil {
				first = m
			}
		}
	}
	return first
}

// ownMethod is a method called without a receiver: C# and Java.
func (t *tracer) ownMethod(name string, n int, s *scope) *Func {
	if s.file.Language != "csharp" && s.file.Language != "java" {
		return nil
	}
	root := t.root(s)
	if root.self == nil || root.self.Class == nil {
		if s.fn != nil && s.fn.Owner != nil {
			return t.repo.overload(s.fn.Owner, name, n)
		}
		return nil
	}
	return t.repo.overload(root.self.Class, name, n)
}

// methods are the bodies a method call may run: the type's own, or those of the
// types that implement it. More than three are not followed: then nothing is
// known about which one it is.
func (t *tracer) methods(ty *Type, name string, n int) []*Func {
	if m := t.repo.overload(ty, name, n); m != nil && !m.Abstract {
		return []*Func{m}
	}
	var out []*Func
	for _, impl := range t.repo.implementers(ty) {
		if m := t.repo.overload(impl, name, n); m != nil && !m.Abstract && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	if real := slices.DeleteFunc(slices.Clone(out), func(m *Func) bool { return standIn(m.Owner) }); len(real) > 0 {
		out = real
	}
	if len(out) > 3 {
		return nil
	}
	return out
}

// standIn reports a type that is named as one for tests and demonstrations:
// where the real one is there too, that is the one that counts.
func standIn(ty *Type) bool {
	if ty == nil {
		return false
	}
	w := words(ty.Name)
	return len(w) > 1 && (slices.Contains([]string{"mock", "mocked", "fake", "stub", "dummy", "noop", "null"}, w[0]) || w[0] == "in" && w[1] == "memory")
}

// enter2 binds the arguments of a call expression and walks fn.
func (t *tracer) enter2(fn *Func, e *Expr, args []*Value, self *Value, outer *scope, s *scope) *Value {
	params := fn.Params
	if len(params) > 0 && fn.Receiver != "" && params[0].Name == fn.Receiver && fn.Owner != nil && !fn.Static {
		params = params[1:]
	}
	return t.enterWith(fn, params, bind(params, e, args), self, outer, e.Line, s)
}

// bind gives every parameter the argument that a call passes for it.
func bind(params []Param, e *Expr, args []*Value) []*Value {
	bound := make([]*Value, len(params))
	i := 0
	for k, a := range e.Args {
		if k >= len(args) {
			break
		}
		if a.Spread {
			for j := range bound {
				if bound[j] == nil {
					bound[j] = either2(args[k].Fields[params[j].Name], blend(args[k]))
				}
			}
			continue
		}
		if a.Name != "" {
			for j := range params {
				if params[j].Name == a.Name {
					bound[j] = args[k]
				}
			}
			continue
		}
		if i < len(bound) {
			if params[i].Rest {
				bound[i] = blend(bound[i], args[k])
				continue
			}
			bound[i] = args[k]
			i++
		}
	}
	return bound
}

func either2(a, b *Value) *Value {
	if a != nil {
		return a
	}
	return b
}

// enter walks fn with positional values.
func (t *tracer) enter(fn *Func, args []*Value, self *Value, outer *scope, line int, s *scope) *Value {
	bound := make([]*Value, len(fn.Params))
	copy(bound, args)
	return t.enterWith(fn, fn.Params, bound, self, outer, line, s)
}

func (t *tracer) enterWith(fn *Func, params []Param, bound []*Value, self *Value, outer *scope, line int, s *scope) *Value {
	if len(t.stack) >= maxFollow || slices.Contains(t.stack, fn) || fn.Abstract || t.stop[fn] != nil {
		out := blend(bound...)
		out.Origin |= FromUnknown
		t.resultType(out, fn)
		return out
	}
	file := fn.File
	if file == nil && outer != nil {
		file = outer.file // a lambda
	}
	if file == nil {
		file = s.file
	}
	if outer == nil {
		outer = t.module(file)
	}
	if t.met == nil {
		t.met = map[*Func]*File{}
	}
	t.met[fn] = file
	in := t.child(outer, fn, file)
	in.self = self
	if self == nil && fn.Owner != nil {
		in.self = t.instance(fn.Owner)
	}
	if in.self != nil && fn.Receiver != "" {
		in.vars[fn.Receiver] = in.self
	}
	for i, p := range params {
		v := bound[i]
		if v == nil {
			if p.Default != nil {
				v = t.eval(p.Default, in)
			} else {
				v = &Value{Origin: FromUnknown}
			}
		}
		if p.Type != "" {
			c := *v
			v = t.typed(&c, p.Type, file)
			if c.Local {
				v = t.typed(bound2(bound[i], v), p.Type, file) // keep identity: changes are seen outside
			}
		}
		in.vars[p.Name] = v
		for _, fexp := range p.Fields {
			if fexp.Op == OpName {
				in.vars[fexp.Name] = t.member(v, fexp.Name, in, fexp)
			} else if fexp.X != nil {
				in.vars[fexp.Name] = t.member(v, text(fexp.X), in, fexp)
			}
		}
	}
	if fn.Annotations != nil && file.Language == "java" && transactional(fn) {
		defer t.flush(fn, in)
	}
	t.stack = append(t.stack, fn)
	saved := t.retry
	if w := retryAnnotation(fn); w != "" {
		t.retry = w
	}
	defer func() { t.retry = saved }()
	pushed := fn.Name != ""
	if pushed {
		t.path = append(t.path, t.site(s, line, line))
	}
	conds := len(t.conds)
	t.body(fn.Body, in)
	t.keepExits(conds)
	if pushed {
		t.path = t.path[:len(t.path)-1]
	}
	t.stack = t.stack[:len(t.stack)-1]
	out := in.result
	if out == nil {
		out = &Value{Local: true}
	}
	t.resultType(out, fn)
	return out
}

func bound2(a, b *Value) *Value {
	if a != nil {
		return a
	}
	return b
}

// keepExits drops the conditions of a finished function, apart from those a
// helper turned into an error: what follows the call stands behind them too.
func (t *tracer) keepExits(n int) {
	t.conds = t.conds[:n]
}

func (t *tracer) resultType(out *Value, fn *Func) {
	if fn.Result == "" || fn.File == nil || out.Class != nil {
		return
	}
	t.typed(out, fn.Result, fn.File)
}

// instance is an object somebody else made: its fields outlive the body.
func (t *tracer) instance(ty *Type) *Value {
	return &Value{Type: ty.Name, Class: ty, Shared: ty.Name, Origin: FromConst}
}

// changeShared records a change of state that outlives the body.
func (t *tracer) changeShared(base *Value, target *Expr, v *Value, op string, s *scope, key ...*Value) {
	name := base.Shared
	switch target.Op {
	case OpMember:
		name += "." + target.Name
	case OpIndex:
		name += "[]"
	}
	e := &Effect{Class: knowledge.Put, Resource: "memory:" + name, Callee: text(target), Memory: true, Site: t.site(s, target.Line, target.EndLine), Path: t.trail(), Loop: t.loops > 0, Conds: t.standing(), Value: v, order: len(t.effects), Tries: slices.Clone(t.tries)}
	if len(key) > 0 {
		e.Key = key[0]
	}
	if e.Key == nil {
		e.Key = &Value{Origin: FromConst, Sym: name}
	}
	switch op {
	case "+", "-":
		e.Class = knowledge.Increment
		e.Relative = target.Op == OpIndex || target.Op == OpMember && v.Origin != FromConst // a stock, not a counter
		if op == "+" && (isText(v) || base.HasTxt || v.Local && len(v.Elems) > 0) {
			e.Class = knowledge.Append
		}
	case "":
		for _, r := range v.Rel {
			if t.sameThing(e, r) {
				e.Relative, e.DerivedFrom = true, r
			}
		}
	default:
		return
	}
	if telemetry(name) {
		return
	}
	t.record(e)
}

// remove is del x[k], delete(m, k), delete o.k.
func (t *tracer) remove(target *Expr, s *scope) {
	if target == nil || (target.Op != OpIndex && target.Op != OpMember) {
		return
	}
	base := t.eval(target.X, s)
	if base.Shared == "" || base.Local {
		return
	}
	var key *Value
	if target.Op == OpIndex && target.Y != nil {
		key = t.eval(target.Y, s)
	}
	t.record(&Effect{Class: knowledge.Delete, Resource: "memory:" + base.Shared, Callee: text(target), Memory: true, Key: key, Site: t.site(s, target.Line, target.EndLine), Path: t.trail(), Conds: t.standing(), order: len(t.effects), Strict: s.file.Language == "python", Tries: slices.Clone(t.tries)})
}

// implicitOwner is the object whose field a bare name is in C# and Java: this,
// or in a static method the type.
func (t *tracer) implicitOwner(name string, s *scope) *Value {
	if s.file.Language != "csharp" && s.file.Language != "java" {
		return nil
	}
	root := t.root(s)
	own := root.self
	if own == nil {
		for c := s; c != nil && own == nil; c = c.parent {
			if c.fn != nil && c.fn.Owner != nil {
				own = t.instance(c.fn.Owner)
			}
		}
	}
	if own == nil || own.Class == nil {
		return nil
	}
	if _, ok := t.repo.field(own.Class, name); ok {
		return own
	}
	return nil
}
