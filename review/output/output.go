// Package output writes a review in the forms that builds read: SARIF, JUnit
// and the workflow commands of GitHub. It takes text that is cleaned already and
// writes nothing but bytes; what of it is found, and what that means for the exit
// code, is decided by its caller.
package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

// Report is a review, compared or not, ready to be written.
type Report struct {
	Version  string // of idem-mcp
	Summary  string
	Rules    []*review.Rule
	Units    []review.Unit // in SARIF and JUnit all of them, touched or not
	Silenced []Silenced
	// Gaps are the files that could not be read, in full or at all.
	Gaps []review.Skipped
	// Fails tells the findings that the build fails for.
	Fails func(review.Change) bool
	// Anew is the command that writes the baseline anew, "" without one.
	Anew string
}

// Silenced is a finding that an idem:ignore comment silences.
type Silenced struct {
	review.Identified
	Reason string
}

// website is where the documents of the rules stand.
const website = "https://github.com/idem-mcp/idem-mcp"

// helpURI is the rule's section of docs/rules.md.
func helpURI(r *review.Rule) string {
	return website + "/blob/main/docs/rules.md#" + strings.ToLower(r.ID) + "-" + r.Slug
}

// listed are the findings of the units that are wanted, the gravest first.
func (r *Report) listed(wanted func(*review.Change) bool) []review.Change {
	var out []review.Change
	for i := range r.Units {
		for _, c := range r.Units[i].Changes {
			if wanted(&c) {
				out = append(out, c)
			}
		}
	}
	order := []review.Severity{review.Hazard, review.Verify, review.Advice}
	slices.SortStableFunc(out, func(a, b review.Change) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	return out
}

// says is a finding in one or two sentences: what is wrong, what to write instead.
func says(f *review.Finding) string {
	s := f.Message
	if f.Fix != "" {
		s += ". Instead: " + strings.TrimSuffix(f.Fix, ".")
	}
	return s + "."
}

// through is how the activity reaches the place of a finding, "" if it stands in
// its own body.
func through(f *review.Finding) string {
	var at []string
	for _, s := range f.Path {
		at = append(at, fmt.Sprintf("%s:%d", s.File, s.Line))
	}
	return strings.Join(at, ", ")
}
