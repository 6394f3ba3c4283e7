// Package ruletest holds a rule's folder to its conventions and runs its
// examples.
//
// An example file is named bad, good or issue-<n>, with a language's extension.
// A line whose comment is `want "text"` must be reported with a message that
// contains text; `miss` marks a line that should be reported and is not yet,
// `noise` one that is and should not. Every other report of the rule fails, and
// so does a miss or noise that no longer holds: promote it. No line of a good
// file may be a hazard to any rule.
package ruletest

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/idem-mcp/idem-mcp/review"
)

// Extensions are the example files' extensions by language; JavaScript shares
// TypeScript's.
var Extensions = map[string]string{"python": "py", "go": "go", "csharp": "cs", "java": "java", "typescript": "ts"}

var mark = regexp.MustCompile(`(?:#|//)\s*(want|miss|noise)\b(?:\s+"([^"]*)")?`)

// Folder checks what needs no run: documentation, files for every language, an
// expectation. It returns the complaints.
func Folder(files fs.FS, languages []string) []string {
	var out []string
	complain := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	d, err := review.ReadDoc(files)
	if err != nil {
		return []string{err.Error()}
	}
	for i, s := range []string{d.What, d.Why, d.Fine, d.Instead} {
		if s == "" {
			complain("nothing under the heading %q", review.Headings[i])
		}
	}
	if d.Summary == "" || strings.Count(d.Summary, "\n") > 2 {
		complain("the package comment does not start with one sentence")
	}
	for _, e := range d.Examples {
		if e.Bad == "" || e.Good == "" {
			complain("bad.%s or good.%s has nothing between [doc] and [/doc]", e.Extension, e.Extension)
		}
	}
	none := reasons(files)
	wants := false
	for _, l := range languages {
		ext := Extensions[l]
		if ext == "" {
			continue
		}
		bad, hasBad := read(files, "testdata/bad."+ext)
		_, hasGood := read(files, "testdata/good."+ext)
		switch {
		case none[l] != "" && hasBad:
			complain("none.md gives a reason for %s, which has an example", l)
		case none[l] == "" && (!hasBad || !hasGood):
			complain("no bad.%s and good.%s, and no reason in none.md", ext, ext)
		}
		wants = wants || strings.Contains(bad, " want ")
	}
	if !wants {
		complain("no want line")
	}
	return out
}

func read(files fs.FS, name string) (string, bool) {
	b, err := fs.ReadFile(files, name)
	return string(b), err == nil
}

// reasons reads none.md: "language: why it cannot have the fault".
func reasons(files fs.FS) map[string]string {
	out := map[string]string{}
	text, _ := read(files, "testdata/none.md")
	for line := range strings.SplitSeq(text, "\n") {
		if l, why, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(why) != "" {
			out[strings.TrimSpace(l)] = strings.TrimSpace(why)
		}
	}
	return out
}

// Examples reviews every example of the rule in one of the languages and
// returns what differs from its comments.
func Examples(r *review.Rule, all []*review.Rule, languages []*review.Language) []string {
	var out []string
	names, err := fs.Glob(r.Files, "testdata/*.*")
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range names {
		base := path.Base(name)
		if !slices.ContainsFunc(languages, func(l *review.Language) bool { return l.Reads(base) }) {
			continue
		}
		src, _ := read(r.Files, name)
		res, err := review.Review(context.Background(), review.Config{Files: fstest.MapFS{base: {Data: []byte(src)}}, Languages: languages, Rules: all})
		if err != nil {
			out = append(out, base+": "+err.Error())
			continue
		}
		out = append(out, compare(r, base, src, res)...)
	}
	return out
}

func compare(r *review.Rule, base, src string, res review.Result) []string {
	var out []string
	if len(res.Activities) == 0 && len(res.Workflows) == 0 {
		out = append(out, base+": no activity found")
	}
	got := map[int][]review.Finding{}
	for _, f := range res.Findings() {
		if f.Rule == r.ID {
			got[f.Line] = append(got[f.Line], f)
		} else if strings.HasPrefix(base, "good.") && f.Severity == review.Hazard {
			out = append(out, fmt.Sprintf("%s:%d: a cure is a hazard to %s: %s", base, f.Line, f.Slug, f.Message))
		}
	}
	for i, line := range strings.Split(src, "\n") {
		at := fmt.Sprintf("%s:%d", base, i+1)
		found := got[i+1]
		m := mark.FindStringSubmatch(line)
		switch {
		case m == nil && len(found) > 0:
			out = append(out, at+": noisy: "+found[0].Message)
		case m == nil:
		case m[1] == "want" && len(found) == 0:
			out = append(out, at+": missing")
		case m[1] == "want" && !strings.Contains(found[0].Message, m[2]):
			out = append(out, at+": wrong: "+found[0].Message)
		case m[1] == "miss" && len(found) > 0:
			out = append(out, at+": reported now: make it want")
		case m[1] == "noise" && len(found) == 0:
			out = append(out, at+": not reported any more: drop noise")
		}
		delete(got, i+1)
	}
	return out
}
