package swallowedfailure

import (
	"github.com/idem-mcp/idem-mcp/review"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM019", Slug: "swallowed-failure", Kind: "swallow", Since: "unreleased", Severity: review.Advice, Confidence: review.Medium, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Swallowed && e.Caught == "" && !e.Memory {
			p.Report(review.Note{Effect: e, Message: "its failure is caught and not raised; an unknown outcome is reported as an answer", Fix: "let the failure leave the body, or answer with what is known"})
		}
	}
}
