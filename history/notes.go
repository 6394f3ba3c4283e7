package history

import (
	"fmt"
	"sort"
)

// patterns names the repetitions that the workflow makes on purpose.
func (r *reading) patterns() []Pattern {
	type tally struct {
		calls int
		turns map[int32]int
	}
	byName := map[string]*tally{}
	var names []string
	for i := range r.calls {
		call := &r.calls[i]
		t := byName[call.Activity]
		if t == nil {
			t = &tally{turns: map[int32]int{}}
			byName[call.Activity] = t
			names = append(names, call.Activity)
		}
		t.calls++
		t.turns[call.Attempts[0].Turn]++
	}
	sort.Strings(names)
	var out []Pattern
	for _, n := range names {
		t := byName[n]
		if t.calls < 2 {
			continue
		}
		if len(t.turns) == 1 {
			out = append(out, Pattern{Kind: "fan_out", Activity: clean80(n), Calls: t.calls, Note: "separate calls scheduled in one turn"})
		} else {
			out = append(out, Pattern{Kind: "loop", Activity: clean80(n), Calls: t.calls, Note: "separate calls scheduled one after the other"})
		}
	}
	if g := r.run.Generation; g > 1 {
		out = append(out, Pattern{Kind: "continue_as_new", Note: fmt.Sprintf("generation %d: earlier generations (continue-as-new, or the id used again) are deleted", g)})
	} else if r.has(ContinueAsNew) || r.run.Status == ContinuedAsNew {
		out = append(out, Pattern{Kind: "continue_as_new", Note: "the run continued as new; earlier generations are deleted"})
	}
	return out
}

func (r *reading) has(k Kind) bool {
	for i := range r.ev {
		if r.ev[i].Kind == k {
			return true
		}
	}
	return false
}

// notVisible lists what this run's history cannot show, the most important
// first.
func (r *reading) notVisible() []string {
	c := r.run.Carries
	out := []string{
		"a redelivery of a committed schedule (worker or sidecar lost, stream dropped) leaves no event: any call may have run more often than its recorded attempts",
		"most lost commits leave no mark, and no history tells how often a body ran",
	}
	if r.run.Coverage.Partial() {
		out = append(out, "part of this history was not read, so calls and attempts may be missing")
	}
	if !c.StoredOrder {
		out = append(out, "the stored order of the events is gone in this shape: the mark \"result stored before its schedule\" cannot be seen")
	}
	if !c.FullTimes {
		out = append(out, "times are cut to seconds in this shape: a result slightly older than its schedule, and the lag of turns, cannot be seen")
	}
	if !c.IDs {
		out = append(out, "this shape carries no task execution ids: attempts are linked by pattern, and whether the id is stable cannot be seen")
	}
	if !c.Origins {
		out = append(out, "this shape carries no timer origins: a retry policy and a hand-written loop look alike")
	} else if !r.origins && len(r.timers) > 0 {
		out = append(out, "this history records no timer origins (runtime or SDK before 1.18): a retry policy and a hand-written loop look alike")
	}
	if r.inputsHidden() {
		out = append(out, "inputs were withheld, so attempts were linked by name, version and router without comparing inputs, and calls with the same input were not looked for")
	}
	switch {
	case r.run.Generation > 1:
		out = append(out, "earlier generations of this run are deleted with whatever they ran")
	case r.run.Generation == 0 && !c.Generation:
		out = append(out, "the generation is not known here: whether the run continued as new, or its id was used before, cannot be seen")
	}
	return out
}

func (r *reading) inputsHidden() bool {
	for i := range r.attempts {
		p := r.ev[r.attempts[i].Scheduled].Payload
		if (p.state == PayloadWithheld || p.state == PayloadNotRecorded) && p.print == 0 {
			return true
		}
	}
	return false
}
