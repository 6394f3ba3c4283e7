// Package childinstancekey reports keys made of the instance id of a child
// workflow that is retried.
//
// # What it does
//
// A key whose only distinct part is the instance id of the workflow that
// schedules the activity, where that workflow is itself scheduled as a child
// under a retry policy, in an SDK that gives a retried child a new instance id
// (Go, .NET).
//
// # Why is this bad
//
// An activity's retry keeps the instance id; a child's retry does not. The
// second child does the whole work again, and its keys refuse nothing.
//
// # When it is fine
//
// A workflow that nobody schedules as a child, a child without a retry policy,
// Python and Java (a retried child keeps its instance id).
//
// # Use instead
//
// A key made of the parent's input, passed down in the child's input; or a
// child instance id that the parent sets itself.
package childinstancekey

import (
	"embed"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM015", Slug: "child-instance-key", Kind: "child_instance_key", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Needs: []string{"call_sites"}, Files: files, Check: check}
}

// newID lists the languages whose SDK gives a retried child a new instance id.
var newID = map[string]bool{"go": true, "csharp": true}

func check(p *review.Pass) {
	a := p.Activity
	if !newID[a.Language] {
		return
	}
	for _, c := range a.CallSites {
		parent := p.RetriedAsChild(c)
		if parent == nil {
			continue
		}
		for _, e := range a.Acting() {
			k := e.Dedupe
			if k == nil {
				k = e.Key
			}
			if k == nil || e.Memory || !fromInstance(k, c) {
				continue
			}
			p.Report(review.Note{Effect: e, Message: "the key is the child workflow's own instance id; the child is retried (" + parent.Quote + "), and every retry of it is a new instance with a new key", Fix: "make the key of the parent's input and pass it down in the child's input"})
		}
		return
	}
}

func fromInstance(k *review.Value, c review.CallSite) bool {
	if k.Origin&review.FromInstance != 0 {
		return k.Origin&(review.FromInput|review.FromOutside|review.FromExecID) == 0
	}
	if k.Origin&review.FromInput == 0 {
		return false
	}
	field, ok := strings.CutPrefix(k.Sym, "input")
	return ok && c.PassesInstanceID(strings.TrimPrefix(field, "."))
}
