// Package llmcost reports model calls that a second run pays for again: advice.
//
// # What it does
//
// The first call of a model in an activity.
//
// # Why is this bad
//
// No provider documents a replay: the second run costs again and answers
// differently. What was decided on the first answer may not fit the second.
//
// # When it is fine
//
// A look-up of an answer stored under the operation's id.
//
// # Use instead
//
// Store the answer under the operation's id and look there first; keep what
// acts on the answer in another activity, so that its input fixes it.
package llmcost

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM032", Slug: "llm-cost", Kind: "llm_cost", Since: "unreleased", Severity: review.Advice, Confidence: review.Low, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Effects {
		if e.Class != knowledge.LLM {
			continue
		}
		for _, c := range e.Conds {
			if c.Value != nil && len(c.Value.Reads) > 0 {
				return // looked up before
			}
		}
		p.Report(review.Note{Effect: e, Message: "a second run calls the model again: it costs again and answers differently", Fix: "store the answer under the operation's id and look there first"})
		return
	}
}
