// Package keyinbody reports keys that the body makes anew in every run.
//
// # What it does
//
// A key, an id or a name given to the other side, or used to write, that is
// random or the time.
//
// # Why is this bad
//
// Every run has another key, so the other side sees another operation. It reads
// as protection and is none.
//
// # When it is fine
//
// A random value that is only returned, an id of a log line, a key hashed from
// the input.
//
// # Use instead
//
// Derive the key from the activity's input, or take the task execution id where
// the SDK keeps it across attempts. Make random ids in the workflow's caller
// and pass them in the input.
package keyinbody

import (
	"embed"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM008", Slug: "key-in-body", Kind: "key_in_body", Since: "unreleased", Severity: review.Hazard, Confidence: review.High, Supersedes: []string{"unkeyed-create", "unkeyed-publish", "unrecorded-message", "unkeyed-start", "unknown-callee", "spent-token"}, Files: files, Check: check}
}

func check(p *review.Pass) {
	for _, e := range p.Activity.Acting() {
		k, name := e.Dedupe, e.KeyName
		if k == nil || !k.Origin.Fresh() {
			k, name = e.Key, e.KeyName
		}
		if k == nil || !k.Origin.Fresh() || k.Origin&review.FromAttempt != 0 || e.Class == knowledge.Delete {
			continue
		}
		if e.Claim() != nil || e.Memory && passing(p.Activity, e) {
			continue
		}
		if name == "" {
			name = "the key"
		}
		p.Report(review.Note{Effect: e, Message: name + " is made in the body (" + k.Origin.String() + "); every run has another one, so it refuses nothing", Fix: fix(p.Activity)})
	}
}

// passing reports an entry in the memory of the process that holds nothing, or
// that the body takes out again: a session, a lock, a connection.
func passing(a *review.Activity, e *review.Effect) bool {
	v := e.Value
	if v != nil && v.Local && v.Origin&^review.FromConst == 0 && len(v.Fields)+len(v.Elems) == 0 && !v.HasTxt {
		return true
	}
	for _, d := range a.Effects {
		if d.Class == knowledge.Delete && d.Memory && d.Key == e.Key && e.Key != nil {
			return true
		}
	}
	return false
}

// fix names the task execution id only where the SDK keeps it across attempts.
func fix(a *review.Activity) string {
	const input = "derive the key from the activity's input"
	switch x := a.ExecID; {
	case x == nil:
		return input
	case x.Stable:
		return input + ", or take " + x.Accessor + " (since " + x.Since + "): " + x.Note
	default:
		return input + "; the task execution id is no key here: " + x.Note
	}
}
