// Package unkeyedcreate reports requests that create something at another
// system without a key.
//
// # What it does
//
// A POST, a service invocation or a client call that makes a new thing or moves
// money, where nothing the other side reads as a key (header, argument, field)
// is the same in every run. A GET whose path is a verb of action counts too.
//
// # Why is this bad
//
// The provider cannot tell the second run from a second order: the customer is
// charged twice, two tickets are open, two machines run.
//
// # When it is fine
//
// A call with the provider's key made of the input, a PUT to a path made of the
// input, a POST to a path that only asks (search, quote, validate): that one is
// a question.
//
// # Use instead
//
// The provider's idempotency key made of the input, or of the task execution id
// where the SDK keeps it across attempts. Where the provider has none, an
// intent record before the call and reconciliation on a repeat.
package unkeyedcreate

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM002", Slug: "unkeyed-create", Kind: "post_no_key", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Create && e.Class != knowledge.Charge || e.Reader || e.Protected() {
			continue
		}
		n := review.Note{Effect: e, Message: "creates something at another system without a key; a second run creates it again", Fix: e.Cure("send the provider's idempotency key, made of the input, with the request")}
		if e.Question == "mutating_get" {
			n.Kind, n.Confidence = "mutating_get", review.Medium
			n.Message = "requests a path whose name says that it acts; a second run acts again, or is refused"
		}
		if e.Class == knowledge.Charge {
			n.Message = "moves money without a key; a second run moves it again"
		}
		p.Report(n)
	}
}
