package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// declared is a call of an interface's method whose annotation says what it
// does: an HTTP client's request, a repository's or mapper's statement.
func (t *tracer) declared(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	if c.recv == nil || c.recv.Class == nil || !c.recv.Class.Interface {
		return nil, false
	}
	fn := t.repo.overload(c.recv.Class, c.name, len(e.Args))
	if fn == nil || !fn.Abstract {
		return nil, false
	}
	for _, a := range fn.Annotations {
		n := annotationName(a)
		at := t.annotationText(a, fn)
		switch {
		case n == "workflowmethod" || n == "signalmethod" || n == "querymethod" || n == "updatemethod":
			return t.stubMethod(n, c, e, args, fn, s), true
		case declaredVerbs[n] != "" || n == "requestmapping" || n == "httpexchange" || n == "requestline":
			verb := declaredVerbs[n]
			if v, path, ok := strings.Cut(at, " "); n == "requestline" && ok {
				verb, at = v, path
			}
			if w := verbWord(text(a)); verb == "" {
				verb = w
			}
			for _, arg := range a.Args {
				if arg.Name == "method" {
					verb = either(verbWord(text(arg.Value)), verb)
				}
			}
			url := &Value{Text: t.clientPath(c.recv.Class) + "/" + strings.TrimPrefix(at, "/"), HasTxt: true, Origin: FromConst}
			return t.declaredCall(&knowledge.Row{Name: c.norm, Class: knowledge.HTTP, Verb: either(verb, "GET")}, c, e, fn, args, url, s), true
		case at != "" && (n == "query" || n == "insert" || n == "update" || n == "delete" || n == "select" || n == "sqlupdate" || n == "sqlquery" || n == "nativequery"):
			return t.declaredCall(&knowledge.Row{Name: c.norm, Class: knowledge.SQL}, c, e, fn, args, &Value{Text: at, HasTxt: true, Origin: FromConst}, s), true
		}
	}
	return nil, false
}

// stubMethod is a call of a workflow's interface: on a stub it starts the run,
// or sends it a signal. The id stands in the options the stub was made with.
func (t *tracer) stubMethod(kind string, c *callee, e *Expr, args []*Value, fn *Func, s *scope) *Value {
	row := &knowledge.Row{Lib: "io.temporal", Name: c.norm, Class: knowledge.None}
	switch kind {
	case "workflowmethod":
		row.Class = knowledge.Start
	case "signalmethod":
		row.Class = knowledge.Publish
	}
	eff := t.effect(row, c, e, args, s)
	if eff.Class == knowledge.Start {
		eff.Key = fieldNorm(c.recv, "workflowid")
	}
	out := t.result(c, e, args, eff, s)
	t.resultType(out, fn)
	return out
}

// stubID is the workflow id of the stub whose method is handed over to be
// started: WorkflowClient.start(flow::run, order).
func (t *tracer) stubID(args []*Value) *Value {
	for _, a := range args {
		if a.Fn == nil || len(a.Fn.Body) != 1 {
			continue
		}
		call := a.Fn.Body[0].Value
		if call == nil || call.Op != OpCall || call.X == nil || call.X.Op != OpMember {
			continue
		}
		var id *Value
		t.silently(func() { id = fieldNorm(t.eval(call.X.X, a.scope), "workflowid") })
		if id != nil {
			return id
		}
	}
	return nil
}

var declaredVerbs = map[string]string{
	"getmapping": "GET", "postmapping": "POST", "putmapping": "PUT", "deletemapping": "DELETE", "patchmapping": "PATCH",
	"getexchange": "GET", "postexchange": "POST", "putexchange": "PUT", "deleteexchange": "DELETE", "patchexchange": "PATCH",
	"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "head": "HEAD",
}

// annotationText is the first text in an annotation, constants joined.
func (t *tracer) annotationText(a *Expr, fn *Func) string {
	if a.Op != OpCall {
		return ""
	}
	for _, arg := range a.Args {
		if arg.Name == "" || arg.Name == "value" || arg.Name == "path" || arg.Name == "url" {
			v := t.eval(arg.Value, t.module(fn.File))
			if !v.HasTxt && len(v.Elems) > 0 {
				v = v.Elems[0]
			}
			if v.HasTxt {
				return v.Text
			}
		}
	}
	return ""
}

func (t *tracer) clientPath(ty *Type) string {
	for _, a := range ty.Annotations {
		if n := annotationName(a); n == "feignclient" || n == "requestmapping" || n == "httpexchange" || n == "path" {
			for _, arg := range a.Args {
				if arg.Value != nil && arg.Value.Op == OpString && !strings.Contains(arg.Value.Name, "${") && (arg.Name == "path" || arg.Name == "url" || arg.Name == "" && n != "feignclient" || arg.Name == "value" && n != "feignclient") {
					return arg.Value.Name
				}
			}
		}
	}
	return "{}/{}" // where the other side is, and below which path, is configuration
}

// declaredCall makes the effect as if the text had been an argument; a parameter
// that an annotation names as a key header gives the key.
func (t *tracer) declaredCall(r *knowledge.Row, c *callee, e *Expr, fn *Func, args []*Value, what *Value, s *scope) *Value {
	call := &Expr{Op: OpCall, X: e.X, Line: e.Line, EndLine: e.EndLine, Args: []Arg{{Value: &Expr{Op: OpString, Name: what.Text}}}}
	all := []*Value{what}
	for i, a := range e.Args {
		if i >= len(args) {
			break
		}
		name := ""
		if i < len(fn.Params) {
			for _, an := range fn.Params[i].Annotations {
				switch annotationName(an) {
				case "requestheader", "header", "headerparam", "requestparam", "query", "param":
					if k := firstLiteral(an); knowledge.KeyName(k) != "" || annotationName(an) == "param" {
						name = k
					}
				}
			}
		}
		call.Args = append(call.Args, Arg{Name: name, Value: a.Value})
		all = append(all, args[i])
	}
	eff := t.effect(r, c, call, all, s)
	out := t.result(c, e, args, eff, s)
	t.resultType(out, fn)
	return out
}

// idField is the field of an entity that identifies it, and whether somebody
// else makes its value.
func (t *tracer) idField(ty *Type) (Field, bool, bool) {
	for range 4 {
		if ty == nil {
			break
		}
		for _, f := range ty.Fields {
			generated, id := false, false
			for _, a := range f.Annotations {
				switch annotationName(a) {
				case "id", "embeddedid", "mongoid", "dynamodbhashkey", "primarykey":
					id = true
				case "generatedvalue", "uuidgenerator", "genericgenerator":
					generated = true
				}
			}
			if id {
				return f, generated, true
			}
		}
		var next *Type
		for _, b := range ty.Bases {
			if bt := t.repo.typeNamed(ty.File, b); bt != nil && bt != ty && !bt.Interface {
				next = bt
			}
		}
		ty = next
	}
	return Field{}, false, false
}

// transactional reports a method whose changes of what it read are written when
// it ends.
func transactional(fn *Func) bool {
	has := func(as []*Expr) bool {
		return slices.ContainsFunc(as, func(a *Expr) bool {
			return annotationName(a) == "transactional" && !strings.Contains(text(a), "readOnly")
		})
	}
	return has(fn.Annotations) || fn.Owner != nil && fn.Exported && has(fn.Owner.Annotations)
}

// flush writes the entities that a transactional method changed.
func (t *tracer) flush(fn *Func, s *scope) {
	var keep []*Value
	for _, d := range t.dirty {
		if d.Class == nil || !slices.ContainsFunc(d.Class.Annotations, func(a *Expr) bool { n := annotationName(a); return n == "entity" }) {
			keep = append(keep, d)
			continue
		}
		saved := slices.ContainsFunc(t.effects, func(e *Effect) bool { return e.Value == d })
		if saved {
			continue
		}
		eff := &Effect{Class: knowledge.Put, Resource: d.Class.Name, Callee: "commit of " + fn.Name, Value: d, Key: &Value{Origin: FromOutside}, Site: t.site(s, fn.Line, fn.Line), Path: t.trail(), Conds: t.standing(), order: len(t.effects)}
		if len(d.Rel) > 0 {
			eff.Relative, eff.DerivedFrom = true, d.Rel[0]
		}
		t.record(eff)
	}
	t.dirty = keep
}
