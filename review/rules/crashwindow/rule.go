// Package crashwindow reports acts that are recorded only afterwards.
//
// # What it does
//
// A read of a record, an act outside that depends on it, and a write of the
// record after the act.
//
// # Why is this bad
//
// A crash after the act and before the record leaves no trace of it: the second
// run reads "not done" and acts again. Two attempts that overlap do so without
// any crash.
//
// # When it is fine
//
// The pending-row protocol: a conditional insert that says "pending" before the
// act, and a repeat that finds it and reconciles instead of acting. A claim
// before the act, a key that the other side knows.
//
// # Use instead
//
// Insert a pending row under the key with a condition, act, then update the
// row; on a repeat that finds it pending ask the provider. Or pass the
// provider's key.
package crashwindow

import (
	"embed"
	"fmt"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM028", Slug: "crash-window", Kind: "crash_window", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Supersedes: []string{"check-then-act"}, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		switch e.Class {
		case knowledge.Create, knowledge.Charge, knowledge.Message, knowledge.Publish, knowledge.Start:
		default:
			continue
		}
		if e.Protected() || e.Reader || e.Memory {
			continue
		}
		if w := p.Activity.RecordedAfter(e); w != nil {
			p.Report(review.Note{Effect: e, Message: fmt.Sprintf("acts, and records it only afterwards, at line %d; a crash between the two acts again", w.Site.Line), Fix: "insert a pending row with a condition before the act, update it after, and reconcile a row that is still pending; or pass the provider's key"})
		}
	}
}
