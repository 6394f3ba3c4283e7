package unkeyedinsert

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM001", Slug: "unkeyed-insert", Kind: "insert_no_unique", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Insert || e.Protected() || e.Memory {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "inserts a row without a condition; a second run inserts it again, or fails", Fix: "put a unique constraint on the natural key and insert with ON CONFLICT DO NOTHING, or upsert by that key"})
	}
}
