package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Analyze links the attempts of every call of a run and says what its events
// show. It reads nothing but the run, never fails, and never says that a call
// ran once: absence of findings is absence of marks.
func Analyze(run *Run) Analysis {
	r := read(run)
	r.calls = r.link(r.attempts, false)
	r.families = r.link(r.children, true)
	r.settle()
	c := &collector{r: r, outcomes: map[string]classified{}, lost: map[int32]bool{}}
	for i := range r.calls {
		for j := range r.calls[i].Attempts {
			a := &r.calls[i].Attempts[j]
			if len(a.Marks) > 0 && a.Turn >= 0 {
				c.lost[a.Turn] = true
			}
		}
	}
	c.findRetried()
	c.findPending()
	c.findChildren()
	c.findRerun()
	c.findCommitLost()
	c.findSecondResults()
	c.findOverlap()
	c.findLag()
	c.findOrphans()
	c.findStuck()
	c.findUnfinished()
	c.findIDs()
	c.findSameInput()
	return Analysis{Run: run, Calls: r.calls, Findings: c.findings, Patterns: r.patterns(), NotVisible: r.notVisible()}
}

// collector gathers the findings of one run.
type collector struct {
	r        *reading
	findings []Finding
	lost     map[int32]bool // turns with a marked attempt
	outcomes map[string]classified
}

type classified struct {
	o       Outcome
	from    string
	timeout bool // on the caller's side
}

// add completes a finding with what it shares with all others of the run.
func (c *collector) add(f Finding) {
	f.Repeat = f.Kind.Repeat()
	ref := &c.r.run.Ref
	f.App, f.Run, f.Location = clean.Line(ref.App, maxName), clean.Line(ref.Instance, 0), ref.Location
	if f.Evidence == nil {
		f.Evidence = []Evidence{}
	}
	if n := len(f.Evidence); n > maxEvidence {
		f.Evidence = f.Evidence[:maxEvidence:maxEvidence]
		f.Message += fmt.Sprintf(" (%d of %d events quoted)", maxEvidence, n)
	}
	c.findings = append(c.findings, f)
}

// outcome classes a failure, each text once.
func (c *collector) outcome(f *Failure) (Outcome, string) {
	got := c.classify(f)
	return got.o, got.from
}

func (c *collector) classify(f *Failure) classified {
	if f == nil {
		return classified{o: Unclear}
	}
	plain := f.Inner == nil && !f.NonRetriable
	if got, ok := c.outcomes[f.Message]; ok && plain {
		return got
	}
	got := classified{timeout: clientTimeout(f)}
	got.o, got.from = Classify(f)
	if plain {
		c.outcomes[f.Message] = got
	}
	return got
}

func (c *collector) ev(i int) *Event { return &c.r.ev[i] }

// attemptView shows one attempt.
func (c *collector) attemptView(a *Attempt) AttemptView {
	s := c.ev(a.Scheduled)
	v := AttemptView{TaskScheduledID: s.ID, TaskExecutionID: strPtr(s.TaskExecutionID), ScheduledAt: timePtr(s.At), LinkedBy: a.LinkedBy, Marks: a.Marks}
	if a.Turn >= 0 {
		v.Turn = intPtr(int(a.Turn))
	}
	if a.Result < 0 {
		return v
	}
	res := c.ev(a.Result)
	v.EndedAt = timePtr(res.At)
	if res.Kind == TaskCompleted {
		v.Result = strPtr("completed")
		return v
	}
	v.Result = strPtr("failed")
	o, from := c.outcome(res.Failure)
	v.Outcome, v.OutcomeFrom = &o, clean.Line(from, 60)
	if res.Failure != nil {
		v.Error, v.ErrorType = clean.Line(res.Failure.Message, maxQuote), clean.Line(res.Failure.Type, 80)
	}
	return v
}

func (c *collector) attemptViews(call *Call) []AttemptView {
	views := make([]AttemptView, len(call.Attempts))
	for i := range call.Attempts {
		views[i] = c.attemptView(&call.Attempts[i])
	}
	return views
}

// evidence quotes the decisive values of the given events; negative indices are
// skipped.
func (c *collector) evidence(indices ...int) []Evidence {
	out := make([]Evidence, 0, len(indices))
	for _, i := range indices {
		if i >= 0 {
			ev := c.ev(i)
			out = append(out, Evidence{Event: ev.Index, EventID: ev.ID, Type: ev.Kind.String(), Says: says(ev)})
		}
	}
	return out
}

// says quotes an event's decisive field values.
func says(ev *Event) string {
	var b strings.Builder
	put := func(k, v string) {
		if v != "" {
			fmt.Fprintf(&b, " %s=%s", k, v)
		}
	}
	put("name", clean.Line(ev.Name, 80))
	if ev.TaskScheduledID != NoID {
		k := "taskScheduledId"
		if ev.Kind == TimerFired {
			k = "timerId"
		}
		put(k, fmt.Sprint(ev.TaskScheduledID))
	}
	put("taskExecutionId", clean.Line(ev.TaskExecutionID, 80))
	put("instanceId", clean.Line(ev.Instance, 120))
	put("origin", ev.Origin.Kind.String())
	put("origin.ref", clean.Line(ev.Origin.Ref, 120))
	put("rerunParent", clean.Line(ev.RerunOf, 120))
	if !ev.At.IsZero() {
		put("at", ev.At.Format(time.RFC3339Nano))
	}
	if !ev.FireAt.IsZero() && ev.Kind != ExecutionStarted {
		put("fireAt", ev.FireAt.Format(time.RFC3339Nano))
	}
	return strings.TrimPrefix(b.String(), " ")
}

// attemptEvents lists the events of attempts: schedules, results, extra results.
func attemptEvents(attempts []Attempt) []int {
	var out []int
	for i := range attempts {
		out = append(out, attempts[i].Scheduled, attempts[i].Result)
		out = append(out, attempts[i].Extra...)
	}
	return out
}

// turnCall shows a call as part of a lost turn or a rerun.
func (c *collector) turnCall(call *Call, a *Attempt, reading string) TurnCall {
	s := c.ev(a.Scheduled)
	marks := a.Marks
	if marks == nil {
		marks = []Mark{}
	}
	return TurnCall{Activity: call.Activity, Call: call.Key, TaskScheduledID: s.ID, TaskExecutionID: strPtr(s.TaskExecutionID), Marks: marks, Reading: reading}
}

// attemptRef points to an attempt of a call.
type attemptRef struct{ call, attempt int }

// settle fixes the order in which every attempt is visited: by its schedule.
func (r *reading) settle() {
	for i := range r.calls {
		for j := range r.calls[i].Attempts {
			r.order = append(r.order, attemptRef{i, j})
		}
	}
	slices.SortFunc(r.order, func(x, y attemptRef) int {
		return r.calls[x.call].Attempts[x.attempt].Scheduled - r.calls[y.call].Attempts[y.attempt].Scheduled
	})
}

// each visits every attempt in the order of the schedules.
func (r *reading) each(f func(call *Call, a *Attempt)) {
	for _, x := range r.order {
		f(&r.calls[x.call], &r.calls[x.call].Attempts[x.attempt])
	}
}

func strPtr(s string) *string {
	if s == "" {
		return nil
	}
	s = clean.Line(s, 0)
	return &s
}

func timePtr(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func intPtr(n int) *int { return &n }
