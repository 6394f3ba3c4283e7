// Package shortwindow reports keys that the provider forgets before the last
// retry.
//
// # What it does
//
// A keyed call whose provider remembers keys for less time than the retry
// policy at a call site goes on. Where no policy is longer and the window is
// half an hour or less, it is advice: a redelivery after an outage, or a rerun
// by hand, comes later than that.
//
// # Why is this bad
//
// A repeat after the window is a new operation to the provider.
//
// # When it is fine
//
// A provider without a published window, a policy that ends within the window.
//
// # Use instead
//
// End the policy within the window, or keep an intent record of your own next
// to the provider's key.
package shortwindow

import (
	"embed"
	"fmt"
	"time"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM017", Slug: "short-window", Kind: "short_window", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Needs: []string{"call_sites"}, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		pr := e.Provider()
		if pr == nil || pr.Window == 0 || e.Dedupe == nil || e.Dedupe.Origin.Fresh() || e.KeyName == "" {
			continue
		}
		var longest review.CallSite
		for _, c := range p.Activity.CallSites {
			if c.RetryPolicy().Horizon > longest.RetryPolicy().Horizon {
				longest = c
			}
		}
		source := fmt.Sprintf("%s (%s; %s, %s)", pr.Name, pr.Condition, knowledge.ProvidersChecked, pr.Source)
		fix := "end the retry policy within the window, or keep an intent record of your own: " + source
		if h := longest.RetryPolicy().Horizon; h > pr.Window {
			p.Report(review.Note{Effect: e, Message: "key present, window too short: " + pr.Name + " remembers it for " + review.Span(pr.Window) + ", the retry policy goes on for " + review.Span(h), Fix: fix})
		} else if pr.Window <= 30*time.Minute {
			p.Report(review.Note{Effect: e, Severity: review.Advice, Confidence: review.Low, Message: pr.Name + " remembers the key for " + review.Span(pr.Window) + "; a redelivery after an outage, or a rerun, comes later", Fix: fix})
		}
	}
}
