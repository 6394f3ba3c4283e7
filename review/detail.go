package review

import (
	"maps"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// detail reads what the row leaves open: verb and path of a request, the
// statement in a text, keys, conditions, and whether the value was changed from
// what was read.
func (t *tracer) detail(eff *Effect, r *knowledge.Row, c *callee, e *Expr, args []*Value, s *scope) {
	t.special(eff, c, e, args, s)
	switch eff.Class {
	case knowledge.HTTP, knowledge.Invoke:
		t.request(eff, r, c, e, args, s)
	case knowledge.SQL:
		t.statement(eff, c, e, args, s)
	case knowledge.Binding:
		t.binding(eff, e, args, s)
	case knowledge.Commit:
		t.commit(eff)
	case knowledge.Put, knowledge.Insert, knowledge.Append:
		if eff.Resource == "" {
			eff.Resource = t.resource(eff, c, args)
		}
		if c.recv != nil && c.recv.opened == "append" {
			eff.Class = knowledge.Append
		}
	case knowledge.Start:
		t.startedID(eff, c, e, args, s)
		if eff.Key == nil && s.file.Language == "java" {
			eff.Key = t.stubID(args)
		}
	case knowledge.Read, knowledge.Increment, knowledge.Delete:
		eff.Resource = t.resource(eff, c, args)
	}
	if eff.Key == nil && (eff.Class == knowledge.Put || eff.Class == knowledge.Read && c.recv != nil && c.recv.Type == "File") && c.recv != nil && !strings.Contains(r.Key, "recv") {
		eff.Key = either2(c.recv.Fields["path"], nil)
	}
	t.dedupe(eff, c, e, args, s)
	t.rpc(eff, c, s)
	t.condition(eff, c, e)
	t.lookedUp(eff, c, e, s)
	t.relative(eff)
	if eff.Class == knowledge.Put && !eff.Relative && !eff.Memory {
		if len(args) == 2 && args[0].HasTxt { // update("points", gorm.Expr("points + ?", 10))
			args = append(slices.Clone(args), &Value{Fields: map[string]*Value{args[0].Text: args[1]}})
		}
		for _, a := range args {
			if t.columns(eff, a, s) {
				break
			}
		}
	}
}

// resource names what a call touches: entity type, collection or table in the
// chain, and for key-value stores the key.
func (t *tracer) resource(eff *Effect, c *callee, args []*Value) string {
	if strings.HasPrefix(c.norm, "readentity") && eff.Key != nil {
		return "entity:" + symOr(eff.Key)
	}
	if eff.Row != nil && eff.Row.Key != "" && eff.Key != nil {
		return eff.Row.Lib + ":" + symOr(eff.Key)
	}
	for _, a := range args {
		if a.Class != nil {
			return a.Class.Name
		}
	}
	if len(c.chain) > 0 {
		return c.chain[0]
	}
	return ""
}

// relative decides whether a write depends by arithmetic on a read of the same
// thing: then a second run changes it again.
func (t *tracer) relative(eff *Effect) {
	if eff.Class != knowledge.Put && eff.Class != knowledge.Create && eff.Class != knowledge.Insert {
		return
	}
	vs := append([]*Value{eff.Value}, eff.Args...)
	for _, v := range vs {
		if v == nil {
			continue
		}
		for _, read := range v.Rel {
			if t.sameThing(eff, read) {
				eff.Relative, eff.DerivedFrom = true, read
				return
			}
		}
	}
}

// sameThing compares what was read with what is written. Where either is not
// known, a write of a value that was read and changed is taken to go back.
func (t *tracer) sameThing(w, r *Effect) bool {
	if w.Memory != r.Memory || (w.Verb != "") != (r.Verb != "") {
		return false // a request does not go where a store was read
	}
	if w.Memory {
		return trimIndex(w.Resource) == trimIndex(r.Resource)
	}
	if storesApart(w, r) {
		return false
	}
	if w.Key != nil && slices.Contains(w.Key.Reads, r) {
		return true // written back under an id that came with it
	}
	if w.Key != nil && r.Key != nil && w.Key.Sym != "" && r.Key.Sym != "" {
		return w.Key == r.Key || w.Key.Sym == r.Key.Sym
	}
	if w.Key != nil && r.Key != nil && w.Key.HasTxt && r.Key.HasTxt {
		return w.Key.Text == r.Key.Text
	}
	return true
}

// storesApart reports a read and a write of two different libraries: they are two
// stores.
func storesApart(w, r *Effect) bool {
	if w.Row == nil || r.Row == nil || w.Row.Lib == "" || r.Row.Lib == "" {
		return false
	}
	for alt := range strings.SplitSeq(w.Row.Lib, "|") {
		if slices.Contains(strings.Split(r.Row.Lib, "|"), alt) {
			return false
		}
	}
	return true
}

func trimIndex(s string) string { return strings.TrimSuffix(s, "[]") }

// commit writes what was changed on tracked objects.
func (t *tracer) commit(eff *Effect) {
	eff.Class = knowledge.None
	for _, e := range t.effects {
		if !e.Staged {
			continue
		}
		e.Staged = false
		for _, f := range eff.Tries {
			e.Caught = either(e.Caught, f.dup)
		}
	}
	for _, d := range t.dirty {
		if len(d.Rel) > 0 {
			eff.Class, eff.Relative, eff.DerivedFrom, eff.Value = knowledge.Put, true, d.Rel[0], d
			break
		}
		eff.Class, eff.Value, eff.Key = knowledge.Put, d, &Value{Origin: FromOutside}
	}
	t.dirty = nil
}

// dedupe looks for a key that the other side uses to refuse a repeat.
func (t *tracer) dedupe(eff *Effect, c *callee, e *Expr, args []*Value, s *scope) {
	if !eff.Acts() || eff.Row != nil && eff.Row.Has("blind") {
		return
	}
	vs := slices.Clone(args)
	if c.recv != nil {
		vs = append(vs, c.recv)
	}
	for i, a := range e.Args {
		if a.Name != "" && knowledge.KeyFor(a.Name, eff.Class) && i < len(args) {
			eff.Dedupe, eff.KeyName = args[i], a.Name
			return
		}
	}
	for _, v := range vs {
		if k, name := keyIn(v, eff.Class, 5); k != nil {
			eff.Dedupe, eff.KeyName = k, name
			return
		}
	}
	// an unknown function that is handed a variable with a key's name
	guessed := eff.Row != nil && eff.Row.Lib == "" && eff.Row.Recv == ""
	if guessed || eff.Class == knowledge.Act || eff.Class == knowledge.Charge {
		for i, a := range e.Args {
			if n := lastSegment(text(a.Value)); i < len(args) && knowledge.KeyFor(n, eff.Class) {
				eff.Dedupe, eff.KeyName = args[i], n
				return
			}
		}
	}
}

func keyIn(v *Value, class knowledge.Class, depth int) (*Value, string) {
	if v == nil || depth == 0 {
		return nil, ""
	}
	names := make([]string, 0, len(v.Fields))
	for n := range v.Fields {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if knowledge.KeyFor(n, class) {
			return v.Fields[n], n
		}
	}
	for _, n := range names {
		if k, name := keyIn(v.Fields[n], class, depth-1); k != nil {
			return k, name
		}
	}
	for _, el := range v.Elems {
		if k, name := keyIn(el, class, depth-1); k != nil {
			return k, name
		}
	}
	return nil, ""
}

// condition finds the words in a call or its chain that make a write refuse a
// repeat: onConflict, IfNoneMatch, attribute_not_exists, upsert.
func (t *tracer) condition(eff *Effect, c *callee, e *Expr) {
	if !eff.Acts() || eff.Conditional != "" || eff.Statement != "" {
		return
	}
	if w := knowledge.CondWord(words2(text(e))); w != "" {
		eff.Conditional = w
		return
	}
	if eff.Class == knowledge.Put && onlyIfNew(e, eff.Args) {
		eff.Conditional = "NX"
		return
	}
	for _, a := range eff.Args {
		if n := condField(a, 3); n != "" {
			eff.Conditional = n
			return
		}
	}
	eff.Conditional = condObject(e)
}

// condObject finds the object in a call chain whose type says what a repeat does,
// as in Clauses(clause.OnConflict{UpdateAll: true}); one that changes a column by
// its own value does not absorb it.
func condObject(e *Expr) string {
	word, relative := "", false
	(&visitor{visit: func(e *Expr, _ *Func, _ bool) {
		switch {
		case e.Op == OpObject && word == "":
			word = knowledge.CondWord(knowledge.Norm(e.Name))
		case e.Op == OpString && e.Name != "":
			relative = relative || relativeText.MatchString(e.Name)
		}
	}}).expr(e, false)
	if relative {
		return ""
	}
	return word
}

// onlyIfNew finds the option of key-value stores that sets a key only when it is
// not there: nx=True, { NX: true }, "NX".
func onlyIfNew(e *Expr, args []*Value) bool {
	for i, a := range e.Args {
		if i >= len(args) {
			break
		}
		if knowledge.Norm(a.Name) == "nx" || fieldNorm(args[i], "nx") != nil || args[i].HasTxt && strings.EqualFold(args[i].Text, "nx") {
			return true
		}
	}
	return false
}

func condField(v *Value, depth int) string {
	if v == nil || depth == 0 {
		return ""
	}
	for _, n := range slices.Sorted(maps.Keys(v.Fields)) {
		f := v.Fields[n]
		if w := knowledge.CondWord(knowledge.Norm(n)); w != "" {
			return w
		}
		if f.HasTxt {
			if w := knowledge.CondWord(knowledge.Norm(f.Text)); w != "" {
				return w
			}
		}
		if w := condField(f, depth-1); w != "" {
			return w
		}
	}
	if v.HasTxt {
		return knowledge.CondWord(knowledge.Norm(v.Text))
	}
	return ""
}

func words2(s string) string { return knowledge.Norm(s) }

// modify lets a later link of a builder chain change the effect before it:
// insert(t).values(v).onConflictDoNothing().
func (t *tracer) modify(c *callee, out *Value) {
	for _, eff := range c.recv.From {
		if eff.Acts() && eff.Conditional == "" {
			eff.Conditional = c.name
		}
	}
	out.From = addEffects(out.From, c.recv.From)
}

// request reads verb and path of an HTTP call or a service invocation.
func (t *tracer) request(eff *Effect, r *knowledge.Row, c *callee, e *Expr, args []*Value, s *scope) {
	verb := r.Verb
	pos := plain(e, args, s.file)
	if verb == "name" {
		verb = verbWord(strings.TrimPrefix(c.norm, "execute"))
	}
	if i := strings.IndexByte(verb, '@'); i == 0 {
		verb = ""
		if n := int(r.Verb[1] - '0'); n < len(pos) && pos[n] != nil {
			verb = verbOf(pos[n])
		}
	}
	for _, n := range []string{"method", "verb", "http_method", "httpMethod", "http_verb"} {
		if v := named(e, args, n); v != nil {
			if w := verbOf(v); w != "" {
				verb = w
			}
		}
	}
	if verb == "" || len(args) > 0 {
		for _, a := range args {
			for _, n := range []string{"method", "Method", "httpMethod", "verb", "HttpMethod"} {
				if f := a.Fields[n]; f != nil && verbOf(f) != "" {
					verb = verbOf(f)
				}
			}
			if w := verbOf(a); w != "" && verb == "" {
				verb = w
			}
		}
		for _, a := range e.Args {
			if tx := text(a.Value); verb == "" && strings.Contains(strings.ToUpper(tx), "HTTPMETHOD.") || strings.Contains(tx, "http.Method") {
				verb = verbWord(tx)
			}
		}
	}
	if c.recv != nil && verb == "" {
		for _, n := range []string{"method", "requestMethod"} {
			if f := c.recv.Fields[n]; f != nil {
				verb = either(verbOf(f), verbWord(f.Sym))
			}
		}
	}
	if verb == "" && r.Class == knowledge.Invoke {
		verb = "POST"
	}
	if verb == "" && (openVerb(args) || openPosition(r.Verb, pos)) { // decided by whoever calls: not known here
		eff.URL = t.urlOf(c, e, args)
		eff.Class, eff.Resource = knowledge.Act, eff.URL
		return
	}
	if verb == "" {
		verb = "GET"
	}
	eff.Verb = strings.ToUpper(verb)
	eff.URL = t.urlOf(c, e, args)
	eff.Resource = eff.URL
	switch eff.Verb {
	case "GET", "HEAD", "OPTIONS":
		eff.Class = knowledge.Read
		if w := knowledge.ActionPath(eff.URL); w != "" {
			eff.Class, eff.Question = knowledge.Create, "mutating_get"
		}
	case "PUT", "PATCH":
		eff.Class = knowledge.Put
		eff.Key = urlKey(args)
	case "DELETE":
		eff.Class = knowledge.Delete
		eff.Key = urlKey(args)
	default:
		eff.Class = knowledge.Create
		if c := knowledge.HostClass(eff.URL); c != "" {
			eff.Class = c
			break
		}
		if knowledge.TokenPath(eff.URL) || asksToken(args) {
			eff.Class = knowledge.Read
			break
		}
		if knowledge.ModelPath(eff.URL) {
			eff.Class = knowledge.LLM
			break
		}
		if w := knowledge.TransitionPath(eff.URL); w != "" {
			eff.Class, eff.Question = knowledge.Act, w
			break
		}
		eff.Reader = knowledge.ReaderPath(eff.URL, s.name())
	}
	t.route(eff, args, s)
}

// openVerb reports a request made with a method that is a value, not a word.
func openVerb(args []*Value) bool {
	return slices.ContainsFunc(args, func(a *Value) bool {
		m := a.Fields["method"]
		return m != nil && !m.HasTxt && verbOf(m) == "" && m.Origin&(FromInput|FromUnknown) != 0
	})
}

// openPosition reports a request whose method is the value that its caller passed.
func openPosition(verb string, pos []*Value) bool {
	if len(verb) != 2 || verb[0] != '@' {
		return false
	}
	n := int(verb[1] - '0')
	return n < len(pos) && pos[n] != nil && !pos[n].HasTxt && pos[n].Class == nil && pos[n].Origin&FromInput != 0 && strings.Contains(strings.ToLower(lastSegment(pos[n].Sym)), "method")
}

// asksToken reports a body that asks an authorization server for a token.
func asksToken(args []*Value) bool {
	return slices.ContainsFunc(args, func(a *Value) bool { return hasKey(a, "grant_type", 3) || strings.Contains(a.Text, "grant_type=") })
}

func (s *scope) name() string {
	for c := s; c != nil; c = c.parent {
		if c.fn != nil && c.fn.Name != "" {
			switch knowledge.Norm(c.fn.Name) {
			case "run", "execute", "handle", "runactivity", "invoke":
				if c.fn.Owner != nil {
					return c.fn.Owner.Name // the type is what has a name
				}
			}
			return c.fn.Name
		}
	}
	return ""
}

func urlKey(args []*Value) *Value {
	for _, a := range args {
		if a.HasTxt || strings.Contains(a.Sym, "/") {
			return a
		}
	}
	return nil
}

func verbOf(v *Value) string {
	if v.HasTxt && len(v.Parts) == 0 {
		return verbWord(v.Text)
	}
	if i := strings.LastIndexByte(v.Sym, '.'); !v.HasTxt && i > 0 && strings.Contains(strings.ToLower(v.Sym[:i]), "http") {
		return verbWord(v.Sym) // http.MethodPost, HttpMethod.POST
	}
	return ""
}

func verbWord(s string) string {
	u := strings.ToUpper(s)
	u = strings.TrimPrefix(lastSegment(u), "METHOD")
	switch strings.Trim(u, "' \"") {
	case "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS":
		return strings.Trim(u, "' \"")
	}
	return ""
}

// urlOf is the text of the address: the argument that looks most like a path.
func (t *tracer) urlOf(c *callee, e *Expr, args []*Value) string {
	best := ""
	consider := func(v *Value) {
		if v == nil || !v.HasTxt {
			return
		}
		if strings.Contains(v.Text, "/") && !strings.HasPrefix(v.Text, "application/") || best == "" {
			if verbWord(v.Text) == "" && (best == "" || strings.Contains(v.Text, "/")) {
				best = v.Text
			}
		}
	}
	for i := len(args) - 1; i >= 0; i-- {
		consider(args[i])
		for _, n := range []string{"url", "uri", "path", "endpoint", "baseURL", "RequestUri", "Resource"} {
			consider(args[i].Fields[n])
		}
	}
	if n := named(e, args, "method_name"); n != nil {
		consider(n)
	}
	if c.recv != nil {
		for _, n := range []string{"url", "uri"} {
			consider(c.recv.Fields[n])
		}
	}
	if best == "" && c.recv != nil {
		best = c.recv.where
	}
	return best
}

// binding reads the operation of a Dapr output binding.
func (t *tracer) binding(eff *Effect, e *Expr, args []*Value, s *scope) {
	op := ""
	pos := plain(e, args, s.file)
	for _, v := range append(slices.Clone(pos), named(e, args, "operation"), named(e, args, "binding_operation")) {
		if v == nil {
			continue
		}
		if f := fieldNorm(v, "operation"); f != nil {
			v = f
		}
		if v.HasTxt && len(v.Parts) == 0 && knowledge.BindingOps[strings.ToLower(v.Text)] != "" {
			op = strings.ToLower(v.Text)
		}
	}
	eff.Verb = op
	eff.Class = knowledge.BindingOps[op]
	if eff.Class == "" {
		eff.Class = knowledge.Act
	}
	name := ""
	for _, v := range pos {
		if v.HasTxt && name == "" {
			name = strings.ToLower(v.Text)
		}
		if f := fieldNorm(v, "name"); f != nil && f.HasTxt {
			name = strings.ToLower(f.Text)
		}
	}
	if v := named(e, args, "binding_name"); v != nil {
		name = strings.ToLower(either(v.Text, v.Sym))
	}
	eff.Resource = name
	if eff.Class == knowledge.Create {
		t.bindingCreate(eff, name, args)
	}
}

// bindingCreate tells what "create" means: with a blob or file name it
// overwrites, with a mail or message binding it sends.
func (t *tracer) bindingCreate(eff *Effect, name string, args []*Value) {
	for _, a := range args {
		for _, n := range []string{"blobName", "key", "fileName", "objectName"} {
			if k := fieldNorm(a, n); k != nil {
				eff.Class, eff.Key, eff.KeyName = knowledge.Put, k, n
				return
			}
		}
	}
	for _, w := range []string{"mail", "smtp", "sendgrid", "twilio", "sms", "postmark", "ses", "slack"} {
		if strings.Contains(name, w) {
			eff.Class = knowledge.Message
			return
		}
	}
	for _, w := range []string{"queue", "kafka", "rabbit", "sns", "sqs", "servicebus", "eventhub", "pubsub", "mqtt", "event"} {
		if strings.Contains(name, w) {
			eff.Class = knowledge.Publish
			return
		}
	}
}
