package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside"
)

// idem_find_duplicates answers: which activity calls were executed more than
// once, how certain is that, and on what evidence? It sees recorded attempts
// and the traces of lost commits. A redelivery of a committed schedule leaves
// no event, so an empty answer is "not visible", never "ran once".

func findDuplicates() Capability {
	return define(definition[findDuplicatesIn, *findDuplicatesOut]{
		Name: "idem_find_duplicates", Command: "duplicates", Title: "Was an activity executed more than once?", Paths: true,
		Purpose: "Finds activity calls executed more than once, in one run (run, or a pasted history) or in all that match a filter. Use it for any question about duplicates; not as proof of a single execution: empty means not visible.",
		Example: `{"workflow":"OrderWorkflow","since":"24h"}`,
		Run:     duplicatesWithCode,
	})
}

type findDuplicatesIn struct {
	Which
	Select
	WithCode []string `json:"with_code" doc:"source files or folders: what a second run of these calls does"`
	Beside
	Page
}

type findDuplicatesOut struct {
	Answer
	Calls    []history.CallView `json:"calls" jsonschema:"the calls that findings are about; in detailed form all"`
	Others   int                `json:"other_calls" jsonschema:"calls not listed: one recorded attempt and no mark, which does not say how often the body ran"`
	Totals   map[string]int     `json:"totals" jsonschema:"findings by kind in what was read, also those not listed"`
	Patterns []history.Pattern  `json:"patterns" jsonschema:"repetitions the workflow makes on purpose; not duplicates"`

	Lineage []history.Lineage `json:"lineage" jsonschema:"how the runs that were read hang together"`
	Runs    []repeatsOf       `json:"runs" jsonschema:"of many runs: those with a repeat, one line each"`
	Code    []codeOf          `json:"code,omitempty" jsonschema:"with_code: what the code does on a second run of the repeated activities"`
	Outside *outsideAnswer    `json:"outside,omitempty" jsonschema:"what logs, spans and provider lists say"`

	single   bool
	detailed bool
	counting bool // no findings are asked for: they are counted and not listed
	repeats  int  // runs with a repeat
	room     int  // bytes left for findings; negative: the next run did not fit
	rows     int  // bytes left for Runs
	resume   string
	joined   history.Join
	again    repeatedNames
	reserved int              // bytes kept for Code
	damaged  *history.Skipped // the first run that could not be read
	index    *outside.Index   // of the runs examined, where something outside is read
	row      []int            // by run examined: its position in Runs, or noRow, or unlisted
}

// repeatsOf is a run with a repeat, in short.
type repeatsOf struct {
	Run      string   `json:"run"`
	App      string   `json:"app,omitempty"`
	Location string   `json:"location,omitempty"`
	Repeats  []string `json:"repeats"`
}

const (
	defaultExamined = 200    // runs one call examines for an assistant
	reserve         = 4500   // bytes that the answer takes beside findings and calls
	conciseEvidence = 4      // events quoted per finding
	runRows         = 7000   // bytes for the list of runs with a repeat
	shellFindings   = 10_000 // listed in a shell: each keeps some kilobytes in memory
)

func runFindDuplicates(ctx context.Context, d Deps, in findDuplicatesIn) (*findDuplicatesOut, error) {
	out := newDuplicates(d, in)
	if in.History != "" || in.Run != "" {
		if !in.Select.empty() { // silently ignored, a misspelt workflow would look as if it had matched
			return nil, &badArgument{what: "one run is named, and a filter for many runs too", do: "Leave out workflow, status, since, until and text, or run"}
		}
		run, err := d.resolve(ctx, in.Which)
		if err != nil {
			return nil, err
		}
		return out, out.examine(ctx, d, in, run)
	}
	limit := in.Limit
	if limit == 0 && !d.Shell {
		limit = defaultExamined
	}
	f, err := in.filter(in.App, in.Cursor, d.Now())
	if err != nil {
		return nil, err
	}
	last, err := out.scan(ctx, d, f, limit)
	if err != nil {
		return nil, err
	}
	if out.Coverage.Runs == 0 && out.damaged != nil && in.empty() {
		return nil, &fault.Error{Kind: fault.Damaged, What: "read " + out.damaged.What + ": " + out.damaged.Why, Means: "no run was read, so nothing is known about duplicates"}
	}
	if out.Coverage.Runs == 1 && !out.Truncated && in.Cursor == "" { // a single run is told as one
		one := newDuplicates(d, in)
		one.Coverage = out.Coverage.without(last)
		return one, one.examine(ctx, d, in, last)
	}
	if err := out.joinOutside(ctx, d, in); err != nil {
		return nil, err
	}
	out.concludeScan(in)
	in.beside(out.Next)
	if out.Coverage.Runs == 0 {
		out.Hints = d.whyNothing(ctx, in.Select, in.App)
	}
	return out, nil
}

func newDuplicates(d Deps, in findDuplicatesIn) *findDuplicatesOut {
	out := &findDuplicatesOut{Calls: []history.CallView{}, Totals: map[string]int{}, Patterns: []history.Pattern{}, Lineage: []history.Lineage{}, Runs: []repeatsOf{}, detailed: in.detailed(), counting: !in.wants("findings") && !in.wants("calls")}
	out.Coverage.listFor(d, in.Page)
	if len(in.WithCode) > 0 {
		out.reserved = codeRoom
	}
	if in.given() {
		out.index = &outside.Index{}
	}
	return out
}

// report is what one run adds to an answer.
type report struct {
	findings []history.Finding
	calls    []history.CallView
	patterns []history.Pattern
	unseen   []string
	repeats  int
}

func reportOn(a *history.Analysis) report {
	r := report{findings: a.Findings, calls: a.Table(), patterns: a.Patterns, unseen: a.NotVisible, repeats: a.Repeats()}
	slices.SortStableFunc(r.findings, func(x, y history.Finding) int { return gravity(x.Kind) - gravity(y.Kind) })
	for i := range r.findings {
		cleanFinding(&r.findings[i])
	}
	for i := range r.calls {
		cleanCall(&r.calls[i])
	}
	return r
}

// gravity orders findings: what most likely changed the outside world first.
func gravity(k history.FindingKind) int {
	return slices.Index(kinds(), k)
}

func kinds() []history.FindingKind {
	return []history.FindingKind{
		history.EffectTwice, history.ExecutedMore, history.SecondResult, history.RetriedUnknownOutcome, history.Retried, history.RejectionRetried, history.ChildRetried, history.Rerun,
		history.CommitLost, history.RetryPending, history.Overlapped, history.EffectMissing, history.AttemptsMayOverlap, history.Stuck, history.OrphanResult, history.SameInputTwice,
		history.Unfinished, history.IDUnstable, history.IDReused, history.IDMissing, history.TurnLag,
	}
}

// examine answers for one run.
func (out *findDuplicatesOut) examine(ctx context.Context, d Deps, in findDuplicatesIn, run *history.Run) error {
	first, err := findingPosition(in.Cursor)
	if err != nil {
		return err
	}
	a := history.Analyze(run)
	out.single = true
	out.Coverage.read(run)
	if err := out.examineOutside(ctx, d, in, &a); err != nil {
		return err
	}
	r := reportOn(&a)
	out.again.add(run, r.findings)
	out.Payloads.countRun(run)
	for i := range r.findings {
		out.Totals[string(r.findings[i].Kind)]++
	}
	out.found = r.repeats > 0
	out.Patterns, out.NotVisible = list(r.patterns), r.unseen
	if l := d.link(run.Ref, run.Shape); l.URL != "" || isCatalyst(run.Shape) {
		out.Links = []Link{l}
	}
	out.Summary = summaryOf(run, r)
	out.take(d, in, run, r, min(first, len(r.findings)))
	out.Next = nextOf(run, out.Findings)
	in.beside(out.Next)
	if len(out.Next) == 0 {
		out.Next = []Next{whatWould(run)}
	}
	again(out.Next, in.Which)
	return nil
}

// whatWould suggests the code: it says what a repeat that no history shows would
// do.
func whatWould(run *history.Run) Next {
	n := Next{Tool: "idem_review_code", Arguments: map[string]string{"paths": "<folder of the activities>"}, Why: "whether a repeat that no history shows would change the world"}
	for i := range run.Events {
		if e := &run.Events[i]; e.Kind == history.TaskScheduled && e.Name != "" {
			n.Arguments["symbol"] = shown(e.Name)
			break
		}
	}
	return n
}

func findingPosition(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	return cursorAt("finding:", cursor)
}

// take lists the findings from first on that fit, and their calls.
func (out *findDuplicatesOut) take(d Deps, in findDuplicatesIn, run *history.Run, r report, first int) {
	budget := d.budget()
	if budget > 0 {
		if !out.detailed && len(run.Events) >= longRun {
			budget = min(budget, len(run.Events)*bytesPerEvent)
		}
		budget -= size(out) + 400
		budget -= out.reserved
	}
	findings := r.findings[first:]
	if in.Limit > 0 {
		findings = findings[:min(in.Limit, len(findings))]
	}
	for i := range findings {
		out.trim(d, &findings[i])
	}
	calls := map[string]history.CallView{}
	for _, c := range r.calls {
		calls[c.Call] = c
	}
	n := fitting(len(findings), budget, func(i int) int { return size(findings[i]) + callsSize(calls, &findings[i]) })
	out.Findings = findings[:n]
	if next := first + n; next < len(r.findings) {
		out.Truncated, out.Cursor = true, "finding:"+strconv.Itoa(next)
		out.Narrow = fmt.Sprintf("%d of %d findings are listed, the gravest first; pass cursor for the rest, or idem_explain_call for one call.", first+n, len(r.findings))
	}
	listed := map[string]bool{}
	for i := range out.Findings {
		for _, k := range callsOf(&out.Findings[i]) {
			listed[k] = true
		}
	}
	all := out.detailed && !out.Truncated && (budget == 0 || size(r.calls) < budget/4)
	for _, c := range r.calls {
		if listed[c.Call] || all || !d.Shell && len(r.calls) <= 8 || d.Shell && len(r.calls) <= 12 {
			out.Calls = append(out.Calls, c)
		} else if len(c.Findings) == 0 {
			out.Others++
		}
	}
}

// A run is long from so many events on; its concise answer is then at most 5 %
// of the history's JSON, of which an event takes at least 160 bytes.
const (
	longRun       = 800
	bytesPerEvent = 8
)

// callsOf are the calls a finding is about.
func callsOf(f *history.Finding) []string {
	var out []string
	if f.Call != nil {
		out = append(out, *f.Call)
	}
	for _, c := range f.Calls {
		out = append(out, c.Call)
	}
	return out
}

func callsSize(calls map[string]history.CallView, f *history.Finding) int {
	n := 0
	for _, k := range callsOf(f) {
		if c, ok := calls[k]; ok {
			n += size(c) + 1
		}
	}
	return n
}

// trim keeps what the concise form shows of a finding. A shell has no budget.
func (out *findDuplicatesOut) trim(d Deps, f *history.Finding) {
	if d.Shell || out.detailed {
		return
	}
	if !f.Repeat && f.Call != nil {
		f.Attempts = nil // they stand with the finding that is a repeat, or in idem_explain_call
	}
	f.Evidence = f.Evidence[:min(len(f.Evidence), conciseEvidence)]
	if !out.single {
		f.Evidence = nil // of one run at a time
	}
	if n := len(f.Attempts); n > 8 {
		f.Message += fmt.Sprintf(" (%d of %d attempts listed)", 8, n)
		f.Attempts = append(slices.Clone(f.Attempts[:5]), f.Attempts[n-3:]...)
	}
	if n := len(f.Calls); n > 20 {
		f.Message += fmt.Sprintf(" (%d of %d calls listed)", 20, n)
		f.Calls = f.Calls[:20]
	}
	for i := range f.Attempts {
		f.Attempts[i].Error = clean.Line(f.Attempts[i].Error, 100)
	}
}

// scan examines the runs that match, up to limit. All of them are counted; the
// findings of as many as fit are listed. It returns the last run read.
func (out *findDuplicatesOut) scan(ctx context.Context, d Deps, f history.Filter, limit int) (*history.Run, error) {
	var last *history.Run
	out.room, out.rows = d.budget()*9/10-reserve-runRows-out.reserved, runRows // what joining adds must fit too
	defer out.join(d)
	for run, err := range d.histories(ctx, f) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			out.Coverage.skip(skipped)
			if !skipped.NoRun && out.damaged == nil {
				out.damaged = skipped
			}
			continue
		case err != nil && (last == nil || ctx.Err() != nil):
			return nil, err
		case err != nil:
			out.Coverage.miss("the listing ended early: " + err.Error())
			return last, nil
		}
		if limit > 0 && out.Coverage.Runs == limit {
			out.Truncated = true
			out.Narrow = fmt.Sprintf("%d runs were examined, more match; pass cursor for the next, or narrow by workflow, status, since or text.", limit)
			if out.resume == "" {
				out.resume = last.Ref.Cursor()
			}
			break
		}
		out.add(d, run, last)
		last = run
	}
	out.Cursor = out.resume
	return last, nil
}

// join adds what only several runs together show.
func (out *findDuplicatesOut) join(d Deps) {
	for i := range out.Findings {
		out.joined.Complete(&out.Findings[i])
		out.again.children(&out.Findings[i])
	}
	more := out.joined.Findings()
	for i := range more {
		cleanFinding(&more[i])
		out.Totals[string(more[i].Kind)]++
	}
	if d.budget() > 0 {
		more = more[:min(len(more), 5)]
	}
	out.Findings = append(out.Findings, more...)
	if lineage := out.joined.Lineage(); d.Shell || out.detailed && len(lineage) <= 20 {
		out.Lineage = list(lineage)
	}
}

// add reports on one run of many; before is the run read before it.
func (out *findDuplicatesOut) add(d Deps, run, before *history.Run) {
	a := history.Analyze(run)
	r := reportOn(&a)
	out.joined.Add(&a)
	out.again.add(run, r.findings)
	if out.index != nil {
		out.index.AddRun(&a)
		out.row = append(out.row, noRow)
	}
	out.Coverage.read(run)
	out.Payloads.countRun(run)
	for i := range r.findings {
		out.Totals[string(r.findings[i].Kind)]++
	}
	out.list(d, run, before, r)
	for _, s := range r.unseen {
		if !slices.Contains(out.NotVisible, s) && len(out.NotVisible) < 12 {
			out.NotVisible = append(out.NotVisible, s)
		}
	}
	if r.repeats == 0 {
		return
	}
	out.mark(d, run, repeatsIn(r))
	if isCatalyst(run.Shape) && len(out.Links) < 10 {
		out.Links = append(out.Links, d.link(run.Ref, run.Shape))
	}
	if len(out.Next) < 3 {
		out.Next = append(out.Next, nextOf(run, r.findings)...)
	}
}

// mark lists a run with its repeats.
func (out *findDuplicatesOut) mark(d Deps, run *history.Run, repeats []string) {
	out.found = true
	out.repeats++
	at := unlisted
	row := repeatsOf{Run: shown(run.Ref.Instance), App: shown(run.Ref.App), Location: clean.Line(run.Ref.Location, 300), Repeats: repeats}
	if out.rows -= size(row); out.rows > 0 || d.Shell {
		at = len(out.Runs)
		out.Runs = append(out.Runs, row)
	}
	if len(out.row) > 0 {
		out.row[len(out.row)-1] = at
	}
}

// list adds the findings of a run and their calls if they fit. The first run
// whose do not is where the answer's cursor continues.
func (out *findDuplicatesOut) list(d Deps, run, before *history.Run, r report) {
	if len(r.findings) == 0 || out.resume != "" || out.counting {
		out.Others += len(r.calls)
		return
	}
	if d.Shell && len(out.Findings) >= shellFindings && before != nil {
		out.resume, out.Truncated = before.Ref.Cursor(), true
		out.Narrow = fmt.Sprintf("All runs are counted; the findings of the first are listed, some %d of them. Pass --cursor to list on from there.", shellFindings)
		out.Others += len(r.calls)
		return
	}
	var calls []history.CallView
	for _, c := range r.calls {
		if len(c.Findings) > 0 && (out.detailed || d.Shell) {
			calls = append(calls, c)
		}
	}
	for i := range r.findings {
		out.trim(d, &r.findings[i])
	}
	if d.budget() > 0 {
		cost := size(r.findings) + size(calls)
		if cost > out.room && before != nil {
			out.resume, out.Truncated = before.Ref.Cursor(), true
			out.Narrow = "The findings of some runs did not fit; pass cursor to go on with them, or give one as run."
			return
		}
		if cost > out.room {
			n := fitting(len(r.findings), out.room, func(i int) int { return size(r.findings[i]) })
			r.findings, calls = r.findings[:n], nil
			out.Coverage.miss("run " + name(run.Ref) + " has more findings than fit here: ask for it alone with run")
		}
		out.room -= cost
	}
	out.Findings = append(out.Findings, r.findings...)
	out.Calls = append(out.Calls, calls...)
	out.Others += len(r.calls) - len(calls)
}

// repeatsIn names the repeats of a run in short.
func repeatsIn(r report) []string {
	var out []string
	for i := range r.findings {
		f := &r.findings[i]
		if !f.Repeat {
			continue
		}
		s := strings.TrimSpace(string(f.Kind) + " " + subject(f))
		if n := len(f.Attempts); n > 0 {
			s += fmt.Sprintf(" (%d attempts)", n)
		}
		if len(out) == 6 {
			return append(out, fmt.Sprintf("and %d more", r.repeats-6))
		}
		out = append(out, s)
	}
	return out
}

func isCatalyst(s history.Shape) bool {
	return s == history.ShapeCatalyst || s == history.ShapeArchive
}

// nextOf suggests a closer look at the gravest finding: its call, or the run
// that tells the other half of it.
func nextOf(run *history.Run, findings []history.Finding) []Next {
	for i := range findings {
		f := &findings[i]
		call := f.Call
		if call == nil && f.Kind == history.CommitLost && len(f.Calls) > 0 {
			call = &f.Calls[0].Call
		}
		switch {
		case !f.Kind.Repeat():
		case call != nil:
			n := Next{Tool: "idem_explain_call", Arguments: map[string]string{"call": *call}, Why: "its attempts on a timeline, and what each failure says about the outside world"}
			n.run(run)
			return []Next{n}
		case len(f.Children) > 0:
			return []Next{{Tool: "idem_find_duplicates", Arguments: map[string]string{"run": shown(f.Children[0].Run)}, Why: "what the first child ran, and may have run again in the next"}}
		case f.RerunOf != "":
			return []Next{{Tool: "idem_find_duplicates", Arguments: map[string]string{"run": f.RerunOf}, Why: "the source run: what it had done before"}}
		}
	}
	return nil
}

// concludeScan says what many runs show together.
func (out *findDuplicatesOut) concludeScan(in findDuplicatesIn) {
	n := out.Coverage.Runs
	out.examined = true
	if n == 0 {
		out.Coverage.State = "none"
	}
	switch {
	case n == 0 && in.empty() && in.App == "":
		out.Summary = "no run was found to examine"
	case n == 0:
		out.Summary = "no run matches, so nothing was examined"
	case out.repeats == 0:
		out.Summary = fmt.Sprintf("%s examined: no repeat is visible, which does not rule one out", count(n, "run"))
	default:
		out.Summary = fmt.Sprintf("%s examined: %s", count(n, "run"), plural(out.repeats, "has repeats", "have repeats"))
		if rest := n - out.repeats; rest > 0 {
			out.Summary += fmt.Sprintf("; in the other %d none is visible, which does not rule one out", rest)
		}
	}
	if n > 0 && len(out.Next) == 0 {
		out.Next = []Next{{Tool: "idem_review_code", Arguments: map[string]string{"paths": "<folder of the activities>"}, Why: "whether a repeat that no history shows would change the world"}}
	}
	if n == 0 {
		out.Next = []Next{{Tool: "idem_status", Arguments: map[string]string{}, Why: "which source was read, and what it holds"}}
		out.NotVisible = []string{"nothing was read, so nothing is known about duplicates"}
	}
}

// summaryOf is the sentence for one run.
func summaryOf(run *history.Run, r report) string {
	head := fmt.Sprintf("run %s of %s (%s)", name(run.Ref), orUnknown(shown(run.Workflow)), run.Status)
	if r.repeats == 0 {
		s := head + ": no repeat is visible among " + count(len(r.calls), "call") + ", which does not rule one out"
		if n := len(r.findings); n > 0 {
			s += "; " + count(n, "other finding")
		}
		return s
	}
	var parts []string
	for i := range r.findings {
		f := &r.findings[i]
		if !f.Kind.Repeat() {
			continue
		}
		if len(parts) == 3 {
			parts = append(parts, fmt.Sprintf("and %d more", r.repeats-3))
			break
		}
		parts = append(parts, strings.TrimSpace(string(f.Kind)+" "+subject(f)))
	}
	return head + ": " + count(r.repeats, "repeat") + " (" + strings.Join(parts, ", ") + ")"
}

// subject names what a finding is about.
func subject(f *history.Finding) string {
	switch {
	case f.Call != nil:
		return clean.Line(*f.Call, 80)
	case f.Turn != nil:
		return fmt.Sprintf("turn %d", *f.Turn)
	case f.Workflow != "":
		return clean.Line(f.Workflow, 80)
	case f.Activity != nil:
		return clean.Line(*f.Activity, 80)
	case f.RerunOf != "":
		return "of " + shown(f.RerunOf)
	}
	return ""
}
