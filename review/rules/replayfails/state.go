package replayfails

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

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
