// Package repeatingconsumer reports events published for a consumer that
// repeats its work: advice.
//
// # What it does
//
// A publish with an id of its own, where a subscriber to the topic in this
// repository does something that a second delivery does again.
//
// # Why is this bad
//
// Brokers deliver at least once, and Dapr's id is not looked at by most of
// them. The id only helps a consumer that refuses ids it has seen.
//
// # When it is fine
//
// A consumer whose writes are conditional, a topic whose subscribers are
// elsewhere: ask their owners.
//
// # Use instead
//
// Let the consumer record the event's id with a conditional insert, in the
// transaction of its work.
package repeatingconsumer

import (
	"embed"
	"fmt"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM031", Slug: "repeating-consumer", Kind: "repeating_consumer", Since: "unreleased", Severity: review.Advice, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Publish || !e.Protected() {
			continue
		}
		for _, x := range p.Consumers(e) {
			p.Report(review.Note{Effect: e, Message: fmt.Sprintf("a subscriber of the topic repeats its work on a second delivery, at line %d of %s: %s", x.Site.Line, x.Site.File, x.Site.Quote), Fix: "let the consumer record the event's id with a conditional insert before its work"})
			break
		}
	}
}
