// Package readmodifywrite reports values written back after being changed from
// what was read.
//
// # What it does
//
// A write of a value computed by arithmetic, or by adding to a collection, from
// a read of the same record.
//
// # Why is this bad
//
// A second run reads the value that the first run wrote, and changes it again:
// stock is taken twice, a balance is credited twice. An etag that is read again
// on every attempt does not help, since the new etag fits.
//
// # When it is fine
//
// Setting a value that does not depend on what was read, a copy from one record
// to another, arithmetic whose result is only returned.
//
// # Use instead
//
// Record the operation by its id and compute the sum, or make the change
// conditional on that id not being applied yet, in one transaction.
package readmodifywrite

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM004", Slug: "read-modify-write", Kind: "rmw", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Put && e.Class != knowledge.Create && e.Class != knowledge.Insert || !e.Relative {
			continue
		}
		if e.Claim() != nil {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "writes a value computed from what it read before; a second run reads the changed value and changes it again", Fix: "record the operation by its id and compute the sum, or make the change conditional on that id; an etag that is read again on each attempt does not help"})
	}
}
