package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// rpc follows a call of a generated client to the method of the server that the
// repository has for the same service: what it does there stands for the call.
func (t *tracer) rpc(eff *Effect, c *callee, s *scope) {
	if eff.Class != knowledge.Act || c.recv == nil || len(t.stack) >= maxFollow {
		return
	}
	service := serviceOf(lastSegment(either(c.recv.Type, c.fn.Type)))
	if service == "" {
		return
	}
	h := t.repo.rpcHandler(service, c.name, s.file)
	if h == nil {
		return
	}
	n, x := len(t.effects), len(t.exits)
	params := trimSelf(h)
	bound := make([]*Value, len(params))
	for i := range bound {
		bound[i] = &Value{Origin: FromInput, Sym: "request"}
	}
	ctx := t.ctx
	t.ctx = nil
	t.enterWith(h, params, bound, t.instance(h.Owner), t.module(h.File), eff.Site.Line, s)
	t.ctx = ctx
	for _, exit := range t.exits[x:] {
		exit.Remote = true
	}
	if len(t.effects) > n || len(h.Body) > 0 && len(t.exits) == x {
		eff.Class = knowledge.Read // what the server does stands for the call
	}
}

// serviceOf is the service a generated client's type is for.
func serviceOf(typ string) string {
	for _, end := range []string{"BlockingV2Stub", "BlockingStub", "FutureStub", "AsyncStub", "Stub", "AsyncClient", "Client", "Coroutine"} {
		if n, ok := strings.CutSuffix(typ, end); ok && len(n) > 2 {
			return n
		}
	}
	return ""
}

// rpcHandler is the method that serves a call: of a type whose generated base
// names the service.
func (r *repo) rpcHandler(service, method string, from *File) *Func {
	names := []string{strings.ToUpper(method[:1]) + method[1:], strings.ToLower(method[:1]) + method[1:]}
	if plain, ok := strings.CutSuffix(names[0], "Async"); ok {
		names = append(names, plain)
	}
	var best *Func
	score := -1
	for _, family := range []string{"go", "java", "csharp", "python"} {
		for _, name := range names {
			for _, fn := range r.funcsNamed(family, name) {
				if fn.Owner == nil || fn.Abstract || isTest(fn.File.Path) || !serves(fn.Owner, service) {
					continue
				}
				if n := shared(from.Path, fn.File.Path); n > score {
					best, score = fn, n
				}
			}
		}
	}
	return best
}

// serves reports a type made from the generated base of a service's server.
func serves(t *Type, service string) bool {
	bases := t.Bases
	for _, f := range t.Fields {
		if t.File.Language == "go" && (f.Name == "" || strings.HasPrefix(lastSegment(typeName(f.Type)), "Unimplemented")) {
			bases = append(bases, f.Type)
		}
	}
	for _, b := range bases {
		n := lastSegment(typeName(b))
		if !strings.Contains(n, service) {
			continue
		}
		if strings.HasPrefix(n, "Unimplemented") || strings.HasPrefix(n, "Unsafe") || strings.HasSuffix(n, "Servicer") || strings.HasSuffix(n, "ImplBase") || strings.HasSuffix(n, "Base") {
			return true
		}
	}
	return false
}
