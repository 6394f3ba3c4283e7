package history

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Tally adds up what many runs show of each activity. It keeps counts, names and
// times, never ids or payloads: its memory grows with the number of activities,
// not of runs. Counts are of what is recorded: an activity without a retried call
// is one without a visible repeat. The zero value is ready to use; one goroutine
// at a time.
type Tally struct {
	by map[tallyKey]*ActivityTally
}

type tallyKey struct{ app, activity string }

// ActivityTally is what the runs of one app show of one activity. Calls that a
// rerun copied from its source are not counted: they are the source's.
type ActivityTally struct {
	App       string   `json:"app"`
	Activity  string   `json:"activity"`
	Workflows []string `json:"workflows"` // sorted; the first maxTallied that were met
	Runs      int      `json:"runs"`      // with at least one call of it
	Calls     int      `json:"calls"`
	Attempts  int      `json:"attempts"`
	// Retried counts the calls with several recorded attempts; the next two are
	// among them. Inferred counts those whose link is inferred.
	Retried      int `json:"retried"`
	AfterUnknown int `json:"retried_after_unknown_outcome"`
	Rejections   int `json:"rejection_retried"`
	Inferred     int `json:"inferred"`
	Pending      int `json:"retry_pending"`
	SecondResult int `json:"second_result"`
	Unfinished   int `json:"unfinished"`
	// LostTurns counts the calls scheduled in a turn whose commit was lost, and
	// Marked those of them that carry a mark. A mark says that the turn ran again.
	LostTurns  int `json:"in_lost_turns"`
	Marked     int `json:"marked"`
	Reexecuted int `json:"reexecuted_by_rerun"`
	// Histogram has the number of calls by their recorded attempts; the last is
	// "maxHistogram or more".
	Histogram map[int]int `json:"attempts_histogram"`
	IDs       IDTally     `json:"task_execution_ids"`
	// LongestGap is the longest time from the first to the last schedule of one
	// call, in nanoseconds: what a key's window has to outlast at the least.
	LongestGap time.Duration `json:"longest_gap_ns"`
	LastSeen   time.Time     `json:"last_seen,omitzero"`   // the latest schedule
	LastRepeat time.Time     `json:"last_repeat,omitzero"` // the latest schedule that was not a call's first
}

// IDTally measures the task execution id. Same, Changed and Missing are calls
// with several recorded attempts that are no loop written by hand and not in a
// lost turn; LostChanged are marked calls whose schedule and result carry different ids.
type IDTally struct {
	Same        int `json:"same"`
	Changed     int `json:"changed"`
	Missing     int `json:"missing"`
	LostChanged int `json:"changed_by_lost_commit"`
	// With and Without count the attempts that carry an id and those that do not;
	// attempts of shapes that carry none count as neither.
	With    int `json:"with_id"`
	Without int `json:"without_id"`
	// Origins counts the calls whose retry timer names the first attempt's id.
	Origins int `json:"origin_names_first"`
}

const (
	maxTallied   = 20 // workflows named per activity
	maxHistogram = 10
)

// Add counts the calls of a run.
func (t *Tally) Add(a *Analysis) {
	if t.by == nil {
		t.by = map[tallyKey]*ActivityTally{}
	}
	about := aboutCalls(a)
	seen := map[*ActivityTally]bool{}
	for i := range a.Calls {
		call := &a.Calls[i]
		if call.Copy() {
			continue
		}
		at := t.of(a.Run.Ref.App, call.Activity)
		if !seen[at] {
			seen[at] = true
			at.Runs++
			at.work(clean.Line(a.Run.Workflow, maxName))
		}
		at.add(a.Run, call, about[call.Key])
	}
}

// aboutCalls lists the kinds of findings that concern each call.
func aboutCalls(a *Analysis) map[string][]*Finding {
	about := map[string][]*Finding{}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Call != nil {
			about[*f.Call] = append(about[*f.Call], f)
		}
		for j := range f.Calls {
			if k := f.Calls[j].Call; f.Call == nil || k != *f.Call {
				about[k] = append(about[k], f)
			}
		}
	}
	return about
}

func (t *Tally) of(app, activity string) *ActivityTally {
	app = clean.Line(app, maxName)
	k := tallyKey{app, activity}
	at := t.by[k]
	if at == nil {
		at = &ActivityTally{App: app, Activity: activity, Histogram: map[int]int{}}
		t.by[k] = at
	}
	return at
}

func (at *ActivityTally) work(name string) {
	if name == "" || len(at.Workflows) >= maxTallied {
		return
	}
	if i, ok := slices.BinarySearch(at.Workflows, name); !ok {
		at.Workflows = slices.Insert(at.Workflows, i, name)
	}
}

func (at *ActivityTally) add(run *Run, call *Call, about []*Finding) {
	n := len(call.Attempts)
	at.Calls++
	at.Attempts += n
	at.Histogram[min(n, maxHistogram)]++
	first := run.Events[call.Attempts[0].Scheduled].At
	for i := range call.Attempts {
		when := run.Events[call.Attempts[i].Scheduled].At
		if when.After(at.LastSeen) {
			at.LastSeen = when
		}
		if i > 0 && !call.Attempts[i].Copy {
			if when.After(at.LastRepeat) {
				at.LastRepeat = when
			}
			if !first.IsZero() && when.Sub(first) > at.LongestGap {
				at.LongestGap = when.Sub(first)
			}
		}
	}
	lost := at.count(call, about)
	if run.Carries.IDs {
		at.IDs.add(run, call, lost)
	}
}

// count adds what the findings say of one call, and reports whether it was
// scheduled in a lost turn.
func (at *ActivityTally) count(call *Call, about []*Finding) (lost bool) {
	for _, f := range about {
		switch f.Kind {
		case Retried, RetriedUnknownOutcome, RejectionRetried:
			at.Retried++
			if f.Kind == RetriedUnknownOutcome {
				at.AfterUnknown++
			}
			if f.Kind == RejectionRetried {
				at.Rejections++
			}
			if f.Certainty == Inferred {
				at.Inferred++
			}
		case RetryPending:
			at.Pending++
		case SecondResult:
			at.SecondResult++
		case Unfinished:
			at.Unfinished++
		case Rerun:
			at.Reexecuted++
		case CommitLost:
			if !lost {
				lost = true
				at.LostTurns++
			}
		}
	}
	if slices.ContainsFunc(call.Attempts, func(a Attempt) bool { return len(a.Marks) > 0 }) {
		at.Marked++
	}
	return lost
}

func (t *IDTally) add(run *Run, call *Call, lost bool) {
	ids := map[string]bool{}
	origin, changed := false, false
	for i := range call.Attempts {
		a := &call.Attempts[i]
		if a.Copy {
			continue
		}
		id := run.Events[a.Scheduled].TaskExecutionID
		ids[id] = true
		if id == "" {
			t.Without++
		} else {
			t.With++
		}
		if a.Timer >= 0 && run.Events[a.Timer].Origin.Kind == OriginActivityRetry {
			origin = origin || run.Events[a.Timer].Origin.Ref == run.Events[call.Attempts[0].Scheduled].TaskExecutionID
		}
		changed = changed || slices.Contains(a.Marks, MarkID)
	}
	if changed {
		t.LostChanged++
	}
	if len(call.Attempts) < 2 || call.HandLoop || lost {
		return
	}
	if origin {
		t.Origins++
	}
	switch {
	case ids[""]:
		t.Missing++
	case len(ids) == 1:
		t.Same++
	default:
		t.Changed++
	}
}

// Merge adds what another tally counted.
func (t *Tally) Merge(o *Tally) {
	if t.by == nil {
		t.by = map[tallyKey]*ActivityTally{}
	}
	for _, k := range sortedTallies(o.by) {
		x, at := o.by[k], t.of(k.app, k.activity)
		for _, w := range x.Workflows {
			at.work(w)
		}
		for _, p := range [...]struct{ to, from *int }{
			{&at.Runs, &x.Runs}, {&at.Calls, &x.Calls}, {&at.Attempts, &x.Attempts}, {&at.Retried, &x.Retried}, {&at.AfterUnknown, &x.AfterUnknown},
			{&at.Rejections, &x.Rejections}, {&at.Inferred, &x.Inferred}, {&at.Pending, &x.Pending}, {&at.SecondResult, &x.SecondResult},
			{&at.Unfinished, &x.Unfinished}, {&at.LostTurns, &x.LostTurns}, {&at.Marked, &x.Marked}, {&at.Reexecuted, &x.Reexecuted},
			{&at.IDs.Same, &x.IDs.Same}, {&at.IDs.Changed, &x.IDs.Changed}, {&at.IDs.Missing, &x.IDs.Missing}, {&at.IDs.LostChanged, &x.IDs.LostChanged},
			{&at.IDs.With, &x.IDs.With}, {&at.IDs.Without, &x.IDs.Without}, {&at.IDs.Origins, &x.IDs.Origins},
		} {
			*p.to += *p.from
		}
		for n, calls := range x.Histogram {
			at.Histogram[n] += calls
		}
		at.LongestGap = max(at.LongestGap, x.LongestGap)
		if x.LastSeen.After(at.LastSeen) {
			at.LastSeen = x.LastSeen
		}
		if x.LastRepeat.After(at.LastRepeat) {
			at.LastRepeat = x.LastRepeat
		}
	}
}

// Activities lists the activities by app and name.
func (t *Tally) Activities() []ActivityTally {
	out := make([]ActivityTally, 0, len(t.by))
	for _, k := range sortedTallies(t.by) {
		at := *t.by[k]
		at.Workflows = slices.Clone(at.Workflows)
		if at.Workflows == nil {
			at.Workflows = []string{}
		}
		at.Histogram = maps.Clone(at.Histogram)
		out = append(out, at)
	}
	return out
}

func sortedTallies(m map[tallyKey]*ActivityTally) []tallyKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b tallyKey) int {
		return cmp.Or(cmp.Compare(a.app, b.app), cmp.Compare(a.activity, b.activity))
	})
}
