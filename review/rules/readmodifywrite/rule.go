package readmodifywrite

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM004", Slug: "read-modify-write", Kind: "rmw", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Put && e.Class != knowledge.Create && e.Class != knowledge.Insert || !e.Relative {
			continue
		}
		if e.Claim() != nil {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "writes a value computed from what it read before; a second run reads the changed value and changes it again", Fix: "record the operation by its id and compute the sum, or make the change conditional on that id; an etag that is read again on each attempt does not help"})
	}
}
