package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

// The code and the runs meet here, by the names of activities. A history does not
// say which code ran, so every match says what it rests on, and where several
// fit, none is made.

// matchedBy is what a match rests on.
type matchedBy string

const (
	byName     matchedBy = "name"              // the registered name is the recorded one
	byWorkflow matchedBy = "name and workflow" // the workflows that call it tell which of several
	bySimilar  matchedBy = "similar name"      // equal but for case, separators, package or the word activity
)

// sameCode is what no match can show.
const sameCode = "that the code reviewed is the code that ran: names were compared, and a history names no version of the code"

// recordedName is an activity as runs name it.
type recordedName struct {
	app, activity string
	workflows     []string
}

// String is how answers call it.
func (n recordedName) String() string {
	if n.app == "" {
		return n.activity
	}
	return n.activity + " of app " + n.app
}

// match is which recorded names an activity of the code is joined with.
type match struct {
	by       matchedBy
	recorded []int
}

// matches joins activities of the code with recorded names.
type matches struct {
	code      []match        // by activity of the code; the zero match is none
	unmatched []int          // recorded names that no code here has
	ambiguous map[int]string // recorded names that fit several, and why none was chosen
	doubted   map[int]bool   // activities of the code that such a name fits
}

// matchNames matches by the exact name first, and what is left by similar ones.
func matchNames(code []review.ActivityResult, recorded []recordedName) matches {
	m := matches{code: make([]match, len(code)), ambiguous: map[int]string{}, doubted: map[int]bool{}}
	done := map[int]bool{}
	exact := func(s string) string { return s }
	m.pair(code, recorded, exact, byName, done)
	left := make([]recordedName, len(recorded))
	for i, r := range recorded {
		if !done[i] {
			left[i] = r
		}
	}
	m.pair(code, left, similar, bySimilar, done)
	for i := range recorded {
		if !done[i] {
			m.unmatched = append(m.unmatched, i)
		}
	}
	return m
}

// pair joins the activities and recorded names that have the same key. A name
// that the code has once is joined with every app that records it, unless the
// call sites tell the apps apart; one that it has several times only where they do.
func (m *matches) pair(code []review.ActivityResult, recorded []recordedName, key func(string) string, by matchedBy, done map[int]bool) {
	having := map[string][]int{}
	for i := range code {
		if m.code[i].by == "" {
			k := key(codeName(&code[i]))
			having[k] = append(having[k], i)
		}
	}
	spellings := map[string]map[string]bool{}
	told := map[int][]int{} // activity of the code -> recorded names that its call sites tell
	var rest []int
	for i, r := range recorded {
		k := key(r.activity)
		if r.activity == "" || len(having[k]) == 0 {
			continue
		}
		if spellings[k] == nil {
			spellings[k] = map[string]bool{}
		}
		spellings[k][r.activity] = true
		done[i] = true
		calling := slices.DeleteFunc(slices.Clone(having[k]), func(c int) bool { return !calledBy(&code[c], r.workflows) })
		if len(calling) == 1 {
			told[calling[0]] = append(told[calling[0]], i)
		} else {
			rest = append(rest, i)
		}
	}
	for _, i := range rest {
		k := key(recorded[i].activity)
		one := having[k][0]
		doubt := func(format string, args ...any) {
			m.ambiguous[i] = recorded[i].String() + ": " + fmt.Sprintf(format, args...)
			for _, c := range having[k] {
				m.doubted[c] = true
			}
		}
		switch {
		case len(having[k]) > 1:
			doubt("%d activities of the code have %s (%s), and their call sites do not tell which one ran", len(having[k]), nameKind(by), places(code, having[k]))
		case len(told[one]) > 0:
			doubt("it runs in other workflows than those that call the %s of the code", codeName(&code[one]))
		case len(spellings[k]) > 1:
			doubt("several names in the runs are similar to %s of the code", codeName(&code[one]))
		default:
			m.code[one].by = by
			m.code[one].recorded = append(m.code[one].recorded, i)
		}
	}
	for c, list := range told {
		k := key(codeName(&code[c]))
		if by == bySimilar && len(spellings[k]) > 1 {
			for _, i := range list {
				m.ambiguous[i] = fmt.Sprintf("%s: several names in the runs are similar to %s of the code", recorded[i], codeName(&code[c]))
			}
			m.doubted[c] = true
			continue
		}
		m.code[c] = match{by: by, recorded: list}
		if by == byName && (len(having[k]) > 1 || slices.ContainsFunc(rest, func(i int) bool { return key(recorded[i].activity) == k })) {
			m.code[c].by = byWorkflow
		}
	}
}

func nameKind(by matchedBy) string {
	if by == bySimilar {
		return "a similar name"
	}
	return "this name"
}

func codeName(a *review.ActivityResult) string { return cmp.Or(a.Name, a.Symbol) }

func places(code []review.ActivityResult, list []int) string {
	var out []string
	for _, i := range list[:min(len(list), 4)] {
		out = append(out, fmt.Sprintf("%s:%d", code[i].File, code[i].Line))
	}
	return strings.Join(out, ", ")
}

// calledBy reports whether one of the workflows calls the activity. Call sites of
// its own language count first: a name is often used in several.
func calledBy(a *review.ActivityResult, workflows []string) bool {
	own := slices.DeleteFunc(slices.Clone(a.CallSites), func(s review.CallSite) bool { return path.Ext(s.File) != path.Ext(a.File) })
	if len(own) == 0 {
		own = a.CallSites
	}
	return slices.ContainsFunc(own, func(s review.CallSite) bool {
		return s.Workflow != "" && slices.ContainsFunc(workflows, func(w string) bool { return similar(w) == similar(s.Workflow) })
	})
}

// similar is a name without what names of one activity differ in: package, case,
// separators and the suffix activity.
func similar(name string) string {
	if i := strings.LastIndexAny(name, ".$/:"); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
	if short := strings.TrimSuffix(name, "activity"); short != "" {
		return short
	}
	return name
}

// How many runs a join reads unless asked for another number.
const (
	joinedRuns      = 500
	joinedRunsShell = 10_000
)

// tally adds up the runs that match, at most limit. What is not read is missing
// from c, which makes the answer partial.
func (d Deps) tally(ctx context.Context, f history.Filter, limit int, c *Coverage) (*history.Tally, error) {
	if limit == 0 {
		limit = joinedRuns
		if d.Shell {
			limit = joinedRunsShell
		}
	}
	var t history.Tally
	for run, err := range d.histories(ctx, f) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			if !skipped.NoRun {
				c.skip(skipped)
			}
			continue
		case err != nil && (c.Runs == 0 || ctx.Err() != nil):
			return nil, err
		case err != nil:
			c.miss("the listing of runs ended early: " + err.Error())
			return &t, nil
		}
		if c.Runs == limit {
			c.miss(fmt.Sprintf("%d runs were counted and more match: narrow by since, or raise max_runs", limit))
			break
		}
		a := history.Analyze(run)
		t.Add(&a)
		c.read(run)
	}
	return &t, nil
}

// codeOf is what the code says of an activity that runs name.
type codeOf struct {
	Activity  string          `json:"activity"`
	App       string          `json:"app,omitempty"`
	Verdict   review.Severity `json:"verdict,omitempty" jsonschema:"of a second run: hazard, verify or safe; absent when no code was matched"`
	MatchedBy matchedBy       `json:"matched_by,omitempty" jsonschema:"name, name and workflow, or similar name"`
	Code      string          `json:"code,omitempty" jsonschema:"file:line of the activity"`
	Finding   string          `json:"finding,omitempty" jsonschema:"the gravest finding, with its rule"`
	At        string          `json:"at,omitempty" jsonschema:"file:line of the finding"`
	Keys      []string        `json:"key_origins,omitempty" jsonschema:"what the keys in the body are made of"`
	Why       string          `json:"why,omitempty" jsonschema:"why no code was matched"`
}

// codeRoom is what the code's part may take of an assistant's answer, in bytes.
const codeRoom = 6000

// codeFor reviews paths and says what the code does on a second run of each
// recorded activity, hazards first.
func (d Deps) codeFor(ctx context.Context, paths []string, names []recordedName, c *Coverage) ([]codeOf, error) {
	res, err := d.reviewPaths(ctx, paths, nil)
	if err != nil {
		return nil, err
	}
	for _, s := range res.Skipped {
		if !review.OnPurpose(s.Reason) {
			c.miss(s.File + ": " + s.Reason)
		}
	}
	for i := range res.Activities {
		cleanActivity(&res.Activities[i])
	}
	m := matchNames(res.Activities, names)
	out := make([]codeOf, len(names))
	for i, n := range names {
		out[i] = codeOf{Activity: n.activity, App: n.app, Why: "no activity of this name in the code"}
		if why, ok := m.ambiguous[i]; ok {
			out[i].Why = why
		}
	}
	for i := range res.Activities {
		a := &res.Activities[i]
		for _, n := range m.code[i].recorded {
			out[n].Verdict, out[n].MatchedBy, out[n].Code, out[n].Why = a.Verdict, m.code[i].by, fmt.Sprintf("%s:%d", a.File, a.Line), ""
			for _, k := range a.Keys {
				out[n].Keys = append(out[n].Keys, k.Origin...)
			}
			slices.Sort(out[n].Keys)
			out[n].Keys = slices.Compact(out[n].Keys)
			if f := gravest(a); f != nil {
				out[n].Finding, out[n].At = f.Rule+" "+f.Message, fmt.Sprintf("%s:%d", f.File, f.Line)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b codeOf) int { return rankCode(a.Verdict) - rankCode(b.Verdict) })
	if d.budget() > 0 {
		out = out[:fitting(len(out), codeRoom, func(i int) int { return size(out[i]) })]
	}
	return out, nil
}

// rankCode is rank, with no code last.
func rankCode(v review.Severity) int {
	if v == "" {
		return 100
	}
	return rank(v)
}

// gravest is the finding that the verdict rests on, nil where it is safe.
func gravest(a *review.ActivityResult) *review.Finding {
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Severity == a.Verdict && f.Severity != review.Advice {
			return f
		}
	}
	return nil
}

// codeLines writes what the code says, one line an activity.
func (t *text) codeLines(code []codeOf) {
	lines := make([]string, len(code))
	for i, c := range code {
		head := clean.Line(recordedName{app: c.App, activity: c.Activity}.String(), 120)
		switch {
		case c.Verdict == "":
			lines[i] = head + ": no code matched: " + c.Why
		case c.Finding == "":
			lines[i] = fmt.Sprintf("%s: %s as far as the code shows (%s; matched by %s)", head, c.Verdict, c.Code, c.MatchedBy)
		default:
			lines[i] = fmt.Sprintf("%s: %s, %s (%s; matched by %s)", head, c.Verdict, c.Finding, c.At, c.MatchedBy)
		}
	}
	t.section("What the code does on a second run:", lines, 20)
}
