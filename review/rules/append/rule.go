package append

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM007", Slug: "append", Kind: "append", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Append || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "adds to what is there; a second run adds it again", Fix: "write to a name made of the operation's id, or use a set or map keyed by it"})
	}
}
