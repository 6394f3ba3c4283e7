package replayfails

import (
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM010", Slug: "replay-fails", Kind: "replay_fails", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		if !e.Strict || e.Class != knowledge.Delete || e.Lenient || e.Swallowed || e.CheckedFirst() != nil || e.Memory {
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
		if e := moved(a, c); e != nil {
			return e
		}
		if c.Value == nil || c.OnlyError() {
			continue
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
