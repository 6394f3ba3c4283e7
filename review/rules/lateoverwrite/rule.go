// Package lateoverwrite reports absolute values computed from a snapshot in the
// input.
//
// # What it does
//
// A write that sets a value made by arithmetic on the input, such as a balance
// the workflow read earlier, with no condition on the version it was read at.
//
// # Why is this bad
//
// The write is the same in every run, but a late second run lands after others
// wrote, and takes their change back.
//
// # When it is fine
//
// Values that are in the input as they are written, writes with an etag or
// version of the snapshot.
//
// # Use instead
//
// Make the write conditional on the version the snapshot was taken at, or
// record the change by the operation's id and compute the sum.
package lateoverwrite

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM011", Slug: "late-overwrite", Kind: "overwrite", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Put || e.Relative || e.Value == nil || !e.Value.Scaled || e.Memory || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "writes an absolute value computed from a snapshot in the input; a late second run overwrites what others wrote in between", Fix: "make the write conditional on the version the snapshot was taken at, or change by a recorded operation"})
	}
}
