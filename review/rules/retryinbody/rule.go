// Package retryinbody reports retry loops in the body of an activity: advice.
//
// # What it does
//
// An effect inside a loop, decorator or wrapper that runs it again after a
// failure.
//
// # Why is this bad
//
// History does not see these attempts, a crash loses their waits, and they
// multiply with the engine's own: five times five is 25 calls.
//
// # When it is fine
//
// A loop over data, polling that only reads, the policy at the call site.
//
// # Use instead
//
// One attempt in the body, and the retry policy where the workflow schedules
// it.
package retryinbody

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM026", Slug: "retry-in-body", Kind: "retry_loop", Since: "unreleased", Severity: review.Advice, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	seen := map[string]bool{}
	for _, e := range p.Activity.Acting() {
		if e.Retried == "" || e.Memory || seen[e.Retried] {
			continue
		}
		seen[e.Retried] = true
		p.Report(review.Note{Effect: e, Message: "is retried in the body by " + e.Retried + "; history does not see it, and it multiplies with the engine's retries", Fix: "make one attempt here and give the call site a retry policy"})
	}
}
