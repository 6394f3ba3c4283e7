// Package attemptkey reports keys made of an id that every attempt gets anew.
//
// # What it does
//
// A key made of the id of the attempt (Go GetTaskID, Python task_id, JavaScript
// getWorkflowActivityId, an attempt number), or of the task execution id in an
// SDK that makes a new one for every attempt (.NET).
//
// # Why is this bad
//
// A retry has another id, so the other side sees another operation.
//
// # When it is fine
//
// The attempt in a log line; a key made of the input; the task execution id in
// Go, Python and Java, which retries share.
//
// # Use instead
//
// A value of the input, or the task execution id where the SDK keeps it across
// attempts.
package attemptkey

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM009", Slug: "attempt-key", Kind: "attempt_key", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Supersedes: []string{"unkeyed-create", "unkeyed-publish", "unrecorded-message", "unkeyed-start", "unknown-callee", "spent-token"}, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		k := e.Dedupe
		if k == nil {
			k = e.Key
		}
		if k == nil || k.Origin&review.FromAttempt == 0 {
			continue
		}
		n := review.Note{Effect: e, Message: "the key is an id that every attempt gets anew; it refuses nothing", Fix: "use a value of the input, or the task execution id"}
		if k.Origin&review.FromExecID != 0 {
			n.Message = "the key is the task execution id, which is an id that every attempt gets anew in this SDK; a retry is another operation"
		}
		if x := p.Activity.ExecID; x != nil && !x.Stable {
			n.Fix = "use a value of the input; the task execution id is no key here: " + x.Note
		} else if x != nil {
			n.Fix += " (" + x.Accessor + ", since " + x.Since + "): " + x.Note
		}
		p.Report(n)
	}
}
