// Package replayfails reports bodies whose second run fails although the first
// succeeded.
//
// # What it does
//
// A delete that fails when the thing is gone, a write that the client refuses
// when the thing is there, an answer of "exists already" that the body turns
// into an error, a refusal after a look at what the body itself changes.
//
// # Why is this bad
//
// The first run did its work and its result was lost; the second run reports a
// failure. The workflow compensates, or fails, for something that was done.
//
// # When it is fine
//
// "Not there" and "exists already" taken as success, a look at a thing that the
// body does not change.
//
// # Use instead
//
// Recognise the repeat, by the operation's id or by the refusal, and answer as
// the first run did.
package replayfails

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM010", Slug: "replay-fails", Kind: "replay_fails", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if !e.Strict || e.Lenient || e.Swallowed || e.CheckedFirst() != nil || e.Memory {
			continue
		}
		if e.Class == knowledge.Put && !e.Protected() && (e.Key == nil || !e.Key.Origin.Fresh()) {
			p.Report(review.Note{Effect: e, Message: "fails when the thing is already there; a second run fails although the first succeeded", Fix: "overwrite it, or take \"already there\" as success"})
		}
		if e.Class != knowledge.Delete {
			continue
		}
		p.Report(review.Note{Effect: e, Message: "fails when the thing is already gone; a second run fails although the first succeeded", Fix: "take \"not there\" as success"})
	}
	for _, x := range p.Activity.Exits {
		if r := rejected(p.Activity, x); r != nil {
			p.Report(review.Note{Site: x.Site, Message: "refuses when what an earlier effect of this body changed is short or already there; a second run may fail although the first succeeded", Fix: "recognise the repeat by the operation's id and answer as the first run did"})
		}
	}
}

// rejected is the earlier effect whose repeat an exit stands for: the body
// raises after a test of a value that it later changes.
func rejected(a *review.Activity, x *review.Exit) *review.Effect {
	for _, c := range x.Conds {
		if e := moved(a, c, x); e != nil {
			return e
		}
		if c.Value == nil || c.OnlyError() {
			continue
		}
		if r := refused(c.Value.From, 3); r != nil {
			return r
		}
		for _, r := range c.Value.Reads {
			for _, e := range a.Acting() {
				if e.Relative && e.DerivedFrom == r && e.Claim() == nil {
					return e
				}
			}
		}
	}
	return nil
}

// refused is the request among the calls, or among those that gave them their
// arguments, whose handler in this repository refuses a repeat.
func refused(calls []*review.Effect, depth int) *review.Effect {
	for _, e := range calls {
		if e.Refuses != nil {
			return e
		}
		for _, a := range e.Args {
			if depth == 0 {
				break
			}
			if r := refused(a.From, depth-1); r != nil {
				return r
			}
		}
	}
	return nil
}
