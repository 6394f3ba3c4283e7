package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// inherited enters a type whose parents say that it is an activity.
func (ro *roster) inherited(t *Type, m *knowledge.Mark) {
	up := t
	for range 4 {
		var next *Type
		for _, b := range up.Bases {
			bt := ro.repo.typeNamed(up.File, b)
			if bt == nil || bt == up {
				continue
			}
			for _, bb := range bt.Bases {
				if !knowledge.Match(m.Name, knowledge.Norm(lastSegment(typeName(bb)))) {
					continue
				}
				for _, name := range strings.Split(m.Method, "|") {
					fn := ro.repo.method(t, name)
					switch {
					case fn == nil || fn.Abstract:
					case m.Workflow:
						ro.workflows[ro.replayed(t, fn)] = true
					case fn.Owner == t || !ro.abstract(fn.Owner):
						ro.enter(&candidate{name: typeAlias(t), framework: m.Framework, fn: fn, owner: t})
					default: // the body is the parent's: one per child
						own := *fn
						ro.enter(&candidate{name: typeAlias(t), framework: m.Framework, fn: &own, owner: t})
					}
				}
			}
			if !bt.Interface {
				next = bt
			}
		}
		if next == nil {
			return
		}
		up = next
	}
}

func (ro *roster) abstract(t *Type) bool {
	for _, m := range t.Methods {
		if m.Abstract {
			return true
		}
	}
	return false
}

// deeper are the types that implement an interface through another one.
func (ro *roster) deeper(t *Type) []*Type {
	var out []*Type
	if t.File.Language != "java" {
		return nil
	}
	for _, s := range ro.repo.subs[ro.repo.family(t.File)+" "+t.Name] {
		if s.Interface && s != t {
			out = append(out, ro.repo.implementers(s)...)
		}
	}
	return out
}

// typeAlias is the name an annotation gives a type, else its own.
func typeAlias(t *Type) string {
	for _, a := range t.Annotations {
		if annotationName(a) == "durabletask" { // [DurableTask("Name")]
			return either(literalArg(a, "name,0"), t.Name)
		}
		if n := annotationName(a); n == "activitymetadata" || n == "component" {
			if s := literalArg(a, "name"); s != "" && n == "activitymetadata" {
				return s
			}
		}
	}
	return t.Name
}

// made is the function that a factory's create method gives back, and the name
// the factory is registered under.
func (ro *roster) made(t *Type, create *Func) (*Func, string) {
	if knowledge.Norm(create.Name) != "create" {
		return nil, ""
	}
	name := ""
	for _, m := range t.Methods {
		if m.Name == "getName" && len(m.Body) > 0 && m.Body[0].Op == Return && m.Body[0].Value != nil {
			if name = m.Body[0].Value.Name; m.Body[0].Value.Op != OpString {
				name = ro.constant(t.File, m.Body[0].Value, m)
			}
		}
	}
	for _, st := range create.Body {
		if st.Op == Return && st.Value != nil && st.Value.Op == OpLambda {
			if st.Value.Func.File == nil {
				st.Value.Func.File = t.File
			}
			return st.Value.Func, name
		}
	}
	return nil, ""
}

// replayed is the body of a workflow: the method, or the lambda that its create
// method gives back.
func (ro *roster) replayed(t *Type, fn *Func) *Func {
	if body, _ := ro.made(t, fn); body != nil {
		return body
	}
	return fn
}

// stubCall is a call of an activity interface's method on a stub, from a
// workflow.
func (ro *roster) stubCall(f *File, e *Expr, in *Func, loop bool) {
	if f.Language != "java" || e.X == nil || e.X.Op != OpMember || in == nil {
		return
	}
	on := e.X.X
	t := ro.staticType(f, on, in)
	if t == nil && on.Op == OpName {
		t = ro.fieldType(f, on.Name, in)
	}
	if t == nil || !t.Interface || !marked(t, "activityinterface") {
		return
	}
	ro.stub(f, e, on, e.X.Name, len(e.Args), t, in, loop)
}

func marked(t *Type, name string) bool {
	for _, a := range t.Annotations {
		if annotationName(a) == name {
			return true
		}
	}
	return false
}

// stub records the call of a method of an activity interface.
func (ro *roster) stub(f *File, e, on *Expr, method string, n int, t *Type, in *Func, loop bool) {
	top := enclosing(in)
	site := CallSite{File: f.Path, Line: e.Line, Quote: f.Quote(e.Line), InLoop: loop, Retries: true, Workflow: top.Name}
	if top.Owner != nil {
		site.Workflow = top.Owner.Name
	}
	site.Policy = ro.stubPolicy(f, on, in)
	ro.workflows[top] = true
	for _, impl := range ro.repo.implementers(t) {
		if fn := ro.repo.overload(impl, method, n); fn != nil {
			ro.calls = append(ro.calls, callSite{fn: fn, site: site})
		}
	}
}

// stubPolicy is the retry policy in the options a stub was made with.
func (ro *roster) stubPolicy(f *File, on *Expr, in *Func) string {
	def := ro.definition(f, on, in)
	if def == nil || def.Op != OpCall {
		return ""
	}
	for _, a := range def.Args {
		s := text(a.Value)
		if strings.Contains(s, "RetryOptions") {
			return clip(s, 200)
		}
		if d := ro.definition(f, a.Value, in); d != nil && strings.Contains(text(d), "RetryOptions") {
			return s
		}
	}
	return ""
}

// fieldType is the repository type of a field named without this.
func (ro *roster) fieldType(f *File, name string, in *Func) *Type {
	top := enclosing(in)
	if top.Owner == nil {
		return nil
	}
	if fd, ok := ro.repo.field(top.Owner, name); ok && fd.Type != "" {
		return ro.repo.typeNamed(top.Owner.File, fd.Type)
	}
	return nil
}

// enclosing is the named function around a lambda.
func enclosing(fn *Func) *Func {
	for fn.Name == "" && fn.Parent != nil {
		fn = fn.Parent
	}
	return fn
}

func (ro *roster) typeBody(t *Type, m *knowledge.Mark) {
	for _, fn := range t.Methods {
		if !fn.Abstract && knowledge.Match(m.Method, knowledge.Norm(fn.Name)) {
			if own := t.named(fn.Name + "Async"); own != nil && !own.Abstract {
				fn = own // the engine awaits this one; the other is what the base demands
			}
			if m.Workflow {
				ro.workflows[ro.replayed(t, fn)] = true
				continue
			}
			if f, name := ro.made(t, fn); f != nil {
				ro.enter(&candidate{name: either(name, t.Name), framework: m.Framework, fn: f})
				return
			}
			ro.enter(&candidate{name: typeAlias(t), framework: m.Framework, fn: fn, owner: t})
			return
		}
	}
}

func (ro *roster) interfaceBodies(t *Type, m *knowledge.Mark) {
	for _, impl := range append(ro.repo.implementers(t), ro.deeper(t)...) {
		for _, im := range t.Methods {
			if fn := ro.repo.overload(impl, im.Name, len(im.Params)); fn != nil && !fn.Abstract {
				if m.Workflow {
					ro.workflows[fn] = true
					continue
				}
				ro.enter(&candidate{name: fn.Name, framework: m.Framework, fn: fn})
			}
		}
	}
}

// named is the type's own method of that name.
func (t *Type) named(name string) *Func {
	for _, fn := range t.Methods {
		if fn.Name == name {
			return fn
		}
	}
	return nil
}
