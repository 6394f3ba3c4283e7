// Package relativeupdate reports counters and balances changed by an amount.
//
// # What it does
//
// An increment, a decrement or an UPDATE that sets a column by its own value,
// with nothing that refuses a repeat.
//
// # Why is this bad
//
// A second run changes the value a second time. Nothing in the store can tell.
//
// # When it is fine
//
// Setting the resulting value, a relative change whose WHERE refuses an
// operation that was applied, metrics and counters of telemetry.
//
// # Use instead
//
// Set the resulting value; or record the contributing operation by its id, in
// the same transaction, and sum.
package relativeupdate

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM005", Slug: "relative-update", Kind: "counter", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Increment || e.Protected() {
			continue
		}
		kind := ""
		if e.Memory && e.Relative {
			kind = "rmw" // an element of a collection, not a counter of its own
		}
		p.Report(review.Note{Effect: e, Kind: kind, Message: "changes a value by an amount; a second run changes it twice", Fix: "set the resulting value, or record the contributing operation by its id and sum"})
	}
}
