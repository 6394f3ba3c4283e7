// Package effectinworkflow reports effects in the body of a workflow.
//
// # What it does
//
// A write, request, message or publish in the workflow's own body, not in an
// activity.
//
// # Why is this bad
//
// The engine replays the body from the start after every step, and runs the
// effect again each time. The field's name for reviewing this is workflow
// determinism; Catalyst's skill for it is catalyst-workflow-determinism.
//
// # When it is fine
//
// Scheduling activities, child workflows, timers and events through the
// context; logging.
//
// # Use instead
//
// Move the effect into an activity, and review that for a second run.
package effectinworkflow

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM027", Slug: "effect-in-workflow", Kind: "effect_in_workflow", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Workflow: true, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Workflow.Effects {
		p.Report(review.Note{Effect: e, Message: "acts in the workflow's own body; every replay acts again", Fix: "move it into an activity; for the rest of this body use the skill catalyst-workflow-determinism"})
	}
}
