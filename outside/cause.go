package outside

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Cause is why something happened more than once.
type Cause string

// The causes.
const (
	CauseRetry       Cause = "retry"         // recorded attempts of one call
	CauseRedelivery  Cause = "redelivery"    // a committed schedule handed out again
	CauseLostCommit  Cause = "lost_commit"   // a turn dispatched, lost its commit and ran again
	CauseUntold      Cause = "not_told"      // redelivery or lost commit: the log has no execution ids
	CauseRerun       Cause = "rerun"         // a run re-executes another's calls
	CauseChild       Cause = "child_retried" // a child run was retried as a whole
	CauseEarlierLife Cause = "instance_id_used_again"
	CauseSecondRun   Cause = "second_run"    // another run of the same workflow with the same input
	CauseSeveral     Cause = "several_calls" // two calls of one run carry the key
	CauseCallers     Cause = "two_callers"   // runs or programs that have nothing to do with each other
)

// outage is how far apart in time executions may be to count as one outage.
const outage = time.Minute

// why says why a call has the bodies it has.
func (e *Evidence) why(c *CallEvidence) (Cause, string) {
	d, r := e.digest(c), e.x.runs[c.run]
	strange, bare, early := 0, 0, 0
	for _, p := range c.bodies {
		switch {
		case p.rule == ByKey && !p.b.first.IsZero() && p.b.first.Before(r.start):
			early++
		case p.b.exec == "" && p.rule != ByExecution:
			bare++
		case p.rule != ByExecution:
			strange++
		}
	}
	bodies := 0
	if c.Bodies != nil {
		bodies = *c.Bodies
	}
	switch {
	case early > 0 && r.parent != "":
		return CauseChild, "a body with the same key ran before this life of the child began: the child was retried under the same id, and its earlier history is overwritten"
	case early > 0:
		return CauseEarlierLife, "a body with the same key ran under this instance id before this life of it began"
	case bodies <= d.attempts && d.attempts > 1:
		return CauseRetry, fmt.Sprintf("the engine recorded %d attempts", d.attempts)
	case strange > 0:
		return CauseLostCommit, "a body carries a task execution id that no event has: the turn that dispatched it lost its commit and ran again"
	case d.turnLost || d.marked:
		return CauseLostCommit, "the turn that scheduled it lost its commit and ran again"
	case bare > 0:
		return CauseUntold, "a committed schedule was handed out again, or a lost turn dispatched twice; the log has no execution ids that would tell"
	}
	return CauseRedelivery, "the same task execution id ran again: a committed schedule was handed out again after a worker, a sidecar or a stream was lost. No event records it"
}

// Duplicate is something that happened more than once outside under one key or
// for one call, traced back to runs.
type Duplicate struct {
	Key        string    `json:"key,omitempty"` // at data-sharing level full only
	Cause      Cause     `json:"cause"`
	Why        string    `json:"why"`
	Calls      []CallRef `json:"calls"`
	Operations []OpView  `json:"operations,omitempty"`
	Elsewhere  int       `json:"elsewhere,omitempty"` // bodies with the key in runs that were not read
	Others     []string  `json:"other_runs,omitempty"`
	Radius     Radius    `json:"blast_radius"`

	at time.Time
}

// CallRef names a call with its counts.
type CallRef struct {
	App      string `json:"app,omitempty"`
	Run      string `json:"run"`
	Call     string `json:"call,omitempty"` // empty: the run is known, the call is not
	Attempts int    `json:"attempts"`
	Bodies   *int   `json:"bodies"`
	AtLeast  bool   `json:"at_least,omitempty"`
	Effects  int    `json:"effects"`
}

// OpView is a provider's operation. Its id and amount are shown at level full.
type OpView struct {
	ID     string     `json:"id,omitempty"`
	Amount string     `json:"amount,omitempty"`
	At     *time.Time `json:"at"`
	Status string     `json:"status"`
}

// Radius is what else the same key or the same cause reached.
type Radius struct {
	SameKeyRuns    int        `json:"same_key_runs"` // runs that were read, itself included
	Reruns         []string   `json:"reruns,omitempty"`
	Children       []string   `json:"children,omitempty"`
	SameCauseRuns  int        `json:"same_cause_runs"`  // executed more than recorded within a minute, itself included
	SameCauseCalls int        `json:"same_cause_calls"` // likewise
	From           *time.Time `json:"from,omitempty"`   // of that outage
	To             *time.Time `json:"to,omitempty"`
}

// maxDuplicates bounds what is traced; the rest is counted.
const maxDuplicates = 1000

// Duplicates traces what happened more than once: by key where one is known,
// else by call. full says that keys, amounts and provider ids may be shown.
func (e *Evidence) Duplicates(full bool) (list []Duplicate, more int) {
	told := map[callAt]bool{}
	add := func(d Duplicate) {
		if len(list) >= maxDuplicates {
			more++
			return
		}
		d.Radius = e.radius(&d)
		list = append(list, d)
	}
	for _, key := range e.names() {
		if d, ok := e.byName(key, full, told); ok {
			add(d)
		}
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		at := callAt{int32(c.run), int32(c.call)}
		if told[at] || c.Bodies == nil || *c.Bodies < 2 && c.Effects < 2 {
			continue
		}
		d := Duplicate{Calls: []CallRef{e.ref(at)}, at: again(c)}
		d.Cause, d.Why = e.why(c)
		add(d)
	}
	slices.SortStableFunc(list, func(a, b Duplicate) int { return a.weight() - b.weight() })
	return list, more
}

// weight orders duplicates: what the outside world saw twice first, recorded
// retries that had one effect last.
func (d *Duplicate) weight() int {
	effects := 0
	for _, c := range d.Calls {
		effects += c.Effects
	}
	switch {
	case len(d.Operations) > 1:
		return 0
	case effects > 1:
		return 1
	case d.Cause != CauseRetry:
		return 2
	}
	return 3
}

// names are the keys and references known, those of the log first.
func (e *Evidence) names() []string {
	out := slices.Clone(e.keyOrder)
	if e.ops != nil {
		for _, k := range e.ops.order {
			if _, ok := e.byKey[k]; !ok {
				out = append(out, k)
			}
		}
	}
	return out
}

// byName traces one key, if something happened twice under it.
func (e *Evidence) byName(key string, full bool, told map[callAt]bool) (Duplicate, bool) {
	refs, _ := e.holders(key)
	ops := e.ops.live(key)
	elsewhere := e.x.keys[key]
	acted, effects := 0, 0
	for _, r := range refs {
		if i, ok := e.byCall[r]; ok {
			if c := &e.Calls[i]; c.Bodies != nil {
				acted += *c.Bodies
				effects += c.Effects
			}
		}
	}
	for _, f := range elsewhere {
		if f.class != Mention {
			acted++
		}
	}
	if len(ops) < 2 && effects < 2 && acted < 2 {
		return Duplicate{}, false
	}
	d := Duplicate{Calls: []CallRef{}}
	if full {
		d.Key = clean.Line(key, 200)
	}
	for _, r := range refs {
		told[r] = true
		d.Calls = append(d.Calls, e.ref(r))
		if i, ok := e.byCall[r]; ok && d.at.IsZero() {
			d.at = again(&e.Calls[i])
		}
	}
	for _, o := range ops {
		v := OpView{Status: o.Status.String()}
		if at := o.At; !at.IsZero() {
			v.At = &at
		}
		if full {
			v.ID, v.Amount = clean.Line(o.ID, 120), clean.Line(o.Amount, 60)
		}
		d.Operations = append(d.Operations, v)
	}
	for _, f := range elsewhere {
		if f.class != Mention {
			d.Elsewhere++
		}
		if f.instance != "" && len(d.Others) < 10 && !slices.Contains(d.Others, clean.Line(f.instance, 120)) {
			d.Others = append(d.Others, clean.Line(f.instance, 120))
		}
	}
	d.Cause, d.Why = e.between(refs, d.Elsewhere)
	return d, true
}

// again is when the second body of a call began.
func again(c *CallEvidence) time.Time {
	switch {
	case len(c.Seen) > 1:
		return c.Seen[1].first
	case len(c.Seen) == 1:
		return c.Seen[0].first
	}
	return time.Time{}
}

func (e *Evidence) ref(at callAt) CallRef {
	r := e.x.runs[at.run]
	v := CallRef{App: clean.Line(r.ref.App, 200), Run: clean.Line(r.ref.Instance, 200)}
	if at.call < 0 {
		return v
	}
	v.Call, v.Attempts = clean.Line(r.calls[at.call].key, 200), r.calls[at.call].attempts
	if i, ok := e.byCall[at]; ok {
		v.Bodies, v.AtLeast, v.Effects = e.Calls[i].Bodies, e.Calls[i].AtLeast, e.Calls[i].Effects
	}
	return v
}

// between says why one key was used by these calls, and elsewhere.
func (e *Evidence) between(refs []callAt, elsewhere int) (Cause, string) {
	switch {
	case len(refs) == 0 && elsewhere == 0:
		return CauseCallers, "no run that was read carries this key"
	case elsewhere > 0:
		return CauseCallers, fmt.Sprintf("%s with the same key ran in runs or programs that were not read", counted(elsewhere, "body", "bodies"))
	case len(refs) == 1:
		if i, ok := e.byCall[refs[0]]; ok {
			return e.why(&e.Calls[i])
		}
		if d := e.callAt(refs[0]); d != nil && d.attempts > 1 {
			return CauseRetry, fmt.Sprintf("the engine recorded %d attempts", d.attempts)
		}
		return CauseUntold, "the history has one attempt and no log was joined: a redelivery, a lost commit or another caller"
	}
	a, b := e.x.runs[refs[0].run], e.x.runs[refs[1].run]
	for _, r := range refs[1:] {
		if x := e.x.runs[r.run]; x.ref.Instance != a.ref.Instance {
			b = x
			break
		}
	}
	return e.relation(a, b)
}

// relation says how two runs came to use one key.
func (e *Evidence) relation(a, b *runDigest) (Cause, string) {
	switch {
	case a == b:
		return CauseSeveral, "two calls of one run carry the key: a loop, or one key for two operations"
	case a.ref.Instance == b.ref.Instance && a.ref.Execution == b.ref.Execution:
		return CauseUntold, "the run was read at two moments"
	case a.ref.Instance == b.ref.Instance:
		return CauseEarlierLife, "the instance id was used for two runs"
	case e.reruns(a, b):
		return CauseRerun, fmt.Sprintf("run %s re-executes calls of %s", clean.Line(b.ref.Instance, 120), clean.Line(a.ref.Instance, 120))
	case a.parent != "" && a.parent == b.parent && a.workflow == b.workflow:
		return CauseChild, "a child run was retried as a whole under a new id"
	case a.workflow == b.workflow && a.workflow != "":
		switch a.input.compare(b.input) {
		case history.Equal:
			return CauseSecondRun, "two runs of one workflow with the same input"
		case history.EqualityUnknown:
			return CauseSecondRun, "two runs of one workflow; their inputs were not compared"
		}
		return CauseCallers, "two runs of one workflow with different inputs carry one key"
	}
	return CauseCallers, "two runs of different workflows carry one key"
}

// reruns reports whether one run re-executes the other, or both a third.
func (e *Evidence) reruns(a, b *runDigest) bool {
	return a.rerunOf != "" && (a.rerunOf == b.ref.Instance || a.rerunOf == b.rerunOf) || b.rerunOf != "" && b.rerunOf == a.ref.Instance
}

func (e *Evidence) callAt(at callAt) *callDigest {
	if at.call < 0 {
		return nil
	}
	return &e.x.runs[at.run].calls[at.call]
}

// radius counts what the same key and the same outage reached.
func (e *Evidence) radius(d *Duplicate) Radius {
	var r Radius
	mine := map[string]bool{}
	reruns, children := e.relatives()
	for _, c := range d.Calls {
		if mine[c.Run] {
			continue
		}
		mine[c.Run] = true
		r.Reruns = append(r.Reruns, reruns[c.Run]...)
		r.Children = append(r.Children, children[c.Run]...)
	}
	r.SameKeyRuns = len(mine)
	r.Reruns, r.Children = r.Reruns[:min(len(r.Reruns), maxRelatives)], r.Children[:min(len(r.Children), maxRelatives)]
	if d.Cause != CauseRedelivery && d.Cause != CauseLostCommit && d.Cause != CauseUntold || d.at.IsZero() {
		return r
	}
	runs := map[string]bool{}
	for _, h := range e.outages() {
		if gap := h.at.Sub(d.at); gap < -outage || gap > outage {
			continue
		}
		r.SameCauseCalls++
		runs[e.x.runs[h.run].ref.Instance] = true
		at := h.at
		if r.From == nil || at.Before(*r.From) {
			r.From = &at
		}
		if r.To == nil || at.After(*r.To) {
			r.To = &at
		}
	}
	r.SameCauseRuns = len(runs)
	return r
}

// maxRelatives bounds the reruns and children that are named.
const maxRelatives = 20

// relatives maps a run to its reruns and to its children, as they are shown.
func (e *Evidence) relatives() (reruns, children map[string][]string) {
	if e.rerunsOf == nil {
		e.rerunsOf, e.childrenOf = map[string][]string{}, map[string][]string{}
		add := func(m map[string][]string, of, id string) {
			of, id = clean.Line(of, 200), clean.Line(id, 200)
			if of != "" && !slices.Contains(m[of], id) && len(m[of]) < maxRelatives {
				m[of] = append(m[of], id)
			}
		}
		for _, run := range e.x.runs {
			add(e.rerunsOf, run.rerunOf, run.ref.Instance)
			add(e.childrenOf, run.parent, run.ref.Instance)
		}
	}
	return e.rerunsOf, e.childrenOf
}

// distinct leaves out calls of a run that was read at several moments, but for
// the last reading.
func (e *Evidence) distinct(refs []callAt) []callAt {
	type life struct {
		instance, execution, call string
	}
	last := map[life]int{}
	key := func(r callAt) life {
		d := e.x.runs[r.run]
		l := life{d.ref.Instance, d.ref.Execution, ""}
		if r.call >= 0 {
			l.call = d.calls[r.call].key
		}
		return l
	}
	for i, r := range refs {
		last[key(r)] = i
	}
	if len(last) == len(refs) {
		return refs
	}
	var out []callAt
	for i, r := range refs {
		if last[key(r)] == i {
			out = append(out, r)
		}
	}
	return out
}

// hit is a call that an outage had executed again.
type hit struct {
	run int
	at  time.Time
}

// outages lists the calls executed more often than recorded, once a reading.
func (e *Evidence) outages() []hit {
	if e.hits != nil {
		return e.hits
	}
	e.hits = []hit{}
	for i := range e.Calls {
		c := &e.Calls[i]
		if c.Bodies == nil || *c.Bodies <= e.digest(c).attempts {
			continue
		}
		if cause, _ := e.why(c); cause == CauseRedelivery || cause == CauseLostCommit || cause == CauseUntold {
			e.hits = append(e.hits, hit{c.run, again(c)})
		}
	}
	return e.hits
}

// OnOperations are the verdicts that rest on a provider's list: a key with more
// than one operation. They name the run where one was found.
func (e *Evidence) OnOperations(full bool) []history.Finding {
	if e.ops == nil {
		return nil
	}
	var out []history.Finding
	for _, key := range e.ops.order {
		ops := e.ops.live(key)
		if len(ops) < 2 {
			continue
		}
		refs, kind := e.holders(key)
		c := CallEvidence{}
		if len(refs) > 0 {
			v := e.ref(refs[0])
			c.App, c.Run, c.Call = v.App, v.Run, v.Call
			if d := e.callAt(refs[0]); d != nil {
				c.Activity = clean.Line(d.activity, 200)
			}
		}
		f := e.finding(history.EffectTwice, &c)
		if c.Call == "" {
			f.Call, f.Activity = nil, nil
		}
		name := "one key or reference"
		if full {
			name = "“" + clean.Line(key, 120) + "”"
		}
		var times []string
		for _, o := range ops[:min(len(ops), 4)] {
			if !o.At.IsZero() {
				times = append(times, moment(o.At))
			}
		}
		f.Message = fmt.Sprintf("the provider lists %d operations for %s (%s)", len(ops), name, strings.Join(times, ", "))
		cause, why := e.between(refs, len(e.x.keys[key]))
		f.Meaning = fmt.Sprintf("why (%s): %s", cause, why)
		if kind != noLink {
			f.Message += ", joined by " + kind.String()
		}
		out = append(out, f)
	}
	return out
}
