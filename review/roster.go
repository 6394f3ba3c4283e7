package review

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// candidate is a body to judge.
type candidate struct {
	name      string
	framework string
	fn        *Func
	owner     *Type // set when the activity is a type with one body
	factory   *Expr // the call that made the body, in function in of file
	in        *Func
	file      *File
}

func (c *candidate) symbol() string {
	switch {
	case c.owner != nil:
		return c.owner.Name
	case c.fn.Name == "", c.fn.Name == "default":
		return c.name
	}
	return c.fn.Name
}

func (c *candidate) line() int {
	if c.owner != nil {
		return c.owner.Line
	}
	return c.fn.Line
}

func (c *candidate) endLine() int {
	if c.owner != nil {
		return c.owner.EndLine
	}
	return c.fn.EndLine
}

// hasContext reports whether the first parameter is the engine's context.
func (c *candidate) hasContext(params []Param) bool {
	if len(params) == 0 {
		return false
	}
	p := params[0]
	typ := knowledge.Norm(lastSegment(typeName(p.Type)))
	if strings.HasSuffix(typ, "context") || strings.HasSuffix(typ, "ctx") {
		return true
	}
	if typ != "" {
		return false
	}
	switch c.framework {
	case "dapr":
		return c.fn.File.Language != "java" && (len(params) > 1 || isCtxName(p.Name))
	}
	return isCtxName(p.Name)
}

func isCtxName(n string) bool {
	switch strings.TrimLeft(n, "_") {
	case "ctx", "context", "wf_ctx", "activity_ctx", "act_ctx", "c", "workflowActivityContext", "activityContext", "":
		return true
	}
	return false
}

// roster knows which functions are activities and which workflow calls them.
type roster struct {
	repo      *repo
	cfg       Config
	marks     []knowledge.Mark
	registers map[string][]knowledge.Register
	scanned   map[*File]bool
	acts      map[*Func]*candidate
	workflows map[*Func]bool
	calls     []callSite
	proxied   map[*File]map[string]proxy
	children  []callSite // workflows scheduled by workflows
	typing    int        // how deep staticType is
}

type callSite struct {
	fn   *Func
	name string
	site CallSite
}

func newRoster(r *repo, c Config) *roster {
	ro := &roster{repo: r, cfg: c, marks: knowledge.Marks(), registers: map[string][]knowledge.Register{}, scanned: map[*File]bool{}, acts: map[*Func]*candidate{}, workflows: map[*Func]bool{}, proxied: map[*File]map[string]proxy{}}
	for _, reg := range knowledge.Registers() {
		for n := range strings.SplitSeq(reg.Name, "|") {
			ro.registers[n] = append(ro.registers[n], reg)
		}
	}
	return ro
}

// in lists the activities of the targets, or the bodies named by symbols. all: what
// tells was loaded in the whole repository.
func (ro *roster) in(targets []*entry, symbols []string, all bool) []*candidate {
	want := map[string]bool{}
	for _, e := range targets {
		want[e.path] = true
	}
	if all {
		ro.descend()
	} else {
		for _, e := range slices.Clone(ro.repo.entries) {
			if e.file != nil {
				ro.scan(e.file)
			}
		}
		for _, e := range targets {
			if e.file != nil {
				ro.callersOf(e)
			}
		}
	}
	var out []*candidate
	for fn, c := range ro.acts {
		if want[fn.File.Path] && (len(symbols) == 0 || c.matches(symbols)) {
			out = append(out, c)
		}
	}
	if len(symbols) > 0 {
		out = append(out, ro.byHand(targets, symbols, out)...)
	}
	slices.SortFunc(out, func(a, b *candidate) int {
		return cmp.Or(strings.Compare(a.fn.File.Path, b.fn.File.Path), cmp.Compare(a.fn.Line, b.fn.Line), strings.Compare(a.name, b.name))
	})
	return out
}

func (c *candidate) matches(symbols []string) bool {
	for _, s := range symbols {
		if s == c.name || s == c.fn.Name || c.owner != nil && s == c.owner.Name || c.fn.Owner != nil && (s == c.fn.Owner.Name || s == c.fn.Owner.Name+"."+c.fn.Name) {
			return true
		}
	}
	return false
}

func (ro *roster) scan(f *File) {
	if ro.scanned[f] || isSpec(f.Path) {
		return
	}
	ro.scanned[f] = true
	ro.declared(f)
	for _, fn := range f.Funcs {
		for _, a := range fn.Annotations {
			ro.mark(f, "func", a, fn)
		}
		for _, p := range fn.Params {
			for _, a := range p.Annotations {
				ro.mark(f, "param", a, fn)
			}
		}
	}
	for _, t := range f.Types {
		ro.scanType(f, t)
	}
	for _, fn := range f.Funcs {
		if fn.Parent == nil {
			eachExpr(fn.Body, func(e *Expr, in *Func, loop bool) {
				if in == nil {
					in = fn
				}
				ro.register(f, e, in, loop)
			})
		}
	}
	if f.Top != nil {
		eachExpr(f.Top.Body, func(e *Expr, in *Func, loop bool) { ro.register(f, e, in, loop) })
	}
}

func (ro *roster) scanType(f *File, t *Type) {
	for i := range ro.marks {
		m := &ro.marks[i]
		switch m.Where {
		case "base":
			if !t.Interface && ro.derives(t, m.Name, 0) {
				ro.typeBody(t, m)
			}
			if f.Language == "java" && !t.Interface {
				ro.inherited(t, m)
			}
		case "type":
			for _, a := range t.Annotations {
				if knowledge.Match(m.Name, annotationName(a)) {
					ro.interfaceBodies(t, m)
				}
			}
		}
	}
}

// derives reports whether t extends a type of that name, itself or through
// types of the repository.
func (ro *roster) derives(t *Type, name string, depth int) bool {
	for _, b := range t.Bases {
		if knowledge.Match(name, knowledge.Norm(lastSegment(typeName(b)))) {
			return true
		}
	}
	if depth == 3 || t.File.Language == "python" || t.File.Language == "go" {
		return false
	}
	for _, b := range t.Bases {
		n := lastSegment(typeName(b))
		if !strings.Contains(n, "ctivity") && !strings.Contains(n, "orkflow") && !strings.Contains(n, "rchestrat") && len(ro.repo.types[ro.repo.family(t.File)+" "+n]) == 0 {
			continue // not worth reading the repository for
		}
		if bt := ro.repo.typeNamed(t.File, b); bt != nil && bt != t && ro.derives(bt, name, depth+1) {
			return true
		}
	}
	return false
}

func (ro *roster) enter(c *candidate) {
	if c.fn.Abstract && c.fn.Owner != nil { // declared by an interface: the bodies are its implementations
		for _, impl := range ro.repo.implementers(c.fn.Owner) {
			if fn := ro.repo.method(impl, c.fn.Name); fn != nil && !fn.Abstract {
				ro.enter(&candidate{name: c.name, framework: c.framework, fn: fn})
			}
		}
		return
	}
	if old := ro.acts[c.fn]; old != nil {
		if old.name == old.fn.Name || old.owner != nil && old.name == old.owner.Name {
			old.name = c.name
		}
		return
	}
	ro.acts[c.fn] = c
}

func annotationName(a *Expr) string {
	if a.Op == OpCall {
		a = a.X
	}
	if a == nil {
		return ""
	}
	return strings.TrimSuffix(knowledge.Norm(lastSegment(text(a))), "attribute")
}

func (ro *roster) mark(f *File, where string, a *Expr, fn *Func) {
	n := annotationName(a)
	full := ""
	if a.Op == OpCall {
		full = knowledge.Norm(text(a.X))
	} else {
		full = knowledge.Norm(text(a))
	}
	for i := range ro.marks {
		m := &ro.marks[i]
		if m.Where != where || !(knowledge.Match(m.Name, n) || knowledge.Match(m.Name, full)) || !imports(f, m.Lib) {
			continue
		}
		if m.Workflow {
			ro.workflows[fn] = true
			return
		}
		name := fn.Name
		if s := literalArg(a, m.NameArg); s != "" {
			name = s
		}
		if fn.Abstract && fn.Owner != nil { // declared on an interface: its implementations are the bodies
			for _, impl := range ro.repo.implementers(fn.Owner) {
				if body := ro.repo.overload(impl, fn.Name, len(fn.Params)); body != nil && !body.Abstract {
					ro.enter(&candidate{name: either(literalArg(a, m.NameArg), body.Name), framework: m.Framework, fn: body})
				}
			}
			return
		}
		c := &candidate{name: name, framework: m.Framework, fn: fn}
		if where == "param" {
			for _, an := range fn.Annotations { // [Function("Name")]
				if k := annotationName(an); k == "function" || k == "functionname" {
					c.name = either(literalArg(an, "0"), c.name)
				}
			}
		}
		ro.enter(c)
		return
	}
}

func imports(f *File, lib string) bool {
	if lib == "" {
		return true
	}
	for alt := range strings.SplitSeq(lib, "|") {
		for i := range f.Imports {
			if strings.Contains(strings.ToLower(f.Imports[i].Path), alt) {
				return true
			}
		}
		if f.Language == "csharp" && strings.Contains(strings.ToLower(string(f.src)), alt) {
			return true
		}
	}
	return false
}

// literalArg is the text of an argument of an annotation or call.
func literalArg(e *Expr, sel string) string {
	if e == nil || e.Op != OpCall {
		return ""
	}
	for one := range strings.SplitSeq(sel, ",") {
		pos := 0
		for _, a := range e.Args {
			hit := a.Name != "" && knowledge.Norm(a.Name) == one
			if a.Name == "" {
				hit = itoa(pos) == one
				pos++
			}
			if hit && a.Value != nil && (a.Value.Op == OpString || a.Value.Op == OpType && e.X != nil) {
				return lastSegment(a.Value.Name) // nameof(X)
			}
		}
	}
	return ""
}

// register looks at one call: does it register or schedule an activity?
func (ro *roster) register(f *File, e *Expr, in *Func, loop bool) {
	ro.listed(f, e, in)
	if e.Op != OpCall || e.X == nil {
		return
	}
	ro.stubCall(f, e, in, loop)
	ro.proxySite(f, e, in, loop)
	n := knowledge.Norm(calleeName(e.X))
	if f.Language == "csharp" && ro.generatedCall(f, e, in, loop, n) {
		return
	}
	for _, reg := range ro.registers[n] {
		if !reg.Call && !imports(f, reg.Lib) && !(reg.Methods && ro.requires(f, reg.Lib)) {
			continue
		}
		if reg.Call {
			if ro.callSite(f, e, in, loop, reg) {
				return
			}
			continue
		}
		for one := range strings.SplitSeq(reg.Arg, ",") {
			ro.registerArg(f, e, in, reg, one)
		}
	}
}

func calleeName(e *Expr) string {
	for e != nil && (e.Op == OpAwait || e.Op == OpCast) {
		e = e.X
	}
	if e == nil {
		return ""
	}
	return lastSegment(e.Name)
}

func (ro *roster) registerArg(f *File, e *Expr, in *Func, reg knowledge.Register, one string) {
	name := literalArg(e, reg.Alias)
	if first := argsAt(e, strings.TrimSuffix(reg.Alias, ",")); name == "" && len(first) > 0 {
		name = ro.constant(f, first[0], in)
	}
	enter := func(fn *Func, owner *Type) {
		if fn == nil || fn.Abstract && f.Language != "go" {
			return
		}
		if reg.Workflow {
			ro.workflows[fn] = true
			return
		}
		c := &candidate{name: either(name, fn.Name), framework: frameworkOf(f, reg.Framework), fn: fn, owner: owner}
		if owner != nil && name == "" {
			c.name = owner.Name
		}
		ro.enter(c)
	}
	if one == "type" {
		for _, tn := range e.Types {
			if t := ro.repo.typeNamed(f, tn); t != nil {
				ro.registerType(t, reg, enter)
			}
		}
		if reg.Methods {
			ro.registerTypeof(f, e, enter)
		}
		return
	}
	for _, v := range argsAt(e, one) {
		if one == "handler" && v != nil && v.Op == OpLambda {
			v.Func.Name = "" // handler is where it is passed, not what it is called
		}
		ro.registerValue(f, v, in, reg, enter, 0)
	}
}

func argsAt(e *Expr, one string) []*Expr {
	pos := 0
	for _, a := range e.Args {
		if a.Name == "" {
			if itoa(pos) == one {
				return []*Expr{a.Value}
			}
			if a.Value != nil && a.Value.Op == OpObject {
				for _, p := range a.Value.Args {
					if knowledge.Norm(p.Name) == one {
						return []*Expr{p.Value}
					}
				}
			}
			pos++
		} else if knowledge.Norm(a.Name) == one {
			return []*Expr{a.Value}
		}
	}
	return nil
}

// registerValue resolves what is registered: a function, an object with
// methods, a list of them, a lambda.
func (ro *roster) registerValue(f *File, v *Expr, in *Func, reg knowledge.Register, enter func(*Func, *Type), depth int) {
	if v == nil || depth > 4 {
		return
	}
	switch v.Op {
	case OpLambda:
		if v.Func.File == nil {
			v.Func.File = f
		}
		enter(v.Func, nil)
	case OpList:
		for _, a := range v.Args {
			ro.registerValue(f, a.Value, in, reg, enter, depth+1)
		}
	case OpUnary, OpCast, OpAwait:
		ro.registerValue(f, v.X, in, reg, enter, depth+1)
	case OpObject:
		if t := ro.repo.typeNamed(f, v.Name); t != nil && v.Name != "" {
			ro.registerType(t, reg, enter)
			return
		}
		ro.registerObject(f, v, in, reg, enter, depth)
	case OpType:
		if t := ro.repo.typeNamed(f, v.Name); t != nil {
			ro.registerType(t, reg, enter)
		}
	case OpCall:
		if t := ro.repo.typeNamed(f, calleeName(v.X)); t != nil {
			ro.registerType(t, reg, enter)
		} else if fn := ro.function(f, v.X, in); fn != nil { // a factory: what it returns
			if t := ro.repo.typeNamed(fn.File, fn.Result); t != nil {
				ro.registerType(t, reg, enter)
			}
			ro.returned(fn, reg, func(made *Func, owner *Type) {
				enter(made, owner)
				if c := ro.acts[made]; c != nil && c.factory == nil && made.Parent == fn {
					c.factory, c.in, c.file = v, in, f
				}
			}, depth)
		} else {
			for _, a := range v.Args { // a wrapper around the function
				if a.Value != nil && (a.Value.Op == OpLambda || a.Value.Op == OpName) {
					ro.registerValue(f, a.Value, in, reg, enter, depth+1)
				}
			}
		}
	case OpName, OpMember:
		if fn := ro.function(f, v, in); fn != nil {
			enter(fn, nil)
			return
		}
		if def := ro.definition(f, v, in); def != nil && def != v {
			ro.registerValue(f, def, in, reg, enter, depth+1)
			return
		}
		if t := ro.declaredType(f, v, in); t != nil && reg.Methods {
			ro.registerType(t, reg, enter)
			return
		}
		if over := ro.loopedOver(f, v, in); over != nil {
			ro.registerValue(f, over, in, reg, enter, depth+1)
			return
		}
		if v.Op == OpName && ro.registerImported(f, v.Name, reg, enter, depth) {
			return
		}
		if t := ro.repo.typeNamed(f, calleeName(v)); t != nil {
			ro.registerType(t, reg, enter)
			return
		}
		ro.registerModule(f, v, reg, enter)
	}
}

func (ro *roster) registerType(t *Type, reg knowledge.Register, enter func(*Func, *Type)) {
	ro.repo.complete(t)
	if t.Interface && ro.repo.family(t.File) == "js" {
		if reg.Methods {
			ro.registerShape(t, reg, enter)
		}
		return
	}
	if !reg.Methods {
		for _, m := range t.Methods {
			if fn, _ := ro.made(t, m); fn != nil {
				enter(fn, nil)
				return
			}
			switch knowledge.Norm(m.Name) {
			case "run", "execute", "invoke", "call":
				enter(m, t)
				return
			}
		}
		return
	}
	for _, m := range t.Methods {
		if t.File.Language == "csharp" && !slices.ContainsFunc(m.Annotations, func(a *Expr) bool { return annotationName(a) == "activity" }) {
			continue
		}
		if m.Exported && m.Name != "constructor" && m.Name != "__init__" && m.Name != t.Name {
			enter(m, nil)
		}
	}
}

func frameworkOf(f *File, fallback string) string {
	switch {
	case imports(f, "dapr_agents"):
		return "agents"
	case imports(f, "temporal.io|temporalio|io.temporal"):
		return "temporal"
	case imports(f, "dapr"):
		return "dapr"
	case imports(f, "durable"):
		return "durable"
	}
	return fallback
}
