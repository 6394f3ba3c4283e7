// Package swallowedfailure reports failures that are caught and not raised:
// advice.
//
// # What it does
//
// An effect whose handler ends without raising, so that the body goes on or
// answers as if nothing happened.
//
// # Why is this bad
//
// A timeout does not say that nothing was done. The workflow takes an unknown
// outcome for an answer, and the engine does not retry it.
//
// # When it is fine
//
// A handler that raises, one that recognises a refused repeat, telemetry.
//
// # Use instead
//
// Let the failure leave the body, or answer with what is known ("unknown" is an
// answer the workflow can act on).
package swallowedfailure

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM019", Slug: "swallowed-failure", Kind: "swallow", Since: "unreleased", Severity: review.Advice, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Swallowed && e.Retried == "" && e.Caught == "" && !e.Memory && !(e.Lenient && e.Class == knowledge.Delete) {
			p.Report(review.Note{Effect: e, Message: "its failure is caught and not raised; an unknown outcome is reported as an answer", Fix: "let the failure leave the body, or answer with what is known"})
		}
	}
}
