// Package spenttoken reports one-time tokens and codes used up by the body.
//
// # What it does
//
// A call whose name says that it uses something up: redeem, consume, exchange,
// spend.
//
// # Why is this bad
//
// The first run used the token; the second is refused, and the workflow takes
// the refusal for the answer although the work was done.
//
// # When it is fine
//
// A call with a key of its own, a claim before it, a refusal that the body
// takes as success.
//
// # Use instead
//
// Store the answer under the operation's id, in one step with its use where the
// system allows, and return it on a repeat.
package spenttoken

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM030", Slug: "spent-token", Kind: "token_spent", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class == knowledge.Spend && !e.Protected() && !e.Memory {
			p.Report(review.Note{Effect: e, Message: "uses up a one-time token; a second run is refused although the first succeeded", Fix: "store the answer under the operation's id and return it on a repeat"})
		}
	}
}
