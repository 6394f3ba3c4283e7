package keys

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Measure reads runs and counts what became of the task execution id, and how
// far apart two runs of one body can have been. It keeps counts and, for telling
// what a rerun kept, one id a call of at most maxCompared calls; never payloads.
// The zero value is ready to use; one goroutine at a time.
type Measure struct {
	tally     history.Tally
	runs      int
	compared  int
	byRun     map[runKey]map[int32]scheduled
	reruns    []rerun
	open      map[activityKey]time.Duration
	begins    map[string][2]int // by app: runs whose event ids begin at 0, and at 1
	suspended time.Duration
	pauses    int
}

// maxCompared bounds the ids that are kept, some 150 bytes each.
const maxCompared = 200_000

type runKey struct{ app, instance string }

type activityKey struct{ app, activity string }

type scheduled struct {
	activity, id string
	at           time.Time
}

type rerun struct {
	app, of string
	calls   map[int32]scheduled
}

// Add reads one run.
func (m *Measure) Add(a *history.Analysis) {
	if m.byRun == nil {
		m.byRun, m.open = map[runKey]map[int32]scheduled{}, map[activityKey]time.Duration{}
		m.begins = map[string][2]int{}
	}
	m.runs++
	m.tally.Add(a)
	app := clean.Line(a.Run.Ref.App, 200) // as the tally names it
	calls := map[int32]scheduled{}
	for i := range a.Calls {
		call := &a.Calls[i]
		for j := range call.Attempts {
			at := &call.Attempts[j]
			if at.Copy {
				continue
			}
			s := &a.Run.Events[at.Scheduled]
			if j == 0 && m.compared < maxCompared {
				m.compared++
				calls[s.ID] = scheduled{activity: call.Activity, id: s.TaskExecutionID, at: s.At}
			}
			if at.Result >= 0 && !s.At.IsZero() {
				k := activityKey{app, call.Activity}
				m.open[k] = max(m.open[k], a.Run.Events[at.Result].At.Sub(s.At))
			}
		}
	}
	of := ""
	for i := range a.Findings {
		if a.Findings[i].Kind == history.Rerun {
			of = a.Findings[i].RerunOf
		}
	}
	if of != "" {
		m.reruns = append(m.reruns, rerun{app, of, calls})
	}
	if len(calls) > 0 {
		m.byRun[runKey{app, a.Run.Ref.Instance}] = calls
	}
	if first := firstID(a.Run); first == 0 || first == 1 {
		b := m.begins[app]
		b[first]++
		m.begins[app] = b
	}
	m.pausesOf(a.Run)
}

// firstID is the lowest id that the workflow's code gave an action; the SDKs
// count from 0 or from 1.
func firstID(r *history.Run) int32 {
	first := history.NoID
	for i := range r.Events {
		switch ev := &r.Events[i]; ev.Kind {
		case history.TaskScheduled, history.TimerCreated, history.ChildCreated:
			if ev.ID != history.NoID && (first == history.NoID || ev.ID < first) {
				first = ev.ID
			}
		}
	}
	return first
}

// pausesOf finds how long the run was suspended. A pause that has not ended has
// no length here: this package has no clock.
func (m *Measure) pausesOf(r *history.Run) {
	var since time.Time
	for i := range r.Events {
		switch ev := &r.Events[i]; ev.Kind {
		case history.ExecutionSuspended:
			since = ev.At
			m.pauses++
		case history.ExecutionResumed:
			if !since.IsZero() {
				m.suspended = max(m.suspended, ev.At.Sub(since))
			}
			since = time.Time{}
		}
	}
}

// Runs is how many runs were read.
func (m *Measure) Runs() int { return m.runs }

// Measured is what the runs of one app show of the task execution id.
type Measured struct {
	App      string `json:"app"`
	Activity string `json:"activity,omitempty"` // empty: all activities of the app together
	Calls    int    `json:"calls"`
	Attempts int    `json:"attempts"`
	// IDs count calls with several recorded attempts, loops written by hand and lost
	// turns left out.
	IDs history.IDTally `json:"task_execution_ids"`
	// Of the calls that reruns executed again and whose source was read: how many
	// had the source's id.
	RerunKept int    `json:"rerun_kept_id"`
	RerunNew  int    `json:"rerun_new_id"`
	LostTurns int    `json:"in_lost_turns"`
	Matches   string `json:"matches"` // the SDK behaviour that these counts fit
	Says      string `json:"says"`

	behaviour behaviour
	fromZero  int // runs whose event ids begin at 0, and at 1
	fromOne   int
	longest   time.Duration // from the first to the last schedule of a call
	open      time.Duration // from a schedule to its result
	later     time.Duration // from a call to its repeat in a rerun
}

// behaviour is what became of the ids over the attempts of a call.
type behaviour int

const (
	notMeasured behaviour = iota
	keptOverAttempts
	newPerAttempt
	noIDs
	mixed
)

// Rows are the measurements: of the named activity by app, then of each app
// as a whole. With no name given only the latter.
func (m *Measure) Rows(activity string) []Measured {
	apps, named := map[string]*Measured{}, map[string]*Measured{}
	row := func(in map[string]*Measured, app, activity string) *Measured {
		if in[app] == nil {
			in[app] = &Measured{App: app, Activity: activity}
		}
		return in[app]
	}
	for _, at := range m.tally.Activities() {
		open := m.open[activityKey{at.App, at.Activity}]
		row(apps, at.App, "").add(at, open)
		if activity != "" && SameActivity(at.Activity, activity) {
			row(named, at.App, at.Activity).add(at, open)
		}
	}
	for _, r := range m.reruns {
		source := m.byRun[runKey{r.app, r.of}]
		for id, c := range r.calls {
			s, ok := source[id]
			if !ok || s.activity != c.activity || s.id == "" || c.id == "" {
				continue
			}
			for _, in := range []*Measured{apps[r.app], named[r.app]} {
				if in == nil || in.Activity != "" && in.Activity != c.activity {
					continue
				}
				in.later = max(in.later, c.at.Sub(s.at))
				if s.id == c.id {
					in.RerunKept++
				} else {
					in.RerunNew++
				}
			}
		}
	}
	for app, r := range named {
		if whole := apps[app]; whole.Calls == r.Calls {
			delete(apps, app) // the app has no other activity
		}
	}
	out := append(sorted(named), sorted(apps)...)
	for i := range out {
		out[i].fromZero, out[i].fromOne = m.begins[out[i].App][0], m.begins[out[i].App][1]
		out[i].judge()
	}
	return out
}

func sorted(in map[string]*Measured) []Measured {
	out := make([]Measured, 0, len(in))
	for _, r := range in {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Measured) int {
		return cmp.Or(-cmp.Compare(a.Calls, b.Calls), cmp.Compare(a.App, b.App))
	})
	return out
}

// SameActivity compares the name in a history with one that a person or the
// source gives: an SDK may record the class with its package.
func SameActivity(recorded, given string) bool {
	fold := func(s string) string {
		if i := strings.LastIndexAny(s, ".:"); i >= 0 {
			s = s[i+1:]
		}
		return strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(s, "_", "")), "activity")
	}
	return recorded == given || fold(recorded) != "" && fold(recorded) == fold(given)
}

func (r *Measured) add(at history.ActivityTally, open time.Duration) {
	r.Calls += at.Calls
	r.Attempts += at.Attempts
	r.LostTurns += at.LostTurns
	for _, p := range [...]struct{ to, from *int }{
		{&r.IDs.Same, &at.IDs.Same}, {&r.IDs.Changed, &at.IDs.Changed}, {&r.IDs.Missing, &at.IDs.Missing}, {&r.IDs.LostChanged, &at.IDs.LostChanged},
		{&r.IDs.With, &at.IDs.With}, {&r.IDs.Without, &at.IDs.Without}, {&r.IDs.Origins, &at.IDs.Origins},
	} {
		*p.to += *p.from
	}
	r.longest, r.open = max(r.longest, at.LongestGap), max(r.open, open)
}

// judge says what the counts are and which SDK behaviour they fit.
func (r *Measured) judge() {
	n := r.IDs.Same + r.IDs.Changed + r.IDs.Missing
	switch {
	case r.IDs.With == 0 && r.IDs.Without > 0:
		r.behaviour, r.Matches = noIDs, "no id at all: the JavaScript SDK, or older versions (Dapr up to 1.15, .NET up to 1.16, dapr-ext-workflow up to 1.17.1)"
	case n == 0:
		r.behaviour, r.Matches = notMeasured, "nothing: no call has several recorded attempts whose ids could be compared"
	case r.IDs.Same == n:
		r.behaviour, r.Matches = keptOverAttempts, r.keepers()+": one id over all attempts of a call"
	case r.IDs.Changed == n && r.IDs.Origins > 0:
		r.behaviour, r.Matches = newPerAttempt, ".NET 1.17 or newer: a new id for every attempt, and only the retry timer names the first"
	case r.IDs.Changed == n:
		r.behaviour, r.Matches = newPerAttempt, ".NET on Dapr 1.17 or older: a new id for every attempt, and no timer names the first"
	default:
		r.behaviour, r.Matches = mixed, "several behaviours in one app: activities in several languages, or an SDK that was upgraded in between"
	}
	who := cmp.Or(r.Activity, "all activities")
	if r.App != "" {
		who += " of app " + r.App
	}
	r.Says = fmt.Sprintf("%s: %s with %s", who, plural(r.Calls, "call"), pluralOf(r.Attempts-r.Calls, "retry", "retries"))
	if n > 0 {
		r.Says += fmt.Sprintf("; of %s with several attempts that can be compared the id was the same in %d", plural(n, "call"), r.IDs.Same)
		if r.IDs.Changed > 0 {
			r.Says += fmt.Sprintf(", another per attempt in %d", r.IDs.Changed)
		}
		if r.IDs.Missing > 0 {
			r.Says += fmt.Sprintf(", missing in %d", r.IDs.Missing)
		}
	}
	if r.LostTurns > 0 {
		r.Says += fmt.Sprintf("; %s in lost turns, %d of them with another id on the result than on the schedule", plural(r.LostTurns, "call"), r.IDs.LostChanged)
	}
	if r.RerunKept+r.RerunNew > 0 {
		r.Says += fmt.Sprintf("; reruns: %d kept the source's id, %d got a new one", r.RerunKept, r.RerunNew)
	}
}

// keepers narrows the SDKs that keep the id by where a run's event ids begin.
func (r *Measured) keepers() string {
	switch {
	case r.fromZero > 0 && r.fromOne == 0:
		return "Go or Java (event ids begin at 0)"
	case r.fromOne > 0 && r.fromZero == 0:
		return "Python (event ids begin at 1)"
	}
	return "Go, Python or Java"
}

func plural(n int, what string) string { return pluralOf(n, what, what+"s") }

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
