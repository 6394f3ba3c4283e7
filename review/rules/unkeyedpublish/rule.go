package unkeyedpublish

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM006", Slug: "unkeyed-publish", Kind: "publish_no_id", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Publish || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "publishes without a message id of its own; a second run publishes another event", Fix: "give the event an id made of the input (Dapr: metadata cloudevent.id) and let the consumer refuse repeats"})
	}
}
