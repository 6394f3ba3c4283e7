package history

import (
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Story is one call told whole: its attempts, the gaps between them, what each
// failure says about the outside world and what a key could rest on.
type Story struct {
	App      string        `json:"app"`
	Run      string        `json:"run"`
	Call     string        `json:"call"`
	Activity string        `json:"activity"`
	Attempts []AttemptView `json:"attempts"`
	// GapsMS[i] is the time from the end of attempt i to the schedule of attempt
	// i+1 in milliseconds; negative when the later schedule is older. Null where a
	// time is missing.
	GapsMS     []*int64      `json:"gaps_ms"`
	LinkedBy   []LinkRule    `json:"linked_by"`
	Inputs     string        `json:"inputs"`
	MayOverlap bool          `json:"may_overlap"`
	OverlapWhy string        `json:"overlap_why,omitempty"`
	IDs        string        `json:"ids"` // stable, unstable, missing, one attempt, not carried
	IDsNote    string        `json:"ids_note"`
	Findings   []FindingKind `json:"findings"`
	Evidence   []Evidence    `json:"evidence"`
}

// Explain tells one call of an analysis. name is the call's key
// ("ChargeCard#1"), or an activity name or task_scheduled_id that only one call
// has. The error (BadInput) lists the calls when it is none of these.
func (a *Analysis) Explain(name string) (Story, error) {
	call, err := a.findCall(name)
	if err != nil {
		return Story{}, err
	}
	c := &collector{r: &reading{run: a.Run, ev: a.Run.Events}, outcomes: map[string]classified{}}
	s := Story{App: clean.Line(a.Run.Ref.App, maxName), Run: clean.Line(a.Run.Ref.Instance, 0), Call: call.Key, Activity: call.Activity, Attempts: c.attemptViews(call),
		LinkedBy: call.LinkedBy(), Inputs: inputsText(call.Inputs), Findings: []FindingKind{}, GapsMS: []*int64{}}
	if len(call.Attempts) == 1 {
		s.Inputs = ""
	}
	if s.LinkedBy == nil {
		s.LinkedBy = []LinkRule{}
	}
	for i := 1; i < len(s.Attempts); i++ {
		var gap *int64
		if end, next := s.Attempts[i-1].EndedAt, s.Attempts[i].ScheduledAt; end != nil && next != nil {
			ms := next.Sub(*end).Milliseconds()
			gap = &ms
		}
		s.GapsMS = append(s.GapsMS, gap)
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if !f.concerns(call.Key) {
			continue
		}
		s.Findings = append(s.Findings, f.Kind)
		if f.Kind == AttemptsMayOverlap {
			s.MayOverlap, s.OverlapWhy = true, f.Message
		}
	}
	s.IDs, s.IDsNote = a.idStory(call)
	s.Evidence = c.evidence(c.retryEvents(call)...)
	return s, nil
}

// concerns reports whether a finding is about the given call.
func (f *Finding) concerns(key string) bool {
	if f.Call != nil && *f.Call == key {
		return true
	}
	for i := range f.Calls {
		if f.Calls[i].Call == key {
			return true
		}
	}
	return false
}

// idStory says whether the task execution id was the same over the attempts.
func (a *Analysis) idStory(call *Call) (verdict, note string) {
	if !a.Run.Carries.IDs {
		return "not carried", "this shape of history carries no task execution ids"
	}
	ids := map[string]bool{}
	lost := false
	for i := range call.Attempts {
		at := &call.Attempts[i]
		ids[a.Run.Events[at.Scheduled].TaskExecutionID] = true
		lost = lost || len(at.Marks) > 0
	}
	switch {
	case ids[""]:
		return "missing", "the schedules carry no task execution id"
	case lost:
		return "unstable", "a lost commit is marked on this call: in the Go SDK the re-run turn makes a new id, so a key made of it does not protect there"
	case len(call.Attempts) == 1:
		return "one attempt", "one recorded attempt says nothing about stability"
	case len(ids) == 1:
		return "stable", fmt.Sprintf("the same over %d recorded attempts; a redelivery keeps it too, a lost commit may not", len(call.Attempts))
	case call.HandLoop:
		return "unstable", "the attempts come from a loop in the workflow's code, which makes a new call, and a new id, each time"
	}
	return "unstable", fmt.Sprintf("%d ids over %d attempts: a key made of it does not survive a retry here", len(ids), len(call.Attempts))
}

func (a *Analysis) findCall(name string) (*Call, error) {
	var matches []*Call
	for i := range a.Calls {
		call := &a.Calls[i]
		if call.Key == name {
			return call, nil
		}
		hit := call.Activity == name
		for j := range call.Attempts {
			hit = hit || fmt.Sprint(a.Run.Events[call.Attempts[j].Scheduled].ID) == name
		}
		if hit {
			matches = append(matches, call)
		}
	}
	if len(matches) == 1 {
		return matches[0], nil
	}
	const most = 20
	pool, what := matches, "names several calls"
	if len(matches) == 0 {
		what = "is not a call of this run"
		for i := range a.Calls {
			pool = append(pool, &a.Calls[i])
		}
	}
	keys := make([]string, 0, most)
	for i, c := range pool {
		if i == most {
			keys = append(keys, fmt.Sprintf("and %d more", len(pool)-most))
			break
		}
		keys = append(keys, clean80(c.Key))
	}
	return nil, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("explain call %q: it %s", clean80(name), what),
		Do: "Calls of this run: " + strings.Join(keys, ", ")}
}

// Table lists the calls of an analysis with the findings that concern each.
func (a *Analysis) Table() []CallView {
	by := map[string][]FindingKind{}
	for i := range a.Findings {
		f := &a.Findings[i]
		seen := map[string]bool{}
		if f.Call != nil {
			seen[*f.Call] = true
		}
		for j := range f.Calls {
			seen[f.Calls[j].Call] = true
		}
		for key := range seen {
			by[key] = append(by[key], f.Kind)
		}
	}
	out := make([]CallView, 0, len(a.Calls))
	for i := range a.Calls {
		call := &a.Calls[i]
		v := CallView{App: clean.Line(a.Run.Ref.App, maxName), Run: clean.Line(a.Run.Ref.Instance, 0), Location: a.Run.Ref.Location, Call: call.Key, Activity: call.Activity,
			Attempts: len(call.Attempts), Findings: by[call.Key], Copy: call.Copy()}
		for j := range call.Attempts {
			v.IDs = append(v.IDs, a.Run.Events[call.Attempts[j].Scheduled].ID)
		}
		if r := call.Result(); r >= 0 {
			v.Result = strPtr("failed")
			if a.Run.Events[r].Kind == TaskCompleted {
				v.Result = strPtr("completed")
			}
		}
		out = append(out, v)
	}
	return out
}
