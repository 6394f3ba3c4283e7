// Package sharedpolicy reports one retry policy object for every call of a
// workflow: advice.
//
// # What it does
//
// A workflow that schedules three or more different activities, all of them
// with the same policy object.
//
// # Why is this bad
//
// Failures differ: a rejection of a payment and a timeout of a search are then
// retried on one schedule, and whoever tunes it for one tunes it for all.
//
// # When it is fine
//
// Different policies, calls without a policy among them, one activity scheduled
// several times.
//
// # Use instead
//
// One policy per class of failure: none for what can be rejected, a patient one
// for what can be down.
package sharedpolicy

import (
	"embed"
	"fmt"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM024", Slug: "shared-policy", Kind: "one_policy", Since: "unreleased", Severity: review.Advice, Confidence: review.Low, Workflow: true, Files: files, Check: check}
}

func check(p *review.Pass) {
	w := p.Workflow
	id, targets := "", map[string]bool{}
	for i := range w.Calls {
		pol := w.Calls[i].RetryPolicy()
		if pol.ID == "" || id != "" && pol.ID != id {
			return
		}
		id = pol.ID
		targets[w.Targets[i]] = true
	}
	if len(targets) < 3 {
		return
	}
	c := w.Calls[0]
	p.Report(review.Note{Site: review.Site{File: c.File, Line: c.Line, EndLine: c.Line, Quote: c.Quote}, Message: fmt.Sprintf("one retry policy object is used for all %d calls; rejections are retried on the schedule of outages", len(w.Calls)), Fix: "one policy per class of failure, and none where the failure is an answer"})
}
