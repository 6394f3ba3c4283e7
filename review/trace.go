package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Limits of one walk: deep enough for real code, small enough that a body with
// many paths cannot take a second.
const (
	maxFollow = 8     // calls deep
	maxSteps  = 60000 // expressions and statements
)

// tracer walks one body in order, following calls into the repository, and
// collects the effects. It is a single forward walk: a variable that is set in
// a branch holds either value afterwards, a loop body is walked once.
type tracer struct {
	repo     *repo
	match    *matcher
	fn       *Func
	effects  []*Effect
	exits    []*Exit
	calls    []*Effect // scheduled activities, when a workflow is walked
	steps    int
	stack    []*Func
	path     []Site
	conds    []*Cond
	tries    []*tryFrame
	loops    int
	tx       *Effect
	dirty    []*Value // tracked objects changed since the last commit
	mods     map[*File]*scope
	shared   map[string]*Effect // pseudo reads of state that outlives the body
	logged   []*Value           // what was written to a log
	onCall   func(t *tracer, e *Expr, s *scope, c *callee, args []*Value) (*Value, bool)
	ctx      *Value
	retry    string // the retry loop or wrapper of the body that is being walked
	parsed   []Site // where the task execution id is taken apart
	sdk      *knowledge.ExecutionID
	retried  bool // a call site of the activity may retry it, or none is known
	stop     map[*Func]*candidate
	closures map[*Func]*scope
	awaits   map[*Expr]bool  // calls that are awaited
	asking   map[string]bool // names of modules that are being looked up
	met      map[*Func]*File // every function entered, and where it stands
	begun    []begun         // files opened to be written from their start
}

// Exit is a way out of the body by an error that the code raises itself.
type Exit struct {
	Site  Site
	Path  []Site
	Type  string
	Text  string
	Value *Value
	Conds []*Cond
	After int // effects met before it
	// Remote: raised by the handler of a request, in another process.
	Remote bool
}

// scope is where names of one function body live.
type scope struct {
	vars   map[string]*Value
	parent *scope
	fn     *Func
	file   *File
	self   *Value
	result *Value
	branch int // conds in force when the body was entered
	left   bool
	glob   map[string]bool // names declared global or nonlocal
}

func (t *tracer) child(s *scope, fn *Func, file *File) *scope {
	return &scope{vars: map[string]*Value{}, parent: s, fn: fn, file: file, branch: len(t.conds)}
}

func (s *scope) lookup(name string) (*Value, *scope) {
	for c := s; c != nil; c = c.parent {
		if v, ok := c.vars[name]; ok {
			return v, c
		}
	}
	return nil, nil
}

// set assigns a variable. Inside a branch the old value stays possible.
func (t *tracer) set(s *scope, name string, v *Value, declare bool) {
	old, at := s.lookup(name)
	if at == nil || declare || (at.fn == nil && !s.glob[name] && at != s) {
		s.vars[name] = v
		return
	}
	if old != nil && old != v && len(t.conds) > at.branch && t.inBranch(at) {
		if v.Origin.Fresh() && old.Origin.Distinct() && !old.Origin.Fresh() && t.fallback(name) {
			return // a fallback for an input that was left out
		}
		v = join(old, v)
	}
	at.vars[name] = v
}

// fallback reports whether the innermost branch asks if name is empty.
func (t *tracer) fallback(name string) bool {
	if len(t.conds) == 0 {
		return false
	}
	c := t.conds[len(t.conds)-1].Text
	return strings.Contains(c, name) && (strings.HasPrefix(c, "!") || strings.Contains(c, "== ''") || strings.Contains(c, "null") || strings.Contains(c, "Empty") || strings.Contains(c, "undefined") || strings.Contains(c, "=== ''"))
}

// inBranch reports whether the statement being walked may be skipped.
func (t *tracer) inBranch(s *scope) bool {
	for _, c := range t.conds[min(s.branch, len(t.conds)):] {
		if !c.Exit {
			return true
		}
	}
	return false
}

func (t *tracer) spent() bool {
	t.steps++
	return t.steps > maxSteps
}

// body walks statements; it reports whether the end cannot be reached.
func (t *tracer) body(stmts []*Stmt, s *scope) bool {
	for _, st := range stmts {
		if t.spent() {
			return false
		}
		if t.stmt(st, s) {
			return true
		}
	}
	return false
}

func (t *tracer) stmt(st *Stmt, s *scope) (left bool) {
	switch st.Op {
	case Do:
		t.eval(st.Value, s)
	case Let:
		t.let(st, s)
	case If:
		return t.branch(st, s)
	case Loop:
		t.loop(st, s)
	case Try:
		return t.try(st, s)
	case Return:
		var v *Value
		if st.Value != nil {
			v = t.eval(st.Value, s)
		}
		t.leave(s, v)
		return true
	case Throw:
		t.throw(st, s)
		return true
	case With:
		return t.with(st, s)
	case Block:
		return t.body(st.Body, s)
	case Switch:
		return t.cases(st, s)
	case Jump:
		return true
	case Define:
		if st.Func != nil {
			s.vars[st.Func.Name] = &Value{Fn: st.Func, scope: s, Local: true}
		}
	case Delete:
		t.remove(st.Value, s)
	}
	return false
}

func (t *tracer) leave(s *scope, v *Value) {
	at := s
	for at.parent != nil && at.fn == nil {
		at = at.parent
	}
	if v != nil {
		at.result = join(at.result, t.decided(v, at))
	}
}

// decided lets a plain answer depend on what was read to choose it: a function
// that returns true or false tells its caller what it looked at.
func (t *tracer) decided(v *Value, at *scope) *Value {
	if len(v.Reads) > 0 || len(v.Fields) > 0 || len(v.Elems) > 0 || v.Fn != nil || v.Class != nil || v.HasTxt {
		return v
	}
	out := v
	for _, c := range t.conds[min(at.branch, len(t.conds)):] {
		if c.Value == nil || len(c.Value.Reads) == 0 {
			continue
		}
		if out == v {
			cp := *v
			out = &cp
		}
		out.Reads = addEffects(out.Reads, c.Value.Reads)
	}
	return out
}

func (t *tracer) throw(st *Stmt, s *scope) {
	if st.Value != nil && st.Value.Op == OpCall && lastSegment(text(st.Value.X)) == "ArgumentNullException" {
		t.eval(st.Value, s)
		return // the caller's mistake, the same in every run
	}
	x := &Exit{Site: t.site(s, st.Line, st.EndLine), Path: t.trail(), Conds: t.standing(), After: len(t.effects)}
	if st.Value != nil {
		x.Value = t.eval(st.Value, s)
		x.Text = text(st.Value)
		if st.Value.Op == OpCall {
			x.Type = lastSegment(text(st.Value.X))
		} else {
			x.Type = lastSegment(text(st.Value))
		}
	}
	t.exits = append(t.exits, x)
}

func (t *tracer) let(st *Stmt, s *scope) {
	if st.Name == "global" {
		if s.glob == nil {
			s.glob = map[string]bool{}
		}
		for _, n := range st.Targets {
			s.glob[n.Name] = true
		}
		return
	}
	var v *Value
	if st.Value != nil {
		v = t.eval(st.Value, s)
	} else {
		v = &Value{Local: true}
	}
	if st.Type != "" && st.Name == "" {
		v = t.typed(v, st.Type, s.file)
	}
	if len(st.Targets) > 1 {
		t.unpack(st.Targets, v, s, st)
		return
	}
	for _, target := range st.Targets {
		t.assign(target, v, st.Name, s, st.Type != "" || declares(st))
	}
}

// declares reports a statement that makes new variables; languages mark it with
// a type, "var" when it is inferred.
func declares(st *Stmt) bool { return st.Type != "" }

// unpack assigns a list of targets from one value: a tuple element by element,
// else every target is made of the whole. Error results carry what the call
// answered, so that a test of the error is a test of the call.
func (t *tracer) unpack(targets []*Expr, v *Value, s *scope, st *Stmt) {
	for i, target := range targets {
		part := v
		if i < len(v.Elems) && len(v.Elems) >= len(targets) {
			part = v.Elems[i]
		} else if i > 0 {
			part = blend(v)
		}
		t.assign(target, part, "", s, declares(st))
	}
}

// typed gives v the declared type, keeping v's identity when it has none.
func (t *tracer) typed(v *Value, typ string, f *File) *Value {
	name := typeName(typ)
	if name == "" || name == "var" {
		return v
	}
	if v.Type == "" {
		v.Type = name
	}
	if v.Class == nil {
		v.Class = t.repo.typeNamed(f, name)
	}
	if lib := importOf(f, name); v.Lib == "" || lib != "" && f.Language == "java" && !v.builder {
		v.Lib = lib
	}
	return v
}

// importOf is the path of the import that the first part of a dotted name
// refers to.
func importOf(f *File, name string) string {
	head := name
	for i := 0; i < len(head); i++ {
		if head[i] == '.' || head[i] == '/' {
			head = head[:i]
			break
		}
	}
	for _, im := range f.Imports {
		if im.Name == head {
			if im.Member != "" {
				return im.Path + "." + im.Member
			}
			return im.Path
		}
	}
	return ""
}

// assign stores v in a target; op is the operator of a compound assignment.
func (t *tracer) assign(target *Expr, v *Value, op string, s *scope, declare bool) {
	if target == nil {
		return
	}
	switch target.Op {
	case OpName:
		t.assignName(target, v, op, s, declare)
	case OpMember, OpIndex:
		t.assignPart(target, v, op, s)
	case OpList, OpObject:
		for i, a := range target.Args {
			part := blend(v)
			if target.Op == OpObject && a.Name != "" {
				part = t.member(v, a.Name, s, target)
			} else if i < len(v.Elems) {
				part = v.Elems[i]
			}
			t.assign(a.Value, part, "", s, declare)
		}
	case OpCast, OpAwait, OpUnary:
		t.assign(target.X, v, op, s, declare)
	case OpCall: // *ptr() = v and the like
		t.eval(target, s)
	}
}

func (t *tracer) assignName(target *Expr, v *Value, op string, s *scope, declare bool) {
	if target.Name == "_" {
		return
	}
	if !declare {
		if _, at := s.lookup(target.Name); at == nil {
			if own := t.implicitOwner(target.Name, s); own != nil {
				if own.Shared != "" && !own.Local {
					t.changeShared(&Value{Shared: own.Shared + "." + target.Name}, target, v, op, s)
					return
				}
				if op != "" {
					v = t.combine(op, t.member(own, target.Name, s, target), v)
				}
				t.store(own, target.Name, v)
				return
			}
		}
		if old, at := s.lookup(target.Name); at == nil || (at.fn == nil && at.parent == nil && s.glob[target.Name]) || (old != nil && old.Shared != "" && at.fn == nil) {
			if sh := t.sharedVar(target.Name, s); sh != nil && (s.glob[target.Name] || s.file.Language != "python") {
				t.changeShared(sh, target, v, op, s)
				return
			}
			if old != nil && old.Shared != "" && !old.Local && at.parent != nil && s.file.Language != "python" { // of the function around
				t.changeShared(old, target, v, op, s)
				return
			}
		}
	}
	if op != "" {
		old := t.eval(target, s)
		v = t.combine(op, old, v)
		v.Varies = v.Varies || t.loops > 0
	}
	t.set(s, target.Name, v, declare)
}

// assignPart handles x.f = v and x[k] = v.
func (t *tracer) assignPart(target *Expr, v *Value, op string, s *scope) {
	base := t.eval(target.X, s)
	var key *Value
	if target.Op == OpIndex && target.Y != nil {
		key = t.eval(target.Y, s)
	}
	if base.Shared == "" && base.Class != nil && target.Op == OpMember {
		if f, ok := t.repo.field(base.Class, target.Name); ok && f.Static { // a static field named with its type
			c := *base
			c.Shared, c.Local = base.Class.Name, false
			base = &c
		}
	}
	if base.Shared != "" && !base.Local {
		t.changeShared(base, target, v, op, s, key)
		return
	}
	if op != "" {
		v = t.combine(op, t.part(base, target, key, s), v)
	}
	name := target.Name
	if target.Op == OpIndex {
		name = keyText(key)
	}
	t.store(base, name, v)
	t.within(target.X, base, v.Rel, s)
}

// within passes a change of a part on to the object it is a part of, for
// objects that were read: entry.Value.Quantity -= n changes entry.
func (t *tracer) within(part *Expr, base *Value, rel []*Effect, s *scope) {
	if part == nil || part.Op != OpMember && part.Op != OpIndex {
		return
	}
	root := rootOf(part)
	if root == nil {
		return
	}
	v, _ := s.lookup(root.Name)
	t.withinField(part, v, base, rel, s)
	if v == nil || v == base || len(v.Reads) == 0 || v.Local || v.Shared != "" {
		return
	}
	v.Rel = addEffects(v.Rel, rel)
	t.dirty = append(t.dirty, v)
}

// withinField passes a change on to the field of an object that holds what was
// read: self.orders[id].append(line) changes self.orders.
func (t *tracer) withinField(part *Expr, owner, base *Value, rel []*Effect, s *scope) {
	if owner == nil || owner.Shared != "" {
		return
	}
	for range 8 {
		if part.X == nil || part.X.Op != OpMember && part.X.Op != OpIndex {
			break
		}
		part = part.X
	}
	if part.Op != OpMember || part.X == nil || part.X.Op != OpName {
		return
	}
	if v := owner.Fields[part.Name]; v != nil && v != base && len(v.Reads) > 0 && !v.Local && v.Shared == "" {
		v.Rel = addEffects(v.Rel, rel)
	}
}

// store puts a part into an object: the object is then made of it too.
func (t *tracer) store(base *Value, name string, v *Value) {
	if base == v {
		return
	}
	if name != "" {
		if base.Fields == nil {
			base.Fields = map[string]*Value{}
		}
		if old := base.Fields[name]; old != nil && len(old.Reads) > 0 && len(t.conds) > 0 && v.Local && v.Origin&^FromConst == 0 {
			v = join(old, v) // what was read, or in another branch what stands for nothing read
		}
		base.Fields[name] = v
	}
	reads := base.Reads
	base.Rel = addEffects(base.Rel, v.Rel)
	base.Scaled = base.Scaled || v.Scaled
	if len(base.Fields) == 0 || base.Local {
		base.Origin |= v.Origin
	}
	if len(reads) > 0 && !base.Local {
		t.dirty = append(t.dirty, base)
	}
}

func keyText(k *Value) string {
	if k != nil && k.HasTxt && len(k.Parts) == 0 {
		return k.Text
	}
	return ""
}

// combine is arithmetic. A number changed by another keeps where it was read.
func (t *tracer) combine(op string, a, b *Value) *Value {
	out := blend(a, b)
	switch op {
	case "+", "-", "*", "/", "//", "%", "|", "&", "^", "<<", ">>", "**", "??", "||", "&&":
	default:
		return out
	}
	switch op {
	case "+", "-", "*", "/":
		if op == "/" && a.Type == "Path" {
			return t.joinedPath(a, b)
		}
		if op == "+" && (isText(a) || isText(b)) {
			return t.concat(a, b)
		}
		for _, side := range []*Value{a, b} {
			out.Rel = addEffects(out.Rel, side.Reads)
			if (op == "+" || op == "-") && side.Origin&FromInput != 0 && !textual(a) && !textual(b) && !a.list && !b.list { // price times quantity is no snapshot
				out.Scaled = true
			}
		}
	case "??", "||", "&&":
		return join(a, b)
	}
	out.Sym = ""
	return out
}

func isText(v *Value) bool { return v.HasTxt || v.Type == "String" || v.Type == "string" }

// textual reports whether v is declared to be text: adding to it is no
// arithmetic.
func textual(v *Value) bool {
	return v.Type == "string" || v.Type == "String" || v.Type == "str"
}

// concat joins literal text.
func (t *tracer) concat(vs ...*Value) *Value {
	out := blend(vs...)
	out.HasTxt = true
	for _, v := range vs {
		if v.HasTxt {
			out.Text += v.Text
			out.Parts = append(out.Parts, v.Parts...)
			out.Sym += symOr(v)
			continue
		}
		out.Text += "{}"
		out.Parts = append(out.Parts, v)
		out.Sym += "{" + v.Sym + "}"
	}
	if len(out.Text) > 20000 {
		out.Text, out.HasTxt = "", false
	}
	return out
}

func symOr(v *Value) string {
	if v.Sym != "" {
		return v.Sym
	}
	return v.Text
}

func (t *tracer) trail() []Site { return append([]Site(nil), t.path...) }

func (t *tracer) standing() []*Cond { return append([]*Cond(nil), t.conds...) }

func (t *tracer) site(s *scope, line, end int) Site {
	if s == nil || s.file == nil {
		return Site{}
	}
	return Site{File: s.file.Path, Line: line, EndLine: max(line, end), Quote: s.file.Quote(line)}
}
