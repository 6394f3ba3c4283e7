package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Identified is a finding with the activity or workflow it belongs to and a
// fingerprint that survives moved lines and renamed files.
type Identified struct {
	Finding
	Activity    string `json:"activity"`
	Fingerprint string `json:"fingerprint"`
}

// Status says how a finding stands to an earlier review.
type Status string

// The statuses.
const (
	New      Status = "new"
	Existing Status = "existing"
	Fixed    Status = "fixed"
	// Hushed: an idem:ignore comment silences it since.
	Hushed Status = "silenced"
	// Unread: it was not found again, in a file that could not be read.
	Unread Status = "unread"
)

// Change is a finding of one or both of two reviews. One that is new or
// existing has its place in the later review, any other in the earlier.
type Change struct {
	Status Status `json:"status"`
	// Worse: it was there before, and the change makes it happen more often.
	Worse bool `json:"worse,omitempty"`
	// Reason is why it is silenced, or what of the source could not be read.
	Reason string `json:"reason,omitempty"`
	Identified
}

// Identify lists the findings of activities and workflows with their
// fingerprints, in the order of the result.
//
// A fingerprint is made of the rule, the kind, the activity's name and the
// finding's quoted line without its spaces, and counts those that are equal in
// all of it. Neither file nor line is part of it, so an edit elsewhere and a
// renamed file change nothing; an edit of the quoted line makes it another
// finding, which is the safe side for a build that fails on new ones.
func Identify(res *Result) []Identified {
	out, _ := identify(res)
	return out
}

// IdentifySilenced lists the silenced findings, in the order of res.Silenced.
func IdentifySilenced(res *Result) []Identified {
	_, out := identify(res)
	return out
}

// silencingComment at the end of a line does not make its finding another one.
var silencingComment = regexp.MustCompile(`\s*(#|//)\s*idem:ignore\b.*$`)

// identify counts the silenced findings after the others, so that silencing one
// of two equal lines leaves the fingerprints of both in use.
func identify(res *Result) (found, silenced []Identified) {
	seen := map[string]int{}
	one := func(owner string, f Finding) Identified {
		quote := silencingComment.ReplaceAllString(f.Quote, "")
		base := strings.Join([]string{f.Rule, f.Kind, owner, strings.Join(strings.Fields(quote), "")}, "\x00")
		seen[base]++
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", base, seen[base]))
		return Identified{Finding: f, Activity: owner, Fingerprint: hex.EncodeToString(sum[:8])}
	}
	for i := range res.Activities {
		for _, f := range res.Activities[i].Findings {
			found = append(found, one(res.Activities[i].owner(), f))
		}
	}
	for i := range res.Workflows {
		for _, f := range res.Workflows[i].Findings {
			found = append(found, one(res.Workflows[i].Name, f))
		}
	}
	for _, s := range res.Silenced {
		silenced = append(silenced, one(s.Owner, s.Finding))
	}
	return found, silenced
}

// owner is the name that findings are filed under.
func (a *ActivityResult) owner() string { return owner(a.Name, a.Symbol) }

func owner(name, symbol string) string { return either(either(name, symbol), "(anonymous)") }

// Compare sets two reviews side by side: every finding of the later one as new
// or existing, in its order, then those that are fixed. Advice that became a
// hazard is a new hazard.
func Compare(before, after []Identified) []Change {
	old := map[string]*Identified{}
	for i := range before {
		old[before[i].Fingerprint] = &before[i]
	}
	out := make([]Change, 0, len(after))
	for i := range after {
		c := Change{Status: New, Identified: after[i]}
		if b := old[after[i].Fingerprint]; b != nil {
			delete(old, b.Fingerprint)
			if !graver(after[i].Severity, b.Severity) {
				c.Status = Existing
			}
		}
		out = append(out, c)
	}
	for i := range before {
		if old[before[i].Fingerprint] != nil {
			out = append(out, Change{Status: Fixed, Identified: before[i]})
		}
	}
	return out
}

func graver(a, b Severity) bool {
	order := []Severity{Hazard, Verify, Advice}
	return slices.Index(order, a) < slices.Index(order, b)
}
