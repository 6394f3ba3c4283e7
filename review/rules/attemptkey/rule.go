package attemptkey

import (
	"github.com/idem-mcp/idem-mcp/review"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM009", Slug: "attempt-key", Kind: "attempt_key", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		k := e.Dedupe
		if k == nil {
			k = e.Key
		}
		if k == nil || k.Origin&review.FromAttempt == 0 {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "the key is an id that every attempt gets anew; it refuses nothing", Fix: "use a value of the input, or the task execution id"})
	}
}
