// Package unloggedkey reports effects whose key is written to no log: advice.
//
// # What it does
//
// The first keyed charge, request, message or publish of an activity that
// writes logs but never its key.
//
// # Why is this bad
//
// "Was the customer charged twice?" is answered by counting the key in the log
// beside the history. Without it the history alone cannot say how often the
// body ran.
//
// # When it is fine
//
// An activity that logs the key or the object it is a field of, one without a
// key (then that is the finding), one that logs nothing at all: its logging is
// elsewhere.
//
// # Use instead
//
// One log line before the call, with the key and the task execution id.
package unloggedkey

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
	return &review.Rule{ID: "IDEM021", Slug: "unlogged-key", Kind: "key_not_logged", Since: "unreleased", Severity: review.Advice, Confidence: review.Low, Files: files, Check: check}
}

func check(p *review.Pass) {
	a := p.Activity
	if len(a.Logged) == 0 {
		return
	}
	for _, e := range a.Acting() {
		switch e.Class {
		case knowledge.Create, knowledge.Charge, knowledge.Message, knowledge.Publish:
		default:
			continue
		}
		if e.Dedupe == nil || e.Memory || e.Dedupe.Origin.Fresh() {
			continue
		}
		if !logged(a, e.Dedupe) {
			p.Report(review.Note{Effect: e, Message: "no log line carries the key; how often this ran cannot be counted outside", Fix: "log the key, and the task execution id where the SDK has one, before the call"})
		}
		return
	}
}

func logged(a *review.Activity, k *review.Value) bool {
	for _, l := range a.Logged {
		if l == k || l.Sym != "" && k.Sym != "" && (strings.Contains(l.Sym, k.Sym) || strings.HasPrefix(k.Sym, l.Sym+".")) {
			return true
		}
		for _, part := range l.Parts {
			if part == k || part.Sym != "" && (part.Sym == k.Sym || strings.HasPrefix(k.Sym, part.Sym+".")) {
				return true
			}
			for _, kp := range k.Parts {
				if kp == part || kp.Sym != "" && kp.Sym == part.Sym {
					return true
				}
			}
		}
		for _, kp := range k.Parts {
			if kp == l || kp.Sym != "" && (kp.Sym == l.Sym || strings.HasPrefix(kp.Sym, l.Sym+".")) {
				return true
			}
		}
	}
	return false
}
