package history

import (
	"fmt"
	"hash/maphash"
)

// findOrphans reports results without a schedule. Where events are known to be
// missing the schedule may be among them, so it is only a question.
func (c *collector) findOrphans() {
	for _, i := range c.r.orphans {
		ev := c.ev(i)
		if c.r.rerun.is && ev.At.Before(c.r.rerun.at) {
			continue
		}
		f := Finding{Kind: OrphanResult, Certainty: Recorded, Evidence: c.evidence(i),
			Message: fmt.Sprintf("a result for event id %d has no schedule in this history", ev.TaskScheduledID),
			Meaning: "an activity ran that this history does not name: the commit of the turn that scheduled it was lost and the re-run went on without it, or it belongs to an earlier generation",
			Settles: "the application's log: which activity ended at that time"}
		a := Attempt{Scheduled: i, Result: i, Turn: -1}
		v := c.attemptView(&a)
		v.TaskScheduledID, v.ScheduledAt = ev.TaskScheduledID, nil
		f.Attempts = []AttemptView{v}
		f.Meaning += c.generationNote()
		if c.r.run.Coverage.Asked != c.r.run.Coverage.Read {
			f.Certainty = Question
			f.Meaning = "part of this history was not read; the schedule may be there"
		}
		c.add(f)
	}
}

// findStuck reports a run that hangs for ever: a result was consumed in a turn
// before its schedule, so the engine skips the task and waits for a result that
// it has already taken.
func (c *collector) findStuck() {
	if c.r.ended || c.r.run.Coverage.Asked != c.r.run.Coverage.Read || c.outstanding() {
		return
	}
	c.r.each(func(call *Call, a *Attempt) {
		if a.Copy || a.Result < 0 || a.ResultTurn < 0 || a.ResultTurn >= a.Turn {
			return
		}
		c.add(Finding{
			Kind: Stuck, Certainty: Recorded, Activity: &call.Activity, Call: &call.Key, Attempts: []AttemptView{c.attemptView(a)},
			Evidence: c.evidence(a.Result, a.Scheduled), Turn: intPtr(int(a.Turn)),
			Message: fmt.Sprintf("the run hangs: the result of %s was consumed in turn %d and its schedule stored in turn %d, and nothing else is outstanding", clean80(call.Activity), a.ResultTurn, a.Turn),
			Meaning: "the run will not go on by itself, not even after restarts; a rerun or a new run would execute its activities again",
		})
	})
}

// outstanding reports whether the run still waits for anything.
func (c *collector) outstanding() bool {
	for _, list := range [][]Attempt{c.r.attempts, c.r.children} {
		for i := range list {
			if list[i].Result < 0 {
				return true
			}
		}
	}
	raised := map[string]bool{}
	for i := range c.r.ev {
		if c.r.ev[i].Kind == EventRaised {
			raised[c.r.ev[i].Name] = true
		}
	}
	for _, t := range c.r.timers {
		ev := c.ev(t)
		_, fired := c.r.fired[ev.ID]
		if !fired && !(ev.Origin.Kind == OriginExternalEvent && raised[ev.Origin.Ref]) {
			return true
		}
	}
	return false
}

// findUnfinished reports schedules without a result.
func (c *collector) findUnfinished() {
	c.r.each(func(call *Call, a *Attempt) {
		if a.Result >= 0 || a.Copy {
			return
		}
		f := Finding{
			Kind: Unfinished, Certainty: Recorded, Activity: &call.Activity, Call: &call.Key, Attempts: []AttemptView{c.attemptView(a)},
			Evidence: c.evidence(a.Scheduled),
			Message:  fmt.Sprintf("%s is scheduled and has no result", clean80(call.Activity)),
			Meaning:  "its body may not have begun, be running, or have ended without a record; the engine will dispatch it again if the worker is lost",
		}
		if c.r.ended {
			f.Meaning = "the run has ended without this result; the body may have run, and redelivery can go on after the end"
		}
		c.add(f)
	})
}

// findIDs reports what stands against a key made of the task execution id:
// ids that change between attempts, that are missing, or that two calls share.
func (c *collector) findIDs() {
	if !c.r.run.Carries.IDs {
		return
	}
	owner := map[string]int{}
	missing, without, total := -1, 0, 0
	for i := range c.r.calls {
		call := &c.r.calls[i]
		distinct := map[string]bool{}
		lost := false
		for j := range call.Attempts {
			a := &call.Attempts[j]
			if a.Copy {
				continue
			}
			id := c.ev(a.Scheduled).TaskExecutionID
			lost = lost || len(a.Marks) > 0 || c.lost[a.Turn]
			total++
			if id == "" {
				missing = a.Scheduled
				without++
				continue
			}
			distinct[id] = true
			if o, ok := owner[id]; ok && o != i {
				c.addReused(o, i, id)
			} else {
				owner[id] = i
			}
		}
		if len(distinct) > 1 && !call.HandLoop && !lost {
			c.add(Finding{
				Kind: IDUnstable, Certainty: linkCertainty(call), Activity: &call.Activity, Call: &call.Key, Attempts: c.attemptViews(call),
				LinkedBy: call.LinkedBy(), Evidence: c.evidence(attemptEvents(call.Attempts)...),
				Message: fmt.Sprintf("%s has %d task execution ids over %d attempts", clean80(call.Activity), len(distinct), len(call.Attempts)),
				Meaning: "a key made of the task execution id does not survive a retry in this app; the .NET SDK behaves like this",
			})
		}
	}
	if missing >= 0 {
		c.add(Finding{
			Kind: IDMissing, Certainty: Recorded, Evidence: c.evidence(missing),
			Message: fmt.Sprintf("%d of %s carry no task execution id", without, count(total, "schedule")),
			Meaning: "there is no task execution id to make a key of: the SDK or the runtime is older than the id, or is the JavaScript SDK, which sends none",
		})
	}
}

func (c *collector) addReused(first, second int, id string) {
	a, b := &c.r.calls[first], &c.r.calls[second]
	c.add(Finding{
		Kind: IDReused, Certainty: Recorded, Activity: &b.Activity, Call: &b.Key,
		Evidence: c.evidence(a.Attempts[0].Scheduled, b.Attempts[0].Scheduled),
		Message:  fmt.Sprintf("calls %s and %s carry the same task execution id", clean80(a.Key), clean80(b.Key)),
		Meaning:  "a key made of the task execution id would let one of these two calls suppress the other",
	})
}

// findSameInput asks about different calls of one activity with the same input,
// where inputs can be compared at all. Loops and fan-outs do this on purpose.
func (c *collector) findSameInput() {
	type bucket struct {
		name string
		sum  uint64
	}
	seed := maphash.MakeSeed()
	groups := map[bucket][]int{}
	var order []bucket
	for i := range c.r.calls {
		call := &c.r.calls[i]
		sum, ok := call.inputSum(c.r, seed)
		if !ok || call.Copy() {
			continue
		}
		b := bucket{call.Activity, sum}
		if len(groups[b]) == 0 {
			order = append(order, b)
		}
		groups[b] = append(groups[b], i)
	}
	for _, b := range order {
		calls := groups[b]
		if len(calls) < 2 {
			continue
		}
		first := &c.r.calls[calls[0]]
		f := Finding{Kind: SameInputTwice, Certainty: Question, Activity: &first.Activity, Call: &first.Key, Inputs: "same",
			Message: fmt.Sprintf("%d different calls of %s have the same input", len(calls), clean80(b.name)),
			Meaning: "a loop or a fan-out may do this on purpose; if not, the workflow itself asked for the effect more than once",
			Settles: "the workflow's code: are these calls meant to be separate operations?"}
		for _, i := range calls {
			call := &c.r.calls[i]
			f.Calls = append(f.Calls, c.turnCall(call, &call.Attempts[0], "same input"))
			f.Evidence = append(f.Evidence, c.evidence(call.Attempts[0].Scheduled)...)
		}
		c.add(f)
	}
}

// inputSum identifies a call's input when it is shared whole or fingerprinted.
func (call *Call) inputSum(r *reading, seed maphash.Seed) (uint64, bool) {
	p := r.ev[call.Attempts[0].Scheduled].Payload
	switch {
	case p.cut:
		return 0, false
	case p.state == PayloadShared:
		return maphash.String(seed, p.value), true
	case p.print != 0:
		return p.print, true
	}
	return 0, false
}
