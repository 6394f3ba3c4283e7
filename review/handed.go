package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Calls whose effect is that of something they are handed: the file that a
// library writes an object to, the job that a queue runs later, the operation
// that an entity is told to do.

// handed explains the calls of this file by the class of their row.
func (t *tracer) handed(r *knowledge.Row, c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	switch r.Class {
	case "stage": // an operation added to a batch that is run later
		if pos := plain(e, args, s.file); c.recv != nil && len(pos) > 0 {
			t.store(c.recv, c.norm, pos[0])
		}
		return t.result(c, e, args, nil, s), true
	case "dump", "load":
		return t.streamed(r, c, e, args, s), true
	case "signalentity":
		return t.entitySignal(e, args, s)
	}
	return nil, false
}

// streamed is json.dump(object, file) and json.load(file): what the library is
// handed is written and read as by the file itself.
func (t *tracer) streamed(r *knowledge.Row, c *callee, e *Expr, args []*Value, s *scope) *Value {
	i := slices.IndexFunc(args, func(a *Value) bool { return a.Type == "File" })
	if i < 0 {
		return t.result(c, e, args, nil, s)
	}
	of := *c
	of.recv = args[i]
	row := &knowledge.Row{Recv: "file", Name: c.norm, Class: knowledge.Read}
	if r.Class == "dump" {
		row.Class, row.Value = knowledge.Put, r.Value
	}
	return t.result(c, e, args, t.effect(row, &of, e, args, s), s)
}

// job is the row of handing a function to a queue of jobs.
var job = knowledge.Row{Lib: "celery", Name: "delay|apply", Class: knowledge.Publish}

// queued reports a call in Python that puts a task on a queue by a method of the
// function itself: notify.delay(id). The function is the repository's and declared
// as a task there, or it comes from a module that is not here.
func queued(c *callee, f *File) *knowledge.Row {
	if f.Language != "python" || c.recv == nil || c.name != "delay" && c.name != "apply_async" {
		return nil
	}
	if fn := c.recv.Fn; fn != nil {
		for _, a := range fn.Annotations {
			if n := annotationName(a); n == "sharedtask" || n == "task" || n == "periodictask" {
				return &job
			}
		}
		return nil
	}
	if c.recv.Class == nil && c.recv.Shared == "" && !c.recv.Local && c.recv.Lib != "" && !stdlib(c.recv.Lib) {
		return &job
	}
	return nil
}

// entitySignal follows a signal to an entity of the repository that is written as
// a call of its interface: SignalEntityAsync<ICart>(id, cart => cart.Add(line)).
// What the operation changes is what the signal does.
func (t *tracer) entitySignal(e *Expr, args []*Value, s *scope) (*Value, bool) {
	if len(e.Types) == 0 {
		return nil, false
	}
	ty := t.repo.typeNamed(s.file, e.Types[0])
	if ty == nil {
		return nil, false
	}
	for _, a := range args {
		if a.Fn == nil || len(a.Fn.Params) != 1 {
			continue
		}
		known := false
		eachExpr(a.Fn.Body, func(in *Expr, _ *Func, _ bool) {
			if in.Op == OpCall && in.X != nil && in.X.Op == OpMember && len(t.methods(ty, in.X.Name, len(in.Args))) > 0 {
				known = true
			}
		})
		if !known {
			return nil, false
		}
		n := len(t.effects)
		out := t.enter(a.Fn, []*Value{t.instance(ty)}, nil, a.scope, a.Fn.Line, s)
		for _, eff := range t.effects[n:] {
			eff.Resource = "entity:" + symOr(args[0])
		}
		return out, true
	}
	return nil, false
}

// setsOnly reports an operation whose name says that it gives the entity a state:
// "set", "reset", "delete".
func setsOnly(args []*Value) bool {
	return slices.ContainsFunc(args, func(a *Value) bool {
		w := words(a.Text)
		return a.HasTxt && len(w) > 0 && slices.Contains([]string{"set", "reset", "delete", "clear"}, w[0])
	})
}

// picked lets what a collection of the process gives back be a part of it: a change
// of products.First(p => p.Id == id) changes what the next run finds there.
func (t *tracer) picked(c *callee, out *Value) {
	r := c.recv
	if r.Local || !collection(r.Type) && !strings.HasSuffix(r.Shared, "[]") && !r.list && len(r.Fields) == 0 {
		return
	}
	switch c.norm {
	case "get", "first", "firstordefault", "single", "singleordefault", "last", "lastordefault", "find", "elementat", "getvalueordefault", "findfirst", "findany", "orelse", "orelsethrow", "orelseget":
	case "stream", "filter", "where", "values", "asenumerable", "orderby":
	default:
		return
	}
	out.Shared = strings.TrimSuffix(r.Shared, "[]") + "[]"
	out.Local, out.Type, out.Class = false, "", nil
	out.Reads = addEffects(nil, []*Effect{t.sharedRead(out.Shared)})
}

// madeAnew drops what a generated mapper's object was read from when it is of
// another type that has no part named as its id: then it is no record that is there.
func (t *tracer) madeAnew(out *Value, args []*Value) {
	if len(args) == 0 || args[0].Class == nil || out.Class == nil || args[0].Class == out.Class {
		return
	}
	if id, _, known := t.idField(out.Class); known {
		if _, has := t.repo.field(args[0].Class, id.Name); !has {
			out.Reads = nil
		}
	}
}
