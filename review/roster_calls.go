package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// function is the function of the repository that an expression names: f,
// module.f, object.method, with what is known without walking.
func (ro *roster) function(f *File, e *Expr, in *Func) *Func {
	switch e.Op {
	case OpName:
		for _, s := range ro.repo.siblings(f) {
			for _, fn := range s.Funcs {
				if fn.Name == e.Name && fn.Owner == nil && (fn.Parent == nil || within(in, fn.Parent)) {
					return fn
				}
			}
		}
		for _, im := range f.Imports {
			if im.Name == e.Name && im.Member != "" {
				if m := ro.repo.module(f, im.Path); m != nil {
					return ro.repo.exportedFunc(m, im.Member, 0)
				}
			}
		}
	case OpMember:
		if e.X.Op == OpName {
			for _, im := range f.Imports {
				if im.Name == e.X.Name {
					m := ro.repo.module(f, im.Path)
					if m == nil && im.Member != "" {
						m = ro.repo.module(f, strings.TrimSuffix(im.Path, ".")+dot(im.Path)+im.Member)
					}
					if m != nil && im.Member != "" && im.Member != "*" && ro.repo.family(f) == "js" {
						break // a member of what was imported
					}
					if m != nil {
						return ro.repo.exportedFunc(m, e.Name, 0)
					}
				}
			}
		}
		if t := ro.staticType(f, e.X, in); t != nil {
			return ro.repo.method(t, e.Name)
		}
	}
	return nil
}

// staticType is the repository type of an expression, from declarations and
// constructor calls.
func (ro *roster) staticType(f *File, e *Expr, in *Func) *Type {
	if ro.typing > 12 {
		return nil // x := x.Next()
	}
	ro.typing++
	defer func() { ro.typing-- }()
	switch e.Op {
	case OpName:
		for at := in; at != nil; at = at.Parent {
			if e.Name == at.Receiver && at.Owner != nil {
				return at.Owner
			}
			for _, p := range at.Params {
				if p.Name == e.Name && p.Type != "" {
					return ro.repo.typeNamed(f, p.Type)
				}
			}
		}
		if st := ro.let(f, e.Name, in); st != nil {
			if st.Type != "" && st.Type != "var" {
				return ro.repo.typeNamed(f, st.Type)
			}
			if st.Value != nil && st.Value != e {
				return ro.staticType(f, st.Value, in)
			}
		}
		if e.Name != "" && e.Name[0] >= 'A' && e.Name[0] <= 'Z' {
			return ro.repo.typeNamed(f, e.Name)
		}
	case OpCall:
		if f.Language == "go" && calleeName(e.X) == "new" && len(e.Args) == 1 && e.Args[0].Value != nil { // new(T)
			return ro.repo.typeNamed(f, text(e.Args[0].Value))
		}
		if t := ro.repo.typeNamed(f, calleeName(e.X)); t != nil || e.X == nil {
			return t
		}
		if fn := ro.function(f, e.X, in); fn != nil && fn.Result != "" { // NewX(...) *X
			return ro.repo.typeNamed(fn.File, fn.Result)
		}
	case OpObject, OpType, OpCast:
		if e.Name != "" {
			return ro.repo.typeNamed(f, e.Name)
		}
	case OpUnary, OpAwait:
		return ro.staticType(f, e.X, in)
	case OpMember:
		if t := ro.staticType(f, e.X, in); t != nil {
			if fd, ok := ro.repo.field(t, e.Name); ok && fd.Type != "" {
				return ro.repo.typeNamed(t.File, fd.Type)
			}
		}
	}
	return nil
}

// definition is the expression a variable was last given.
func (ro *roster) definition(f *File, e *Expr, in *Func) *Expr {
	if e.Op != OpName {
		return nil
	}
	if st := ro.let(f, e.Name, in); st != nil {
		return st.Value
	}
	if in != nil && f.Language == "java" {
		for fn := in; fn.Parent != nil; fn = fn.Parent { // variables around a lambda
			if st := findLet(fn.Parent.Body, e.Name); st != nil {
				return st.Value
			}
		}
		if top := enclosing(in); top.Owner != nil {
			if fd, ok := ro.repo.field(top.Owner, e.Name); ok {
				return fd.Value
			}
		}
	}
	return nil
}

// declaredType is the type of this repository that a parameter, or a field of one
// or of the receiver, is declared to have; nil for anything else.
func (ro *roster) declaredType(f *File, e *Expr, in *Func) *Type {
	switch {
	case e == nil:
	case e.Op == OpMember:
		if owner := ro.declaredType(f, e.X, in); owner != nil {
			if fd, ok := ro.repo.field(owner, e.Name); ok {
				return ro.repo.typeNamed(owner.File, fd.Type)
			}
		}
	case e.Op == OpName:
		for at := in; at != nil; at = at.Parent {
			if at.Receiver == e.Name && at.Owner != nil {
				return at.Owner
			}
			for _, p := range at.Params {
				if p.Name == e.Name {
					return ro.repo.typeNamed(f, p.Type)
				}
			}
		}
	}
	return nil
}

// loopedOver is what the loop runs over whose variable a name is.
func (ro *roster) loopedOver(f *File, e *Expr, in *Func) *Expr {
	if e.Op != OpName {
		return nil
	}
	for at := in; at != nil; at = at.Parent {
		if over := findLoop(at.Body, e.Name); over != nil {
			return over
		}
	}
	if f.Top != nil {
		return findLoop(f.Top.Body, e.Name)
	}
	return nil
}

func findLoop(body []*Stmt, name string) *Expr {
	for _, st := range body {
		if st.Op == Loop && st.Value != nil && slices.ContainsFunc(st.Targets, func(t *Expr) bool { return t.Op == OpName && t.Name == name }) {
			over := st.Value
			if over.Op == OpCall && over.X != nil && over.X.Op == OpMember { // pairs.items(), Object.values(all)
				switch knowledge.Norm(over.X.Name) {
				case "items", "values", "entries", "entryset":
					if over = over.X.X; len(st.Value.Args) == 1 {
						over = st.Value.Args[0].Value
					}
				}
			}
			return over
		}
		for _, sub := range [][]*Stmt{st.Body, st.Else, st.Finally} {
			if hit := findLoop(sub, name); hit != nil {
				return hit
			}
		}
	}
	return nil
}

func (ro *roster) let(f *File, name string, in *Func) *Stmt {
	for at := in; at != nil; at = at.Parent {
		if st := findLet(at.Body, name); st != nil {
			return st
		}
	}
	for _, s := range ro.repo.siblings(f) {
		if s.Top != nil {
			if st := findLet(s.Top.Body, name); st != nil {
				return st
			}
		}
	}
	return nil
}

func findLet(body []*Stmt, name string) *Stmt {
	for _, st := range body {
		one := len(st.Targets) == 1 || len(st.Targets) == 2 && st.Value != nil && st.Value.Op == OpCall // x, err := New()
		if st.Op == Let && one && st.Targets[0].Op == OpName && st.Targets[0].Name == name && (st.Value != nil || st.Type != "") {
			return st
		}
		for _, sub := range [][]*Stmt{st.Body, st.Else, st.Finally} {
			if hit := findLet(sub, name); hit != nil {
				return hit
			}
		}
	}
	return nil
}

// callSite records that a workflow schedules an activity.
func (ro *roster) callSite(f *File, e *Expr, in *Func, loop bool, reg knowledge.Register) bool {
	if !frameworkFile(f) {
		return false
	}
	var target *Expr
	args := e.Args
	if len(args) > 0 && f.Language == "go" && args[0].Value != nil && isCtxName(text(args[0].Value)) {
		args = args[1:]
	}
	for one := range strings.SplitSeq(reg.Arg, ",") {
		if v := argsAt(&Expr{Op: OpCall, Args: args}, one); len(v) > 0 && target == nil {
			target = v[0]
		}
	}
	if target == nil {
		return false
	}
	site := CallSite{File: f.Path, Line: e.Line, Quote: f.Quote(e.Line), InLoop: loop}
	if in != nil {
		top := enclosing(in)
		site.Workflow = top.Name
		if top.Owner != nil {
			site.Workflow = top.Owner.Name
		}
		ro.workflows[in] = true
	}
	p := ro.policy(f, e, in, reg)
	site.Policy, site.policy = p.Text, p
	site.inputs = ro.scheduledInput(f, &Expr{Op: OpCall, Args: args}, in)
	site.in = in
	site.Retries = site.Policy != "" || reg.Framework == "temporal" // Temporal retries without limit unless told otherwise
	cs := callSite{site: site}
	switch target.Op {
	case OpString:
		cs.name = target.Name
	case OpLambda: // (Activities a) => a.ChargeAsync(input)
		if len(target.Func.Body) == 0 || target.Func.Body[0].Value == nil {
			return false
		}
		v := target.Func.Body[0].Value
		for v.Op == OpAwait {
			v = v.X
		}
		if v.Op != OpCall || v.X == nil {
			return false
		}
		cs.name = strings.TrimSuffix(calleeName(v.X), "Async")
		if fn := ro.function(f, v.X, target.Func); fn != nil && !fn.Abstract {
			cs.fn = fn
		}
	default:
		if fn := ro.function(f, target, in); fn != nil {
			cs.fn = fn
			fw := frameworkOf(f, "dapr")
			if ro.acts[fn] == nil && !reg.Child {
				ro.enter(&candidate{name: fn.Name, framework: fw, fn: fn})
			}
		} else if s := ro.constant(f, target, in); s != "" {
			cs.name = s
		} else {
			cs.name = calleeName(target)
			if target.Op == OpType {
				cs.name = lastSegment(typeName(target.Name))
			}
			if target.Op == OpCall && len(target.Args) > 0 { // nameof(X), X.class.getName()
				cs.name = calleeName(target.Args[0].Value)
			} else if target.Op == OpCall && target.X != nil && target.X.X != nil {
				cs.name = lastSegment(typeName(text(target.X.X)))
			}
		}
	}
	if reg.Child {
		ro.children = append(ro.children, cs)
		return true
	}
	ro.calls = append(ro.calls, cs)
	return true
}

func frameworkFile(f *File) bool {
	return f.Language == "csharp" || f.Language == "java" || imports(f, "dapr|durable|temporal|workflow")
}

// generatedCall is a call site whose method is generated from the activity's
// name: context.CallChargeAsync(input).
func (ro *roster) generatedCall(f *File, e *Expr, in *Func, loop bool, norm string) bool {
	name := calleeName(e.X)
	if len(name) <= len("CallAsync") || !strings.HasPrefix(name, "Call") || !strings.HasSuffix(name, "Async") || ro.registers[norm] != nil || e.X.Op != OpMember || !isCtxName(strings.ToLower(calleeName(e.X.X))) || !imports(f, "durabletask|dapr") {
		return false
	}
	target := &Expr{Op: OpString, Name: name[len("Call") : len(name)-len("Async")], Line: e.Line}
	call := *e
	call.Args = append([]Arg{{Value: target}}, e.Args...)
	return ro.callSite(f, &call, in, loop, knowledge.Register{Arg: "0", Policy: "options,2"})
}

// constant is the text of a name that stands for a literal.
func (ro *roster) constant(f *File, e *Expr, in *Func) string {
	for range 3 {
		def := ro.definition(f, e, in)
		if def == nil {
			break
		}
		if def.Op == OpString {
			return def.Name
		}
		e = def
	}
	if e.Op == OpMember && e.X != nil {
		if t := ro.staticType(f, e.X, in); t != nil {
			if fd, ok := ro.repo.field(t, e.Name); ok && fd.Value != nil && fd.Value.Op == OpString {
				return fd.Value.Name
			}
		}
	}
	return ""
}

// sites are the places that schedule a candidate.
func (ro *roster) sites(c *candidate) []CallSite {
	out := []CallSite{}
	for i := range ro.calls {
		cs := &ro.calls[i]
		if cs.fn == c.fn || cs.fn == nil && (cs.name == c.name || cs.name == c.symbol() || strings.EqualFold(cs.name, c.fn.Name)) {
			out = append(out, cs.site)
		}
	}
	return out
}

// eachExpr visits every expression of a body, nested functions included.
func eachExpr(body []*Stmt, visit func(e *Expr, in *Func, loop bool)) {
	v := &visitor{visit: visit}
	v.stmts(body, false)
}

type visitor struct {
	visit func(e *Expr, in *Func, loop bool)
	in    *Func
}

func (v *visitor) stmts(body []*Stmt, loop bool) {
	for _, st := range body {
		in := loop || st.Op == Loop
		for _, e := range st.Targets {
			v.expr(e, loop)
		}
		v.expr(st.Value, loop)
		v.stmts(st.Body, in)
		v.stmts(st.Else, loop)
		for i := range st.Catches {
			for _, e := range st.Catches[i].Values {
				v.expr(e, loop)
			}
			v.stmts(st.Catches[i].Body, loop)
		}
		v.stmts(st.Finally, loop)
		if st.Func != nil {
			v.fn(st.Func, loop)
		}
	}
}

func (v *visitor) fn(fn *Func, loop bool) {
	old := v.in
	v.in = fn
	v.stmts(fn.Body, loop)
	v.in = old
}

func (v *visitor) expr(e *Expr, loop bool) {
	if e == nil {
		return
	}
	v.visit(e, v.in, loop)
	v.expr(e.X, loop)
	v.expr(e.Y, loop)
	v.expr(e.Z, loop)
	for _, a := range e.Args {
		v.expr(a.Key, loop)
		v.expr(a.Value, loop)
	}
	if e.Func != nil {
		v.fn(e.Func, loop)
	}
}

// registerTypeof is proxyActivities<typeof activities>: every exported function
// of the module.
func (ro *roster) registerTypeof(f *File, e *Expr, enter func(*Func, *Type)) {
	for _, tn := range e.Types {
		name := strings.TrimSpace(strings.TrimPrefix(tn, "typeof "))
		if name == tn {
			if i := strings.LastIndex(tn, "typeof "); i >= 0 {
				name = strings.Trim(tn[i+len("typeof "):], "<>() ")
			}
		}
		reg := knowledge.Register{Methods: true}
		if ro.registerImported(f, name, reg, enter, 0) {
			continue
		}
		v := &Expr{Op: OpName, Name: name}
		if fn := ro.function(f, v, nil); fn != nil {
			ro.returned(fn, reg, enter, 0)
		} else if def := ro.definition(f, v, nil); def != nil {
			ro.registerValue(f, def, nil, reg, enter, 0)
		}
		ro.registerModule(f, v, reg, enter)
	}
}

func (ro *roster) registerModule(f *File, v *Expr, reg knowledge.Register, enter func(*Func, *Type)) {
	if v.Op != OpName {
		return
	}
	for _, im := range f.Imports {
		if im.Name != v.Name {
			continue
		}
		m := ro.repo.module(f, im.Path)
		if m == nil {
			return
		}
		ro.moduleFuncs(m, enter, 0)
	}
}

func (ro *roster) moduleFuncs(m *module, enter func(*Func, *Type), depth int) {
	for _, file := range m.files {
		for _, fn := range file.Funcs {
			if fn.Exported && fn.Owner == nil && fn.Parent == nil {
				enter(fn, nil)
			}
		}
		ro.wrappedExports(file, enter)
		for _, im := range file.Imports {
			if depth > 3 || !im.Export && (im.Member != "*" || im.Name != "") {
				continue
			}
			sub := ro.repo.module(file, im.Path)
			switch {
			case sub == nil || sub.files[0] == file:
			case im.Member == "*" && im.Name == "":
				ro.moduleFuncs(sub, enter, depth+1)
			case im.Member != "*":
				enter(ro.repo.exportedFunc(sub, im.Member, 0), nil)
			}
		}
	}
}
