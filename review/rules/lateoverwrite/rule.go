package lateoverwrite

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM011", Slug: "late-overwrite", Kind: "overwrite", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Put || e.Relative || e.Value == nil || !e.Value.Scaled || e.Memory || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "writes an absolute value computed from a snapshot in the input; a late second run overwrites what others wrote in between", Fix: "make the write conditional on the version the snapshot was taken at, or change by a recorded operation"})
	}
}
