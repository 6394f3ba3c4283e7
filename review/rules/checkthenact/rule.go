package checkthenact

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM012", Slug: "check-then-act", Kind: "check_then_act", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		switch e.Class {
		case knowledge.Insert, knowledge.Create, knowledge.Charge, knowledge.Message, knowledge.Publish, knowledge.Start:
		default:
			continue
		}
		if e.Protected() || e.Reader || e.Memory {
			continue
		}
		if r := e.CheckedFirst(); r != nil && !r.Memory {
			p.Report(review.Note{Effect: e, Message: "acts after a look whether it was done; two attempts can both look before either acts", Fix: "make the write itself refuse the repeat; keep the look as a shortcut only"})
		}
	}
}
