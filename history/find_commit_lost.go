package history

import (
	"fmt"
	"time"
)

// What is read from a mark and from its absence beside one.
const (
	readingMarked  = "the result beat the re-run of the turn; usually no extra body"
	readingSibling = "scheduled in the same turn without a mark: probably dispatched twice"
)

const overlapMeaning = "a check before acting does not protect here; only a write that itself refuses the duplicate does"

// findCommitLost reports turns that were run again because their commit was
// lost: certain about the commit, open about the bodies. The finding belongs to
// the turn; its unmarked siblings are the ones to worry about. Blind spot: a
// lost commit of which no call carries a mark, which is most of them.
func (c *collector) findCommitLost() {
	type group struct {
		turn  int32
		calls []TurnCall
		ev    []int
		marks map[Mark]bool
		sibs  int
	}
	var order []*group
	byTurn := map[int32]*group{}
	c.r.each(func(call *Call, a *Attempt) {
		if a.Copy || (a.Turn >= 0 && !c.lost[a.Turn]) || (a.Turn < 0 && len(a.Marks) == 0) {
			return
		}
		g := byTurn[a.Turn]
		if g == nil || a.Turn < 0 {
			g = &group{turn: a.Turn, marks: map[Mark]bool{}}
			byTurn[a.Turn], order = g, append(order, g)
		}
		reading := readingMarked
		if len(a.Marks) == 0 {
			reading, g.sibs = readingSibling, g.sibs+1
		}
		for _, m := range a.Marks {
			g.marks[m] = true
		}
		g.calls = append(g.calls, c.turnCall(call, a, reading))
		g.ev = append(g.ev, a.Scheduled, a.Result)
	})
	for _, g := range order {
		f := Finding{Kind: CommitLost, Certainty: Possible, Calls: g.calls, Evidence: c.evidence(g.ev...),
			Settles: "the application's log with the key in it, spans, or the provider's list"}
		where := "a turn"
		if g.turn >= 0 {
			f.Turn = intPtr(int(g.turn))
			where = fmt.Sprintf("turn %d", g.turn)
		}
		f.Message = fmt.Sprintf("%s was run again after its commit was lost: %d marked, %d unmarked of the calls it scheduled", where, len(g.calls)-g.sibs, g.sibs)
		f.Meaning = fmt.Sprintf("the bodies of these calls may have run more often than recorded. In %s, %d of %d marked attempts ran exactly as recorded and %d of %d unmarked siblings ran more often",
			ratesCondition, markedAsRecorded, markedTotal, siblingsMore, siblingsTotal)
		if len(g.marks) == 1 && g.marks[MarkTime] && c.r.run.Carries.StoredOrder {
			f.Meaning += ". Only the times disagree here, which two hosts' clocks can also cause"
		}
		f.Meaning += c.generationNote()
		c.add(f)
		c.add(Finding{
			Kind: AttemptsMayOverlap, Certainty: Possible, Turn: f.Turn, Calls: g.calls, Evidence: f.Evidence,
			Message: fmt.Sprintf("%s was run again: two bodies of a call that it scheduled may have been alive together", where),
			Meaning: overlapMeaning,
		})
	}
}

// generationNote warns where an earlier generation can explain a mark.
func (c *collector) generationNote() string {
	if g := c.r.run.Generation; g > 1 {
		return fmt.Sprintf(". The run is in generation %d: a result of an earlier generation can leave the same marks without any second body", g)
	}
	return ""
}

// findOverlap reports where two bodies of one call may have been alive
// together after a time-out or cancellation on the caller's side. Lost turns are
// reported with their commit.
func (c *collector) findOverlap() {
	for i := range c.r.calls {
		call := &c.r.calls[i]
		if call.Copy() {
			continue
		}
		for j := 0; j+1 < len(call.Attempts); j++ {
			a := &call.Attempts[j]
			if a.Result < 0 || !c.classify(c.ev(a.Result).Failure).timeout {
				continue
			}
			c.add(Finding{
				Kind: AttemptsMayOverlap, Certainty: Possible, Activity: &call.Activity, Call: &call.Key, Attempts: c.attemptViews(call),
				Evidence: c.evidence(a.Result, call.Attempts[j+1].Scheduled),
				Message:  fmt.Sprintf("%s gave up waiting and was attempted again: what the first attempt started may still have been under way", clean80(call.Activity)),
				Meaning:  overlapMeaning,
			})
			break
		}
	}
}

// findLag reports turns that began long after the newest event they consumed: a
// hint of a lost commit, and as well of a slow store or scheduler. Never a
// reason to rank.
func (c *collector) findLag() {
	if !c.r.run.Carries.FullTimes || !c.r.run.Carries.StoredOrder || c.r.run.Backwards {
		return
	}
	for i := range c.r.ev {
		if c.r.ev[i].Kind != WorkflowStarted || c.r.rerun.is && c.r.ev[i].At.Before(c.r.rerun.at) {
			continue
		}
		newest, scheduled := -1, []int{}
		for j := i + 1; j < len(c.r.ev) && c.r.turn[j] == c.r.turn[i]; j++ {
			ev := c.ev(j)
			if ev.Kind.Inbox() && (newest < 0 || arrived(ev).After(arrived(c.ev(newest)))) {
				newest = j
			}
			if ev.Kind == TaskScheduled {
				scheduled = append(scheduled, j)
			}
		}
		if newest < 0 || len(scheduled) == 0 {
			continue
		}
		lag := c.ev(i).At.Sub(arrived(c.ev(newest)))
		if lag <= lagThreshold {
			continue
		}
		c.add(Finding{
			Kind: TurnLag, Certainty: Possible, Turn: intPtr(int(c.r.turn[i])), LagMS: lag.Milliseconds(),
			Evidence: c.evidence(append([]int{newest, i}, scheduled...)...),
			Message:  fmt.Sprintf("turn %d began %d ms after the newest event it consumed and scheduled %s", c.r.turn[i], lag.Milliseconds(), count(len(scheduled), "attempt")),
			Meaning:  "a hint, not a finding: a commit may have been lost, or the store or the scheduler was slow. Compare with this app's usual lag",
			Settles:  "the application's log or spans",
		})
	}
}

// arrived is when an event was due to be consumed. A timer's own timestamp is
// that of its creation, a delayed start waits for its time.
func arrived(ev *Event) time.Time { return laterOf(ev.At, ev.FireAt) }
