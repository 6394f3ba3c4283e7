package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Preview is what a rerun of a run from one of its events would execute again,
// as far as the events recorded so far tell. It follows what Dapr's engine does
// with a stored history (from 1.17 on): everything before the target that has
// ended is copied, what has not ended is executed again together with the
// target, and everything stored after the target is forgotten, so that the
// workflow's code calls it anew.
type Preview struct {
	App      string         `json:"app"`
	Run      string         `json:"run"` // the source of the rerun
	Target   PreviewEvent   `json:"target"`
	Again    []AgainCall    `json:"again"`
	Children []AgainChild   `json:"children"` // child runs that are started again, with all they do
	Copied   []CopiedCall   `json:"copied"`   // calls that are not executed again
	Timers   []PreviewEvent `json:"timers"`   // timers that are set again and fire at their old time
	Signals  []string       `json:"signals"`  // external events that are forgotten: the new run waits for them anew
	Refused  []string       `json:"refused"`  // why Dapr would refuse this rerun now
	Unknown  []string       `json:"-"`        // what nobody can know beforehand; answers tell it as not visible
}

// PreviewEvent is an event of the source.
type PreviewEvent struct {
	Event   int32  `json:"event"` // index in the order the source gave
	EventID int32  `json:"event_id"`
	Type    string `json:"type"`
	Name    string `json:"name"`
}

// AgainWhy says why an activity fires again.
type AgainWhy string

// The reasons.
const (
	AgainTarget     AgainWhy = "target"
	AgainUnfinished AgainWhy = "unfinished" // scheduled before the target, no result there
	AgainLater      AgainWhy = "later"      // stored after the target: the workflow's code calls it anew
)

// AgainID says which task execution id the new attempt carries.
type AgainID string

// The ids.
const (
	AgainSameID AgainID = "same"
	AgainNewID  AgainID = "new"
	AgainNoID   AgainID = "none" // the source records no ids for it
)

// AgainCall is a call that fires again.
type AgainCall struct {
	Activity        string   `json:"activity"`
	Call            string   `json:"call"`
	EventID         int32    `json:"task_scheduled_id"` // of the first attempt that is repeated
	Why             AgainWhy `json:"why"`
	ID              AgainID  `json:"execution_id"`
	TaskExecutionID *string  `json:"task_execution_id,omitempty"` // where it is the source's
	Recorded        int      `json:"recorded_attempts"`           // of the source, from that attempt on
	Result          *string  `json:"result"`                      // of the source: completed, failed, null: none recorded
	Reading         string   `json:"reading"`
}

// AgainChild is a child run that is started again, under a new instance id.
type AgainChild struct {
	Workflow string   `json:"workflow"`
	Run      string   `json:"run"` // the source's child
	EventID  int32    `json:"event_id"`
	Why      AgainWhy `json:"why"`
}

// CopiedCall is a call whose recorded attempts all stand before the target.
type CopiedCall struct {
	Activity string `json:"activity"`
	Call     string `json:"call"`
	Attempts int    `json:"attempts"`
}

// PreviewRerun says what a rerun from an event would execute again. event is
// the event's recorded id, or a call as Explain takes it. It starts nothing.
// The error (BadInput) lists what a rerun can start from.
func (a *Analysis) PreviewRerun(event string) (Preview, error) {
	target, err := a.rerunTarget(event)
	if err != nil {
		return Preview{}, err
	}
	f := newFork(a.Run, target)
	ended := a.ended()
	p := Preview{
		App: clean.Line(a.Run.Ref.App, maxName), Run: clean.Line(a.Run.Ref.Instance, 0), Target: previewEvent(&a.Run.Events[target]),
		Again: []AgainCall{}, Children: []AgainChild{}, Copied: []CopiedCall{}, Timers: []PreviewEvent{}, Signals: []string{}, Refused: a.refused(ended),
	}
	r := &reading{run: a.Run, ev: a.Run.Events, calls: a.Calls}
	r.settle()
	done := map[string]bool{} // calls that are told
	r.each(func(call *Call, at *Attempt) {
		if f.fate[at.Scheduled] == fateCopied || done[call.Key] && f.fate[at.Scheduled] == fateLater {
			return
		}
		done[call.Key] = true
		p.Again = append(p.Again, f.again(call, at))
	})
	failed := false // a failure is among what is copied
	for i := range a.Calls {
		c := &a.Calls[i]
		if !done[c.Key] {
			p.Copied = append(p.Copied, CopiedCall{Activity: c.Activity, Call: c.Key, Attempts: len(c.Attempts)})
		}
		for j := range c.Attempts {
			failed = failed || f.fate[c.Attempts[j].Scheduled] == fateCopied && r.failed(&c.Attempts[j])
		}
	}
	f.others(&p)
	p.Unknown = f.unknown(&p, ended, failed)
	return p, nil
}

// rerunTarget finds the event: the first one stored with its id, as the engine
// does.
func (a *Analysis) rerunTarget(event string) (int, error) {
	ev := a.Run.Events
	id, err := strconv.ParseInt(event, 10, 32)
	if err != nil {
		call, err := a.findCall(event)
		if err != nil {
			return 0, a.noTarget(event, "is neither an event id nor one call of this run")
		}
		id = int64(ev[call.Attempts[0].Scheduled].ID)
	}
	for i := range ev {
		if int64(ev[i].ID) != id || id < 0 {
			continue
		}
		if !ev[i].rerunnable() {
			return 0, a.noTarget(event, "is of type "+ev[i].Kind.String()+": Dapr reruns from a scheduled activity, a timer or the start of a child run")
		}
		return i, nil
	}
	return 0, a.noTarget(event, "is the id of no event in this history")
}

func (ev *Event) rerunnable() bool {
	return ev.Kind == TaskScheduled || ev.Kind == TimerCreated || ev.Kind == ChildCreated
}

func (a *Analysis) noTarget(event, why string) error {
	const most = 20
	var can []string
	more := 0
	for i := range a.Run.Events {
		ev := &a.Run.Events[i]
		switch {
		case !ev.rerunnable() || ev.ID < 0:
		case len(can) == most:
			more++
		default:
			can = append(can, strings.TrimSpace(fmt.Sprintf("%d %s", ev.ID, clean80(ev.Name))))
		}
	}
	do := "This run has no event that a rerun can start from"
	if len(can) > 0 {
		do = "Events of this run to rerun from: " + strings.Join(can, ", ")
	}
	if more > 0 {
		do += fmt.Sprintf(" and %d more", more)
	}
	return &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("preview a rerun from %q: it %s", clean80(event), why), Do: do}
}

// ended reports whether the run is in a state that the engine reruns from.
func (a *Analysis) ended() bool {
	ended := a.Run.Status.Ended()
	for i := range a.Run.Events {
		ended = ended || a.Run.Events[i].Kind == ExecutionCompleted && a.Run.Events[i].Status != ContinuedAsNew
	}
	return ended
}

// refused lists why the engine would not do it now. The preview says what it
// would do all the same: the run may yet end, and its parent may be rerun.
func (a *Analysis) refused(ended bool) []string {
	out := []string{}
	if !ended {
		out = append(out, fmt.Sprintf("the run has not ended (%s): Dapr reruns only a run that has", a.Run.Status))
	}
	parent := a.Run.Parent
	for i := range a.Run.Events {
		if ev := &a.Run.Events[i]; ev.Kind == ExecutionStarted && ev.Parent != nil && parent == "" {
			parent = ev.Parent.Instance
		}
	}
	if parent != "" {
		out = append(out, "this is a child run of "+clean.Line(parent, 120)+": Dapr reruns the parent only")
	}
	return out
}

// fate is what becomes of an event that schedules something.
type fate uint8

const (
	fateLater fate = iota // stored after the target: forgotten
	fateCopied
	fateUnfinished
	fateTarget
)

// fork walks a history as the engine does when it copies one for a rerun.
type fork struct {
	run    *Run
	turns  []int32
	target int
	fate   map[int]fate // of events that schedule something, by index
}

func newFork(run *Run, target int) *fork {
	f := &fork{run: run, turns: turnsOf(run), target: target, fate: map[int]fate{target: fateTarget}}
	open := map[Kind]map[int32]int{TaskScheduled: {}, TimerCreated: {}, ChildCreated: {}}
	for i := range run.Events {
		ev := &run.Events[i]
		if i == target || !f.before(i) {
			continue
		}
		if ev.rerunnable() {
			f.fate[i] = fateUnfinished
			open[ev.Kind][ev.ID] = i
			continue
		}
		var of Kind
		switch ev.Kind {
		case TaskCompleted, TaskFailed:
			of = TaskScheduled
		case TimerFired:
			of = TimerCreated
		case ChildCompleted, ChildFailed:
			of = ChildCreated
		default:
			continue
		}
		if at, ok := open[of][ev.TaskScheduledID]; ok {
			f.fate[at] = fateCopied
			delete(open[of], ev.TaskScheduledID)
		}
	}
	return f
}

// before reports whether an event is stored before the target. Where a shape
// sorts by time, the turns tell: what a turn consumed is stored before what it
// scheduled.
func (f *fork) before(i int) bool {
	if f.run.Carries.StoredOrder || f.turns[i] < 0 || f.turns[i] == f.turns[f.target] {
		return i < f.target
	}
	return f.turns[i] < f.turns[f.target]
}

// again tells of a call from the attempt that is the first to be repeated.
func (f *fork) again(call *Call, at *Attempt) AgainCall {
	s := &f.run.Events[at.Scheduled]
	c := AgainCall{Activity: call.Activity, Call: call.Key, EventID: s.ID, ID: AgainSameID, TaskExecutionID: strPtr(s.TaskExecutionID)}
	copied := -1
	for i := range call.Attempts {
		switch {
		case f.fate[call.Attempts[i].Scheduled] == fateCopied:
			copied = i
		case call.Attempts[i].Scheduled >= at.Scheduled:
			c.Recorded++
		}
	}
	if r := call.Result(); r >= 0 {
		c.Result = strPtr("failed")
		if f.run.Events[r].Kind == TaskCompleted {
			c.Result = strPtr("completed")
		}
	}
	switch f.fate[at.Scheduled] {
	case fateTarget:
		c.Why, c.Reading = AgainTarget, "the target: its schedule is copied, and dispatched again"
	case fateUnfinished:
		c.Why, c.Reading = AgainUnfinished, "scheduled before the target and without a result there: dispatched again, and nothing in the new history marks it"
		if at.Result >= 0 && at.Result < at.Scheduled && f.run.Carries.StoredOrder {
			c.Reading = "its result is stored before its schedule (a lost commit), so the engine does not see that it ended"
		}
	default:
		c.Why, c.ID, c.Reading = AgainLater, AgainNewID, "stored after the target: the workflow's code calls it anew, if it takes the same way"
		if copied >= 0 && f.run.Events[call.Attempts[copied].Scheduled].TaskExecutionID == s.TaskExecutionID {
			c.ID, c.Reading = AgainSameID, fmt.Sprintf("attempt %d of the call is copied and this retry of it is made anew; the SDK takes the id from the failed attempt, as it did in the source", copied+1)
		} else {
			c.TaskExecutionID = nil
		}
	}
	if s.TaskExecutionID == "" {
		c.ID = AgainNoID
	}
	if c.Recorded > 1 {
		c.Reading += fmt.Sprintf("; the source made %d attempts from there on, the rerun makes as many as fail again", c.Recorded)
	}
	return c
}

// others lists child runs, timers and external events.
func (f *fork) others(p *Preview) {
	why := map[fate]AgainWhy{fateTarget: AgainTarget, fateUnfinished: AgainUnfinished, fateLater: AgainLater}
	for i := range f.run.Events {
		ev, fate := &f.run.Events[i], f.fate[i]
		switch {
		case ev.Kind == ChildCreated && fate != fateCopied:
			p.Children = append(p.Children, AgainChild{Workflow: clean80(ev.Name), Run: clean.Line(ev.Instance, 0), EventID: ev.ID, Why: why[fate]})
		case ev.Kind == TimerCreated && (fate == fateUnfinished || fate == fateTarget):
			p.Timers = append(p.Timers, previewEvent(ev))
		case ev.Kind == EventRaised && !f.before(i):
			p.Signals = append(p.Signals, clean80(ev.Name))
		}
	}
}

// unknown lists what no history can tell beforehand.
func (f *fork) unknown(p *Preview, ended, failed bool) []string {
	out := []string{"which way the new run takes: what fires again may answer otherwise, a new input for the target changes it on purpose, and the workflow's code may have changed since; the later calls listed are those that the source made"}
	if !ended {
		out = append(out, "activities that the source has not scheduled yet are in no list here")
	}
	if slices.ContainsFunc(p.Again, func(c AgainCall) bool { return c.ID == AgainNewID }) {
		out = append(out, "new execution ids of later calls were observed with the Go SDK; by their code Python and Java do the same, and .NET makes the id of the run's id and a counter")
	}
	if failed {
		out = append(out, "Dapr 1.15 and 1.16 also dispatch again what failed before the target (read in their source, not observed)")
	}
	if len(p.Children) > 0 {
		out = append(out, "what the child runs do stands in their own histories; they start under new instance ids, so a key made of a child's id changes")
	}
	if !f.run.Carries.StoredOrder {
		out = append(out, "the stored order is gone in this shape: whether a result stands before the target is read from the turns")
	}
	return out
}

func previewEvent(ev *Event) PreviewEvent {
	return PreviewEvent{Event: ev.Index, EventID: ev.ID, Type: ev.Kind.String(), Name: clean80(ev.Name)}
}
