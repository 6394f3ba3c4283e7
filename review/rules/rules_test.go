package rules_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
	"github.com/idem-mcp/idem-mcp/review/rules/ruletest"
	"github.com/idem-mcp/idem-mcp/review/rules/scaffold"
)

// complete are the languages in which every rule has examples or a reason;
// examples in other languages are run where they exist.
var complete = []string{"python", "go", "csharp", "typescript", "java"}

func TestRules(t *testing.T) {
	all := rules.All()
	for _, r := range all {
		t.Run(r.Slug, func(t *testing.T) {
			for _, c := range ruletest.Folder(r.Files, complete) {
				t.Error(c)
			}
			for _, c := range ruletest.Examples(r, all, lang.All()) {
				t.Error(c)
			}
		})
	}
}

// TestAllIsGenerated compares all.go with the folders.
func TestAllIsGenerated(t *testing.T) {
	want, err := scaffold.All(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("all.go is stale: run go generate ./review/rules")
	}
}

var (
	idShape   = regexp.MustCompile(`^IDEM\d{3}$`)
	kindShape = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
)

// TestConventions checks what all.go's values say about themselves.
func TestConventions(t *testing.T) {
	folders, err := scaffold.Folders(".")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, f := range folders {
		have[f] = true
	}
	seen := map[string]bool{}
	slugs := map[string]*review.Rule{}
	for _, r := range rules.All() {
		if !idShape.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("%s: id %q is malformed or taken", r.Slug, r.ID)
		}
		if !have[strings.ReplaceAll(r.Slug, "-", "")] {
			t.Errorf("%s: the folder is not the slug without hyphens", r.Slug)
		}
		if !kindShape.MatchString(r.Kind) {
			t.Errorf("%s: kind %q", r.Slug, r.Kind)
		}
		if r.Since == "" || r.Severity == "" || r.Confidence == "" || r.Check == nil || r.Files == nil {
			t.Errorf("%s: Since, Severity, Confidence, Check and Files are required", r.Slug)
		}
		seen[r.ID] = true
		slugs[r.Slug] = r
	}
	for _, r := range rules.All() {
		for _, s := range r.Supersedes {
			if slugs[s] == nil {
				t.Errorf("%s supersedes %q, which is no rule", r.Slug, s)
			}
		}
	}
}
