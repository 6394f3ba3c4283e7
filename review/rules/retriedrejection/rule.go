// Package retriedrejection reports rejections raised at a call site with a
// retry policy: advice.
//
// # What it does
//
// An error that the body raises because the request can never succeed (not
// valid, not found, declined, out of stock), where a call site retries every
// failure.
//
// # Why is this bad
//
// The engine runs the rejection again until the policy ends: the budget is
// spent and the real answer is late by all the waits.
//
// # When it is fine
//
// A call site without a policy, a policy that leaves this error out, an error
// marked as not to be retried, a failure of a call that may pass.
//
// # Use instead
//
// Return the rejection as a value, such as {"outcome": "rejected", "reason":
// …}, and let the workflow decide. Where the SDK's policy has a predicate (Go
// Handle, Java retry handler, Temporal non-retryable errors), leave the error
// out there.
package retriedrejection

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM023", Slug: "retried-rejection", Kind: "business_rejection", Since: "unreleased", Severity: review.Advice, Confidence: review.Medium, Needs: []string{"call_sites"}, Files: files, Check: check}
}

func check(p *review.Pass) {
	a := p.Activity
	var site *review.CallSite
	for i := range a.CallSites {
		if pol := a.CallSites[i].RetryPolicy(); pol.Text != "" && !tells(pol) {
			site = &a.CallSites[i]
			break
		}
	}
	if site == nil {
		return
	}
	for _, x := range a.Exits {
		if x.Remote || !rejection(x) {
			continue
		}
		fix := "return the rejection as a value and let the workflow decide"
		if pr := knowledge.PredicateFor(a.Framework, a.Language); pr != nil && len(pr.Names) > 0 {
			fix += ", or leave this error out in the policy's " + pr.Names[0]
		}
		p.Report(review.Note{Site: x.Site, Message: "a rejection that no retry can help is raised, and the policy at line " + fmt.Sprint(site.Line) + " of " + site.File + " retries it", Fix: fix})
		return
	}
}

// tells reports a policy that tells failures apart.
func tells(p *review.Policy) bool {
	for _, n := range p.Names {
		if slices.Contains(knowledge.PredicateWords, n) {
			return true
		}
	}
	return false
}

func rejection(x *review.Exit) bool {
	words := strings.ToLower(x.Type + " " + x.Text)
	if strings.Contains(words, "nonretry") || strings.Contains(words, "non_retry") || strings.Contains(words, "terminal") || strings.Contains(words, "retryable") || strings.Contains(words, "transient") || strings.Contains(words, "temporar") {
		return false
	}
	tested := false
	for _, c := range x.Conds {
		tested = tested || c.Value != nil && !c.OnlyError() && c.Value.Origin&(review.FromInput|review.FromOutside) != 0
	}
	if !tested {
		return false
	}
	return slices.ContainsFunc(knowledge.RejectionWords, func(w string) bool { return strings.Contains(words, w) })
}
