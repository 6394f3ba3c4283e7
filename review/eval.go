package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// eval walks an expression: the effects in it happen in order, its value comes
// back. It never returns nil.
func (t *tracer) eval(e *Expr, s *scope) *Value {
	if e == nil || t.spent() {
		return &Value{Origin: FromUnknown}
	}
	switch e.Op {
	case OpName:
		return t.name(e, s)
	case OpMember:
		return t.member(t.eval(e.X, s), e.Name, s, e)
	case OpIndex:
		return t.index(e, s)
	case OpCall:
		return t.call(e, s)
	case OpString:
		return &Value{Origin: FromConst, Text: e.Name, HasTxt: true, Local: true}
	case OpNumber, OpBool:
		return &Value{Origin: FromConst, Sym: e.Name, Local: true}
	case OpNull:
		return &Value{Origin: FromConst, Local: true}
	case OpTemplate:
		var parts []*Value
		for _, a := range e.Args {
			parts = append(parts, t.eval(a.Value, s))
		}
		return t.concat(parts...)
	case OpBinary:
		return t.combine(e.Name, t.eval(e.X, s), t.eval(e.Y, s))
	case OpUnary:
		v := t.eval(e.X, s)
		if e.Name == "++" || e.Name == "--" {
			t.assign(e.X, &Value{Origin: FromConst}, e.Name[:1], s, false)
		}
		return v
	case OpObject:
		return t.object(e, s)
	case OpList:
		return t.list(e, s)
	case OpLambda:
		return &Value{Fn: e.Func, scope: s, Local: true}
	case OpCond:
		c := t.eval(e.Z, s)
		cond := &Cond{Value: c, Text: text(e.Z), Site: t.site(s, e.Line, e.Line)}
		var a, b *Value
		t.under(cond, func() bool { a = t.eval(e.X, s); return false })
		t.under(cond, func() bool { b = t.eval(e.Y, s); return false })
		return join(a, b)
	case OpAssign:
		v := t.eval(e.Y, s)
		t.assign(e.X, v, e.Name, s, false)
		return v
	case OpCast:
		return t.cast(e, s)
	case OpAwait:
		if e.X != nil && e.X.Op == OpCall {
			if t.awaits == nil {
				t.awaits = map[*Expr]bool{}
			}
			t.awaits[e.X] = true
		}
		return t.eval(e.X, s)
	case OpType:
		return &Value{Type: typeName(e.Name), Class: t.repo.typeNamed(s.file, e.Name), Lib: importOf(s.file, e.Name), Origin: FromConst}
	}
	var vs []*Value
	for _, a := range e.Args {
		vs = append(vs, t.eval(a.Value, s))
	}
	return blend(vs...)
}

func (t *tracer) cast(e *Expr, s *scope) *Value {
	v := t.eval(e.X, s)
	if e.Name == "" || v.Type != "" || v.HasTxt {
		return v
	}
	c := *v
	return t.typed(&c, e.Name, s.file)
}

func (t *tracer) object(e *Expr, s *scope) *Value {
	out := &Value{Local: true, Fields: map[string]*Value{}}
	if e.Name != "" {
		out.Type, out.Lib = typeName(e.Name), importOf(s.file, e.Name)
		out.Class = t.repo.typeNamed(s.file, e.Name)
	}
	for _, a := range e.Args {
		v := t.eval(a.Value, s)
		name := a.Name
		if a.Key != nil {
			k := t.eval(a.Key, s)
			name = keyText(k)
			out.absorb(&Value{Origin: k.Origin})
		}
		if a.Spread {
			for k, f := range v.Fields {
				out.Fields[k] = f
			}
		} else if name != "" {
			out.Fields[name] = v
		}
		if v.Fn == nil {
			out.absorb(v)
		}
	}
	if len(e.Args) == 0 {
		out.Origin |= FromConst
	}
	return out
}

func (t *tracer) list(e *Expr, s *scope) *Value {
	out := &Value{Local: true, list: true}
	spread := []*Effect(nil)
	for _, a := range e.Args {
		v := t.eval(a.Value, s)
		if a.Spread {
			spread = addEffects(spread, v.Reads)
		} else {
			out.Elems = append(out.Elems, v)
		}
		if v.Fn == nil {
			out.absorb(v)
		}
	}
	if len(e.Args) > 1 {
		out.Rel = addEffects(out.Rel, spread) // [...read, x] appends to what was read
	}
	if len(e.Args) == 0 {
		out.Origin |= FromConst
	}
	return out
}

// name resolves an identifier: a local, a module variable, an import, a
// function or type of the repository.
func (t *tracer) name(e *Expr, s *scope) *Value {
	if v, at := s.lookup(e.Name); v != nil {
		if at.fn == nil && at != s && v.Shared != "" {
			return t.peek(v) // declared by a function around this one, or by the module
		}
		return v
	}
	if root := t.root(s); root.self != nil && e.Name == root.fnReceiver() {
		return root.self
	}
	if v := t.implicitMember(e.Name, s); v != nil {
		return v
	}
	if v := t.sharedVar(e.Name, s); v != nil {
		return t.peek(v)
	}
	return t.global(e.Name, s)
}

func (s *scope) fnReceiver() string {
	if s.fn == nil {
		return ""
	}
	return s.fn.Receiver
}

// root is the scope of the nearest method around s.
func (t *tracer) root(s *scope) *scope {
	for c := s; c != nil; c = c.parent {
		if c.self != nil {
			return c
		}
	}
	return s
}

// implicitMember is a field named without this: C# and Java.
func (t *tracer) implicitMember(name string, s *scope) *Value {
	if own := t.implicitOwner(name, s); own != nil {
		return t.member(own, name, s, &Expr{Op: OpMember, X: &Expr{Op: OpName, Name: "this"}, Name: name})
	}
	return nil
}

// global is what a name means outside functions: import, function, type.
func (t *tracer) global(name string, s *scope) *Value {
	for _, im := range s.file.Imports {
		if im.Name == name {
			return t.imported(im, s)
		}
	}
	for _, f := range t.repo.siblings(s.file) {
		for _, fn := range f.Funcs {
			if fn.Name == name && fn.Owner == nil && fn.Parent == nil {
				return &Value{Fn: fn, scope: t.module(fn.File), Origin: FromConst}
			}
		}
	}
	if ty := t.localType(name, s.file); ty != nil {
		return &Value{Type: name, Class: ty, Origin: FromConst, Sym: name}
	}
	for _, im := range s.file.Imports {
		if im.Member == "*" && im.Name == "" {
			if m := t.repo.module(s.file, im.Path); m != nil {
				if v := t.moduleMember(m, name); v != nil {
					return v
				}
			}
		}
	}
	if t.builtin(name, s.file) {
		return &Value{Lib: "builtin", Origin: FromConst, Sym: name}
	}
	return &Value{Origin: FromUnknown, Sym: name}
}

// builtin reports a name that the language gives every file.
func (t *tracer) builtin(name string, f *File) bool {
	e := t.repo.byPath[f.Path]
	return e != nil && slices.Contains(e.lang.Globals, name)
}

// localType is the type a bare name can mean in this file: its own, its
// folder's, or, in languages with namespaces, any of the repository's.
func (t *tracer) localType(name string, f *File) *Type {
	if name == "" || name[0] < 'A' || (name[0] > 'Z' && name[0] < 'a') {
		return nil
	}
	switch f.Language {
	case "csharp", "java":
		return t.repo.typeNamed(f, name)
	}
	for _, s := range t.repo.siblings(f) {
		for _, ty := range s.Types {
			if ty.Name == name {
				return ty
			}
		}
	}
	return nil
}

func (t *tracer) imported(im Import, s *scope) *Value {
	lib := im.Path
	if im.Member != "" && im.Member != "*" && im.Member != "default" {
		lib += "." + im.Member
	}
	m := t.repo.module(s.file, im.Path)
	if m == nil && im.Member != "" {
		if sub := t.repo.module(s.file, strings.TrimSuffix(im.Path, ".")+dot(im.Path)+im.Member); sub != nil && s.file.Language == "python" {
			return &Value{Module: sub, Lib: lib, Origin: FromConst}
		}
	}
	if m != nil {
		if im.Member == "" || im.Member == "*" {
			return &Value{Module: m, Lib: lib, Origin: FromConst}
		}
		if v := t.moduleMember(m, im.Member); v != nil {
			return v
		}
		if sub := t.repo.module(s.file, strings.TrimSuffix(im.Path, ".")+dot(im.Path)+im.Member); sub != nil && s.file.Language == "python" {
			return &Value{Module: sub, Lib: lib, Origin: FromConst}
		}
	}
	if ty := t.javaType(im, s); ty != nil {
		return &Value{Type: ty.Name, Class: ty, Lib: lib, Origin: FromConst}
	}
	v := &Value{Lib: lib, Origin: FromConst, Sym: im.Name}
	if im.Member != "" && im.Member != "*" && im.Member[0] >= 'A' && im.Member[0] <= 'Z' {
		v.Type = im.Member
	}
	return v
}

func dot(p string) string {
	if p == "" || strings.Trim(p, ".") == "" {
		return strings.Repeat(".", len(p))
	}
	return "."
}

func (t *tracer) javaType(im Import, s *scope) *Type {
	if s.file.Language != "java" {
		return nil
	}
	return t.repo.typeNamed(s.file, im.Name)
}

// moduleMember is a name of another module of the repository.
func (t *tracer) moduleMember(m *module, name string) *Value {
	if len(m.files) == 0 {
		return nil
	}
	asked := m.files[0].Path + " " + name
	if t.asking[asked] {
		return nil // two modules that hand on each other's names
	}
	if t.asking == nil {
		t.asking = map[string]bool{}
	}
	t.asking[asked] = true
	defer delete(t.asking, asked)
	if fn := m.fn(name); fn != nil {
		return &Value{Fn: fn, scope: t.module(fn.File), Origin: FromConst}
	}
	if ty := m.typ(name); ty != nil {
		return &Value{Type: name, Class: ty, Origin: FromConst}
	}
	for _, f := range m.files {
		sc := t.module(f)
		if v, _ := sc.lookup(name); v != nil {
			return v
		}
		if v := t.sharedVar(name, sc); v != nil {
			return v
		}
		for _, im := range f.Imports { // a re-export
			if im.Name == name && im.Path != "" {
				if from := t.repo.module(f, im.Path); from != nil && from != m {
					if v := t.moduleMember(from, either(im.Member, name)); v != nil {
						return v
					}
				}
			}
		}
		if f.Language != "python" {
			for _, im := range f.Imports {
				if im.Member == "*" && im.Name == "" {
					if from := t.repo.module(f, im.Path); from != nil && from != m && len(t.stack) < maxFollow*4 {
						if v := t.moduleMember(from, name); v != nil {
							return v
						}
					}
				}
			}
		}
	}
	return nil
}

// module is the scope of a file's top-level names.
func (t *tracer) module(f *File) *scope {
	if s := t.mods[f]; s != nil {
		return s
	}
	s := &scope{vars: map[string]*Value{}, file: f}
	t.mods[f] = s
	return s
}

// sharedVar finds a variable declared outside functions: it outlives the body.
// Its first value says what it is; constants that nothing assigns stay plain.
func (t *tracer) sharedVar(name string, s *scope) *Value {
	for _, f := range t.repo.siblings(s.file) {
		ms := t.module(f)
		if v, ok := ms.vars[name]; ok {
			return v
		}
		if f.Top == nil {
			continue
		}
		for _, st := range f.Top.Body {
			if st.Op != Let || st.Name == "global" {
				continue
			}
			for i, target := range st.Targets {
				if target.Op != OpName || target.Name != name {
					continue
				}
				ms.vars[name] = &Value{Origin: FromUnknown, Shared: name} // cycles
				v := t.quiet(st, i, ms)
				ms.vars[name] = v
				return v
			}
		}
	}
	return nil
}

// quiet evaluates the value of a module variable without recording effects.
func (t *tracer) quiet(st *Stmt, i int, ms *scope) *Value {
	saved, exits, path, conds, tries := t.effects, t.exits, t.path, t.conds, t.tries
	t.conds, t.tries = nil, nil
	v := &Value{Local: true}
	if st.Value != nil {
		w := t.eval(st.Value, ms)
		if len(st.Targets) > 1 && i < len(w.Elems) {
			w = w.Elems[i]
		}
		v = w
	}
	if v.Fn == nil && v.Class == nil && len(st.Targets) == 1 {
		if w := t.handedOn(st, ms); w != nil {
			v = w
		}
	}
	t.effects, t.exits, t.path, t.conds, t.tries = saved, exits, path, conds, tries
	if v.Fn != nil || v.Module != nil || (v.Class != nil && v.Sym == v.Class.Name) {
		return v
	}
	c := *v
	c.Local, c.Shared = false, either(v.Shared, st.Targets[i].Name)
	c.Reads, c.From, c.Rel = nil, nil, nil
	if st.Type != "" && st.Type != "var" && st.Type != "const" {
		t.typed(&c, st.Type, ms.file)
	}
	return &c
}

// peek is a look at shared state: what comes back was read.
func (t *tracer) peek(v *Value) *Value {
	if v.Shared == "" || v.Local || v.Fn != nil || v.Module != nil {
		return v
	}
	if v.HasTxt || v.Origin&FromConfig != 0 {
		return v // a constant or a setting
	}
	c := *v
	c.Reads = addEffects(nil, []*Effect{t.sharedRead(v.Shared)})
	return &c
}

func (t *tracer) sharedRead(name string) *Effect {
	if e := t.shared[name]; e != nil {
		return e
	}
	e := &Effect{Class: knowledge.Read, Resource: "memory:" + name, Memory: true, Callee: name}
	t.shared[name] = e
	return e
}

// member is v.name.
func (t *tracer) member(v *Value, name string, s *scope, e *Expr) *Value {
	if v.Module != nil {
		if m := t.moduleMember(v.Module, name); m != nil {
			return t.peek(m)
		}
	}
	if f := v.Fields[name]; f != nil {
		return f
	}
	if r, ok := t.accessor(v, name, e); ok {
		return r
	}
	out := blend(v)
	out.Lib, out.Sym = v.Lib, dotted(v.Sym, name)
	if v.Lib != "" && v.Shared == "" && v.Origin == FromConst {
		out.Lib = v.Lib + "." + name
	}
	if v.Shared != "" {
		out.Shared = v.Shared + "." + name
		out.Reads = addEffects(nil, []*Effect{t.sharedRead(out.Shared)})
	}
	if in := t.repo.nested(v, name); in != nil {
		return &Value{Type: in.Name, Class: in, Origin: FromConst, Sym: in.Name}
	}
	t.memberType(v, name, out)
	if out.Shared == "" && v.Class == nil && v.Origin&(FromInput) != 0 {
		if v.Fields == nil {
			v.Fields = map[string]*Value{}
		}
		v.Fields[name] = out // the same part twice is the same value
	}
	return out
}

// memberType finds the declared type of a field, and for fields of types of the
// repository whether they are shared state.
func (t *tracer) memberType(v *Value, name string, out *Value) {
	if v.Class == nil {
		return
	}
	f, ok := t.repo.field(v.Class, name)
	if !ok {
		return
	}
	if f.Type != "" {
		out.Lib = ""
		t.typed(out, f.Type, v.Class.File)
	}
	if f.Static {
		out.Shared = v.Class.Name + "." + name
		out.Reads = addEffects(nil, []*Effect{t.sharedRead(out.Shared)})
	}
	if f.Value == nil {
		return
	}
	switch f.Value.Op {
	case OpString, OpTemplate, OpBinary:
		if s := constText(t.repo, v.Class.File, f.Value, 6); s != "" && f.Value.Op == OpBinary {
			out.Text, out.HasTxt, out.Origin, out.Reads, out.Shared = s, true, FromConst, nil, ""
			return
		} else if f.Value.Op == OpBinary {
			return
		}
		w := t.eval(f.Value, t.module(v.Class.File))
		out.Text, out.HasTxt, out.Origin = w.Text, w.HasTxt, w.Origin
		out.Reads = nil
	case OpCall, OpMember, OpName:
		if out.Type == "" || out.Type == "var" {
			w := t.fieldValue(f, v)
			out.Type, out.Class, out.Lib = w.Type, w.Class, w.Lib
			out.Origin |= w.Origin
		}
	}
}

// fieldValue evaluates a field's initial value without effects.
func (t *tracer) fieldValue(f Field, v *Value) *Value {
	if len(t.stack) > maxFollow*2 {
		return &Value{}
	}
	saved, exits, path, conds, tries := t.effects, t.exits, t.path, t.conds, t.tries
	t.conds, t.tries = nil, nil
	t.stack = append(t.stack, nil)
	sc := t.child(t.module(v.Class.File), nil, v.Class.File)
	w := t.eval(f.Value, sc)
	t.stack = t.stack[:len(t.stack)-1]
	t.effects, t.exits, t.path, t.conds, t.tries = saved, exits, path, conds, tries
	return w
}

func dotted(sym, name string) string {
	if sym == "" {
		return ""
	}
	if len(sym) > 200 {
		return sym
	}
	return sym + "." + name
}

func (t *tracer) index(e *Expr, s *scope) *Value {
	base := t.eval(e.X, s)
	if base.Origin&FromExecID != 0 && base.Origin&FromHash == 0 {
		t.parsed = append(t.parsed, t.site(s, e.Line, e.EndLine))
	}
	var key *Value
	if e.Y != nil {
		key = t.eval(e.Y, s)
	} else {
		out := *base
		return &out
	}
	return t.part(base, e, key, s)
}

// part is base[key] or base.name for a target of a compound assignment.
func (t *tracer) part(base *Value, e *Expr, key *Value, s *scope) *Value {
	if e.Op == OpMember {
		return t.member(base, e.Name, s, e)
	}
	name := keyText(key)
	if f := base.Fields[name]; f != nil && name != "" {
		return f
	}
	out := blend(base)
	out.Lib = base.Lib
	if key != nil {
		out.Sym = dotted(base.Sym, either(name, "["+symOr(key)+"]"))
	}
	if base.Shared != "" {
		out.Shared = base.Shared + "[]"
		out.Reads = addEffects(nil, []*Effect{t.sharedRead(base.Shared + "[]")})
	}
	return out
}
