// Package unrecordedmessage reports messages to people sent without a record or
// key.
//
// # What it does
//
// Mail, SMS, push or chat that a second run sends again: no key of the
// provider, no claim of the message before it.
//
// # Why is this bad
//
// People get the message twice. Mail over SMTP and most mail APIs have no key
// at all, so a retry policy alone decides how often a customer is told.
//
// # When it is fine
//
// A send with the provider's key, a send behind a conditional insert of the
// message's id, a message that is only built.
//
// # Use instead
//
// The provider's key where there is one; else claim the message's id with a
// conditional insert and send only when the claim is new.
package unrecordedmessage

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM003", Slug: "unrecorded-message", Kind: "email_send", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Message || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "sends a message without a record or key; a second run sends it again", Fix: e.Cure("pass the provider's idempotency key, or claim the message with a conditional insert before sending")})
	}
}
