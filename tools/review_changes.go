package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

// changesOut is the answer about source that is set beside an earlier state of
// itself: what is new, what was there before, what is fixed. What else the
// change broke, and what a callee outside the repository does, it cannot show.
type changesOut struct {
	Answer
	// Findings stand with the activities; this one hides the answer's list.
	Findings   []review.Finding `json:"findings,omitempty"`
	Against    string           `json:"against" jsonschema:"what the source is compared with"`
	Activities []review.Unit    `json:"activities" jsonschema:"what the change touches or affects, new hazards first; the others are counted"`
	Untouched  int              `json:"untouched"`
	Counts     statusCounts     `json:"counts" jsonschema:"findings by status, those of untouched activities too"`
	Skipped    []review.Skipped `json:"skipped"`
	Files      int              `json:"files"`
	WriteAnew  string           `json:"write_anew,omitempty" jsonschema:"the command that writes the baseline anew"`
}

type statusCounts struct {
	New       int `json:"new"`
	NewHazard int `json:"new_hazard"`
	NewVerify int `json:"new_verify"`
	Existing  int `json:"existing"`
	Worse     int `json:"worse"` // existing hazards that are run again now
	Fixed     int `json:"fixed"`
	Silenced  int `json:"silenced"` // by an idem:ignore comment since
	Unread    int `json:"unread"`   // in a file that could not be read this time
}

// newChanges makes the answer of a comparison. gaps are the files that the later
// review could not read.
func newChanges(c *review.Comparison, head *review.Result, gaps []review.Skipped, against string) *changesOut {
	out := &changesOut{Against: against, Skipped: list(gaps), Files: head.Files}
	out.Counts = statusCounts{Existing: c.Count(review.Existing), Worse: c.Worse(), Fixed: c.Count(review.Fixed), Silenced: c.Count(review.Hushed), Unread: c.Count(review.Unread)}
	for _, u := range c.Units {
		for _, x := range u.Changes {
			if x.Status == review.New {
				out.Counts.New++
				out.Counts.NewHazard += truth(x.Severity == review.Hazard)
				out.Counts.NewVerify += truth(x.Severity == review.Verify)
			}
		}
		if u.Touched() {
			cleanUnit(&u)
			out.Activities = append(out.Activities, u)
		} else {
			out.Untouched++
		}
	}
	slices.SortStableFunc(out.Activities, func(a, b review.Unit) int { return worstNew(&a) - worstNew(&b) })
	out.Activities = list(out.Activities)
	for _, g := range gaps {
		out.Coverage.miss(g.File + ": " + g.Reason)
	}
	out.Summary = out.summary()
	if !c.FindingsOnly {
		out.Summary += fmt.Sprintf("; the change touches or affects %d of %d activities and workflows", len(out.Activities), len(c.Units))
	}
	out.found = out.Counts.NewHazard+out.Counts.Worse > 0
	out.NotVisible = append(slices.Clone(head.NotVisible),
		"a finding is known again by its rule, its activity and its quoted line: one whose line was edited, or whose activity was renamed, is told as fixed and new")
	return out
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// worstNew orders units: hazards that are new or worse, new verify, other new findings, the rest,
// what is gone.
func worstNew(u *review.Unit) int {
	if u.Verdict == review.Gone {
		return 9
	}
	at := 8
	for _, c := range u.Changes {
		if c.Status == review.New || c.Worse {
			at = min(at, rank(c.Severity))
		}
	}
	return at
}

func (out *changesOut) summary() string {
	n := out.Counts
	s := fmt.Sprintf("against %s: %s", out.Against, count(n.New, "new finding"))
	var grave []string
	if n.NewHazard > 0 {
		grave = append(grave, count(n.NewHazard, "hazard"))
	}
	if n.NewVerify > 0 {
		grave = append(grave, fmt.Sprintf("%d to verify", n.NewVerify))
	}
	if rest := n.New - n.NewHazard - n.NewVerify; rest > 0 {
		grave = append(grave, fmt.Sprintf("%d of advice", rest))
	}
	if len(grave) > 0 {
		s += " (" + strings.Join(grave, ", ") + ")"
	}
	s += fmt.Sprintf(", %d existing", n.Existing)
	if n.Worse > 0 {
		s += fmt.Sprintf(" (%s now retried)", count(n.Worse, "hazard"))
	}
	s += fmt.Sprintf(", %d fixed", n.Fixed)
	if n.Silenced > 0 {
		s += fmt.Sprintf(", %d silenced since", n.Silenced)
	}
	if n.Unread > 0 {
		s += fmt.Sprintf(", %d not looked for again", n.Unread)
	}
	return s
}

func (out *changesOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	late := map[review.Status][]string{}
	var quiet []string
	for i := range out.Activities {
		u := &out.Activities[i]
		own := 0
		for _, c := range u.Changes {
			switch c.Status {
			case review.New, review.Existing:
				own++
			default:
				late[c.Status] = append(late[c.Status], fmt.Sprintf("%s %s in %s, %s  %s", c.Rule, c.Slug, u.Name, c.File, quoted(c.Quote, 120)))
			}
		}
		switch {
		case own > 0:
			t.unit(u)
		case u.Verdict != review.Gone:
			quiet = append(quiet, fmt.Sprintf("%s (%s:%d): %s", u.Name, u.File, u.Line, strings.Join(u.Why, ", ")))
		case len(u.Changes) == 0:
			quiet = append(quiet, fmt.Sprintf("%s (%s): %s", u.Name, u.File, strings.Join(u.Why, ", ")))
		}
	}
	t.section("Touched, and nothing found in it:", quiet, 20)
	t.section("Fixed:", late[review.Fixed], 40)
	if out.WriteAnew != "" && len(late[review.Fixed])+len(late[review.Hushed]) > 0 {
		t.line("The baseline still holds what is fixed or silenced. Write it anew: %s", out.WriteAnew)
	}
	t.section("Silenced since, in place:", late[review.Hushed], 20)
	t.section("Not looked for again, because a file could not be read:", late[review.Unread], 20)
	t.closing(&out.Answer)
}

// unit writes one activity: its new findings in full, the others in one line.
func (t *text) unit(u *review.Unit) {
	kind := u.Language
	if u.Workflow {
		kind += ", workflow"
	}
	t.line("\n%s: %s (%s) %s:%d; %s", u.Verdict, u.Name, kind, u.File, u.Line, strings.Join(u.Why, ", "))
	for i := range u.Changes {
		c := &u.Changes[i]
		switch {
		case c.Worse:
			t.line("  existing, and worse now: %s, %s:%d  %s", u.Worse, u.Site.File, u.Site.Line, quoted(u.Site.Quote, 160))
			t.codeFinding(&c.Finding)
		case c.Status == review.New:
			t.line("  new:")
			t.codeFinding(&c.Finding)
		case c.Status == review.Existing:
			t.line("  existing: %s %s, %s:%d", c.Rule, c.Severity, c.File, c.Line)
		}
	}
}

func cleanUnit(u *review.Unit) {
	u.Name, u.File = clean.Line(u.Name, 240), clean.Line(u.File, 240)
	u.Why, u.Changes = slices.Clone(u.Why), list(slices.Clone(u.Changes))
	for i := range u.Why {
		u.Why[i] = clean.Line(u.Why[i], 300)
	}
	if u.Site != nil {
		u.Site = &review.Site{File: clean.Line(u.Site.File, 240), Line: u.Site.Line, EndLine: u.Site.EndLine, Quote: clean.Line(u.Site.Quote, 240)}
	}
	for i := range u.Changes {
		u.Changes[i].Reason = clean.Line(u.Changes[i].Reason, 240)
		cleanIdentified(&u.Changes[i].Identified)
	}
	u.Why = list(u.Why)
}

func cleanIdentified(f *review.Identified) {
	f.Activity = clean.Line(f.Activity, 240)
	cleanCodeFinding(&f.Finding)
	f.Path = slices.Clone(f.Path)
	for i := range f.Path {
		s := &f.Path[i]
		s.File, s.Quote = clean.Line(s.File, 240), clean.Line(s.Quote, 240)
	}
}
