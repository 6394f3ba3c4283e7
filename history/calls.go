package history

import (
	"slices"
	"strconv"
)

// Attempt is one scheduled execution of a call. Indices point into the run's
// events; -1 means none.
type Attempt struct {
	Scheduled  int
	Result     int
	Extra      []int // further results for the same schedule
	LinkedBy   LinkRule
	Timer      int // the retry timer that the link rests on, -1: none
	Marks      []Mark
	Turn       int32 // of the schedule, -1: not known
	ResultTurn int32 // of the result, -1: not known
	Copy       bool  // copied from the source by a rerun
	Ambiguous  bool  // the link could also pair other attempts
}

// Call is one logical activity invocation with its recorded attempts in order.
type Call struct {
	Key      string // "<activity>#<id of the first attempt>", unique in the run
	Activity string // cleaned; child families: the workflow
	Attempts []Attempt
	HandLoop bool
	Inputs   Equality // of all attempts
}

// Result returns the index of the last attempt's result, -1 when it has none.
func (c *Call) Result() int { return c.Attempts[len(c.Attempts)-1].Result }

// Copy reports whether a rerun copied the whole call.
func (c *Call) Copy() bool {
	for i := range c.Attempts {
		if !c.Attempts[i].Copy {
			return false
		}
	}
	return true
}

// LinkedBy lists the rules that linked the attempts, each once.
func (c *Call) LinkedBy() []LinkRule {
	var rules []LinkRule
	for i := range c.Attempts {
		if l := c.Attempts[i].LinkedBy; l != LinkNone && !slices.Contains(rules, l) {
			rules = append(rules, l)
		}
	}
	return rules
}

// reading is the working state of an analysis.
type reading struct {
	run      *Run
	ev       []Event
	turn     []int32
	rerun    rerunInfo
	attempts []Attempt // of activities, in order of their schedules
	orphans  []int     // results without a schedule
	children []Attempt // of child runs, in order of creation
	calls    []Call
	families []Call // child runs grouped as retries; Activity is the workflow
	fired    map[int32]int
	timers   []int           // TimerCreated events, in order
	byTurn   map[int32][]int // timers by the turn that created them
	order    []attemptRef    // every attempt of every call, by its schedule
	ended    bool
	origins  bool // this run records timer origins
}

// read pairs schedules with results and finds the turns, the rerun's copies and
// the timers.
func read(run *Run) *reading {
	r := &reading{run: run, ev: run.Events, turn: turnsOf(run), fired: map[int32]int{}, byTurn: map[int32][]int{}}
	r.ended = run.Status.Ended()
	for i := range r.ev {
		switch r.ev[i].Kind {
		case TimerCreated:
			r.timers = append(r.timers, i)
			r.byTurn[r.turn[i]] = append(r.byTurn[r.turn[i]], i)
			r.origins = r.origins || r.ev[i].Origin.Kind != OriginUnknown
		case TimerFired:
			if _, dup := r.fired[r.ev[i].TaskScheduledID]; !dup {
				r.fired[r.ev[i].TaskScheduledID] = i
			}
		case ExecutionCompleted:
			r.ended = r.ended || r.ev[i].Status != ContinuedAsNew
		}
	}
	r.rerun = findRerun(run)
	r.attempts, r.orphans = r.pair(TaskScheduled, TaskCompleted, TaskFailed)
	r.children, _ = r.pair(ChildCreated, ChildCompleted, ChildFailed)
	for i := range r.attempts {
		r.attempts[i].Copy = r.rerun.copied(r, &r.attempts[i])
		if !r.attempts[i].Copy {
			r.attempts[i].Marks = r.marks(&r.attempts[i])
		}
	}
	for i := range r.children {
		r.children[i].Copy = r.rerun.copied(r, &r.children[i])
	}
	return r
}

// pair matches results to schedules. An id that several schedules share (older
// Python SDKs reuse it for every attempt) is answered in order.
func (r *reading) pair(scheduled, completed, failed Kind) (attempts []Attempt, orphans []int) {
	byID := map[int32][]int{} // event id -> positions in attempts
	for i := range r.ev {
		if r.ev[i].Kind == scheduled {
			byID[r.ev[i].ID] = append(byID[r.ev[i].ID], len(attempts))
			attempts = append(attempts, Attempt{Scheduled: i, Result: -1, Timer: -1, Turn: r.turn[i], ResultTurn: -1})
		}
	}
	for i := range r.ev {
		if k := r.ev[i].Kind; k != completed && k != failed {
			continue
		}
		ids := byID[r.ev[i].TaskScheduledID]
		if len(ids) == 0 || r.ev[i].TaskScheduledID == NoID {
			orphans = append(orphans, i)
			continue
		}
		at := -1
		for _, p := range ids {
			if attempts[p].Result < 0 {
				at = p
				break
			}
		}
		if at < 0 { // every schedule is answered: a second result
			last := &attempts[ids[len(ids)-1]]
			last.Extra = append(last.Extra, i)
			continue
		}
		attempts[at].Result, attempts[at].ResultTurn = i, r.turn[i]
	}
	return attempts, orphans
}

// marks finds what a lost commit left on an attempt.
func (r *reading) marks(a *Attempt) []Mark {
	if a.Result < 0 {
		return nil
	}
	s, res := &r.ev[a.Scheduled], &r.ev[a.Result]
	var marks []Mark
	before := a.Result < a.Scheduled
	if before && r.run.Carries.StoredOrder {
		marks = append(marks, MarkOrder)
	}
	switch {
	case r.run.Carries.FullTimes:
		if !res.At.IsZero() && res.At.Before(s.At) && !r.run.Backwards {
			marks = append(marks, MarkTime)
		}
	case before && !r.run.Carries.StoredOrder:
		// The CLI sorts on full times before it cuts them to seconds.
		marks = append(marks, MarkTime)
	}
	if s.TaskExecutionID != "" && res.TaskExecutionID != "" && s.TaskExecutionID != res.TaskExecutionID {
		marks = append(marks, MarkID)
	}
	return marks
}

func (r *reading) failed(a *Attempt) bool {
	if a.Result < 0 {
		return false
	}
	k := r.ev[a.Result].Kind
	return k == TaskFailed || k == ChildFailed
}

func (r *reading) completed(a *Attempt) bool {
	if a.Result < 0 {
		return false
	}
	k := r.ev[a.Result].Kind
	return k == TaskCompleted || k == ChildCompleted
}

// hasID reports whether the attempt's schedule or result carries id. After a
// lost commit the two differ, so both count.
func (r *reading) hasID(a *Attempt, id string) bool {
	return id != "" && (r.ev[a.Scheduled].TaskExecutionID == id || a.Result >= 0 && r.ev[a.Result].TaskExecutionID == id)
}

// callKey names a call: the activity and the id of its first attempt.
func callKey(activity string, id int32, taken map[string]bool) string {
	base := activity + "#" + strconv.Itoa(int(id))
	key := base
	for n := 2; taken[key]; n++ {
		key = base + "." + strconv.Itoa(n)
	}
	taken[key] = true
	return key
}

// sameTarget reports whether two schedules call the same thing as far as is
// recorded, and what is known of their inputs.
func sameTarget(a, b *Event) (same bool, inputs Equality) {
	if a.Name != b.Name || a.Version != b.Version || a.TargetApp != b.TargetApp {
		return false, EqualityUnknown
	}
	inputs = a.Payload.Compare(b.Payload)
	return inputs != Different, inputs
}
