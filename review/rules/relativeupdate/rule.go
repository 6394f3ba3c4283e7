package relativeupdate

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM005", Slug: "relative-update", Kind: "counter", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Increment || e.Protected() {
			continue
		}
		kind := ""
		if e.Memory && e.Relative {
			kind = "rmw" // an element of a collection, not a counter of its own
		}
		p.Report(review.Note{Effect: e, Kind: kind, Message: "changes a value by an amount; a second run changes it twice", Fix: "set the resulting value, or record the contributing operation by its id and sum"})
	}
}
