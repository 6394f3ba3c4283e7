package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
	"github.com/idem-mcp/idem-mcp/survey"
)

// idem_survey answers: over many runs, which activities are executed more than
// once, which of them first, and is it getting better? It knows what the runs
// record: bodies, deleted runs and lost commits without a mark it cannot count.

func surveyRuns() Capability {
	return define(definition[surveyIn, *surveyOut]{
		Name: "idem_survey", Command: "survey", Title: "Survey of many runs", Paths: true,
		Purpose: "Scans all runs in the background (start, poll) and answers which activities to protect first. For single runs use idem_find_duplicates.",
		Example: `{"action":"start","since":"7d"}`,
		Run:     runSurvey,
	})
}

type surveyIn struct {
	Action   string   `json:"action" enum:"start,poll,answer,cancel" default:"answer" doc:"start also resumes"`
	ID       string   `json:"id" doc:"default: the latest"`
	App      string   `json:"app" doc:"app id"`
	Workflow string   `json:"workflow" doc:"name"`
	Since    string   `json:"since" doc:"created since: RFC 3339, 7d, or last (what the last survey covered)"`
	By       string   `json:"by" enum:"activity,app,workflow,day" default:"activity" doc:"rows"`
	Activity string   `json:"activity" doc:"list its calls"`
	Review   []string `json:"review" doc:"paths of source, to rank by hazard"`
	Page
}

type surveyOut struct {
	Answer
	Survey surveyView    `json:"survey"`
	Rows   []surveyRow   `json:"rows" jsonschema:"by activity the one to protect first"`
	Calls  []survey.Call `json:"calls" jsonschema:"of the activity that was asked for: those retried, in lost turns or unfinished"`

	by       survey.Dimension
	activity string
	code     bool
	detailed bool
	path     string // what a person named on the command line
	answers  bool   // it was asked what was found
}

type surveyView struct {
	ID       string  `json:"id"`
	State    string  `json:"state" jsonschema:"running, done, cancelled or failed"`
	Source   string  `json:"source"`
	App      string  `json:"app,omitempty"`
	Workflow string  `json:"workflow,omitempty"`
	Since    string  `json:"since,omitempty"`
	Started  string  `json:"started"`
	Moved    string  `json:"moved,omitempty" jsonschema:"when it last wrote something"`
	Ended    string  `json:"ended,omitempty"`
	Pages    int64   `json:"pages" jsonschema:"partitions read"`
	Runs     int64   `json:"runs" jsonschema:"met so far, read or unchanged"`
	Expected int64   `json:"expected,omitempty" jsonschema:"runs to meet, where the source tells or by the survey before"`
	Read     int64   `json:"read" jsonschema:"runs whose events were read; the others had not changed"`
	Repeats  int64   `json:"repeats" jsonschema:"findings that are repeats, so far"`
	Rate     float64 `json:"runs_per_second,omitempty"`
	LeftSec  int64   `json:"seconds_left,omitempty"`
	Gone     int64   `json:"gone,omitempty" jsonschema:"runs in the index that the source no longer has"`
	Unread   int     `json:"unread,omitempty" jsonschema:"runs that could not be read"`
	Partly   int64   `json:"read_in_part,omitempty"`
}

type surveyRow struct {
	survey.Row
	Histogram map[string]int `json:"attempts_histogram" jsonschema:"calls by their recorded attempts"`

	Verdict string  `json:"code,omitempty" jsonschema:"what a review of its code says: hazard, verify or safe; absent: not given or not found"`
	Score   float64 `json:"score" jsonschema:"weight of the code × repeats × how recent"`
}

func runSurvey(ctx context.Context, d Deps, in surveyIn) (*surveyOut, error) {
	if d.Survey == nil {
		return nil, &fault.Error{Kind: fault.Config, What: "surveys are not set up here", Do: "Set survey.dir"}
	}
	out := &surveyOut{Rows: []surveyRow{}, Calls: []survey.Call{}, by: survey.Dimension(in.By), activity: shown(in.Activity), detailed: in.detailed()}
	if about := d.Source.Describe(ctx); d.Shell && about.Name == "file" && !strings.Contains(about.Where, ", ") {
		out.path = about.Where
	}
	s, err := surveyed(ctx, d, in)
	if err != nil {
		return nil, err
	}
	x, err := d.Survey.Index(ctx)
	if err != nil {
		return nil, err
	}
	out.Coverage.listFor(d, in.Page)
	if err := out.cover(ctx, d, x, s); err != nil {
		return nil, err
	}
	if out.answers = in.Action == "answer"; out.answers {
		err = out.answer(ctx, d, in, x, s)
	} else {
		out.Summary = "survey " + s.ID + ": " + out.state(d, s)
	}
	out.next(d, in, s)
	return out, err
}

// surveyed does what the action asks for and returns the survey as it stands.
func surveyed(ctx context.Context, d Deps, in surveyIn) (survey.Survey, error) {
	switch in.Action {
	case "start":
		if d.Survey.Shared() && !d.Shell {
			return survey.Survey{}, &fault.Error{Kind: fault.Unsupported, What: "surveys run on a shared engine here", Means: "a tool call starts none there",
				Do: "Ask an operator to start it in a shell: idem-mcp survey. Then poll and answer read it"}
		}
		sc := survey.Scope{App: in.App, Workflow: in.Workflow, Since: in.Since}
		if in.Since == "last" {
			last, err := d.Survey.LastScope(ctx)
			if err != nil {
				return survey.Survey{}, err
			}
			sc = last
		}
		from, err := instant("since", sc.Since, d.Now())
		if err != nil {
			return survey.Survey{}, err
		}
		sc.From, sc.To = from, time.Time{}
		s, _, err := d.Survey.Start(ctx, sc)
		return s, err
	case "cancel":
		if err := d.Survey.Cancel(ctx, in.ID); err != nil {
			return survey.Survey{}, err
		}
	}
	return d.Survey.Survey(ctx, in.ID)
}

// cover says what the survey is and what is not in it.
func (out *surveyOut) cover(ctx context.Context, d Deps, x *survey.Index, s survey.Survey) error {
	const named = 5
	unread, damaged, err := x.Unread(ctx, s, true, named)
	if err != nil {
		return err
	}
	passed, other, err := x.Unread(ctx, s, false, 200)
	if err != nil {
		return err
	}
	for i := range passed {
		out.Coverage.skip(&passed[i])
	}
	out.Survey = surveyView{
		ID: s.ID, State: string(s.State), Source: clean.Line(s.Place, 300), App: shown(s.Scope.App), Workflow: shown(s.Scope.Workflow), Since: shown(s.Scope.Since),
		Started: stamp(s.Started), Moved: stamp(s.Moved), Ended: stamp(s.Ended), Pages: s.Pages, Runs: s.Seen, Expected: s.Listed, Read: s.Reads, Repeats: s.Repeats,
		Rate: float64(int(s.Rate()*10)) / 10, Gone: s.Gone, Unread: damaged, Partly: s.Partly,
	}
	if left, ok := s.Left(); ok {
		out.Survey.LeftSec = int64(left.Seconds())
	}
	out.Coverage.Runs, out.Coverage.Skipped = int(s.Seen), other
	if s.State != survey.Done {
		out.Coverage.miss("the survey " + out.state(d, s))
	}
	for i := range unread {
		out.Coverage.miss(unread[i].What + ": " + unread[i].Why)
	}
	if damaged > named {
		out.Coverage.miss(fmt.Sprintf("%d more runs could not be read", damaged-named))
	}
	if s.Partly > 0 {
		partly, err := x.Partly(ctx, s, 2)
		if err != nil {
			return err
		}
		out.Coverage.miss(fmt.Sprintf("%s read in part, for example %s", plural(int(s.Partly), "run was", "runs were"), orNone(first(partly))))
	}
	out.NotVisible = []string{
		"How often a body ran: the counts are of recorded attempts. A worker that died after its effect leaves what looks like one execution.",
		"Turns whose commit was lost without a mark, runs purged before the first survey, and earlier generations.",
	}
	return nil
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// stalled is after how long without a word a survey is taken to be interrupted.
const stalled = time.Minute

// state says how far the survey is.
func (out *surveyOut) state(d Deps, s survey.Survey) string {
	met := count(int(s.Seen), "run")
	switch s.State {
	case survey.Done:
		return "ended after " + met
	case survey.Cancelled:
		return "was cancelled after " + met
	case survey.Failed:
		return "ended after " + met + " because of an error: " + clean.Line(s.Reason, 300)
	}
	if s.Listed > 0 {
		met = fmt.Sprintf("%d of about %s", s.Seen, count(int(s.Listed), "run"))
	}
	said := "is under way: " + met + fmt.Sprintf(", %s, %s", count(int(s.Pages), "partition"), count(int(s.Repeats), "repeat"))
	if r := s.Rate(); r > 0 {
		said += fmt.Sprintf(", %.0f runs a second", r)
	}
	if left, ok := s.Left(); ok {
		said += ", about " + span(left.Round(time.Second)) + " left"
	}
	if d.Now().Sub(s.Moved) > stalled {
		said += ", and has not moved since " + stamp(s.Moved) + ": whoever worked on it is gone, and starting goes on with it"
	}
	return said
}

// answer fills in the rows or the calls.
func (out *surveyOut) answer(ctx context.Context, d Deps, in surveyIn, x *survey.Index, s survey.Survey) error {
	n := survey.Narrow{App: in.App, Workflow: in.Workflow, Activity: in.Activity}
	verdicts, err := d.verdicts(ctx, in.Review)
	if err != nil {
		return err
	}
	out.code = len(in.Review) > 0
	rows, err := x.Rows(ctx, s, out.by, n)
	if err != nil {
		return err
	}
	weight := func(activity string) float64 { return weightOf(verdicts[knowledge.Norm(activity)]) }
	now := s.Started
	if out.by == survey.ByActivity {
		survey.Rank(rows, weight, now)
	}
	repeated := 0
	for i := range rows {
		if repeats(&rows[i]) > 0 {
			repeated++
		}
	}
	out.found = repeated > 0
	out.Summary = out.summary(d, s, rows, repeated)
	if s.Seen == 0 && s.State == survey.Done && out.Coverage.State == "" {
		out.Coverage.State = "none"
	}
	if in.Activity != "" {
		return out.calls(ctx, d, in, x, s, n)
	}
	from := 0
	if in.Cursor != "" {
		if from, err = cursorAt("row:", in.Cursor); err != nil {
			return err
		}
	}
	all := make([]surveyRow, 0, len(rows))
	for _, r := range rows[min(from, len(rows)):] {
		sr := surveyRow{Row: r, Verdict: string(verdicts[knowledge.Norm(r.Activity)]), Score: float64(int(survey.Score(&r, weight(r.Activity), now)*100)) / 100}
		sr.Histogram = map[string]int{}
		for n, calls := range r.Histogram {
			sr.Histogram[strconv.Itoa(n)] = calls
		}
		sr.App, sr.Activity, sr.Workflow = shown(r.App), shown(r.Activity), shown(r.Workflow)
		all = append(all, sr)
	}
	out.take(d, in, all, from)
	return nil
}

// take lists the rows that fit.
func (out *surveyOut) take(d Deps, in surveyIn, all []surveyRow, from int) {
	limit := in.Limit
	if limit == 0 && !d.Shell && !in.detailed() {
		limit = 15
	}
	listed := all
	if limit > 0 {
		listed = listed[:min(limit, len(listed))]
	}
	budget := d.budget()
	if budget > 0 {
		budget -= size(out) + 1500
	}
	n := fitting(len(listed), budget, func(i int) int { return size(listed[i]) })
	out.Rows = list(listed[:n])
	if n < len(all) {
		out.Truncated, out.Cursor = true, fmt.Sprintf("row:%d", from+n)
		out.Narrow = fmt.Sprintf("%d of %d rows are listed; pass cursor for the rest, or narrow by app or workflow.", from+n, from+len(all))
	}
}

// calls lists the calls of the activity that was asked for.
func (out *surveyOut) calls(ctx context.Context, d Deps, in surveyIn, x *survey.Index, s survey.Survey, n survey.Narrow) error {
	from, err := 0, error(nil)
	if in.Cursor != "" {
		if from, err = cursorAt("call:", in.Cursor); err != nil {
			return err
		}
	}
	limit := in.Limit
	if limit == 0 {
		limit = 20
	}
	calls, err := x.Calls(ctx, s, n, from, limit+1)
	if err != nil {
		return err
	}
	more := len(calls) > limit
	for _, c := range calls[:min(limit, len(calls))] {
		if l := d.link(history.Ref{App: c.App, Instance: c.Run}, c.Shape); len(out.Links) == 0 || l.URL != "" && len(out.Links) < 5 {
			out.Links = append(out.Links, l)
		}
		c.App, c.Run, c.Workflow, c.Call, c.Activity, c.Location = shown(c.App), shown(c.Run), shown(c.Workflow), clean.Line(c.Call, 240), shown(c.Activity), clean.Line(c.Location, 300)
		out.Calls = append(out.Calls, c)
	}
	if more {
		out.Truncated, out.Cursor = true, fmt.Sprintf("call:%d", from+limit)
		out.Narrow = "Pass cursor for more calls, or narrow by app or workflow."
	}
	return nil
}

// repeats is how many of a row's calls have a repeat of any kind.
func repeats(r *survey.Row) int {
	return r.Retried + r.Pending + r.SecondResult + r.LostTurns + r.Reexecuted
}

// verdicts reviews the source at paths and keeps the gravest verdict of each
// activity name.
func (d Deps) verdicts(ctx context.Context, paths []string) (map[string]review.Severity, error) {
	out := map[string]review.Severity{}
	if len(paths) == 0 {
		return out, nil
	}
	res, err := d.reviewPaths(ctx, paths, nil)
	for i := range res.Activities {
		name, v := knowledge.Norm(res.Activities[i].Name), res.Activities[i].Verdict
		if old, ok := out[name]; !ok || rank(v) < rank(old) {
			out[name] = v
		}
	}
	return out, err
}

func weightOf(v review.Severity) float64 {
	switch v {
	case review.Hazard:
		return survey.WeightHazard
	case review.Verify:
		return survey.WeightVerify
	case review.Safe:
		return survey.WeightSafe
	}
	return survey.WeightUnknown
}
