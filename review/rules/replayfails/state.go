package replayfails

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// moved is the write that takes a state out of the one the body asks for.
func moved(a *review.Activity, c *review.Cond, x *review.Exit) *review.Effect {
	if c.Value == nil {
		return nil
	}
	for _, e := range c.Value.From { // deleted == null: nothing was there to delete
		if e.Class == knowledge.Delete && !e.Swallowed && !e.Memory && !c.OnlyError() {
			return e
		}
	}
	if x.Conds[len(x.Conds)-1].BareError() {
		return nil // an error is passed on: no state is refused
	}
	for _, r := range c.Value.Reads {
		for _, e := range a.Acting() {
			if transition(c, r, e) || made(c, r, e) {
				return e
			}
		}
	}
	return nil
}

// transition reports a state machine that refuses its own repeat: the body
// raises unless a state that it read is the expected one, and then sets that
// state to another.
func transition(c *review.Cond, r, e *review.Effect) bool {
	if e.Class != knowledge.Put || r.Resource == "" || strings.TrimSuffix(r.Resource, "[]") != strings.TrimSuffix(e.Resource, "[]") || e.Claim() != nil {
		return false
	}
	test := strings.ToLower(c.Text)
	for _, none := range []string{"null", "undefined", "none", "nil", "empty"} {
		if strings.Contains(test, none) {
			return false
		}
	}
	for _, w := range []string{"status", "state"} {
		if strings.Contains(test, w) && (strings.Contains(strings.ToLower(e.Site.Quote), w) || e.Value != nil && has(e.Value, w)) {
			return true
		}
	}
	return false
}

func has(v *review.Value, w string) bool {
	for n := range v.Fields {
		if strings.Contains(strings.ToLower(n), w) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(v.Sym), w)
}

// made reports a body that raises because a thing is there, and then writes that
// very thing: the second run finds what the first one wrote.
func made(c *review.Cond, r, e *review.Effect) bool {
	if e.Class != knowledge.Put || e.Relative || r.Resource == "" || r.Resource != e.Resource || e.Claim() != nil {
		return false
	}
	test := strings.ToLower(c.Text)
	for _, not := range []string{"!", "not ", "== false", "is false"} {
		if strings.HasPrefix(test, not) || strings.Contains(test, "== false") {
			return false
		}
	}
	return strings.Contains(test, "exist") || strings.Contains(test, "ispresent")
}
