// Package append reports content added to the end of a file, list, stream or
// document.
//
// # What it does
//
// An append to something that outlives the body: a file opened for appending, a
// list in a store, an array in a document.
//
// # Why is this bad
//
// A second run adds the same content once more.
//
// # When it is fine
//
// A file written whole, a set or map keyed by the operation's id, a list that
// only lives in the body.
//
// # Use instead
//
// A name made of the operation's id, written whole; or a set or map keyed by
// it.
package append

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM007", Slug: "append", Kind: "append", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Append || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "adds to what is there; a second run adds it again", Fix: "write to a name made of the operation's id, or use a set or map keyed by it"})
	}
}
