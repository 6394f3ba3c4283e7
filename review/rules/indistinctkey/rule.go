// Package indistinctkey reports keys that different operations share.
//
// # What it does
//
// A key that does not change from turn to turn of a loop while what is sent
// does; a key made of the instance id and constants in an activity that the
// workflow schedules in a loop or more than once; a key that is a constant.
//
// # Why is this bad
//
// The other side takes the second operation for a repeat of the first and does
// nothing. It is the reverse of a duplicate, and as wrong: one of three parcels
// is sent.
//
// # When it is fine
//
// A loop over attempts of one operation, a loop whose key has the item in it,
// an activity that a run schedules once.
//
// # Use instead
//
// Add what tells the operations apart: the item's id, the step's name.
package indistinctkey

import (
	"embed"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM018", Slug: "indistinct-key", Kind: "indistinct_key", Since: "unreleased", Severity: review.Hazard, Confidence: review.Medium, Supersedes: []string{"unkeyed-create", "unkeyed-publish", "unrecorded-message", "unkeyed-start", "unknown-callee"}, Files: files, Check: check}
}

func check(p *review.Pass) {
	a := p.Activity
	many := scheduledMoreThanOnce(a)
	for _, e := range a.Acting() {
		k := e.Dedupe
		if k == nil || k.Origin.Fresh() || e.Memory {
			continue
		}
		switch {
		case !k.Origin.Distinct():
			if k.Origin&review.FromConst != 0 && len(k.Text) > 0 {
				p.Report(review.Note{Effect: e, Message: "the key is a constant; every operation after the first is taken for a repeat of it", Fix: "make the key of the operation's id in the input"})
			}
		case e.Loop && e.Retried == "" && !k.Varies && sendsItem(e):
			p.Report(review.Note{Effect: e, Message: "the key is the same in every turn of the loop; the second item is taken for a repeat of the first", Fix: "add the item's id to the key"})
		case many != "" && k.Origin&review.FromInstance != 0 && k.Origin&(review.FromInput|review.FromOutside|review.FromExecID|review.FromUnknown) == 0:
			p.Report(review.Note{Effect: e, Message: "the key is the run's instance id and constants, and the run schedules this activity " + many + "; the second call is taken for a repeat of the first", Fix: "add what tells the calls apart to the key, from the input"})
		}
	}
}

// sendsItem reports that something sent, the key and the address apart, differs
// from turn to turn. An address that differs is a scope of its own.
func sendsItem(e *review.Effect) bool {
	item := false
	for _, v := range e.Args {
		if v.Varies && v.HasTxt && strings.Contains(v.Text, "/") {
			return false
		}
		item = item || v.Varies
	}
	return item
}

func scheduledMoreThanOnce(a *review.Activity) string {
	seen := map[string]bool{}
	for _, c := range a.CallSites {
		if c.InLoop {
			return "in a loop"
		}
		if seen[c.Workflow] {
			return "more than once"
		}
		seen[c.Workflow] = true
	}
	return ""
}
