package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// route follows a request to its handler when the repository has it: a POST
// that only computes there is a read, one that stores is judged by what it
// stores.
func (t *tracer) route(eff *Effect, args []*Value, s *scope) {
	if len(t.stack) >= maxFollow || !eff.Acts() {
		return
	}
	seg := lastLiteral(eff.URL)
	if len(seg) < 3 {
		return
	}
	h := t.repo.handler(seg, eff.URL, eff.Verb, s.file)
	if h == nil || keyed(h.fn) {
		return
	}
	n, x := len(t.effects), len(t.exits)
	bound := make([]*Value, len(trimSelf(h.fn)))
	for i := range bound {
		bound[i] = &Value{Origin: FromInput, Sym: "request"}
	}
	var self *Value
	if h.fn.Owner != nil {
		self = t.instance(h.fn.Owner)
	}
	ctx := t.ctx
	t.ctx = nil
	t.enterWith(h.fn, trimSelf(h.fn), bound, self, t.closure(h.fn, h.fn.File), eff.Site.Line, s)
	t.ctx = ctx
	acts := false
	for _, exit := range t.exits[x:] {
		exit.Remote = true
	}
	for _, e := range t.effects[n:] {
		acts = acts || e.Acts()
		if e.Acts() && eff.Refuses == nil && refusesRepeat(e) {
			eff.Refuses = e
		}
	}
	if !acts && h.far && len(t.effects) == n {
		t.exits = t.exits[:x]
		return // what the handler of another package calls was not found: the request stands for itself
	}
	if !acts {
		eff.Class, eff.Reader, eff.Question = knowledge.Read, false, ""
		t.exits = t.exits[:x]
		return
	}
	eff.Class, eff.Question = knowledge.Read, "" // the effects of the handler stand for the request
}

// keyed reports a handler that is declared to answer a repeated key with its first
// answer: then the key of the request counts, not what the handler does.
func keyed(fn *Func) bool {
	return slices.ContainsFunc(fn.Annotations, func(a *Expr) bool { return strings.Contains(annotationName(a), "idempot") })
}

// refusesRepeat reports a change that a handler makes only while a look at the
// same thing says that it was not made: the second request gets another answer.
func refusesRepeat(e *Effect) bool {
	for _, c := range e.Conds {
		if c.Value == nil || !c.Exit || asksAbsent(c.Text) {
			continue
		}
		for _, r := range c.Value.Reads {
			if r.Resource != "" && r.Resource == e.Resource {
				return true
			}
		}
	}
	return false
}

// asksAbsent reports a test that something is not there.
func asksAbsent(s string) bool {
	n := strings.ToLower(s)
	return strings.HasPrefix(n, "!") || strings.Contains(n, "== null") || strings.Contains(n, "== nil") || strings.Contains(n, "is null") || strings.Contains(n, "is none")
}

// lastLiteral is the last part of a path that is not a value.
func lastLiteral(url string) string {
	p, _, _ := strings.Cut(url, "?")
	segs := strings.Split(p, "/")
	for i := len(segs) - 1; i >= 0; i-- {
		if segs[i] != "" && !strings.Contains(segs[i], "{}") && !strings.Contains(segs[i], ":") {
			return segs[i]
		}
	}
	return ""
}

// handler is a function that serves a path.
type handler struct {
	fn   *Func
	path string
	verb string // "" when it is not written
	far  bool   // defined in another folder than it is registered in
}

// handler finds the function that serves the path ending in seg.
func (r *repo) handler(seg, url, verb string, from *File) *handler {
	for _, family := range []string{"python", "csharp", "java", "go", "js"} {
		r.mention(family, seg)
	}
	for _, w := range servingWords { // a path can be made of a constant's or the class's name
		r.mention(w.family, w.word)
	}
	var best *handler
	score := -1
	for _, e := range r.entries {
		if e.file == nil || isTest(e.path) {
			continue
		}
		for _, h := range r.routes(e.file) {
			if !samePath(h.path, url) || h.verb != "" && verb != "" && h.verb != verb {
				continue
			}
			if n := shared(from.Path, e.path); n > score {
				best, score = h, n
			}
		}
	}
	return best
}

// samePath compares a served path with a requested one from the end: literal
// parts must agree, parts that are values on either side agree with anything.
func samePath(served, asked string) bool {
	a := parts(served)
	asked, _, _ = strings.Cut(asked, "?")
	b := parts(asked)
	if len(a) == 0 || len(b) < len(a) {
		return false
	}
	literal := 0
	for i := 1; i <= len(a); i++ {
		x, y := a[len(a)-i], b[len(b)-i]
		if strings.ContainsAny(x, "{}:<>*") || strings.Contains(y, "{}") {
			continue
		}
		if !strings.EqualFold(x, y) {
			return false
		}
		literal++
	}
	return literal > 0
}

func parts(p string) []string {
	p, _, _ = strings.Cut(p, "?")
	var out []string
	for s := range strings.SplitSeq(p, "/") {
		if s != "" && !strings.HasSuffix(s, ":") {
			out = append(out, s)
		}
	}
	return out
}

// routes are the paths a file serves: decorators and annotations on functions,
// and calls that map a path to a function.
func (r *repo) routes(f *File) []*handler {
	if f.routed {
		return f.routes
	}
	f.routed = true
	for _, fn := range f.Funcs {
		if fn.Abstract {
			continue // a client's declaration, not a handler
		}
		prefix := ""
		if fn.Owner != nil {
			for _, a := range fn.Owner.Annotations {
				if n := annotationName(a); n == "requestmapping" || n == "route" || n == "controller" {
					prefix = strings.ReplaceAll(r.served(f, a), "[controller]", strings.TrimSuffix(fn.Owner.Name, "Controller"))
				}
			}
		}
		for _, a := range fn.Annotations {
			if n := annotationName(a); !routeNames[n] {
				continue
			}
			if p := r.served(f, a); p != "" || prefix != "" {
				f.routes = append(f.routes, &handler{fn: fn, path: prefix + "/" + p, verb: servedVerb(annotationName(a))})
			}
		}
	}
	visit := func(e *Expr, in *Func, _ bool) {
		if e.Op != OpCall || len(e.Args) < 2 || !routeNames[knowledge.Norm(calleeName(e.X))] {
			return
		}
		p := firstLiteral(e)
		if p == "" || !strings.HasPrefix(p, "/") && !strings.Contains(p, " /") {
			return
		}
		verb := ""
		if head, tail, ok := strings.Cut(p, " /"); ok { // "POST /path"
			verb, p = verbWord(strings.ToLower(head)), "/"+tail
		}
		last := e.Args[len(e.Args)-1].Value
		for last != nil && last.Op == OpCall && len(last.Args) > 0 { // http.HandlerFunc(f), wrap(f)
			last = last.Args[len(last.Args)-1].Value
		}
		if last == nil {
			return
		}
		switch last.Op {
		case OpLambda:
			if last.Func.File == nil {
				last.Func.File = f
			}
			f.routes = append(f.routes, &handler{fn: last.Func, path: p, verb: verb})
		case OpName, OpMember:
			name := last.Name
			for _, sib := range r.siblings(f) {
				for _, fn := range sib.Funcs {
					if fn.Name == name {
						f.routes = append(f.routes, &handler{fn: fn, path: p, verb: verb})
						return
					}
				}
			}
			if fn := r.nearest(f, name, servesRequest); fn != nil && last.Op == OpMember {
				f.routes = append(f.routes, &handler{fn: fn, path: p, verb: verb, far: true})
			}
		}
	}
	for _, fn := range f.Funcs {
		if fn.Parent == nil {
			eachExpr(fn.Body, visit)
		}
	}
	if f.Top != nil {
		eachExpr(f.Top.Body, visit)
	}
	return f.routes
}

// nearest is the function of a name, defined in another folder, whose path has
// most in common with f.
func (r *repo) nearest(f *File, name string, fits func(*Func) bool) *Func {
	family := r.family(f)
	r.mention(family, name)
	var best *Func
	score := -1
	for _, fn := range r.funcsNamed(family, name) {
		if fn.Abstract || isTest(fn.File.Path) || !fits(fn) {
			continue
		}
		if n := shared(f.Path, fn.File.Path); n > score {
			best, score = fn, n
		}
	}
	return best
}

// servesRequest reports the parameters of a handler in Go: a writer and a
// request, or the context of a router.
func servesRequest(fn *Func) bool {
	for _, p := range trimSelf(fn) {
		switch lastSegment(typeName(p.Type)) {
		case "ResponseWriter", "Request", "Ctx", "Context":
			return true
		}
	}
	return false
}

// servingWords stand in files that serve paths by annotations and decorators.
var servingWords = []struct{ family, word string }{
	{"csharp", "Route"}, {"csharp", "HttpPost"}, {"csharp", "HttpPut"}, {"csharp", "HttpGet"}, {"csharp", "HttpDelete"}, {"csharp", "HttpPatch"},
	{"java", "RequestMapping"}, {"java", "PostMapping"}, {"java", "PutMapping"}, {"java", "GetMapping"}, {"java", "DeleteMapping"}, {"java", "PatchMapping"},
	{"python", "FastAPI"}, {"python", "APIRouter"}, {"python", "Flask"}, {"python", "Blueprint"},
}

var routeNames = map[string]bool{
	"post": true, "put": true, "get": true, "delete": true, "patch": true, "route": true, "method": true, "mappost": true, "mapget": true, "mapput": true, "mapdelete": true, "mappatch": true,
	"postmapping": true, "putmapping": true, "getmapping": true, "deletemapping": true, "patchmapping": true, "requestmapping": true, "httppost": true, "httpget": true, "httpput": true, "httpdelete": true,
	"handle": true, "handlefunc": true, "methods": true, "all": true, "use": true, "addserviceinvocationhandler": true, "listen": true,
}

// servedVerb is the verb in the name of a mapping: PostMapping, HttpPut.
func servedVerb(name string) string {
	return verbWord(strings.TrimPrefix(strings.TrimSuffix(name, "mapping"), "http"))
}

func firstLiteral(e *Expr) string {
	if e.Op != OpCall {
		return ""
	}
	for _, a := range e.Args {
		if a.Value != nil && a.Value.Op == OpString && (a.Name == "" || a.Name == "path" || a.Name == "value" || a.Name == "rule") {
			return a.Value.Name
		}
		if a.Value != nil && a.Value.Op == OpList && len(a.Value.Args) > 0 && a.Value.Args[0].Value != nil && a.Value.Args[0].Value.Op == OpString && a.Name != "methods" {
			return a.Value.Args[0].Value.Name
		}
	}
	return ""
}
