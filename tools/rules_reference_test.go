package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// TestRuleReference keeps docs/rules.md equal to the rules' own documentation.
func TestRuleReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The rules of the code review\n\nGenerated from the rules (`make golden`). Examples: `idem-mcp explain IDEM002 --language go`.\n\n| rule | severity | reports |\n|---|---|---|\n")
	all := slices.Clone(rules.All())
	slices.SortFunc(all, func(a, b *review.Rule) int { return strings.Compare(a.ID, b.ID) })
	var body strings.Builder
	for _, r := range all {
		doc, err := r.Doc()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "| [%s](#%s-%s) %s | %s | %s |\n", r.ID, strings.ToLower(r.ID), r.Slug, r.Slug, r.Severity, strings.Join(strings.Fields(strings.TrimPrefix(doc.Summary, "Reports ")), " "))
		fmt.Fprintf(&body, "\n## %s %s\n\nSeverity %s, confidence %s, kind `%s`.\n\n%s\n", r.ID, r.Slug, r.Severity, r.Confidence, r.Kind, doc.Summary)
		for i, text := range []string{doc.What, doc.Why, doc.Fine, doc.Instead} {
			fmt.Fprintf(&body, "\n**%s.** %s\n", review.Headings[i], text)
		}
	}
	golden.File(t, "../docs/rules.md", []byte(b.String()+body.String()))
}
