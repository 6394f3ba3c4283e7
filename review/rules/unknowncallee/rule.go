// Package unknowncallee reports calls out of the repository that may act: a
// question, not a finding.
//
// # What it does
//
// A call of a function or client that no table explains and whose name says
// that it acts, a POST that seems only to ask, and a POST that moves one thing
// to a state (/orders/{id}/cancel).
//
// # Why is this bad
//
// Whether a second run does its work again hangs on code that cannot be read
// here.
//
// # When it is fine
//
// A call that is handed a key, a team's own wrapper named in the effects
// configuration, a call whose name only reads.
//
// # Use instead
//
// Answer the question; pass the callee a key, or name it in the effects
// configuration.
package unknowncallee

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM013", Slug: "unknown-callee", Kind: "unknown_callee", Since: "unreleased", Severity: review.Verify, Confidence: review.Low, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Protected() {
			continue
		}
		switch {
		case e.Class == knowledge.Act && e.Verb == "POST" && e.Question != "":
			p.Report(review.Note{Effect: e, Message: "moves one thing to a state; the second run finds it there", Fix: "does the other side answer " + e.Question + " with success when it is done already? If it refuses, take that refusal as success"})
		case e.Class == knowledge.Act:
			p.Report(review.Note{Effect: e, Message: "calls something outside the repository whose name says that it acts", Fix: "does " + e.Callee + " do its work again when it is called twice with the same arguments? Pass it a key, or name it in the effects configuration"})
		case e.Reader:
			p.Report(review.Note{Effect: e, Kind: "post_reads", Message: "a POST that seems only to ask", Fix: "does this request change anything at the other side? If so, send an idempotency key"})
		}
	}
}
