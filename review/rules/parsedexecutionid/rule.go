// Package parsedexecutionid reports the task execution id taken apart: advice.
//
// # What it does
//
// A split, substring, index or number conversion of the task execution id.
//
// # Why is this bad
//
// The id is opaque and differs per SDK: a random UUID in Go, a hash in Python
// and Java, another one in .NET. What a part of it means may change with any
// release, and a part is less distinct than the whole.
//
// # When it is fine
//
// The id used whole, compared, or hashed whole.
//
// # Use instead
//
// Use the whole id, or a field of the input.
package parsedexecutionid

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM022", Slug: "parsed-execution-id", Kind: "execution_id_parsed", Since: "unreleased", Severity: review.Advice, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, s := range p.Activity.Parsed {
		p.Report(review.Note{Site: s, Message: "takes the task execution id apart; it is opaque, and a part of it may repeat", Fix: "use the whole id"})
	}
}
