package review

import (
	"slices"
	"strings"
)

// Origin is where a value comes from: a set, since a value may be built from
// several. Which of them may identify a logical operation is [Origin.Stable].
type Origin uint16

// The origins.
const (
	FromInput    Origin = 1 << iota // the activity's input
	FromExecID                      // the task execution id
	FromAttempt                     // an id that every attempt gets anew
	FromInstance                    // the run's instance id
	FromConst                       // a literal
	FromConfig                      // environment or settings
	FromOutside                     // read from another system
	FromHash                        // went through a digest
	FromUnknown                     // not known
	FromGenerate                    // random
	FromClock                       // the time
)

var originNames = []string{"input", "task_execution_id", "attempt_id", "instance_id", "constant", "config", "outside", "hash", "unknown", "generated", "clock"}

// Names lists the origins in a fixed order.
func (o Origin) Names() []string {
	var out []string
	for i, n := range originNames {
		if o&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// String joins the names.
func (o Origin) String() string { return strings.Join(o.Names(), "+") }

// Fresh reports whether a second run gets another value.
func (o Origin) Fresh() bool { return o&(FromGenerate|FromClock|FromAttempt) != 0 }

// Stable reports whether every run of one call gets the same value.
func (o Origin) Stable() bool { return o != 0 && !o.Fresh() && o&FromUnknown == 0 }

// Distinct reports whether different operations get different values: there is
// more in it than constants and settings.
func (o Origin) Distinct() bool {
	return o&(FromInput|FromExecID|FromAttempt|FromInstance|FromOutside|FromUnknown|FromGenerate|FromClock) != 0
}

// Value is what is known of a value while a body is walked. Objects are shared
// by pointer, as in the program.
type Value struct {
	Origin  Origin
	Type    string // declared or constructed type, simplified by [typeName]
	Lib     string // import path it came from
	Sym     string // how it is spelled from its origins: input.order_id
	Text    string // literal text with "{}" for parts that are not literal
	Parts   []*Value
	HasTxt  bool
	Fields  map[string]*Value
	Elems   []*Value
	Reads   []*Effect // the outside reads it depends on
	Rel     []*Effect // the reads it was changed by arithmetic or by appending from
	From    []*Effect // the effects whose answer it is made of
	Scaled  bool      // arithmetic on the input: an absolute value from a snapshot
	Shared  string    // the name of state that outlives the body: module variable, static, injected object
	Varies  bool      // differs between the turns of a loop
	Temp    bool      // a temporary file or folder of this run
	Local   bool      // made in this body: nothing outside sees a change of it
	Class   *Type     // its type in this repository
	Fn      *Func     // a function value, with the scope it was made in
	scope   *scope
	Module  *module // an imported module of this repository
	list    bool    // a list written here: adding to it is no arithmetic
	mapped  bool    // made of another object by a generated mapper: new, with the other's parts
	builder bool    // collects named parts until it is built
	opened  string  // mode a file was opened with
	where   string  // the path or name something was opened with
}

const setCap = 24

func addEffects(dst []*Effect, src []*Effect) []*Effect {
	for _, e := range src {
		if len(dst) >= setCap {
			return dst
		}
		if !slices.Contains(dst, e) {
			dst = append(dst, e)
		}
	}
	return dst
}

// blend is the value of an operation on vs that keeps no structure.
func blend(vs ...*Value) *Value {
	out := &Value{}
	for _, v := range vs {
		out.absorb(v)
	}
	return out
}

func (v *Value) absorb(w *Value) {
	if w == nil || v == w {
		return
	}
	v.Origin |= w.Origin
	v.Reads = addEffects(v.Reads, w.Reads)
	v.Rel = addEffects(v.Rel, w.Rel)
	v.From = addEffects(v.From, w.From)
	v.Scaled = v.Scaled || w.Scaled
	v.Temp = v.Temp || w.Temp
	v.Varies = v.Varies || w.Varies
}

// join is the value of a variable that may hold either.
func join(a, b *Value) *Value { return joinTo(a, b, 4) }

func joinTo(a, b *Value, depth int) *Value {
	if a == nil || a == b {
		return b
	}
	if b == nil {
		return a
	}
	out := blend(a, b)
	out.Type, out.Lib, out.Class, out.Sym = either(a.Type, b.Type), either(a.Lib, b.Lib), a.Class, either(a.Sym, b.Sym)
	if out.Class == nil {
		out.Class = b.Class
	}
	out.Shared, out.Local = either(a.Shared, b.Shared), a.Local && b.Local
	out.list = a.list || b.list
	out.Text, out.HasTxt, out.Parts = a.Text, a.HasTxt, a.Parts
	if !a.HasTxt {
		out.Text, out.HasTxt, out.Parts = b.Text, b.HasTxt, b.Parts
	}
	out.Fn, out.scope = a.Fn, a.scope
	if out.Fn == nil {
		out.Fn, out.scope = b.Fn, b.scope
	}
	out.opened, out.where = either(a.opened, b.opened), either(a.where, b.where)
	for _, m := range []map[string]*Value{a.Fields, b.Fields} {
		for k, f := range m {
			if depth == 0 {
				break
			}
			if out.Fields == nil {
				out.Fields = map[string]*Value{}
			}
			out.Fields[k] = joinTo(out.Fields[k], f, depth-1)
		}
	}
	if out.Elems = a.Elems; out.Elems == nil {
		out.Elems = b.Elems
	}
	return out
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// typeName simplifies a written type: pointers, arrays, nullability and the
// wrappers that carry one value are taken off, type arguments dropped.
func typeName(s string) string {
	s = strings.TrimSpace(s)
	for {
		t := strings.TrimLeft(s, "*&[] ")
		for n := -1; n != len(t); { // an element of an array, a value that may be missing
			n = len(t)
			t = strings.TrimSuffix(strings.TrimRight(t, "? "), "[]")
		}
		t = strings.TrimPrefix(t, "readonly ")
		i := strings.IndexAny(t, "<[")
		if i > 0 && (strings.HasSuffix(t, ">") || strings.HasSuffix(t, "]")) {
			head := t[:i]
			switch lastSegment(head) {
			case "Task", "ValueTask", "Promise", "Mono", "Optional", "Lazy", "Awaitable", "Annotated", "Union", "ActorRef", "IOptions", "Provider", "ObjectProvider", "CompletableFuture", "Final", "Partial":
				s = firstArg(t[i+1 : len(t)-1])
				continue
			}
			t = head
		} else if i > 0 {
			t = t[:i]
		}
		if j := strings.IndexAny(t, "|&"); j > 0 {
			t = strings.TrimSpace(t[:j])
		}
		t = strings.Trim(t, "\"' ")
		if t == s {
			return t
		}
		s = t
	}
}

func firstArg(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '[', '(':
			depth++
		case '>', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				return strings.TrimSpace(s[:i])
			}
		}
	}
	return strings.TrimSpace(s)
}

func lastSegment(s string) string {
	if i := strings.LastIndexAny(s, "./:"); i >= 0 {
		return s[i+1:]
	}
	return s
}
