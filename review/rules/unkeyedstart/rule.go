// Package unkeyedstart reports runs and jobs started without an id of their
// own.
//
// # What it does
//
// Scheduling a workflow, a task, a container or a job where the id is left out
// or made in the body.
//
// # Why is this bad
//
// A second run starts a second one.
//
// # When it is fine
//
// A start with an id made of the input: the engine refuses or joins a second
// one with the same id.
//
// # Use instead
//
// Pass an instance id made of the input.
package unkeyedstart

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM014", Slug: "unkeyed-start", Kind: "start_no_id", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if e.Class != knowledge.Start || e.Protected() {
			continue
		}
		if e.Key != nil && !e.Key.Origin.Fresh() && e.Key.Origin.Distinct() {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "starts a run without an id of its own; a second run starts another", Fix: e.Cure("pass an instance id made of the input")})
	}
}
