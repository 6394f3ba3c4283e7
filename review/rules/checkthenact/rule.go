// Package checkthenact reports acts whose only guard is a look whether they
// were done.
//
// # What it does
//
// A create, charge, message, publish or insert that stands behind a read of the
// same thing, and has no condition of its own.
//
// # Why is this bad
//
// The look and the act are two operations. Two attempts can overlap, since an
// attempt that passed its deadline may still run: both look, both see nothing,
// both act.
//
// # When it is fine
//
// A look in front of a conditional write (a shortcut), a claim whose answer
// decides, a test of the input.
//
// # Use instead
//
// Make the write itself refuse the repeat; keep the look as a shortcut only.
package checkthenact

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM012", Slug: "check-then-act", Kind: "check_then_act", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Files: files, Check: check}
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
