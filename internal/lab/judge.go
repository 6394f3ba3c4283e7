package lab

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dapr/durabletask-go/api/protos"

	"github.com/idem-mcp/idem-mcp/history"
)

// Verdict is what the findings of a run and its children say, held against the
// ledger and against a plain reading of the stored events.
type Verdict struct {
	Calls      int // with a schedule in the histories
	Attempts   int // recorded
	Bodies     int // begun, by the ledger, those of calls without a schedule too
	Repeats    int // calls (and retried children) with several recorded attempts
	Reported   int // of these reported, with exactly their attempts
	False      int // other repeats reported as recorded or inferred
	Marks      int // of a lost commit, in the histories
	MarksTold  int // of these reported
	MarksFalse int // other marks reported
	Hidden     int // calls that ran more bodies than recorded attempts
	InLostTurn int // of these in a turn reported as commit_lost
	Unrecorded int // calls with bodies and without a schedule
	Findings   map[history.FindingKind]int
	Problems   []string // what must not be
}

// truth is one instance as its events and its ledger have it.
type truth struct {
	instance string
	events   []*protos.HistoryEvent
	calls    map[string]*trueCall // by label
	labels   map[int32]string     // by scheduled id
	results  map[int32][]int      // indices of results by scheduled id
	schedule map[int32]int        // index by scheduled id
	turns    []int                // by index
	status   protos.OrchestrationStatus
}

// trueCall is one call.
type trueCall struct {
	scheduled               []int32
	bodies, effects, failed int
}

// Judge analyses what a planned run left behind at a data-sharing level.
func Judge(r Result, sharing history.Sharing) (Verdict, error) {
	v := Verdict{Findings: map[history.FindingKind]int{}}
	instances := make([]string, 0, len(r.Histories))
	for id := range r.Histories {
		instances = append(instances, id)
	}
	slices.Sort(instances)
	if len(instances) == 0 {
		return v, fmt.Errorf("%s left no history", r.Plan.Instance)
	}
	for _, id := range instances {
		tr, err := newTruth(id, r)
		if err != nil {
			return v, err
		}
		run, err := history.ReadProto(messages(r.Histories[id]), history.Options{Sharing: sharing, Ref: history.Ref{App: "lab", Instance: id}})
		if err != nil {
			return v, fmt.Errorf("%s: %w", id, err)
		}
		j := judgement{Verdict: &v, r: r, tr: tr, a: history.Analyze(run)}
		j.judge(instances)
	}
	return v, nil
}

func messages(raw [][]byte) func(func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, b := range raw {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// newTruth reads an instance's events and ledger without package history.
func newTruth(instance string, r Result) (*truth, error) {
	events, err := decode(r.Histories[instance])
	if err != nil {
		return nil, err
	}
	t := &truth{instance: instance, events: events, calls: map[string]*trueCall{}, labels: map[int32]string{}, results: map[int32][]int{}, schedule: map[int32]int{}}
	turn := -1
	for i, e := range events {
		if e.GetWorkflowStarted() != nil {
			turn++
		}
		t.turns = append(t.turns, turn)
		if ts := e.GetTaskScheduled(); ts != nil {
			var o Order
			if err := json.Unmarshal([]byte(ts.GetInput().GetValue()), &o); err != nil {
				return nil, fmt.Errorf("%s: input of event %d: %w", instance, i, err)
			}
			label := o.label(ts.Name, e.EventId)
			t.call(label).scheduled = append(t.call(label).scheduled, e.EventId)
			t.labels[e.EventId], t.schedule[e.EventId] = label, i
		}
		if id, ok := resultOf(e); ok {
			t.results[id] = append(t.results[id], i)
		}
		if c := e.GetExecutionCompleted(); c != nil {
			t.status = c.WorkflowStatus
		}
	}
	for _, l := range r.Ledger {
		if l.Instance != instance {
			continue
		}
		switch l.What {
		case Began:
			t.call(l.Call).bodies++
		case Effect:
			t.call(l.Call).effects++
		}
	}
	return t, nil
}

func (t *truth) call(label string) *trueCall {
	if t.calls[label] == nil {
		t.calls[label] = &trueCall{}
	}
	return t.calls[label]
}

// resultOf returns the scheduled id that a result answers.
func resultOf(e *protos.HistoryEvent) (int32, bool) {
	if c := e.GetTaskCompleted(); c != nil {
		return c.TaskScheduledId, true
	}
	if f := e.GetTaskFailed(); f != nil {
		return f.TaskScheduledId, true
	}
	return 0, false
}

// rerun returns the turns that were run again after a lost commit, known by
// what the lost turn had dispatched.
func (t *truth) rerun(r Result) map[int]bool {
	out := map[int]bool{}
	if r.StruckIn != t.instance {
		return out
	}
	for _, id := range r.LostTurn {
		if i, ok := t.schedule[id]; ok {
			out[t.turns[i]] = true
		}
	}
	return out
}

// marks reads the marks of a lost commit off a schedule and its first result.
func (t *truth) marks(id int32) []history.Mark {
	if len(t.results[id]) == 0 {
		return nil
	}
	s, r := t.events[t.schedule[id]], t.events[t.results[id][0]]
	var out []history.Mark
	if t.results[id][0] < t.schedule[id] {
		out = append(out, history.MarkOrder)
	}
	if r.Timestamp.AsTime().Before(s.Timestamp.AsTime()) {
		out = append(out, history.MarkTime)
	}
	if r.GetTaskCompleted().GetTaskExecutionId()+r.GetTaskFailed().GetTaskExecutionId() != s.GetTaskScheduled().TaskExecutionId {
		out = append(out, history.MarkID)
	}
	return out
}

// judgement holds one instance's analysis against its truth.
type judgement struct {
	*Verdict
	r  Result
	tr *truth
	a  history.Analysis
}

func (j *judgement) problem(format string, args ...any) {
	j.Problems = append(j.Problems, j.tr.instance+": "+fmt.Sprintf(format, args...))
}

func (j *judgement) judge(instances []string) {
	for i := range j.a.Findings {
		j.Findings[j.a.Findings[i].Kind]++
	}
	lost := j.marks()
	j.repeats()
	j.children(instances)
	j.counts()
	j.bodies(lost)
	j.words()
}

// repeats compares the calls with several recorded attempts.
func (j *judgement) repeats() {
	want := map[string]bool{}
	for label, c := range j.tr.calls {
		if len(c.scheduled) > 1 {
			want[fmt.Sprint(label, c.scheduled)] = true
		}
	}
	j.Repeats += len(want)
	for _, f := range j.a.Findings {
		switch f.Kind {
		case history.Retried, history.RetriedUnknownOutcome, history.RejectionRetried:
		default:
			continue
		}
		var ids []int32
		for _, a := range f.Attempts {
			ids = append(ids, a.TaskScheduledID)
		}
		key := fmt.Sprint(j.tr.labels[ids[0]], ids)
		if !want[key] {
			j.False++
			j.problem("%s reports attempts %v as one call, which they are not", f.Kind, ids)
			continue
		}
		delete(want, key)
		j.Reported++
		if f.Kind != j.r.Plan.Retried {
			j.problem("%q was reported as %s, want %s", j.r.Plan.Script.Words, f.Kind, j.r.Plan.Retried)
		}
		certainty := history.Recorded
		if j.r.Plan.shape().inferred {
			certainty = history.Inferred
		}
		if f.Certainty != certainty {
			j.problem("%s is %s, want %s", f.Kind, f.Certainty, certainty)
		}
	}
	for key := range want {
		j.problem("not reported: attempts %s", key)
	}
}

// children compares the retried children of the run.
func (j *judgement) children(instances []string) {
	var want []string
	if j.tr.instance == root(j.tr.instance) {
		want = slices.DeleteFunc(slices.Clone(instances), func(id string) bool { return id == j.tr.instance })
	}
	repeated := len(want) > 1
	if repeated {
		j.Repeats++
	}
	for _, f := range j.a.Findings {
		if f.Kind != history.ChildRetried {
			continue
		}
		var got []string
		for _, c := range f.Children {
			got = append(got, c.Run)
		}
		slices.Sort(got)
		if !repeated || !slices.Equal(got, want) {
			j.False++
			j.problem("child_retried tells %v, want %v", got, want)
			continue
		}
		repeated = false
		j.Reported++
	}
	if repeated {
		j.problem("not reported: children %v", want)
	}
}

// marks compares the marks of lost commits and returns the scheduled ids of the
// turns that were reported as lost.
func (j *judgement) marks() map[int32]bool {
	lost, told, rerun := map[int32]bool{}, map[string]bool{}, j.tr.rerun(j.r)
	for _, f := range j.a.Findings {
		if f.Kind != history.CommitLost {
			continue
		}
		for _, c := range f.Calls {
			lost[c.TaskScheduledID] = true
			for _, m := range c.Marks {
				told[fmt.Sprint(c.TaskScheduledID, m)] = true
			}
			if !rerun[j.tr.turns[j.tr.schedule[c.TaskScheduledID]]] {
				j.MarksFalse++
				j.problem("commit_lost names attempt %d, whose turn was not run again", c.TaskScheduledID)
			}
		}
	}
	for id := range j.tr.schedule {
		for _, m := range j.tr.marks(id) {
			j.Marks++
			key := fmt.Sprint(id, m)
			if !told[key] {
				j.problem("not reported: mark %s of attempt %d", m, id)
				continue
			}
			j.MarksTold++
			delete(told, key)
		}
	}
	for key := range told {
		j.MarksFalse++
		j.problem("reported mark %s is not in the history", key)
	}
	return lost
}

// counts compares the findings that are a matter of counting events.
func (j *judgement) counts() {
	second, orphans, unanswered, pending := 0, 0, 0, 0
	for id, results := range j.tr.results {
		if _, ok := j.tr.schedule[id]; !ok {
			orphans++
		} else if len(results) > 1 {
			second++
		}
	}
	for id := range j.tr.schedule {
		if len(j.tr.results[id]) == 0 {
			unanswered++
		}
	}
	fired := map[int32]bool{}
	for _, e := range j.tr.events {
		if t := e.GetTimerFired(); t != nil {
			fired[t.TimerId] = true
		}
	}
	for _, e := range j.tr.events {
		if e.GetTimerCreated().GetActivityRetry() != nil && !fired[e.EventId] && !ended(j.tr.events) {
			pending++
		}
	}
	for kind, want := range map[history.FindingKind]int{
		history.SecondResult: second, history.OrphanResult: orphans, history.Unfinished: unanswered, history.RetryPending: pending,
		history.Rerun: 0, history.Stuck: 0, history.IDUnstable: 0, history.IDMissing: 0, history.IDReused: 0,
	} {
		got := 0
		for i := range j.a.Findings {
			if j.a.Findings[i].Kind == kind {
				got++
			}
		}
		if got != want {
			j.problem("%d × %s, want %d", got, kind, want)
			if got > want && kind.Repeat() {
				j.False += got - want
			}
		}
	}
}

// bodies compares what ran with what is recorded.
func (j *judgement) bodies(lost map[int32]bool) {
	covered := slices.ContainsFunc(j.a.NotVisible, func(s string) bool { return strings.Contains(s, "a redelivery of a committed schedule") })
	for label, c := range j.tr.calls {
		j.Bodies += c.bodies
		if len(c.scheduled) == 0 {
			j.Unrecorded++
		} else {
			j.Calls++
			j.Attempts += len(c.scheduled)
		}
		if c.bodies > len(c.scheduled) {
			if len(c.scheduled) > 0 {
				j.Hidden++
			}
			if slices.ContainsFunc(c.scheduled, func(id int32) bool { return lost[id] }) {
				j.InLostTurn++
			} else if !covered {
				j.problem("%s ran %d bodies for %d attempts and nothing says so", label, c.bodies, len(c.scheduled))
			}
		}
		if c.bodies < len(c.scheduled) {
			j.problem("%s has %d attempts and %d bodies", label, len(c.scheduled), c.bodies)
		}
		if c.effects == 0 && j.tr.status == protos.OrchestrationStatus_ORCHESTRATION_STATUS_COMPLETED {
			j.problem("the run completed and %s never took effect", label)
		}
	}
}

// certifies matches words that say how often something ran.
var certifies = regexp.MustCompile(`(?i)\b(more than )?once\b|\bexactly one\b|\bone execution\b|\bno duplicates?\b`)

// words: no answer says that anything ran once.
func (j *judgement) words() {
	var texts []string
	for _, f := range j.a.Findings {
		texts = append(texts, f.Message, f.Meaning, f.Settles)
	}
	for _, p := range j.a.Patterns {
		texts = append(texts, p.Note)
	}
	for _, c := range j.a.Calls {
		s, err := j.a.Explain(c.Key)
		if err != nil {
			j.problem("explain %s: %v", c.Key, err)
		}
		texts = append(texts, s.IDsNote, s.OverlapWhy, s.Inputs)
	}
	for _, text := range append(texts, j.a.NotVisible...) {
		for _, m := range certifies.FindAllString(text, -1) {
			if !strings.HasPrefix(strings.ToLower(m), "more than ") {
				j.problem("an answer certifies: %q", text)
			}
		}
	}
}
