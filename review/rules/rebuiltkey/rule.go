// Package rebuiltkey reports keys put together in the body instead of passed in
// the input: advice.
//
// # What it does
//
// A key that the body builds from parts of the input and text.
//
// # Why is this bad
//
// It works as long as every place that needs the key builds it in the same way;
// a reviewer, a rerun by hand and the code that reconciles cannot read it off
// the input.
//
// # When it is fine
//
// A field of the input used as it is, the task execution id, a key in a table's
// own format.
//
// # Use instead
//
// Build the key once, in the workflow, and pass it in the activity's input. It
// is small.
package rebuiltkey

import (
	"embed"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM020", Slug: "rebuilt-key", Kind: "key_rebuilt", Since: "unreleased", Severity: review.Advice, Confidence: review.Low, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		k := e.Dedupe
		if k == nil || e.Memory || e.Class == knowledge.Put || k.Origin.Fresh() || k.Origin&review.FromInput == 0 || k.Origin&(review.FromUnknown|review.FromOutside) != 0 {
			continue
		}
		if k.Origin&review.FromHash == 0 && (!k.HasTxt || len(k.Parts) == 0 || strings.Trim(k.Text, "{}") == "") {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "the key is put together in the body; nobody can read it off the input", Fix: "build the key in the workflow and pass it as a field of the activity's input"})
		return
	}
}
