package review

import (
	"slices"
	"strings"
)

// What the body itself runs again, what varies from turn to turn, and what it
// takes apart that is opaque.

// counters marks the variables that a loop's condition counts: they differ in
// every turn.
func (t *tracer) counters(st *Stmt, s *scope) {
	if len(st.Targets) > 0 || st.Value == nil {
		return
	}
	(&visitor{visit: func(e *Expr, _ *Func, _ bool) {
		if e.Op != OpName {
			return
		}
		if v, at := s.lookup(e.Name); v != nil && v.Shared == "" {
			c := *v
			c.Varies = true
			at.vars[e.Name] = &c
		}
	}}).expr(st.Value, false)
}

var retryWords = []string{"attempt", "retr", "tries", "backoff"}

func hasRetryWord(s string) bool {
	n := strings.ToLower(s)
	return slices.ContainsFunc(retryWords, func(w string) bool { return strings.Contains(n, w) })
}

// retryLoop says how a loop runs its body again after a failure, "" if it does
// not: by name, or because a failure is caught or waited for inside a loop that
// is not over data.
func retryLoop(st *Stmt) string {
	head := text(st.Value)
	for _, target := range st.Targets {
		head += " " + text(target)
	}
	if hasRetryWord(head) {
		return "the retry loop"
	}
	if len(st.Targets) > 0 && !counts(st.Value) {
		return ""
	}
	for _, in := range st.Body {
		if in.Op == Try {
			for i := range in.Catches {
				if !raises(in.Catches[i].Body) {
					return "the loop"
				}
			}
		}
	}
	slept := false
	eachExpr(st.Body, func(e *Expr, _ *Func, _ bool) {
		n := strings.ToLower(calleeName(e.X))
		slept = slept || e.Op == OpCall && (n == "sleep" || n == "delay")
	})
	if slept {
		return "the loop"
	}
	return ""
}

// counts reports range(n), Enumerable.Range(0, n) and the like.
func counts(e *Expr) bool {
	if e == nil || e.Op == OpNumber {
		return true
	}
	return e.Op == OpCall && strings.EqualFold(calleeName(e.X), "range")
}

// retryWord is a call that runs what it is given again: retry.Do(f),
// policy.ExecuteAsync(f) of a resilience library.
func retryWord(c *callee) string {
	names := append([]string{c.norm, strings.ToLower(lastSegment(c.lib))}, c.chain...)
	for _, n := range names {
		if strings.Contains(n, "retry") || strings.Contains(n, "backoff") || strings.Contains(n, "polly") || strings.Contains(n, "resilience") {
			return c.text
		}
	}
	return ""
}

// retryAnnotation is a decorator that runs its function again.
func retryAnnotation(fn *Func) string {
	for _, a := range fn.Annotations {
		if n := annotationName(a); strings.HasPrefix(n, "retry") || strings.Contains(strings.ToLower(text(a)), "backoff") {
			return "@" + clip(text(a), 60)
		}
	}
	return ""
}

var apart = map[string]bool{"split": true, "rsplit": true, "splitn": true, "partition": true, "rpartition": true, "substring": true, "substr": true, "slice": true, "cut": true, "cutprefix": true, "cutsuffix": true, "removeprefix": true, "match": true, "atoi": true, "parseint": true, "int": true}

// takenApart notes a call that parses the task execution id.
func (t *tracer) takenApart(c *callee, e *Expr, args []*Value, s *scope) {
	if !apart[c.norm] {
		return
	}
	vs := args
	if c.recv != nil {
		vs = append([]*Value{c.recv}, args...)
	}
	for _, v := range vs {
		if v.Origin&FromExecID != 0 && v.Origin&FromHash == 0 {
			t.parsed = append(t.parsed, t.site(s, e.Line, e.EndLine))
			return
		}
	}
}

// execID is the origin of the task execution id: in a Dapr SDK that makes it anew
// for every retry attempt it is an attempt's id wherever a retry is possible.
func (t *tracer) execID(accessor string) Origin {
	if strings.Contains(accessor, "taskexecution") && t.sdk != nil && !t.sdk.Stable && t.retried {
		return FromExecID | FromAttempt
	}
	return FromExecID
}
