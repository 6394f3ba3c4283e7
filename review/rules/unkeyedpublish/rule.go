// Package unkeyedpublish reports events and messages published without an id of
// their own.
//
// # What it does
//
// A publish or enqueue where the message carries no id that every run repeats:
// no metadata cloudevent.id, message id or deduplication id.
//
// # Why is this bad
//
// A second run publishes a second event, and every consumer does its work
// again. Dapr mints a new CloudEvent id for every publish unless the metadata
// carries one.
//
// # When it is fine
//
// A publish whose message id is made of the input, a publish behind a claim.
//
// # Use instead
//
// An id made of the input (Dapr: metadata cloudevent.id; SQS FIFO:
// MessageDeduplicationId; JetStream: Nats-Msg-Id), and a consumer that refuses
// ids it has seen.
package unkeyedpublish

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM006", Slug: "unkeyed-publish", Kind: "publish_no_id", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Publish || e.Protected() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "publishes without a message id of its own; a second run publishes another event", Fix: e.Cure("give the event an id made of the input and let the consumer refuse repeats")})
	}
}
