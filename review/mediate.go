package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// given sets the type that a row says a call gives back.
func (t *tracer) given(r *knowledge.Row, v *Value, s *scope) *Value {
	if r.Gives != "" && v.Class == nil {
		v.Type, v.Lib = r.Gives, ""
	}
	return v
}

// madeRequest is a request object: verb and path are found in whatever order
// the library takes them, and kept until it is sent.
func (t *tracer) madeRequest(c *callee, e *Expr, args []*Value, s *scope) *Value {
	out := t.result(c, e, args, nil, s)
	fields := map[string]*Value{}
	for k, f := range out.Fields {
		fields[k] = f
	}
	out.Fields, out.Local = fields, true
	pos := plain(e, args, s.file)
	if s.file.Language == "go" && len(pos) > 2 && !pos[0].HasTxt && verbOf(pos[0]) == "" && verbWord(pos[0].Sym) == "" {
		out.Fields["method"] = pos[0] // a variable
		pos = pos[1:]
	}
	for _, v := range pos {
		switch {
		case verbOf(v) != "" || verbWord(v.Sym) != "":
			if v.HasTxt {
				out.Fields["method"] = v
			} else {
				out.Fields["method"] = &Value{Origin: FromConst, Text: verbWord(v.Sym), HasTxt: true}
			}
		case v.HasTxt || out.Fields["url"] == nil:
			out.Fields["url"] = v
		}
	}
	if out.Fields["method"] == nil && out.Fields["Method"] == nil && strings.HasPrefix(c.norm, "createinvoke") {
		out.Fields["method"] = &Value{Origin: FromConst, Text: "POST", HasTxt: true}
	}
	return out
}

// mediate follows a message that an in-process mediator hands to its handler:
// the type of the repository whose base names the message's type.
func (t *tracer) mediate(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	pos := plain(e, args, s.file)
	if len(pos) == 0 || pos[0].Class == nil {
		return nil, false
	}
	family, name := t.repo.family(s.file), pos[0].Class.Name
	t.repo.mention(family, name)
	var out *Value
	hit := false
	for _, base := range []string{"IRequestHandler", "ICommandHandler", "INotificationHandler", "IQueryHandler", "IDomainEventHandler"} {
		for _, ty := range t.repo.subs[family+" "+base] {
			if !handles(ty, base, name) {
				continue
			}
			for _, m := range []string{"Handle", "HandleAsync"} {
				if fn := t.repo.method(ty, m); fn != nil && !fn.Abstract {
					hit = true
					out = join(out, t.enterWith(fn, fn.Params, append([]*Value{pos[0]}, make([]*Value, max(0, len(fn.Params)-1))...), t.instance(ty), nil, e.Line, s))
				}
			}
		}
	}
	return out, hit
}

func handles(ty *Type, base, message string) bool {
	for _, b := range ty.Bases {
		head, rest, ok := strings.Cut(b, "<")
		if ok && lastSegment(head) == base && lastSegment(typeName(firstArg(strings.TrimSuffix(rest, ">")))) == message {
			return true
		}
	}
	return false
}

// extension is the C# extension method of this repository that a call on a
// value may mean.
func (t *tracer) extension(c *callee, s *scope) *Func {
	if c.recv == nil || s.file.Language != "csharp" || len(c.name) < 3 {
		return nil
	}
	var best []*Func
	for _, fn := range t.repo.funcsNamed(t.repo.family(s.file), c.name) {
		if !fn.Static || len(fn.Params) == 0 || !extends(&fn.Params[0]) || isTest(fn.File.Path) {
			continue
		}
		typ := lastSegment(typeName(fn.Params[0].Type))
		if have := lastSegment(c.recv.Type); have != "" && have != typ && "I"+have != typ && len(typ) > 1 && c.recv.Class == nil {
			continue
		}
		best = append(best, fn)
	}
	if len(best) == 0 {
		return nil
	}
	return nearest(s.file, best, func(fn *Func) *File { return fn.File })
}

func extends(p *Param) bool {
	for _, a := range p.Annotations {
		if a.Op == OpName && a.Name == "this" {
			return true
		}
	}
	return false
}

// blob is a write of an object by name. Without overwrite or options, the Azure
// client refuses a name that exists.
func (t *tracer) blob(eff *Effect, c *callee, e *Expr, args []*Value) {
	blocks := c.recv != nil && strings.Contains(strings.ToLower(c.recv.Type), "block")
	eff.Class = knowledge.Put
	if n := knowledge.Norm(calleeName(e.X)); n != "upload" && n != "uploadblob" || blocks {
		return // a block blob is written over
	}
	for i, a := range e.Args {
		if i == 0 || i >= len(args) || a.Value == nil || writesAnyway[knowledge.Norm(a.Name)] {
			continue
		}
		n := strings.ToLower(a.Name + " " + text(a.Value) + " " + args[i].Type)
		if calleeName(e.X) == "UploadBlobAsync" && i == 1 || strings.Contains(n, "cancel") || strings.HasSuffix(n, "ct ") || strings.Contains(n, "token") {
			continue
		}
		return
	}
	for _, before := range t.effects {
		if before.Class == knowledge.Delete {
			return
		}
	}
	eff.Strict = true
}

// writesAnyway are named arguments that leave the refusal of an existing blob as
// it is.
var writesAnyway = map[string]bool{"data": true, "name": true, "length": true, "metadata": true, "tags": true, "contentsettings": true, "encoding": true, "timeout": true, "maxconcurrency": true, "standardblobtier": true}

// tableOperation reads what an operation object of the older table client does.
func tableOperation(eff *Effect) {
	eff.Class = knowledge.Put
	if eff.Value == nil {
		return
	}
	n := strings.ToLower(eff.Value.Sym)
	switch {
	case eff.Value.Fields["insert"] != nil: // added to a batch
		eff.Class = knowledge.Insert
	case strings.Contains(n, "operation.retrieve"):
		eff.Class = knowledge.Read
	case strings.Contains(n, "operation.delete"):
		eff.Class = knowledge.Delete
	case strings.Contains(n, "operation.insert(") || strings.Contains(n, "operation.insert "):
		eff.Class = knowledge.Insert
	}
}

func patchItem(eff *Effect, e *Expr) {
	eff.Class = knowledge.Put
	v := &visitor{visit: func(x *Expr, _ *Func, _ bool) {
		if x.Op != OpCall {
			return
		}
		switch calleeName(x.X) {
		case "Increment":
			eff.Class, eff.Relative = knowledge.Increment, true
		case "Add":
			if p := firstLiteral(x); strings.HasSuffix(p, "/-") {
				eff.Class = knowledge.Append
			}
		}
	}}
	v.expr(e, false)
}

// changesOwn reports whether a call's functions compute with what they are
// given: SetProperty(p => p.Stock, p => p.Stock - n).
func changesOwn(e *Expr) bool {
	hit := false
	v := &visitor{}
	v.visit = func(x *Expr, in *Func, _ bool) {
		if x.Op != OpBinary || in == nil || x.Name != "+" && x.Name != "-" && x.Name != "*" {
			return
		}
		for _, side := range []*Expr{x.X, x.Y} {
			root := rootOf(side)
			for _, p := range in.Params {
				hit = hit || root != nil && side.Op == OpMember && root.Name == p.Name
			}
		}
	}
	v.expr(e, false)
	return hit
}
