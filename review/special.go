package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// special handles the rows whose class depends on what they are given: document
// updates, entity saves, reads into an argument, requests made before they are
// sent. It returns the class it decided.
func (t *tracer) special(eff *Effect, c *callee, e *Expr, args []*Value, s *scope) {
	switch eff.Class {
	case "mediate":
		eff.Class = knowledge.Act
	case knowledge.Program:
		t.program(eff, args)
	case "blob":
		t.blob(eff, c, e, args)
	case "tableop":
		tableOperation(eff)
	case "patchitem":
		patchItem(eff, e)
	case "executeupdate":
		eff.Class = knowledge.Put
		if changesOwn(e) {
			eff.Class, eff.Relative = knowledge.Increment, true
		}
	case "mongo":
		t.document(eff, e, args)
	case "dynamo":
		t.dynamo(eff, e, args)
	case "prisma":
		eff.Class = knowledge.Put
		if hasKey(eff.Value, "increment", 4) || hasKey(eff.Value, "decrement", 4) || hasKey(eff.Value, "multiply", 4) {
			eff.Class, eff.Relative = knowledge.Increment, true
		} else if hasKey(eff.Value, "push", 4) {
			eff.Class = knowledge.Append
		}
	case "entity":
		t.entity(eff)
	case "nio":
		eff.Class = knowledge.Put
		if strings.Contains(text(e), "APPEND") {
			eff.Class = knowledge.Append
		}
	case "into":
		eff.Class = knowledge.Read
	case "signalentity":
		eff.Class = knowledge.Publish
		if setsOnly(args) {
			eff.Class = knowledge.Put
		}
	case knowledge.Act:
		if c.norm == "rpc" && len(args) > 0 && knowledge.ReaderPath(args[0].Text, "") {
			eff.Class = knowledge.Read
		}
	case knowledge.Builder:
		eff.Class = knowledge.Put
		if strings.HasPrefix(c.norm, "insert") {
			eff.Class = knowledge.Insert
		}
	case knowledge.Command:
		t.command(eff, args)
	case knowledge.Output:
		t.output(eff, args)
	}
}

func (t *tracer) document(eff *Effect, e *Expr, args []*Value) {
	eff.Class = knowledge.Put
	for _, a := range args {
		switch {
		case hasKey(a, "$inc", 3) || hasKey(a, "$mul", 3):
			eff.Class, eff.Relative = knowledge.Increment, true
		case hasKey(a, "$push", 3):
			eff.Class = knowledge.Append
		}
		if hasKey(a, "$setOnInsert", 3) && eff.Class == knowledge.Put {
			eff.Conditional = "$setOnInsert"
		}
	}
	said := text(e)
	for _, a := range args {
		said += " " + a.Sym
	}
	said = strings.NewReplacer(".Inc(", "$inc", ".Mul(", "$inc", ".Push(", "$push", ".PushEach(", "$push", ".SetOnInsert(", "$setOnInsert").Replace(said)
	for _, w := range []string{"$inc", "$push", "$setOnInsert"} {
		if !strings.Contains(said, w) {
			continue
		}
		switch {
		case w == "$inc":
			eff.Class, eff.Relative = knowledge.Increment, true
		case w == "$push" && eff.Class == knowledge.Put:
			eff.Class = knowledge.Append
		case w == "$setOnInsert" && eff.Class == knowledge.Put:
			eff.Conditional = w
		}
	}
}

func (t *tracer) dynamo(eff *Effect, e *Expr, args []*Value) {
	eff.Class = knowledge.Put
	for i, a := range e.Args {
		n := knowledge.Norm(a.Name)
		if i >= len(args) {
			break
		}
		vals := []*Value{}
		if n == "updateexpression" || n == "conditionexpression" {
			vals = append(vals, args[i])
		}
		for _, k := range []string{"UpdateExpression", "ConditionExpression"} {
			if f := fieldNorm(args[i], k); f != nil {
				vals, n = append(vals, f), knowledge.Norm(k)
			}
		}
		for _, v := range vals {
			up := strings.ToUpper(v.Text)
			if n == "updateexpression" && (strings.HasPrefix(strings.TrimSpace(up), "ADD ") || strings.Contains(up, " ADD ") || changesItself(strings.TrimPrefix(v.Text, "SET "))) {
				eff.Class, eff.Relative = knowledge.Increment, true
			}
			if n == "updateexpression" && strings.Contains(up, "LIST_APPEND") {
				eff.Class = knowledge.Append
			}
			if strings.Contains(strings.ToLower(v.Text), "attribute_not_exists") {
				eff.Conditional = "attribute_not_exists"
			}
		}
	}
}

// entity tells an object mapper's save of a new object from that of a known
// one: an object that was read, or that carries an id, is overwritten.
func (t *tracer) entity(eff *Effect) {
	v := eff.Value
	eff.Class = knowledge.Put
	if v == nil {
		return
	}
	if v.Class != nil && v.Class.File != nil && v.Class.File.Language == "java" {
		t.javaEntity(eff)
		return
	}
	if v.Local && (len(v.Reads) == 0 || eff.Row != nil && eff.Row.Value == "recv") { // made here, whatever its parts were read from
		eff.Class = knowledge.Insert
		for _, n := range []string{"id", "ID", "Id", "_id"} {
			if id := v.Fields[n]; id != nil {
				eff.Key, eff.KeyName = id, n
				if !id.Origin.Fresh() && id.Origin.Distinct() {
					eff.Class = knowledge.Put
				}
			}
		}
	}
}

func hasKey(v *Value, name string, depth int) bool {
	if v == nil || depth == 0 {
		return false
	}
	if _, ok := v.Fields[name]; ok {
		return true
	}
	for _, f := range v.Fields {
		if hasKey(f, name, depth-1) {
			return true
		}
	}
	for _, el := range v.Elems {
		if hasKey(el, name, depth-1) {
			return true
		}
	}
	return false
}

// into lets a call that fills an argument, such as Unmarshal(data, &x), make
// that argument of what the call was given and answered.
func into(e *Expr, args []*Value, recv *Value, eff *Effect) {
	for i, a := range e.Args {
		if i >= len(args) || a.Value == nil || a.Value.Op != OpUnary || a.Value.Name != "&" || a.Value.X == nil || a.Value.X.Op != OpName {
			continue
		}
		target := args[i]
		if recv != nil {
			target.absorb(&Value{Origin: recv.Origin, Reads: recv.Reads, From: recv.From})
		}
		for j, other := range args {
			if j != i {
				target.absorb(&Value{Origin: other.Origin, Reads: other.Reads, From: other.From})
			}
		}
		if eff != nil && (eff.Class == knowledge.Read) {
			target.Reads = addEffects(target.Reads, []*Effect{eff})
			target.Origin |= FromOutside
			target.Local, target.Fields = false, nil
		}
		for _, other := range args {
			if other != target && len(other.Reads) > 0 {
				target.Local = false
			}
		}
	}
}

// dupCatch says whether a handler recognises a refused repeat.
func dupCatch(catches []Catch) string {
	for i := range catches {
		k := &catches[i]
		if s := dupBranch(k.Body); s != "" {
			return s
		}
		if raises(k.Body) {
			continue
		}
		for _, ty := range k.Types {
			if w := dupWord(ty); w != "" {
				return ty
			}
		}
		for _, v := range k.Values {
			if w := dupWord(text(v)); w != "" {
				return text(v)
			}
		}
	}
	return ""
}

// dupBranch is a test inside a handler that recognises a refused repeat.
func dupBranch(body []*Stmt) string {
	for _, st := range body {
		if st.Op == If {
			s := text(st.Value)
			unequal := strings.Contains(s, "!=") || strings.HasPrefix(s, "!")
			if dupWord(s) != "" && raises(st.Body) == unequal { // if (duplicate) return; if (!duplicate) throw
				return clip(s, 60)
			}
			if s := text(st.Value); dupWord(s) != "" && raises(st.Body) && othersOnly(st.Value) {
				return clip(s, 60)
			}
			if s := dupBranch(st.Else); s != "" {
				return s
			}
		}
	}
	return ""
}

func dupWord(s string) string {
	n := strings.ToLower(s)
	flat := strings.ReplaceAll(n, "_", "")
	for _, w := range knowledge.Duplicate {
		if strings.Contains(n, w) || strings.Contains(flat, w) {
			return w
		}
	}
	return ""
}

func missWord(s string) string {
	n := strings.ToLower(s)
	for _, w := range knowledge.Missing {
		if strings.Contains(n, w) {
			return w
		}
	}
	return ""
}

// errorTest reports a condition that only asks whether a call failed.
func errorTest(s string) bool {
	n := strings.ToLower(s)
	if n == "loop" || strings.HasPrefix(n, "catch") {
		return true
	}
	return strings.Contains(n, "err ") || strings.Contains(n, "err.") || strings.HasSuffix(n, "err") || strings.Contains(n, "status") || strings.Contains(n, ".ok") || strings.Contains(n, "error")
}

// othersOnly reports a condition that holds for every failure but a recognised
// one: err != nil && !os.IsNotExist(err), e.code !== "23505".
func othersOnly(e *Expr) bool {
	if e == nil {
		return false
	}
	known := func(x *Expr) bool { s := text(x); return dupWord(s) != "" || missWord(s) != "" }
	switch e.Op {
	case OpUnary:
		return e.Name == "!" && known(e.X)
	case OpBinary:
		switch e.Name {
		case "&&":
			return othersOnly(e.X) || othersOnly(e.Y)
		case "!=", "!==", "<>", "is not", "not in":
			return known(e)
		}
	}
	return false
}

// tested lets a test of a call's answer say that a refused repeat is taken as
// success: if isUniqueViolation(err) { return existing }.
func (t *tracer) tested(st *Stmt, cv *Value, s string) {
	dup, miss := dupWord(s), missWord(s)
	if dup == "" && miss == "" {
		return
	}
	if raises(st.Body) && !othersOnly(st.Value) {
		return
	}
	for _, e := range cv.From {
		if !e.Acts() {
			continue
		}
		if dup != "" && e.Caught == "" {
			e.Caught = clip(s, 60)
		}
		if miss != "" {
			e.Lenient = true
		}
	}
}
