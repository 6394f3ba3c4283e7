package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// unknown is a call of something that neither a table nor the repository
// explains. It may change its receiver, hand a key to a builder, or act on the
// world: then its name is all there is to judge it by.
func (t *tracer) unknown(c *callee, e *Expr, args []*Value, s *scope) *Value {
	t.takenApart(c, e, args, s)
	if v, ok := t.fieldCall(c, e, args, s); ok {
		return v
	}
	if strings.Contains(c.norm, "fetch") && len(args) == 2 && args[1].Fields["method"] != nil { // a fetch that was handed in
		return t.apply(&knowledge.Row{Name: c.norm, Class: knowledge.HTTP}, c, e, args, s)
	}
	if c.recv != nil && runsSQL(c, args) {
		return t.apply(&knowledge.Row{Name: c.norm, Class: knowledge.SQL}, c, e, args, s)
	}
	if c.recv != nil && t.mutates(c, e, args, s) {
		return t.result(c, e, args, nil, s)
	}
	if eff := t.guess(c, e, args, s); eff != nil {
		t.runLambdas(args, s, c)
		return t.result(c, e, args, eff, s)
	}
	item := t.runLambdas(args, s, c)
	into(e, args, c.recv, nil)
	out := t.result(c, e, args, nil, s)
	if c.norm == "select" && item != nil { // a sequence of what the function makes
		out.Elems = []*Value{item}
	}
	out.Fields = mergeFields(out.Fields, c, args)
	if c.recv != nil && knowledge.Builders[c.norm] {
		t.modify(c, out)
	}
	return out
}

// mergeFields keeps named parts through wrappers and builders:
// JSON.stringify({…}), new HttpEntity(body, headers), builder().a(x).build().
func mergeFields(own map[string]*Value, c *callee, args []*Value) map[string]*Value {
	out := own
	put := func(m map[string]*Value) {
		for k, v := range m {
			if out == nil {
				out = map[string]*Value{}
			}
			if _, ok := out[k]; !ok && len(out) < 64 {
				out[k] = v
			}
		}
	}
	if c.recv != nil && c.recv.Class == nil {
		put(c.recv.Fields)
	}
	for _, a := range args {
		if a.Fn == nil {
			put(a.Fields)
		}
	}
	return out
}

// fieldCall reads calls that are a property in other languages: getX(), setX(v),
// headers.add(name, v), builder.idempotencyKey(v).
func (t *tracer) fieldCall(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	if c.recv == nil {
		return nil, false
	}
	pos := plain(e, args, s.file)
	name := c.name
	switch {
	case len(pos) == 0 && len(args) == 0 && len(name) > 3 && strings.HasPrefix(name, "get") && name[3] >= 'A' && name[3] <= 'Z':
		f := strings.ToLower(name[3:4]) + name[4:]
		v := t.member(c.recv, f, s, e)
		return v, true
	case len(args) == 0 && s.file.Language == "java" && t.accessed(c) != "":
		return t.member(c.recv, t.accessed(c), s, e), true
	case len(pos) == 1 && len(name) > 3 && (strings.HasPrefix(name, "set") || strings.HasPrefix(name, "Set")) && name[3] >= 'A' && name[3] <= 'Z' && !actor(c):
		f := strings.ToLower(name[3:4]) + name[4:]
		if c.recv.Shared != "" && !c.recv.Local {
			t.changeShared(c.recv, &Expr{Op: OpMember, Name: f, Line: e.Line, EndLine: e.EndLine}, pos[0], "", s)
		}
		t.store(c.recv, f, pos[0])
		return c.recv, true
	case len(pos) >= 2 && pos[0].HasTxt && len(pos[0].Parts) == 0 && knowledge.KeyName(pos[0].Text) != "":
		t.store(c.recv, pos[0].Text, pos[1])
		if root := rootOf(e.X); root != nil {
			if v, _ := s.lookup(root.Name); v != nil && v != c.recv {
				t.store(v, pos[0].Text, pos[1])
			}
		}
		return c.recv, true
	case len(pos) == 1 && knowledge.KeyName(strings.TrimPrefix(strings.TrimPrefix(c.norm, "with"), "set")) != "":
		t.store(c.recv, strings.TrimPrefix(strings.TrimPrefix(c.norm, "with"), "set"), pos[0])
		return c.recv, true
	}
	return nil, false
}

func rootOf(e *Expr) *Expr {
	for range 24 {
		if e == nil || e.Op == OpName {
			return e
		}
		e = e.X
	}
	return nil
}

// mutates handles collection methods: on state that outlives the body they are
// effects, on something that was read they make it changed.
func (t *tracer) mutates(c *callee, e *Expr, args []*Value, s *scope) bool {
	class, ok := knowledge.Mutators[c.norm]
	if !ok {
		return false
	}
	pos := plain(e, args, s.file)
	r := c.recv
	if r.Shared == "" || r.Local {
		if actor(c) && !(made(r, s) && collection(r.Type)) {
			return false
		}
		for _, a := range args {
			r.absorb(&Value{Origin: a.Origin, Rel: a.Rel})
		}
		if class == knowledge.Append && len(args) > 0 && !setLike(r.Type) {
			r.Rel = addEffects(r.Rel, r.Reads)
			if r.Local {
				r.Elems = append(r.Elems, args...)
			}
			if len(r.Reads) > 0 && !r.Local {
				t.dirty = append(t.dirty, r)
			}
			if m := e.X; m != nil && m.Op == OpMember {
				t.within(m.X, r, r.Reads, s)
			}
		}
		return true
	}
	if actor(c) && !collection(r.Type) {
		return false
	}
	if telemetry(r.Shared) || telemetry(r.Type) {
		return true
	}
	if class == knowledge.Append && setLike(r.Type) {
		class = knowledge.Put
	}
	if c.norm == "add" && len(pos) == 2 { // a map
		class = knowledge.Put
	}
	eff := &Effect{Class: class, Resource: "memory:" + r.Shared + "[]", Callee: c.text, Memory: true, Site: t.site(s, e.Line, e.EndLine), Path: t.trail(), Loop: t.loops > 0, Conds: t.standing(), order: len(t.effects), Tries: slices.Clone(t.tries)}
	if len(pos) > 0 {
		eff.Key = pos[0]
		eff.Value = pos[len(pos)-1]
	}
	t.relative(eff)
	t.record(eff)
	return true
}

// made reports an object that the body itself made of the language's own types:
// new Queue<string>() is a collection, whatever it is called.
func made(v *Value, s *scope) bool {
	return v.Local && v.Lib == "" && v.Class == nil && (s.file.Language == "csharp" || s.file.Language == "java")
}

func setLike(typ string) bool {
	n := strings.ToLower(lastSegment(typ))
	return n == "set" || strings.HasSuffix(n, "set")
}

func collection(typ string) bool {
	n := strings.ToLower(lastSegment(typ))
	for _, w := range []string{"list", "map", "dict", "dictionary", "set", "queue", "bag", "array", "vector", "deque", "stack", "collection", "integer", "long", "adder"} {
		if strings.HasSuffix(n, w) {
			return true
		}
	}
	return false
}

// telemetry names count and measure; counting twice is not a finding.
func telemetry(name string) bool {
	n := strings.ToLower(name)
	for _, w := range []string{"metric", "telemetry", "meter", "tracer", "logger", "prometheus", "statsd", "histogram", "counter_total", "span"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}

// actor reports whether the receiver looks like something that reaches out:
// a client, service, repository, gateway, queue.
func actor(c *callee) bool {
	if c.recv == nil {
		return c.fn != nil && c.fn.Lib != "" && c.fn.Class == nil
	}
	names := c.chain
	if len(names) > 2 {
		names = append(slices.Clone(names[:1]), names[len(names)-1])
	}
	for _, n := range names {
		for _, w := range knowledge.Actors {
			if strings.HasSuffix(n, w) {
				return true
			}
		}
	}
	return false
}

// guess judges a call by its name.
func (t *tracer) guess(c *callee, e *Expr, args []*Value, s *scope) *Effect {
	if c.norm == "" || t.ctxCall(c) || e.New || c.recv == nil && c.name[0] >= 'A' && c.name[0] <= 'Z' && s.file.Language == "python" {
		return nil
	}
	w := words(c.name)
	if knowledge.Makes(w) || len(w) > 1 && w[len(w)-1] == "client" && len(e.Args) == 0 || slices.Contains(w, "with") || slices.Contains(w, "option") || slices.Contains(w, "options") {
		return nil // makes an option for a call
	}
	g := knowledge.Guess(w, chainWords(c))
	if op := operation(c, e); op != "" {
		class, ok := sent(op)
		if !ok || class == knowledge.Read || slices.ContainsFunc(c.recv.From, func(f *Effect) bool { return f.Guess }) {
			return nil // it looks, or was judged where it was named
		}
		g = class
	}
	if t.handedIn(c) {
		g = knowledge.Act
	} else if g == "" || (!actor(c) && !strongName(g, c) && !t.reachesOut(c, e, s) && !ofAPI(c, e)) || telemetry(c.text) {
		return nil
	}
	if stdlib(c.lib) || slices.Contains(c.chain, "headers") || slices.Contains(c.chain, "defaultrequestheaders") {
		return nil
	}
	r := &knowledge.Row{Name: c.norm, Class: g}
	eff := t.effect(r, c, e, args, s)
	eff.Guess = true
	return eff
}

// handedIn reports a function that was put into a field of the object from
// elsewhere: what it does is not in the repository.
func (t *tracer) handedIn(c *callee) bool {
	if c.recv == nil || c.recv.Class == nil || c.fn != nil && c.fn.Fn != nil {
		return false
	}
	f, ok := t.repo.field(c.recv.Class, c.name)
	if !ok || f.Value != nil {
		return false
	}
	typ := strings.TrimSpace(f.Type)
	if !strings.HasPrefix(typ, "func(") {
		ty := t.repo.typeNamed(c.recv.Class.File, typ)
		if ty == nil || !slices.Contains(ty.Bases, "func") {
			return false
		}
	}
	w := words(c.name)
	if len(w) == 1 && slices.Contains([]string{"close", "stop", "cancel", "release", "unlock", "done", "cleanup"}, w[0]) {
		return false // ends what the process holds
	}
	return knowledge.Guess(w, nil) != "" || slices.Contains([]string{"handler", "hook", "callback"}, w[len(w)-1])
}

// strongName reports whether a call may be judged without a receiver that looks
// like a client: sendEmail(…) of an unknown module is.
func strongName(g knowledge.Class, c *callee) bool {
	if g != knowledge.Message && g != knowledge.Charge {
		return false
	}
	if c.recv == nil {
		return c.fn != nil && c.fn.Fn == nil && (c.fn.Lib != "" || c.fn.Origin&FromUnknown != 0)
	}
	return c.recv.Class != nil && c.recv.Class.Interface || c.recv.Lib != ""
}

func stdlib(lib string) bool {
	return slices.ContainsFunc(knowledge.Harmless, func(h string) bool {
		rest, ok := strings.CutPrefix(lib, h)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '/')
	})
}

func (t *tracer) ctxCall(c *callee) bool {
	return c.recv != nil && t.ctx != nil && c.recv == t.ctx
}

func chainWords(c *callee) []string {
	out := append([]string(nil), c.chain...)
	if c.recv != nil && c.recv.Type != "" {
		out = append(out, words(lastSegment(c.recv.Type))...)
	}
	if c.lib != "" {
		out = append(out, words(lastSegment(c.lib))...)
	}
	return out
}

// words splits a name at underscores and capitals: sendEmailAsync → send email.
func words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			w := strings.ToLower(name[start:end])
			if w != "async" {
				out = append(out, w)
			}
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.':
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && (name[i-1] < 'A' || name[i-1] > 'Z' || (i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z')):
			flush(i)
		}
	}
	flush(len(name))
	return out
}

// accessor is a property of the activity's context or another value that a row
// explains: context.InstanceId.
func (t *tracer) accessor(v *Value, name string, e *Expr) (*Value, bool) {
	typ := v.Type
	csharp := t.fn != nil && t.fn.File != nil && t.fn.File.Language == "csharp"
	if typ == "" && csharp { // a static: ActivityExecutionContext.Current.Info
		typ = lastSegment(v.Sym)
	}
	if typ == "" && v.Lib == "" {
		return nil, false
	}
	c := &callee{name: name, norm: knowledge.Norm(name), recv: v, lib: v.Lib}
	for _, r := range t.match.exact[c.norm] {
		var o Origin
		switch r.Class {
		case knowledge.ExecID:
			o = t.execID(c.norm)
		case knowledge.AttemptID:
			o = FromAttempt
		case knowledge.InstanceID:
			o = FromInstance
		case knowledge.Clock:
			o = FromClock
		case knowledge.Config:
			o = FromConfig
		default:
			continue
		}
		if r.Recv == "" || typ == "" || !knowledge.Match(r.Recv, knowledge.Norm(lastSegment(typ))) {
			if e == nil || e.Op != OpMember || v.Lib == "" || !infoOf(e.X, r.Recv) {
				continue
			}
		}
		return &Value{Origin: o, Sym: name}, true
	}
	return nil, false
}

// infoOf reports an accessor of an engine's own info object: activityInfo().x,
// Context.current().info.x.
func infoOf(x *Expr, recv string) bool {
	chain := chainOf(x, nil)
	return len(chain) > 0 && (chain[0] == "info" || chain[0] == "activityinfo") && knowledge.Match(recv, chain[0])
}

// accessorCall is a method of the activity's context.
func (t *tracer) accessorCall(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	if c.recv != t.ctx || t.ctx == nil {
		return nil, false
	}
	if c.norm == "getinnercontext" { // Python wraps the engine's context
		return t.ctx, true
	}
	for _, r := range t.match.exact[c.norm] {
		switch r.Class {
		case knowledge.ExecID, knowledge.AttemptID, knowledge.InstanceID, knowledge.Input:
			if knowledge.Match(r.Recv, knowledge.Norm(lastSegment(c.recv.Type))) {
				return t.apply(r, c, e, args, s), true
			}
		}
	}
	return nil, false
}

// readInput is the body asking its context for the input: as the answer, or
// into a variable.
func (t *tracer) readInput(c *callee, e *Expr, args []*Value, s *scope) *Value {
	v := &Value{Origin: FromInput, Sym: "input"}
	if len(e.Types) > 0 {
		t.typed(v, e.Types[0], s.file)
	}
	for i, a := range args {
		if i < len(e.Args) && e.Args[i].Value.Op == OpUnary && e.Args[i].Value.Name == "&" {
			a.Origin, a.Sym, a.Local, a.Fields = FromInput, "input", false, nil
		} else if a.Type != "" {
			v.Type, v.Class = a.Type, a.Class
		}
	}
	return v
}

// open is a file: how it may be changed is decided by the mode.
func (t *tracer) open(c *callee, e *Expr, args []*Value, s *scope) *Value {
	v := t.result(c, e, args, nil, s)
	v.Type = "File"
	pos := plain(e, args, s.file)
	for i, a := range append(slices.Clone(pos), named(e, args, "mode"), named(e, args, "flag")) {
		if a == nil {
			continue
		}
		if i == 0 && a.HasTxt && len(pos) > 0 {
			continue
		}
		if a.HasTxt {
			v.opened += " " + a.Text
		}
		v.opened += " " + a.Sym
	}
	for _, a := range e.Args {
		v.opened += " " + strings.ToLower(text(a.Value))
	}
	if e.New && len(e.Args) == 2 && text(e.Args[1].Value) == "true" {
		v.opened = "append"
	}
	name := pathOf(c, pos)
	if name != nil {
		v.Fields = map[string]*Value{"path": name}
	}
	if (c.norm == "streamwriter" && strings.Contains(v.opened, " true")) || c.norm == "appendtext" {
		v.opened = "append"
	}
	if strings.Contains(v.opened, "append") || strings.HasSuffix(strings.TrimSpace(v.opened), "'a'") || strings.Contains(v.opened, " 'a'") || strings.Contains(v.opened, "'ab'") || strings.Contains(v.opened, "'a+'") {
		v.opened = "append"
	}
	t.begins(c, v, name)
	return v
}
