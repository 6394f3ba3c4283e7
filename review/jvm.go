package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// What Java code says in a form of its own: types found by package, builders,
// answers that come in a wrapper, requests and statements declared on the
// methods of an interface.

// visibleTypes are those of all that a bare or dotted name can mean in a Java
// file: imported by name, of the same file or package, of an imported package.
func visibleTypes(from *File, full, name string, all []*Type) []*Type {
	head, _, _ := strings.Cut(full, ".")
	keep := func(ok func(*Type) bool) []*Type {
		var out []*Type
		for _, t := range all {
			if ok(t) {
				out = append(out, t)
			}
		}
		return out
	}
	if full != "" && full[0] >= 'a' && full[0] <= 'z' { // written with its package
		return keep(func(t *Type) bool {
			return t.File.Package != "" && strings.HasPrefix(full, t.File.Package+".")
		})
	}
	for _, im := range from.Imports {
		if im.Name == head {
			return keep(func(t *Type) bool {
				return im.Path == t.File.Package || strings.HasPrefix(im.Path, t.File.Package+".") && t.File.Package != ""
			})
		}
	}
	if own := keep(func(t *Type) bool { return t.File == from }); len(own) > 0 {
		return own
	}
	if own := keep(func(t *Type) bool { return t.File.Package == from.Package }); len(own) > 0 {
		return own
	}
	return keep(func(t *Type) bool {
		return slices.ContainsFunc(from.Imports, func(im Import) bool { return im.Member == "*" && im.Path == t.File.Package })
	})
}

// fluent explains calls by the conventions of Java libraries: it reports false
// when none applies.
func (t *tracer) fluent(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	if s.file.Language != "java" || c.name == "" {
		return nil, false
	}
	if e.New {
		return t.created(c, e, args, s)
	}
	if c.recv == nil {
		return nil, false
	}
	if c.recv.builder {
		if v, ok := t.build(c, args); ok {
			return v, true
		}
	}
	if len(args) == 0 && c.recv.Class != nil && !c.recv.Class.Interface && t.accessed(c) != "" && !t.written(c, e) { // made by Lombok, or of a record
		return t.member(c.recv, t.accessed(c), s, e), true
	}
	if namesType(e.X.X) {
		return t.factory(c, e, args)
	}
	if requestMaker(c.recv.Type) && verbWord(c.name) != "" && len(args) == 0 || c.norm == "method" && requestMaker(c.recv.Type) && len(args) == 1 {
		v := &Value{Type: c.recv.Type, Lib: c.recv.Lib, Local: true, builder: true, Fields: map[string]*Value{}, where: c.recv.where}
		v.Fields["method"] = &Value{Text: verbWord(c.name), HasTxt: true, Origin: FromConst}
		if len(args) == 1 {
			v.Fields["method"] = args[0]
		}
		return v, true
	}
	if c.norm == "newcall" && len(args) == 1 {
		v := *args[0]
		v.Type, v.Lib, v.builder = "Call", "okhttp3", false
		return &v, true
	}
	if updateObject(c.recv.Type) && len(args) > 0 {
		switch c.norm {
		case "inc", "push", "setoninsert":
			t.store(c.recv, "$"+c.name, args[len(args)-1])
			return c.recv, true
		case "set", "addtoset", "unset", "currentdate":
			c.recv.absorb(blend(args...))
			return c.recv, true
		}
	}
	if v, ok := t.computed(c, e, args, s); ok {
		return v, true
	}
	switch c.norm {
	case "subtract", "minus", "plus", "multiply", "divide":
		if len(args) > 0 {
			return t.combine(arithmetic[c.norm], c.recv, args[0]), true
		}
	case "add":
		if n := c.recv.Type; len(args) == 1 && (n == "BigDecimal" || n == "BigInteger" || n == "Money" || n == "MonetaryAmount") {
			return t.combine("+", c.recv, args[0]), true
		}
	}
	if c.norm == "set" && len(args) > 0 {
		columnChanged(c, text(e.Args[len(e.Args)-1].Value))
	}
	return t.unwrap(c, args, s)
}

// computed is map.compute(key, f) and its kin on a map that outlives the body: f
// makes the new value of the old one.
func (t *tracer) computed(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	r := c.recv
	if c.norm != "compute" && c.norm != "merge" && c.norm != "computeifpresent" || r.Shared == "" || r.Local || len(args) < 2 {
		return nil, false
	}
	old := &Value{Origin: FromOutside, Reads: addEffects(nil, []*Effect{t.sharedRead(r.Shared + "[]")})}
	v := blend(args[1])
	for _, a := range args[1:] {
		if a.Fn == nil {
			continue
		}
		ps := []*Value{args[0], old}
		if c.norm == "merge" {
			ps = []*Value{old, args[1]}
		}
		v = join(v, t.enter(a.Fn, ps, nil, a.scope, a.Fn.Line, s))
		if c.norm == "merge" && len(v.Rel) == 0 { // Integer::sum
			v.Rel = old.Reads
		}
	}
	eff := &Effect{Class: knowledge.Put, Resource: "memory:" + r.Shared + "[]", Callee: c.text, Memory: true, Key: args[0], Value: v, Site: t.site(s, e.Line, e.EndLine), Path: t.trail(), Loop: t.loops > 0, Conds: t.standing(), order: len(t.effects), Tries: slices.Clone(t.tries)}
	t.relative(eff)
	t.record(eff)
	return v, true
}

var arithmetic = map[string]string{"subtract": "-", "minus": "-", "plus": "+", "multiply": "*", "divide": "/"}

// columnChanged is a link set(COLUMN, COLUMN.plus(n)) after an update.
func columnChanged(c *callee, value string) {
	for _, w := range []string{".plus(", ".minus(", ".add(", ".sub(", ".mul(", ".concat("} {
		if !strings.Contains(value, w) {
			continue
		}
		for _, eff := range c.recv.From {
			if eff.Class == knowledge.Put && eff.Row != nil && eff.Row.Lib == "jooq" {
				eff.Class, eff.Relative = knowledge.Increment, true
			}
		}
	}
}

func requestMaker(typ string) bool {
	return typ == "WebClient" || typ == "RestClient"
}

func updateObject(typ string) bool { return typ == "Update" || typ == "UpdateDefinition" }

// namesType reports an expression that is a type, not a value.
func namesType(e *Expr) bool {
	if e == nil || e.Op != OpName && e.Op != OpMember && e.Op != OpType || e.Name == "" {
		return false
	}
	n := lastSegment(e.Name)
	return n[0] >= 'A' && n[0] <= 'Z' && strings.ToUpper(n) != n || n == "URI" || n == "UUID" || n == "DSL" || n == "SNS" || n == "SQS"
}

// created is new T(…) of another library: builders, and wrappers that stand for
// what they are given.
func (t *tracer) created(c *callee, e *Expr, args []*Value, s *scope) (*Value, bool) {
	if c.fn != nil && c.fn.Class != nil {
		return nil, false
	}
	full := text(e.X)
	if head, ok := strings.CutSuffix(full, "Builder"); ok {
		v := t.result(c, e, args, nil, s)
		v.Type, v.builder, v.Local = lastSegment(strings.TrimSuffix(head, ".")), true, true
		if v.Fields == nil {
			v.Fields = map[string]*Value{}
		}
		return v, true
	}
	switch c.norm {
	case "url", "uri", "bufferedwriter", "printwriter", "outputstreamwriter", "bufferedoutputstream", "bigdecimal", "string", "atomicreference":
		if len(args) > 0 {
			return args[0], true
		}
	case "httppost", "httpput", "httpget", "httpdelete", "httppatch":
		v := t.result(c, e, args, nil, s)
		v.Fields = map[string]*Value{"method": {Text: strings.ToUpper(c.norm[4:]), HasTxt: true, Origin: FromConst}}
		if len(args) > 0 {
			v.Fields["url"] = args[0]
		}
		return v, true
	}
	return nil, false
}

// build is a link of a builder chain.
func (t *tracer) build(c *callee, args []*Value) (*Value, bool) {
	b := c.recv
	switch c.norm {
	case "build", "buildclient", "buildandexpand":
		v := *b
		v.builder = false
		return &v, true
	case "retrieve", "exchange", "exchangetomono", "exchangetoflux", "send", "execute":
		return nil, false
	}
	b.absorb(blend(args...))
	name := strings.TrimPrefix(strings.TrimPrefix(c.name, "with"), "set")
	if name != "" && name != c.name {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	name = either(name, c.name)
	switch {
	case verbWord(c.name) != "" && (len(args) == 0 || strings.Contains(strings.ToLower(b.Type), "request")):
		b.Fields["method"] = &Value{Text: verbWord(c.name), HasTxt: true, Origin: FromConst}
	case len(args) == 0:
		b.Fields[name] = &Value{Origin: FromConst}
	case len(args) >= 2 && args[0].HasTxt && len(args[0].Parts) == 0:
		b.Fields[args[0].Text] = args[1]
		if c.norm == "method" {
			b.Fields["method"] = args[0]
		}
	default:
		b.Fields[name] = args[0]
	}
	return b, true
}

// factory is a static method of a library's type.
func (t *tracer) factory(c *callee, e *Expr, args []*Value) (*Value, bool) {
	if c.recv.Class != nil && t.repo.method(c.recv.Class, c.name) != nil {
		return nil, false
	}
	typ := lastSegment(e.X.X.Name)
	if requestMaker(typ) && c.norm == "create" || len(args) == 0 && (c.norm == "create" || c.norm == "newhttpclient" || c.norm == "createdefault" || c.norm == "getinstance" || c.norm == "newinstance") {
		v := blend(args...)
		v.Type, v.Lib, v.Class, v.where = typ, c.recv.Lib, c.recv.Class, firstText(args)
		v.Origin |= FromConst
		return v, true
	}
	switch c.norm {
	case "builder", "newbuilder":
		v := blend(args...)
		v.Type, v.Lib, v.Class, v.Local, v.builder, v.Fields = typ, c.recv.Lib, c.recv.Class, true, true, map[string]*Value{}
		if len(args) == 1 && args[0].HasTxt {
			v.Fields["uri"] = args[0]
		}
		return v, true
	case "ofnullable", "just", "requirenonnull", "completedfuture", "justorempty", "ofstring", "ofbytearray", "success", "toid":
		if len(args) > 0 {
			return args[0], true
		}
	case "of", "aslist", "singletonlist", "entry", "singletonmap", "get", "create", "ofentries", "singleton", "copyof", "valueof":
		return t.collected(c, typ, args)
	}
	return nil, false
}

func (t *tracer) collected(c *callee, typ string, args []*Value) (*Value, bool) {
	switch typ {
	case "Optional", "URI", "String", "BigDecimal", "Integer", "Long":
		if len(args) > 0 {
			return args[0], true
		}
	case "Path", "Paths":
		if len(args) == 1 {
			return args[0], true
		}
		return t.concat(args...), true
	case "Map", "Collections":
		if typ == "Collections" && c.norm != "singletonmap" {
			break
		}
		v := blend(args...)
		v.Local, v.Type, v.Fields = true, "Map", map[string]*Value{}
		for i := 0; i+1 < len(args) && c.norm != "ofentries" && c.norm != "copyof"; i += 2 {
			if k := keyText(args[i]); k != "" {
				v.Fields[k] = args[i+1]
			}
		}
		if c.norm == "ofentries" || c.norm == "copyof" {
			v.Fields = mergeFields(v.Fields, &callee{}, args)
		}
		return v, true
	case "List", "Set", "Arrays", "Flux", "Stream":
		v := blend(args...)
		v.Local, v.Type, v.Elems = true, typ, args
		return v, true
	}
	return nil, false
}

// unwrap is an answer taken out of its wrapper: Optional, Mono, a future.
func (t *tracer) unwrap(c *callee, args []*Value, s *scope) (*Value, bool) {
	r := c.recv
	switch c.norm {
	case "get", "join", "block", "blockoptional", "orelsethrow", "orelse", "orelseget", "blockfirst", "blocklast", "tofuture", "onerrorresume", "onerrormap", "onerrorreturn", "doonsuccess", "doonerror", "subscribeon", "publishon", "timeout", "retrywhen", "retry", "switchifempty", "defaultifempty", "single", "getbody", "getvalue", "getdata", "stream", "tolist", "findfirst", "findany", "getfirst", "getcontent", "toentity", "bodytomono", "bodytoflux", "body", "entity", "string":
	case "map", "flatmap", "thenapply", "thencompose", "thenaccept", "ifpresent", "foreach", "peek", "then", "thenreturn", "filter", "collect", "handle", "whencomplete", "exceptionally", "ifpresentorelse", "subscribe":
		if !slices.ContainsFunc(args, func(a *Value) bool { return a.Fn != nil }) && len(r.From) == 0 && len(r.Reads) == 0 {
			return nil, false
		}
		return t.mapped(c, args, s), true
	default:
		return nil, false
	}
	inMemory := r.Shared != "" && (c.norm == "stream" || c.norm == "findfirst" || c.norm == "findany" || strings.HasPrefix(c.norm, "orelse") || c.norm == "tolist")
	if len(r.From) == 0 && !inMemory || c.norm == "get" && len(args) == 1 && (args[0].HasTxt || args[0].Sym != "") {
		return nil, false
	}
	v := *r
	v.Lib = ""
	for _, a := range args {
		switch {
		case a.Fn != nil && (c.norm == "orelseget" || c.norm == "switchifempty"):
			v = *join(&v, t.enter(a.Fn, nil, nil, a.scope, a.Fn.Line, s))
		case a.Fn == nil && (c.norm == "orelse" || c.norm == "defaultifempty"):
			v = *join(&v, a)
		case a.Type != "" && a.Origin == FromConst && a.Sym == "" && v.Class == nil: // X.class
			v.Type, v.Class = a.Type, a.Class
		}
	}
	return &v, true
}

// mapped runs the function given to an answer with what is in it.
func (t *tracer) mapped(c *callee, args []*Value, s *scope) *Value {
	out := *c.recv
	out.Lib = ""
	item := t.element(c.recv, s)
	if item.Class == nil {
		item.Class, item.Type = c.recv.Class, c.recv.Type
	}
	loop := iterates(c.norm) && !strings.Contains("Optional Mono", c.recv.Type)
	if loop {
		t.loops++
	}
	for _, a := range args {
		if a.Fn == nil {
			out.absorb(a)
			continue
		}
		ps := make([]*Value, len(a.Fn.Params))
		for i := range ps {
			ps[i] = item
		}
		v := t.enter(a.Fn, ps, nil, a.scope, a.Fn.Line, s)
		switch c.norm {
		case "map", "flatmap", "thenapply", "thencompose", "handle":
			out = *v
			out.absorb(&Value{From: c.recv.From, Reads: c.recv.Reads})
		}
	}
	if loop {
		t.loops--
	}
	return &out
}

// ofJava reports a collection in memory: the names around it say nothing.
func ofJava(c *callee) bool {
	if c.recv == nil || c.recv.Shared == "" || len(c.recv.From) > 0 {
		return false
	}
	for _, n := range []string{"Map", "List", "Set", "Deque", "Queue"} {
		if strings.HasSuffix(c.recv.Type, n) {
			return true
		}
	}
	return false
}

var taken = map[string]bool{"get": true, "getordefault": true, "getfirst": true, "getlast": true, "computeifabsent": true}

// javaResult types an answer by the class it was asked for, and forgets the
// library that gave it.
func javaResult(out *Value, c *callee, args []*Value, eff *Effect) {
	if eff != nil {
		out.Lib = ""
	}
	if c.recv != nil && sqlVerb.MatchString(c.recv.where) && !sqlVerb.MatchString(out.where) {
		out.where = c.recv.where
	}
	if r := c.recv; eff == nil && r != nil && r.Shared != "" && !r.Local && taken[c.norm] && (collection(r.Type) || strings.HasSuffix(r.Shared, "s")) {
		out.Shared, out.Reads = r.Shared+"[]", addEffects(out.Reads, r.Reads) // what is taken out is still the shared object
	}
	for _, a := range args {
		if a.Type != "" && a.Origin == FromConst && a.Sym == "" && out.Class == nil && a.Class != nil {
			out.Type, out.Class = a.Type, a.Class
		}
	}
	if eff == nil || c.recv == nil || c.recv.Class == nil || out.Class != nil {
		return
	}
	for _, b := range c.recv.Class.Bases { // JpaRepository<Order, Long> answers orders
		if i := strings.IndexByte(b, '<'); i > 0 && eff.Class == knowledge.Read {
			out.Type = typeName(firstArg(strings.TrimSuffix(b[i+1:], ">")))
		}
	}
}

// javaEntity tells what save does with an object: one that was read is written
// back, one with an id of its own is overwritten, a new one is inserted.
func (t *tracer) javaEntity(eff *Effect) {
	v := eff.Value
	f, generated, known := t.idField(v.Class)
	read := slices.ContainsFunc(v.Reads, func(r *Effect) bool { return !r.Memory || !v.mapped }) // a mapper in a field is no record
	if read || !v.Local && !(generated && (v.mapped || t.creates(v))) {
		return
	}
	name := f.Name
	if !known {
		name = "id"
	}
	id := v.Fields[name]
	if id == nil && known && f.Value != nil {
		id = t.fieldValue(f, v)
	}
	if id != nil && !generated {
		eff.Key, eff.KeyName = id, name
		if !id.Origin.Fresh() && id.Origin.Distinct() {
			return // save of an id that is there overwrites
		}
	}
	eff.Class = knowledge.Insert
}

// creates reports an object that came in with a request or as the input, in a
// function whose name says that it makes a new one: the database gives it its id.
func (t *tracer) creates(v *Value) bool {
	if v.Origin != FromInput || len(v.Fields) > 0 || len(v.Reads) > 0 {
		return false
	}
	for i := len(t.stack) - 1; i >= 0; i-- {
		if t.stack[i] == nil {
			continue
		}
		w := words(t.stack[i].Name)
		if len(w) == 0 {
			continue // a lambda
		}
		switch w[0] {
		case "create", "add", "insert", "register", "place", "new", "open", "submit":
			return true
		case "update", "save", "set", "put", "edit", "change", "modify", "upsert":
			return false
		}
	}
	return false
}

// accessed is the field that a call without arguments answers: a record's
// component, a boolean's is….
func (t *tracer) accessed(c *callee) string {
	if c.recv.Class == nil {
		return ""
	}
	if _, ok := t.repo.field(c.recv.Class, c.name); ok {
		return c.name
	}
	for _, pre := range []string{"get", "is"} {
		if n, ok := strings.CutPrefix(c.name, pre); ok && n != "" {
			n = strings.ToLower(n[:1]) + n[1:]
			if _, ok := t.repo.field(c.recv.Class, n); ok {
				return n
			}
		}
	}
	return ""
}

// ownCounters drops the counting of its own runs that an activity object keeps
// in a field, when no answer is made of it: demos fail their first attempts so.
func (t *tracer) ownCounters(result *Value) []*Effect {
	owner := t.fn.Owner
	switch t.fn.File.Language {
	case "go", "javascript", "typescript":
		return t.attemptCounters(result)
	case "java":
	default:
		return t.effects
	}
	if owner == nil {
		return t.effects
	}
	return slices.DeleteFunc(t.effects, func(e *Effect) bool {
		field, own := strings.CutPrefix(trimIndex(e.Resource), "memory:"+owner.Name+".")
		if !own || !e.Memory || e.Class != knowledge.Increment || strings.Contains(field, ".") || e.Value != nil && e.Value.Origin != FromConst {
			return false
		}
		return result == nil || !slices.ContainsFunc(result.Reads, func(r *Effect) bool { return trimIndex(r.Resource) == trimIndex(e.Resource) })
	})
}
