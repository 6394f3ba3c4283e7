package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

// withRuns are the arguments of a review that is joined with histories.
type withRuns struct {
	WithRuns bool   `json:"with_runs" shell:"runs" doc:"add what runs show of each activity, and rank by it"`
	Since    string `json:"since" doc:"with_runs: runs created since, e.g. 7d"`
	MaxRuns  int    `json:"max_runs" min:"1" max:"100000" doc:"with_runs: at most so many"`
}

// joinedOut is the two evidences side by side.
type joinedOut struct {
	Source     string           `json:"source" jsonschema:"which runs were counted, and why these"`
	Runs       int              `json:"runs"`
	Activities []joinedActivity `json:"activities" jsonschema:"the gravest first: hazards that runs show being retried"`
	Others     int              `json:"others,omitempty" jsonschema:"activities not listed here"`
	RunsOnly   []string         `json:"runs_only" jsonschema:"activities in runs with no code here"`
	CodeOnly   []string         `json:"code_only" jsonschema:"activities of the code with no call in these runs"`
	Ambiguous  []string         `json:"ambiguous" jsonschema:"not joined because several fit"`
}

// joinedActivity is an activity of the code with what runs show of it.
type joinedActivity struct {
	Activity string          `json:"activity"`
	Code     string          `json:"code" jsonschema:"file:line"`
	Verdict  review.Severity `json:"verdict"`
	Rule     string          `json:"rule,omitempty" jsonschema:"of the gravest finding"`
	Seen     *seenInRuns     `json:"seen,omitempty" jsonschema:"absent when no run is matched, which does not say that it never ran"`
	Doubt    bool            `json:"ambiguous,omitempty" jsonschema:"runs have this name, and may mean another activity of the code"`
}

// seenInRuns is what the runs of one or several apps show of an activity.
type seenInRuns struct {
	MatchedBy    matchedBy `json:"matched_by" jsonschema:"name, name and workflow, or similar name"`
	RecordedAs   string    `json:"recorded_as"`
	Apps         []string  `json:"apps"`
	Runs         int       `json:"runs"`
	Calls        int       `json:"calls"`
	Retried      int       `json:"retried" jsonschema:"calls with several recorded attempts"`
	AfterUnknown int       `json:"retried_after_unknown_outcome"`
	Rejections   int       `json:"rejection_retried"`
	Pending      int       `json:"retry_pending"`
	LostTurns    int       `json:"in_lost_turns"`
	Reexecuted   int       `json:"reexecuted_by_rerun"`
	SecondResult int       `json:"second_result"`
	LongestGapMS int64     `json:"longest_gap_ms" jsonschema:"first to last schedule of one call"`
	ExecutionID  string    `json:"execution_id" jsonschema:"measured over retried calls"`
	LastSeen     time.Time `json:"last_seen,omitzero"`
	LastRepeat   time.Time `json:"last_repeat,omitzero"`
}

// repeated counts the calls that runs show more than once in any way.
func (s *seenInRuns) repeated() int {
	if s == nil {
		return 0
	}
	return s.Retried + s.Pending + s.LostTurns + s.Reexecuted + s.SecondResult
}

// add counts another app's tally.
func (s *seenInRuns) add(t *history.ActivityTally, ids *history.IDTally) {
	if t.App != "" {
		s.Apps = append(s.Apps, t.App)
	}
	s.RecordedAs = t.Activity
	s.Runs += t.Runs
	s.Calls += t.Calls
	s.Retried += t.Retried
	s.AfterUnknown += t.AfterUnknown
	s.Rejections += t.Rejections
	s.Pending += t.Pending
	s.LostTurns += t.LostTurns
	s.Reexecuted += t.Reexecuted
	s.SecondResult += t.SecondResult
	s.LongestGapMS = max(s.LongestGapMS, t.LongestGap.Milliseconds())
	if t.LastSeen.After(s.LastSeen) {
		s.LastSeen = t.LastSeen
	}
	if t.LastRepeat.After(s.LastRepeat) {
		s.LastRepeat = t.LastRepeat
	}
	ids.Same += t.IDs.Same
	ids.Changed += t.IDs.Changed
	ids.Missing += t.IDs.Missing
	s.ExecutionID = measured(ids)
}

// measured says whether the task execution id outlasted retries.
func measured(ids *history.IDTally) string {
	n := ids.Same + ids.Changed + ids.Missing
	switch {
	case n == 0:
		return "not measured"
	case ids.Same == n:
		return fmt.Sprintf("same in %d of %d", n, n)
	case ids.Missing == n:
		return "none recorded"
	}
	return fmt.Sprintf("changed in %d of %d", ids.Changed, n)
}

// join counts the runs, puts what they show beside the activities and ranks
// them. It reorders activities, which are all of the code's or some.
func (out *reviewCodeOut) join(ctx context.Context, d Deps, in withRuns, activities []review.ActivityResult, all bool) error {
	f := history.Filter{}
	var err error
	if f.Since, err = instant("since", in.Since, d.Now()); err != nil {
		return err
	}
	counted, err := d.tally(ctx, f, in.MaxRuns, &out.Coverage)
	if err != nil {
		return err
	}
	if out.Coverage.Runs == 0 {
		out.Coverage.miss("no run matches, so nothing is known of repeats")
	}
	tallies := counted.Activities()
	names := make([]recordedName, len(tallies))
	for i := range tallies {
		names[i] = recordedName{tallies[i].App, tallies[i].Activity, tallies[i].Workflows}
	}
	m := matchNames(activities, names)
	at := d.Source.Describe(ctx)
	j := &joinedOut{Source: clean.Line(at.Where, 200) + " (" + d.Chosen + ")", Runs: out.Coverage.Runs, RunsOnly: []string{}, CodeOnly: []string{}, Ambiguous: []string{}}
	rows := make([]joinedActivity, len(activities))
	for i := range activities {
		rows[i] = joinedRow(&activities[i], m.code[i], tallies)
		rows[i].Doubt = rows[i].Seen == nil && m.doubted[i]
		if rows[i].Seen == nil && !rows[i].Doubt {
			j.CodeOnly = append(j.CodeOnly, rows[i].Activity)
		}
	}
	for _, i := range m.unmatched {
		if all { // else the rest of the code was not looked for
			j.RunsOnly = append(j.RunsOnly, names[i].String())
		}
	}
	for i := range names {
		if why, ok := m.ambiguous[i]; ok {
			j.Ambiguous = append(j.Ambiguous, why)
		}
	}
	rankJoined(activities, rows)
	j.Activities = rows
	out.Joined = j
	out.NotVisible = append(out.NotVisible, sameCode)
	return nil
}

func joinedRow(a *review.ActivityResult, m match, tallies []history.ActivityTally) joinedActivity {
	row := joinedActivity{Activity: codeName(a), Code: fmt.Sprintf("%s:%d", a.File, a.Line), Verdict: a.Verdict}
	if f := gravest(a); f != nil {
		row.Rule = f.Rule
	}
	if len(m.recorded) == 0 {
		return row
	}
	row.Seen = &seenInRuns{MatchedBy: m.by, Apps: []string{}}
	var ids history.IDTally
	for _, i := range m.recorded {
		row.Seen.add(&tallies[i], &ids)
	}
	return row
}

// rankJoined orders by verdict, then by what runs show: retries after an unknown
// outcome, other repeats, calls.
func rankJoined(activities []review.ActivityResult, rows []joinedActivity) {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	number := func(s *seenInRuns) [3]int {
		if s == nil {
			return [3]int{}
		}
		return [3]int{s.AfterUnknown + s.SecondResult, s.repeated(), s.Calls}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		a, b := number(rows[x].Seen), number(rows[y].Seen)
		return cmp.Or(rank(rows[x].Verdict)-rank(rows[y].Verdict), b[0]-a[0], b[1]-a[1], b[2]-a[2])
	})
	as, rs := slices.Clone(activities), slices.Clone(rows)
	for i, from := range order {
		activities[i], rows[i] = as[from], rs[from]
	}
}

// summary is the clause that the join adds to the answer's sentence.
func (j *joinedOut) summary() string {
	hazards, repeated := 0, 0
	for i := range j.Activities {
		if a := &j.Activities[i]; a.Verdict == review.Hazard {
			hazards++
			if a.Seen.repeated() > 0 {
				repeated++
			}
		}
	}
	switch {
	case j.Runs == 0:
		return "; no run was there to count"
	case hazards == 0:
		return "; " + count(j.Runs, "run") + " counted"
	}
	return fmt.Sprintf("; %s counted: repeats are recorded of %d of the hazards", count(j.Runs, "run"), repeated)
}

// fit keeps the rows and names that an assistant's answer has room for. The pages
// after the first, which begin at another activity, do not say them again.
func (j *joinedOut) fit(d Deps, first int) {
	if d.budget() == 0 {
		return
	}
	if first > 0 {
		j.Others, j.Activities = len(j.Activities), []joinedActivity{}
		j.RunsOnly, j.CodeOnly, j.Ambiguous = []string{}, []string{}, []string{}
		return
	}
	n := fitting(len(j.Activities), d.budget()/4, func(i int) int { return size(j.Activities[i]) })
	j.Others, j.Activities = len(j.Activities)-n, j.Activities[:n]
	for _, list := range []*[]string{&j.RunsOnly, &j.CodeOnly, &j.Ambiguous} {
		if rest := len(*list) - 20; rest > 0 {
			*list = append(slices.Clone((*list)[:20]), fmt.Sprintf("and %d more", rest))
		}
	}
}

func (j *joinedOut) render(t *text) {
	rows := make([][]string, len(j.Activities))
	for i := range j.Activities {
		a := &j.Activities[i]
		row := []string{a.Activity, string(a.Verdict), a.Rule, "0", "", "", "", "", "", "", a.Code}
		if s := a.Seen; s != nil {
			row[3], row[4], row[5] = fmt.Sprint(s.Calls), orBlank(s.Retried), orBlank(s.AfterUnknown)
			row[6] = orBlank(s.repeated() - s.Retried)
			if s.LongestGapMS > 0 {
				row[7] = span(millis(s.LongestGapMS))
			}
			if s.ExecutionID != "not measured" {
				row[8] = s.ExecutionID
			}
			if !s.LastSeen.IsZero() {
				row[9] = s.LastSeen.UTC().Format("2006-01-02 15:04")
			}
			if s.MatchedBy == bySimilar {
				row[0] += " (in the runs " + clean.Line(s.RecordedAs, 80) + ")"
			}
		}
		if a.Doubt {
			row[3] = "not joined"
		}
		rows[i] = row
	}
	t.line("\nRuns counted: %d, of %s.\n", j.Runs, j.Source)
	if len(rows) == 0 && j.Others > 0 {
		t.line("What they show stands on the first page of this answer.")
		return
	}
	t.table([]string{"ACTIVITY", "VERDICT", "RULE", "CALLS", "RETRIED", "AFTER UNKNOWN", "OTHER REPEATS", "LONGEST GAP", "EXECUTION ID", "LAST SEEN", "CODE"}, rows)
	if j.Others > 0 {
		t.line("and %s", plural(j.Others, "more activity", "more activities"))
	}
	notes := []string{j.matched()}
	if len(j.RunsOnly) > 0 {
		notes = append(notes, "in the runs, no code here: "+enumerated(j.RunsOnly))
	}
	if len(j.CodeOnly) > 0 {
		notes = append(notes, "in the code, no call in these runs: "+enumerated(j.CodeOnly))
	}
	for _, a := range j.Ambiguous {
		notes = append(notes, "not joined: "+clean.Line(a, 300))
	}
	t.section("How names were matched:", notes, 12)
}

// matched says what the matches rest on.
func (j *joinedOut) matched() string {
	by := map[matchedBy]int{}
	var similar, told []string
	for i := range j.Activities {
		s := j.Activities[i].Seen
		if s == nil {
			continue
		}
		by[s.MatchedBy]++
		switch s.MatchedBy {
		case bySimilar:
			similar = append(similar, j.Activities[i].Activity)
		case byWorkflow:
			told = append(told, fmt.Sprintf("%s (app %s)", j.Activities[i].Activity, strings.Join(s.Apps, ", ")))
		}
	}
	parts := []string{fmt.Sprintf("%d by the registered name", by[byName])}
	if len(told) > 0 {
		parts = append(parts, fmt.Sprintf("%d by name and workflow: %s", by[byWorkflow], enumerated(told)))
	}
	if len(similar) > 0 {
		parts = append(parts, fmt.Sprintf("%d only by a similar name: %s", by[bySimilar], enumerated(similar)))
	}
	return strings.Join(parts, "; ")
}

func enumerated(names []string) string {
	rest := len(names) - 12
	out := clean.Line(strings.Join(names[:min(len(names), 12)], ", "), 600)
	if rest > 0 {
		out += fmt.Sprintf(" and %d more", rest)
	}
	return out
}

func orBlank(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
