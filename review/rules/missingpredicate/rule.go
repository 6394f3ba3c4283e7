// Package missingpredicate reports retry policies given a predicate that their
// SDK does not have: advice.
//
// # What it does
//
// A policy made with a name that tells failures apart (non-retryable error
// types, retry if, handle) in an SDK whose policy takes no such thing.
//
// # Why is this bad
//
// The program fails when the policy is made, or the name is dropped and every
// failure is retried although the code says otherwise.
//
// # When it is fine
//
// Go's Handle and Java's retry handler, Temporal's non-retryable errors.
//
// # Use instead
//
// Return the rejection as a value and let the workflow decide.
package missingpredicate

import (
	"embed"
	"slices"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM025", Slug: "missing-predicate", Kind: "predicate_missing", Since: "unreleased", Severity: review.Advice, Confidence: review.High, Workflow: true, Files: files, Check: check}
}

func check(p *review.Pass) {
	w := p.Workflow
	pr := knowledge.PredicateFor(w.Framework, w.Language)
	if pr == nil {
		return
	}
	for i := range w.Calls {
		c := w.Calls[i]
		for _, n := range c.RetryPolicy().Names {
			if slices.Contains(knowledge.PredicateWords, n) && !slices.Contains(pr.Names, n) {
				p.Report(review.Note{Site: review.Site{File: c.File, Line: c.Line, EndLine: c.Line, Quote: c.Quote}, Message: "the retry policy is given " + n + ", which this SDK's policy does not have; rejections are retried", Fix: pr.Instead})
				return
			}
		}
	}
}
