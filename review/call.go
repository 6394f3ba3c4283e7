package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// call walks a call: receiver, arguments, then what it does, from the most to
// the least certain: a catalogue row that matches by library or type, the
// function of this repository, a row that matches by name, the name itself.
func (t *tracer) call(e *Expr, s *scope) *Value {
	c := t.callee(e, s)
	args := t.args(e, s)
	if t.onCall != nil {
		if v, done := t.onCall(t, e, s, c, args); done {
			return v
		}
	}
	if c.recv != nil {
		if v, ok := t.accessorCall(c, e, args, s); ok {
			return v
		}
	}
	if v, ok := t.fluent(c, e, args, s); ok {
		return v
	}
	if t.link(c, args, s) {
		out := t.result(c, e, args, nil, s)
		out.From = addEffects(out.From, c.recv.From)
		return out
	}
	row, strong := t.match.find(c, s.file)
	if q := queued(c, s.file); q != nil {
		return t.apply(q, c, e, args, s)
	}
	if v, ok := t.declared(c, e, args, s); ok {
		return v
	}
	if row != nil && strong && (t.match.own(row) || !t.written(c, e) || standsIn(row, c)) {
		return t.apply(row, c, e, args, s)
	}
	if v, ok := t.follow(c, e, args, s); ok {
		return v
	}
	if row == nil {
		row = t.match.shaped(c, args)
	}
	if row != nil && !ofJava(c) {
		return t.apply(row, c, e, args, s)
	}
	return t.unknown(c, e, args, s)
}

// writesLog tells printing from making text: Sprintf, Errorf, str, len.
func writesLog(c *callee) bool {
	if c.recv == nil || c.lib == "fmt" {
		return strings.HasPrefix(c.norm, "print")
	}
	return !strings.HasPrefix(c.norm, "sprint") && c.norm != "with"
}

// written reports a call of a function or method whose body stands in this
// repository: it says more than a row that fits a name.
func (t *tracer) written(c *callee, e *Expr) bool {
	switch {
	case len(t.stack) >= maxFollow:
		return false
	case c.recv == nil:
		return c.fn != nil && c.fn.Fn != nil && !c.fn.Fn.Abstract
	case c.recv.Class == nil:
		return false
	case !c.recv.Class.Interface:
		if m := t.repo.method(c.recv.Class, c.name); m != nil && !m.Abstract && len(m.Body) > 0 {
			return true
		}
	}
	return (c.lib == "" || c.recv.Class.File.Language == "java") && len(t.methods(c.recv.Class, c.name, len(e.Args))) > 0
}

// standsIn reports what an interface of the repository sends to people or
// charges: it is judged by its name, since the one implementation that is there
// is often a stub.
func standsIn(r *knowledge.Row, c *callee) bool {
	return c.recv != nil && c.recv.Class != nil && c.recv.Class.Interface && c.recv.Class.File.Language == "csharp" && (r.Class == knowledge.Message || r.Class == knowledge.Charge)
}

func (t *tracer) callee(e *Expr, s *scope) *callee {
	c := &callee{text: text(e.X)}
	f := e.X
	for f != nil && (f.Op == OpAwait || f.Op == OpCast) {
		f = f.X
	}
	if f == nil {
		c.fn = &Value{}
		return c
	}
	switch f.Op {
	case OpMember:
		c.recv = t.eval(f.X, s)
		c.name = f.Name
		c.chain = chainOf(f.X, nil)
		c.fn = &Value{}
		if m := c.recv; m.Module != nil {
			c.fn = t.member(m, f.Name, s, f)
		} else if fv := m.Fields[f.Name]; fv != nil && fv.Fn != nil {
			c.fn = fv
		}
		c.lib = c.recv.Lib
		if t := c.recv.Type; t != "" {
			c.chain = append(c.chain, knowledge.Norm(lastSegment(t)))
		}
	case OpName, OpType:
		c.name = f.Name
		if f.Op == OpType {
			c.name = lastSegment(typeName(f.Name))
		}
		c.fn = t.eval(f, s)
		c.lib = c.fn.Lib
		if c.lib != "" && c.fn.Fn == nil {
			for _, im := range s.file.Imports { // import { v4 as newId }
				if im.Name == f.Name && im.Member != "" && im.Member != "*" && im.Member != "default" {
					c.name = im.Member
				}
			}
		}
	default:
		c.fn = t.eval(f, s)
		c.lib = c.fn.Lib
	}
	c.norm = knowledge.Norm(c.name)
	return c
}

// chainOf lists the normal names in a receiver, innermost first.
func chainOf(e *Expr, out []string) []string {
	for range 24 {
		if e == nil {
			break
		}
		switch e.Op {
		case OpName, OpType:
			return append(out, knowledge.Norm(lastSegment(e.Name)))
		case OpMember:
			out = append(out, knowledge.Norm(e.Name))
			e = e.X
		case OpCall, OpIndex, OpAwait, OpCast, OpUnary:
			if e.Op == OpCall && e.New && e.X != nil {
				return append(out, knowledge.Norm(lastSegment(typeName(text(e.X)))))
			}
			e = e.X
		default:
			return out
		}
	}
	return out
}

// args evaluates the arguments; context and cancellation arguments are dropped
// so that positions mean the same in every language.
func (t *tracer) args(e *Expr, s *scope) []*Value {
	out := make([]*Value, 0, len(e.Args))
	for _, a := range e.Args {
		out = append(out, t.eval(a.Value, s))
	}
	return out
}

// plain are the positional arguments that carry data.
func plain(e *Expr, args []*Value, f *File) []*Value {
	var out []*Value
	for i, a := range e.Args {
		if a.Name != "" || i >= len(args) {
			continue
		}
		if f.Language == "go" && len(out) == 0 && i == 0 && isContext(a.Value, args[i]) {
			continue
		}
		out = append(out, args[i])
	}
	return out
}

func isContext(e *Expr, v *Value) bool {
	if lastSegment(v.Type) == "Context" || lastSegment(v.Type) == "ActivityContext" {
		return true
	}
	s := text(e)
	return s == "ctx" || s == "c" && v.Type == "" || strings.HasPrefix(s, "context.") || strings.HasSuffix(s, ".Context()") || strings.HasSuffix(s, "Ctx")
}

func named(e *Expr, args []*Value, name string) *Value {
	for i, a := range e.Args {
		if a.Name != "" && i < len(args) && knowledge.Norm(a.Name) == knowledge.Norm(name) {
			return args[i]
		}
	}
	return nil
}

// pick takes the first argument that a selector of a row names.
func (t *tracer) pick(sel string, c *callee, e *Expr, args []*Value, s *scope) *Value {
	if sel == "" {
		return nil
	}
	pos := plain(e, args, s.file)
	for one := range strings.SplitSeq(sel, ",") {
		one = strings.TrimSpace(one)
		if one == "recv" {
			if c.recv != nil {
				return c.recv
			}
			continue
		}
		if len(one) == 1 && one[0] >= '0' && one[0] <= '9' {
			if i := int(one[0] - '0'); i < len(pos) {
				return pos[i]
			}
			continue
		}
		if v := named(e, args, one); v != nil {
			return v
		}
		for _, p := range pos {
			if v := fieldNorm(p, one); v != nil {
				return v
			}
			for _, el := range p.Elems {
				if v := fieldNorm(el, one); v != nil {
					return v
				}
			}
		}
	}
	return nil
}

func fieldNorm(v *Value, name string) *Value {
	if len(v.Fields) == 0 {
		return nil
	}
	name = knowledge.Norm(name)
	best, out := "", (*Value)(nil)
	for k, f := range v.Fields { // of several spellings the first: maps have no order
		if knowledge.Norm(k) == name && (out == nil || k < best) {
			best, out = k, f
		}
	}
	return out
}

// apply records what a row says.
func (t *tracer) apply(r *knowledge.Row, c *callee, e *Expr, args []*Value, s *scope) *Value {
	switch r.Class {
	case knowledge.Generate:
		if len(args) > 0 && r.Has("noargs") {
			return t.result(c, e, args, nil, s) // an id made of what is given
		}
		return &Value{Origin: FromGenerate, Sym: c.text + "()", Local: true}
	case knowledge.Clock:
		if len(args) > 0 && r.Has("noargs") && c.norm != "now" && c.norm != "today" { // new Date(x) is not the time
			return t.result(c, e, args, nil, s)
		}
		return &Value{Origin: FromClock, Sym: c.text + "()", Local: true}
	case knowledge.Hash:
		v := blend(append(slices.Clone(args), c.recv)...)
		v.Origin |= FromHash
		v.Sym = c.text + "(" + symsOf(args) + ")"
		return v
	case "temp":
		if c.norm == "gettemppath" { // the folder is there before and after
			return &Value{Origin: FromConst, Sym: c.text + "()", Local: true, Temp: true}
		}
		return &Value{Origin: FromGenerate, Sym: c.text + "()", Local: true, Temp: true, Type: "File"}
	case knowledge.Config:
		return &Value{Origin: FromConfig, Sym: c.text}
	case knowledge.ExecID:
		return &Value{Origin: t.execID(c.norm), Sym: c.text}
	case knowledge.AttemptID:
		return &Value{Origin: FromAttempt, Sym: c.text}
	case knowledge.InstanceID:
		return &Value{Origin: FromInstance, Sym: c.text}
	case knowledge.Input:
		return t.readInput(c, e, args, s)
	case knowledge.None:
		t.runLambdas(args, s, c)
		if r.Has("log") && writesLog(c) {
			t.logged = append(t.logged, args...)
		}
		return t.given(r, t.result(c, e, args, nil, s), s)
	case knowledge.Open:
		return t.open(c, e, args, s)
	case knowledge.Over:
		if pos := plain(e, args, s.file); len(pos) > 0 && pos[0].Type == "File" && !pos[0].Temp {
			return pos[0] // json.NewEncoder(file), csv.writer(file): what is written there goes to the file
		}
		return t.result(c, e, args, nil, s)
	}
	if r.Class == "local" { // the library's name for something that changes only its receiver
		t.runLambdas(args, s, c)
		out := t.result(c, e, args, nil, s)
		out.Fields = mergeFields(out.Fields, c, args)
		if c.recv != nil && c.recv.Class != nil && c.recv.Class.Interface {
			if fn := t.repo.overload(c.recv.Class, c.name, len(e.Args)); fn != nil && fn.Abstract {
				t.resultType(out, fn)
				out.mapped = true
				t.madeAnew(out, args)
			}
		}
		return t.given(r, out, s)
	}
	if v, ok := t.handed(r, c, e, args, s); ok {
		return v
	}
	switch r.Class {
	case "request": // made now, sent later
		return t.madeRequest(c, e, args, s)
	case "mediate":
		if v, ok := t.mediate(c, e, args, s); ok {
			return v
		}
	}
	eff := t.effect(r, c, e, args, s)
	into(e, args, c.recv, eff)
	if r.Class != knowledge.Start { // a function given there names what is started
		t.runLambdas(args, s, c)
	}
	out := t.result(c, e, args, eff, s)
	if r.Gives != "" {
		out.Type, out.Class, out.Lib = r.Gives, nil, ""
	}
	return out
}

func symsOf(args []*Value) string {
	var out []string
	for _, a := range args {
		out = append(out, symOr(a))
	}
	return strings.Join(out, ",")
}

// effect makes the effect of a row and reads its details.
func (t *tracer) effect(r *knowledge.Row, c *callee, e *Expr, args []*Value, s *scope) *Effect {
	eff := &Effect{Class: r.Class, Row: r, Callee: c.text, Args: args, Site: t.site(s, e.Line, e.EndLine), Path: t.trail(), Loop: t.loops > 0, Conds: t.standing(), Tx: t.tx, Memory: r.Has("memory"), Strict: r.Has("strict"), Staged: r.Has("staged"), order: len(t.effects)}
	eff.Tries, eff.Retried = slices.Clone(t.tries), t.retry
	eff.Key = t.pick(r.Key, c, e, args, s)
	eff.Value = t.pick(r.Value, c, e, args, s)
	if r.Has("cond") {
		eff.Conditional = c.name
	}
	t.detail(eff, r, c, e, args, s)
	if eff.Staged {
		t.naturalKey(eff, s)
	}
	for _, f := range eff.Tries {
		if f.dup != "" && eff.Caught == "" {
			eff.Caught = f.dup
		}
		eff.Swallowed = eff.Swallowed || f.swallows
		for i := range f.catches {
			for _, ty := range f.catches[i].Types {
				eff.Lenient = eff.Lenient || missWord(ty) != "" && !raises(f.catches[i].Body)
			}
		}
	}
	eff.Lenient = eff.Lenient || missWord(argText(e)) != ""
	if eff.Class == knowledge.Delete && eff.Strict && t.remade(eff) {
		eff.Strict = false
	}
	if eff.Key != nil && eff.Key.Temp || c.recv != nil && c.recv.Temp {
		eff.Class = knowledge.None
	}
	t.record(eff)
	return eff
}

// argText spells the arguments with their names, for words such as missing_ok.
func argText(e *Expr) string {
	var b strings.Builder
	for _, a := range e.Args {
		if a.Value != nil && (a.Value.Op == OpBool || a.Value.Op == OpObject) {
			b.WriteString(a.Name + " ")
			for _, f := range a.Value.Args {
				b.WriteString(f.Name + " ")
			}
		}
	}
	return b.String()
}

func (t *tracer) record(eff *Effect) {
	if len(t.effects) < 4000 {
		t.effects = append(t.effects, eff)
	}
}

// result is the value a call gives back.
func (t *tracer) result(c *callee, e *Expr, args []*Value, eff *Effect, s *scope) *Value {
	if c.norm == "name" && c.recv != nil && c.recv.Type == "File" && c.recv.Fields["path"] != nil {
		return c.recv.Fields["path"]
	}
	out := blend(args...)
	if c.recv != nil {
		out.absorb(c.recv)
		if c.recv.Shared != "" && eff == nil {
			out.Shared = "" // an answer is not the state it was asked of
			t.picked(c, out)
		}
	}
	if strings.HasPrefix(c.norm, "getfilename") {
		out.Temp = false // a name, not the file
	}
	out.Lib = c.lib
	out.Local = eff == nil && c.recv != nil && c.recv.Local
	out.where = firstText(args)
	if c.recv != nil && out.where == "" {
		out.where = c.recv.where
	}
	if e.New || pythonClass(c, s) {
		out.Type, out.Local = typeName(c.name), eff == nil
		if eff == nil {
			t.fields(out, e, args)
		}
	}
	if out.Type == "" && eff == nil && s.file.Language == "go" {
		out.Type = madeBy(c.name)
	}
	if len(e.Types) > 0 && out.Type == "" {
		out.Type = typeName(e.Types[len(e.Types)-1])
		out.Class = t.repo.typeNamed(s.file, out.Type)
	}
	if s.file.Language == "java" {
		javaResult(out, c, args, eff)
	}
	if eff != nil {
		out.From = addEffects([]*Effect{eff}, nil)
		if eff.Class == knowledge.None && c.recv != nil { // fetchone of a statement: its answer
			out.From = addEffects(out.From, c.recv.From)
		}
		if eff.Class == knowledge.None { // execute of a statement made elsewhere: its answer
			for _, a := range args {
				out.From = addEffects(out.From, a.From)
			}
		}
		if eff.Class == knowledge.Read || eff.Class == knowledge.LLM || eff.Verb == "GET" {
			out.Reads = addEffects(nil, []*Effect{eff})
			out.Rel = nil
		}
		out.Origin = FromOutside
		out.Varies = t.loops > 0
		out.Sym = c.text + "(" + symsOf(args) + ")"
		out.Shared = ""
	} else if len(args) == 0 && c.recv == nil {
		out.Origin |= FromUnknown
	} else {
		out.Sym = clip(c.text+"("+symsOf(args)+")", 200)
	}
	return out
}

// pythonClass reports a call that makes an object: of a class named by itself or
// as a member of an imported module.
func pythonClass(c *callee, s *scope) bool {
	if s.file.Language != "python" || c.name == "" || c.name[0] < 'A' || c.name[0] > 'Z' {
		return false
	}
	return c.recv == nil || c.recv.Module == nil && c.recv.Lib != "" && c.recv.Origin == FromConst && c.recv.Shared == ""
}

// madeBy is the type that a Go constructor makes by its name: NewOrdersClient.
func madeBy(name string) string {
	n, ok := strings.CutPrefix(name, "New")
	if ok && len(n) > len("Client") && strings.HasSuffix(n, "Client") {
		return n
	}
	return ""
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

func firstText(args []*Value) string {
	for _, a := range args {
		if a.HasTxt {
			return a.Text
		}
	}
	return ""
}

// fields are the parts of an object made by a constructor with named arguments.
func (t *tracer) fields(out *Value, e *Expr, args []*Value) {
	out.Fields = map[string]*Value{}
	for i, a := range e.Args {
		if i >= len(args) {
			break
		}
		if a.Spread {
			for k, f := range args[i].Fields {
				out.Fields[k] = f
			}
		} else if a.Name != "" {
			out.Fields[a.Name] = args[i]
		}
	}
}

// runLambdas walks function arguments of a call once: callbacks of maps,
// transactions and retries run in the body.
// What the last one answers comes back.
func (t *tracer) runLambdas(args []*Value, s *scope, c *callee) *Value {
	var out *Value
	for _, a := range args {
		if a.Fn == nil || len(a.Fn.Name) > 0 && a.Fn.Parent == nil && a.Fn.Owner == nil && a.Fn.File != nil && !iterates(c.norm) {
			continue
		}
		var ps []*Value
		item := &Value{Origin: FromUnknown, Local: true}
		if c.recv != nil {
			item = t.element(c.recv, s)
		}
		for range a.Fn.Params {
			ps = append(ps, item)
		}
		each := iterates(c.norm)
		if each {
			t.loops++
		}
		saved := t.retry
		if w := retryWord(c); w != "" {
			t.retry = w
		}
		out = t.enter(a.Fn, ps, nil, a.scope, a.Fn.Line, s)
		t.retry = saved
		if each {
			t.loops--
		}
	}
	return out
}

func iterates(norm string) bool {
	switch norm {
	case "map", "foreach", "flatmap", "foreachof", "each", "select", "mapasync", "parallelforeach":
		return true
	}
	return false
}
