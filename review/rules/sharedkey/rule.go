// Package sharedkey reports one key given to two different operations of one
// body.
//
// # What it does
//
// Two requests of one body, to different paths or methods of the same provider,
// that carry the same key.
//
// # Why is this bad
//
// A provider that looks keys up for the whole account answers the second with
// the first one's result, or with an error; the second operation never happens.
// One that looks them up per path is right, so for most providers this is a
// question.
//
// # When it is fine
//
// Two operations in branches that exclude each other, the same key at two
// different systems, a key with the operation's name in it.
//
// # Use instead
//
// Add the operation to the key: order-17/charge, order-17/ship.
package sharedkey

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

//go:embed rule.go testdata
var files embed.FS

// Rule returns the rule.
func Rule() *review.Rule {
	return &review.Rule{ID: "IDEM016", Slug: "shared-key", Kind: "shared_key", Since: "unreleased", Severity: review.Verify, Confidence: review.Medium, Files: files, Check: check}
}

func check(p *review.Pass) {
	acts := p.Activity.Acting()
	for i, b := range acts {
		if b.Dedupe == nil || b.Dedupe.Origin.Fresh() || !b.Dedupe.Origin.Distinct() || b.Memory {
			continue
		}
		for _, a := range acts[:i] {
			if a.Dedupe == nil || !same(a.Dedupe, b.Dedupe) || !related(a, b) || apart(a, b) {
				continue
			}
			n := review.Note{Effect: b, Message: "carries the key of another operation of this body, at line " + fmt.Sprint(a.Site.Line) + "; where keys hold for the whole account the second operation is taken for a repeat of the first", Fix: "add the operation's name to the key"}
			if pr := b.Provider(); pr != nil && pr.OneScope {
				n.Severity, n.Confidence = review.Hazard, review.High
			}
			p.Report(n)
			break
		}
	}
}

func same(a, b *review.Value) bool {
	return a == b || a.Sym != "" && a.Sym == b.Sym && a.Text == b.Text
}

// related reports two different operations at one system.
func related(a, b *review.Effect) bool {
	if a.Site == b.Site && slices.Equal(a.Path, b.Path) || a.Class == knowledge.Start || a.Class == knowledge.Publish || a.Class == knowledge.Message || a.Class == knowledge.Put || b.Class == knowledge.Put {
		return false
	}
	if a.URL != "" && b.URL != "" {
		return host(a.URL) == host(b.URL) && a.URL != b.URL
	}
	pa, pb := a.Provider(), b.Provider()
	return pa != nil && pa == pb && pa.OneScope && a.Callee != b.Callee
}

func host(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	h, _, _ := strings.Cut(rest, "/")
	return h
}

// apart reports effects in branches of one test that exclude each other.
func apart(a, b *review.Effect) bool {
	for _, x := range a.Conds {
		for _, y := range b.Conds {
			if x.Site == y.Site && x.Text != y.Text {
				return true
			}
			if x.Site == y.Site && !x.Exit && y.Exit {
				return true
			}
		}
	}
	return false
}
