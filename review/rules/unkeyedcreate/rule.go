package unkeyedcreate

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM002", Slug: "unkeyed-create", Kind: "post_no_key", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Create && e.Class != knowledge.Charge || e.Reader || e.Protected() {
			continue
		}
		n := review.Note{Effect: e, Message: "creates something at another system without a key; a second run creates it again", Fix: "send the provider's idempotency key, made of the input, with the request"}
		if e.Question == "mutating_get" {
			n.Kind, n.Confidence = "mutating_get", review.Medium
			n.Message = "requests a path whose name says that it acts; a second run acts again, or is refused"
		}
		if e.Class == knowledge.Charge {
			n.Message = "moves money without a key; a second run moves it again"
		}
		p.Report(n)
	}
}
