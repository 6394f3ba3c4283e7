package keyinbody

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM008", Slug: "key-in-body", Kind: "key_in_body", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		k, name := e.Dedupe, e.KeyName
		if k == nil || !k.Origin.Fresh() {
			k, name = e.Key, e.KeyName
		}
		if k == nil || !k.Origin.Fresh() || k.Origin&review.FromAttempt != 0 || e.Class == knowledge.Delete || e.Memory {
			continue
		}
		if name == "" {
			name = "the key"
		}
		p.Report(review.Note{Effect: e, Message: name + " is made in the body (" + k.Origin.String() + "); every run has another one, so it refuses nothing", Fix: "derive the key from the activity's input, or take the task execution id where the SDK keeps it across retries"})
	}
}
