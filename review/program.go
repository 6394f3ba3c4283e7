package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// program judges the start of another program by its command line, as far as it
// stands there: ffprobe looks, git push acts. A line for a shell that joins several
// commands, or that something is put into, stays a question.
func (t *tracer) program(eff *Effect, args []*Value) {
	eff.Class = knowledge.Act
	var words []string
	if len(args) > 0 && args[0].Origin&^FromConst != 0 && strings.Contains(args[0].Text, " ") {
		return
	}
	for _, a := range args {
		if len(a.Elems) > 0 {
			for _, el := range a.Elems {
				words = append(words, literalWords(el)...)
			}
			continue
		}
		words = append(words, literalWords(a)...)
	}
	for _, w := range words {
		if strings.ContainsAny(w, ";|&<>`") || strings.Contains(w, "$(") {
			return
		}
	}
	if len(args) > 0 && strings.Contains(args[0].Text, "\n") {
		return // a script
	}
	if knowledge.HarmlessProgram(words) {
		eff.Class = knowledge.None
	}
}

// literalWords are the words of a text; a part that is not literal is one word
// that no table holds.
func literalWords(v *Value) []string {
	if !v.HasTxt {
		return nil
	}
	return strings.Fields(v.Text)
}

// operation is the name of the call that a chain of a generated client sends:
// client.OrdersAPI.GetOrder(ctx, id).Execute() gets. "" when e sends no chain.
func operation(c *callee, e *Expr) string {
	if c.recv == nil || c.norm != "execute" && c.norm != "do" || len(e.Args) > 0 || e.X == nil {
		return ""
	}
	op := ""
	for at := e.X.X; at != nil; at = at.X {
		if at.Op == OpCall && at.X != nil && at.X.Op == OpMember {
			op = at.X.Name
		}
	}
	return op
}

// ofAPI reports the sending of a chain that starts at a generated API object.
func ofAPI(c *callee, e *Expr) bool {
	return operation(c, e) != "" && slices.ContainsFunc(c.chain, func(n string) bool { return strings.HasSuffix(n, "api") || strings.HasSuffix(n, "apiservice") })
}

// sent is what the operation of such a chain does: generated names carry the
// verb of the request, as V1OrdersPost, or say what it does, as CreateOrder.
func sent(op string) (knowledge.Class, bool) {
	ws := words(op)
	for _, w := range edges(ws) {
		switch w {
		case "get", "list", "head", "options", "find", "search", "describe", "read", "query", "fetch", "count":
			return knowledge.Read, true
		case "post":
			return knowledge.Create, true
		case "put", "patch":
			return knowledge.Put, true
		case "delete":
			return knowledge.Delete, true
		}
	}
	g := knowledge.Guess(ws, nil)
	return g, g != ""
}

// edges are the first and the last of some words. A name such as _ or $ has none.
func edges(ws []string) []string {
	if len(ws) == 0 {
		return nil
	}
	return []string{ws[0], ws[len(ws)-1]}
}

// plainVerbs say as often what a value of the process does as what is done
// elsewhere.
var plainVerbs = []string{"run", "execute", "apply", "add", "open", "start", "register", "import", "process", "commit", "assign", "set", "close", "stop", "merge", "replace", "put", "remove", "drop"}

// reachesOut reports a call of another module that is given the body's context,
// or awaited: what it does is done elsewhere, whatever its receiver is called.
func (t *tracer) reachesOut(c *callee, e *Expr, s *scope) bool {
	lib, ws := c.lib, words(c.name)
	if c.recv != nil && c.recv.Class != nil || len(ws) > 0 && slices.Contains(plainVerbs, ws[0]) || slices.Contains(ws, "heartbeat") {
		return false
	}
	switch s.file.Language {
	case "go":
		head, _, _ := strings.Cut(lib, "/")
		return strings.Contains(head, ".") && !strings.HasPrefix(lib, "golang.org/x") && len(e.Args) > 0 && isContext(e.Args[0].Value, &Value{})
	case "javascript", "typescript":
		return lib != "" && lib != "builtin" && t.awaits[e]
	}
	return false
}

// attemptCounters drops the counting of attempts in a variable of the process
// that is named for it, when no answer is made of it: demos fail their first
// attempts so.
func (t *tracer) attemptCounters(result *Value) []*Effect {
	return slices.DeleteFunc(t.effects, func(e *Effect) bool {
		if !e.Memory || e.Class != knowledge.Increment || e.Value != nil && e.Value.Origin != FromConst {
			return false
		}
		name := trimIndex(e.Resource)
		if !slices.ContainsFunc(words(name[strings.LastIndexAny(name, ".:")+1:]), func(w string) bool { return slices.Contains(attemptWords, w) }) {
			return false
		}
		return result == nil || t.fn.Result == "error" || !slices.ContainsFunc(result.Reads, func(r *Effect) bool { return trimIndex(r.Resource) == name })
	})
}

var attemptWords = []string{"attempt", "attempts", "try", "tries", "retry", "retries", "call", "calls", "invocation", "invocations", "request", "requests", "failure", "failures", "failed"}
