package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// exportedFunc is the function a module hands out under name: its own, one it
// renamed, or one it passes on from another module.
func (r *repo) exportedFunc(m *module, name string, depth int) *Func {
	if m == nil || depth > 6 {
		return nil
	}
	if fn := m.fn(name); fn != nil {
		return fn
	}
	for _, f := range m.files {
		if f.Top != nil {
			if st := findLet(f.Top.Body, name); st != nil && st.Value != nil && st.Value.Op == OpName && st.Value.Name != name {
				return r.exportedFunc(m, st.Value.Name, depth+1)
			}
		}
		for _, im := range f.Imports {
			if im.Name != name && !(im.Export && im.Member == "*" && im.Name == "") {
				continue
			}
			member := name
			if im.Name == name && im.Member != "" && im.Member != "*" {
				member = im.Member
			}
			if sub := r.module(f, im.Path); sub != nil && sub.files[0] != f {
				if fn := r.exportedFunc(sub, member, depth+1); fn != nil {
					return fn
				}
			}
		}
	}
	return nil
}

// exportedValue is the expression a module hands out under name, with the file
// it stands in.
func (r *repo) exportedValue(m *module, name string, depth int) (*File, *Expr) {
	if m == nil || depth > 6 {
		return nil, nil
	}
	for _, f := range m.files {
		if f.Top != nil {
			if st := findLet(f.Top.Body, name); st != nil && st.Value != nil {
				return f, st.Value
			}
		}
		for _, im := range f.Imports {
			if im.Name != name && !(im.Export && im.Member == "*" && im.Name == "") {
				continue
			}
			member := name
			if im.Name == name && im.Member != "" && im.Member != "*" {
				member = im.Member
			}
			if sub := r.module(f, im.Path); sub != nil && sub.files[0] != f {
				if g, v := r.exportedValue(sub, member, depth+1); v != nil {
					return g, v
				}
			}
		}
	}
	return nil, nil
}

// foreign reports a name that the file imports from outside the repository.
func (r *repo) foreign(f *File, name string) bool {
	for _, im := range f.Imports {
		if im.Name == name {
			return r.module(f, im.Path) == nil
		}
	}
	return false
}

// within reports whether fn is outer or nested in it.
func within(fn, outer *Func) bool {
	for range 32 {
		if fn == nil {
			return false
		}
		if fn == outer {
			return true
		}
		fn = fn.Parent
	}
	return false
}

// closure is the scope around a nested function: what its parents declare, with
// their parameters, as state that outlives the body.
func (t *tracer) closure(fn *Func, file *File) *scope {
	p := fn.Parent
	if p == nil || len(t.stack) > maxFollow*2 {
		return t.module(file)
	}
	if s := t.closures[p]; s != nil {
		return s
	}
	s := t.child(t.closure(p, file), nil, file)
	t.closures[p] = s
	if p.Owner != nil {
		s.vars[p.Receiver] = t.instance(p.Owner)
	}
	for _, a := range p.Params {
		v := &Value{Origin: FromConst, Shared: a.Name, Sym: a.Name}
		s.vars[a.Name] = t.typed(v, a.Type, file)
	}
	t.silently(func() { t.declare(p.Body, s) })
	return s
}

// closed is the closure of a candidate; what its factory was called with is known
// there: wrap(notify, client).
func (t *tracer) closed(c *candidate) *scope {
	root := t.closure(c.fn, c.fn.File)
	if c.factory == nil || c.fn.Parent == nil {
		return root
	}
	at := t.module(c.file)
	if c.in != nil {
		at = t.closure(&Func{Parent: c.in, File: c.file}, c.file)
	}
	params := trimSelf(c.fn.Parent)
	var args []*Value
	t.silently(func() {
		for _, a := range c.factory.Args {
			args = append(args, t.eval(a.Value, at))
		}
	})
	for i, v := range bind(params, c.factory, args) {
		if v == nil {
			continue
		}
		if v.Fn == nil { // it outlives the body
			cp := *v
			cp.Local, cp.Shared = false, either(v.Shared, params[i].Name)
			v = &cp
		}
		root.vars[params[i].Name] = v
	}
	return root
}

func (t *tracer) declare(body []*Stmt, s *scope) {
	for _, st := range body {
		switch st.Op {
		case Define:
			s.vars[st.Func.Name] = &Value{Fn: st.Func, scope: s, Local: true}
		case Block, Try, With:
			t.declare(st.Body, s)
		case Let:
			if st.Name != "" || !declares(st) {
				continue
			}
			for i, target := range st.Targets {
				if target.Op == OpName {
					s.vars[target.Name] = t.quiet(st, i, s)
				} else if st.Value != nil {
					t.assign(target, t.eval(st.Value, s), "", s, true)
				}
			}
		}
	}
}

// silently walks without recording anything.
func (t *tracer) silently(fn func()) {
	effects, exits, path, conds, tries := t.effects, t.exits, t.path, t.conds, t.tries
	t.conds, t.tries = nil, nil
	t.stack = append(t.stack, nil)
	fn()
	t.stack = t.stack[:len(t.stack)-1]
	t.effects, t.exits, t.path, t.conds, t.tries = effects, exits, path, conds, tries
}

// proxy is an object or function that schedules activities by name:
// proxyActivities(options).
type proxy struct {
	activity string // "" for an object of all activities
	types    []string
	policy   string
	local    bool
}

// proxies finds the variables of a file that schedule activities.
func (ro *roster) proxies(f *File) map[string]proxy {
	if p, ok := ro.proxied[f]; ok {
		return p
	}
	out := map[string]proxy{}
	ro.proxied[f] = out
	if !imports(f, "temporalio") {
		return out
	}
	if f.Top != nil {
		proxyLets(f.Top.Body, out)
	}
	for _, fn := range f.Funcs {
		proxyLets(fn.Body, out)
	}
	return out
}

func proxyLets(body []*Stmt, out map[string]proxy) {
	for _, st := range body {
		proxyLets(st.Body, out)
		if st.Op != Let || st.Value == nil || st.Value.Op != OpCall || len(st.Targets) != 1 {
			continue
		}
		switch knowledge.Norm(calleeName(st.Value.X)) {
		case "proxyactivities", "proxylocalactivities":
		default:
			continue
		}
		p := proxy{policy: "default", types: st.Value.Types}
		if len(st.Value.Args) > 0 {
			p.policy = clip(policyText(st.Value.Args[0].Value), 200)
		}
		switch t := st.Targets[0]; t.Op {
		case OpName:
			out[t.Name] = p
		case OpObject:
			for _, a := range t.Args {
				if a.Value != nil && a.Value.Op == OpName {
					p.activity = either(a.Name, a.Value.Name)
					out[a.Value.Name] = p
				}
			}
		}
	}
}

// policyText is the retry part of activity options.
func policyText(e *Expr) string {
	if e == nil {
		return ""
	}
	for _, a := range e.Args {
		if a.Name == "retry" {
			return "retry: " + text(a.Value)
		}
	}
	return text(e)
}

// proxySite records the call of a proxy, if e is one.
func (ro *roster) proxySite(f *File, e *Expr, in *Func, loop bool) {
	if f.Language != "javascript" && f.Language != "typescript" || !imports(f, "temporalio") {
		return
	}
	var p proxy
	ok, name := false, ""
	switch x := e.X; {
	case x.Op == OpName:
		if p, ok = ro.proxyNamed(f, x.Name); ok {
			name = p.activity
		}
	case x.Op == OpMember && x.X != nil && x.X.Op == OpName:
		if p, ok = ro.proxyNamed(f, x.X.Name); ok && p.activity == "" {
			name = x.Name
		}
	}
	if !ok || name == "" {
		return
	}
	site := CallSite{File: f.Path, Line: e.Line, Quote: f.Quote(e.Line), InLoop: loop, Policy: p.policy, policy: &Policy{Text: p.policy, ID: p.policy}, in: in}
	flat := strings.ReplaceAll(p.policy, " ", "")
	site.Retries = !strings.Contains(flat, "maximumAttempts1}") && !strings.HasSuffix(flat, "maximumAttempts1")
	if in != nil {
		for in.Parent != nil {
			in = in.Parent
		}
		site.Workflow = in.Name
		ro.workflows[in] = true
	}
	ro.calls = append(ro.calls, callSite{fn: ro.behind(f, p.types, name), name: name, site: site})
}

// behind is the function that typeof activities says is behind a name.
func (ro *roster) behind(f *File, types []string, name string) *Func {
	for _, tn := range types {
		i := strings.LastIndex(tn, "typeof ")
		if i < 0 {
			continue
		}
		mod := strings.Trim(tn[i+len("typeof "):], "<>() ")
		for _, im := range f.Imports {
			if im.Name == mod && (im.Member == "" || im.Member == "*") {
				return ro.repo.exportedFunc(ro.repo.module(f, im.Path), name, 0)
			}
		}
	}
	return nil
}

func (ro *roster) proxyNamed(f *File, name string) (proxy, bool) {
	if p, ok := ro.proxies(f)[name]; ok {
		return p, true
	}
	for _, im := range f.Imports {
		if im.Name != name || im.Member == "" || im.Member == "*" {
			continue
		}
		if m := ro.repo.module(f, im.Path); m != nil {
			p, ok := ro.proxies(m.files[0])[im.Member]
			return p, ok
		}
	}
	return proxy{}, false
}

// returned enters what a factory returns: an object of functions, directly or
// through a variable.
func (ro *roster) returned(fn *Func, reg knowledge.Register, enter func(*Func, *Type), depth int) {
	var walk func(body []*Stmt)
	walk = func(body []*Stmt) {
		for _, st := range body {
			if st.Op == Return && st.Value != nil {
				ro.registerValue(fn.File, st.Value, fn, reg, enter, depth+1)
			}
			walk(st.Body)
			walk(st.Else)
		}
	}
	walk(fn.Body)
}

// registerObject enters the functions of an object literal; its keys are the
// names they are registered under.
func (ro *roster) registerObject(f *File, v *Expr, in *Func, reg knowledge.Register, enter func(*Func, *Type), depth int) {
	for _, a := range v.Args {
		inner := enter
		if a.Name != "" {
			inner = func(fn *Func, owner *Type) {
				enter(fn, owner)
				if c := ro.acts[fn]; c != nil && c.name == fn.Name {
					c.name = a.Name
				}
			}
		}
		if a.Value != nil && a.Value.Op == OpLambda && a.Value.Func.Name == "" {
			a.Value.Func.Name = a.Name
		}
		ro.registerValue(f, a.Value, in, reg, inner, depth+1)
	}
}

// registerImported enters what a name stands for that another module of the
// repository hands out.
func (ro *roster) registerImported(f *File, name string, reg knowledge.Register, enter func(*Func, *Type), depth int) bool {
	for _, im := range f.Imports {
		if im.Name != name || im.Member == "" || im.Member == "*" {
			continue
		}
		m := ro.repo.module(f, im.Path)
		if fn := ro.repo.exportedFunc(m, im.Member, 0); fn != nil {
			ro.returned(fn, reg, enter, depth)
			return true
		}
		if g, v := ro.repo.exportedValue(m, im.Member, 0); v != nil {
			ro.registerValue(g, v, nil, reg, enter, depth+1)
			return true
		}
	}
	return false
}

// registerShape enters the bodies behind an interface or alias that lists
// activities: type Activities = typeof activities, or an interface with
// implementers.
func (ro *roster) registerShape(t *Type, reg knowledge.Register, enter func(*Func, *Type)) {
	for _, b := range t.Bases {
		if strings.Contains(b, "typeof ") {
			ro.registerTypeof(t.File, &Expr{Op: OpCall, Types: []string{b}}, enter)
		}
	}
	if len(t.Methods) == 0 {
		return
	}
	for _, impl := range ro.repo.implementers(t) {
		for _, m := range impl.Methods {
			if slices.ContainsFunc(t.Methods, func(want *Func) bool { return want.Name == m.Name }) {
				enter(m, nil)
			}
		}
	}
}
