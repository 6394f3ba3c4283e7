package unrecordedmessage

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM003", Slug: "unrecorded-message", Kind: "email_send", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Message || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "sends a message without a record or key; a second run sends it again", Fix: "pass the provider's idempotency key, or claim the message with a conditional insert before sending"})
	}
}
