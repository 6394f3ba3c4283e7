// Package unkeyedinsert reports rows inserted without a condition.
//
// # What it does
//
// An insert, in SQL or through an object mapper, that no unique key, ON
// CONFLICT clause or caught unique violation makes safe to repeat.
//
// # Why is this bad
//
// The engine runs an activity at least once. When the worker dies after the
// insert and before the result is recorded, the second run inserts the row
// again, or fails on a key that the first run used.
//
// # When it is fine
//
// An insert that says what a repeat does (ON CONFLICT, INSERT IGNORE, MERGE,
// upsert), one whose unique violation the body takes as success, and one behind
// a claim of the operation are left alone. Rows in the memory of the process
// are not reported.
//
// # Use instead
//
// A unique constraint on the operation's natural key and an insert that does
// nothing on conflict, or an upsert by that key.
package unkeyedinsert

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM001", Slug: "unkeyed-insert", Kind: "insert_no_unique", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Insert || e.Protected() || e.Memory {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "inserts a row without a condition; a second run inserts it again, or fails", Fix: "put a unique constraint on the natural key and insert with ON CONFLICT DO NOTHING, or upsert by that key"})
	}
}
