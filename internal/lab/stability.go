package lab

import "fmt"

// Stability counts, of calls or attempts whose body ran several times, how often
// every body had the same task execution id.
type Stability struct {
	Where string
	Same  int
	New   int // every body, or every delivery, had its own
	Mixed int
}

// The situations in which a key made of the task execution id is relied on.
const (
	OverRetries    = "attempts of a call under a retry policy"
	OverHandLoop   = "turns of a hand-written retry loop"
	OverRedelivery = "redeliveries of one attempt"
	OverLostFirst  = "a first attempt dispatched by a lost turn and by its re-run"
	OverLostLater  = "a later attempt under a policy, the same"
	OverChildRetry = "the same call in a child and in its retry"
)

// MeasureStability reads the ledgers of results. Runs whose commit was lost count
// in no other situation; a turn of a hand-written loop is a first attempt to the
// SDK.
func MeasureStability(results []Result) []Stability {
	retries, loops := Stability{Where: OverRetries}, Stability{Where: OverHandLoop}
	redelivered, children := Stability{Where: OverRedelivery}, Stability{Where: OverChildRetry}
	lostFirst, lostLater := Stability{Where: OverLostFirst}, Stability{Where: OverLostLater}
	for _, r := range results {
		lost := len(r.LostTurn) > 0
		calls, attempts, families := grouped{}, grouped{}, grouped{}
		for _, l := range r.Ledger {
			if l.What != Began {
				continue
			}
			calls.add(l.Instance+"/"+l.Call, l)
			attempts.add(fmt.Sprintf("%s/%s/%d", l.Instance, l.Call, l.ScheduledID), l)
			families.add(l.Call, l)
		}
		for _, a := range attempts {
			switch {
			case len(a) < 2:
			case !lost:
				redelivered.count(a)
			case r.Plan.shape().inferred || calls[a[0].Instance+"/"+a[0].Call][0].ScheduledID == a[0].ScheduledID:
				lostFirst.count(a)
			default:
				lostLater.count(a)
			}
		}
		if lost {
			continue
		}
		for _, c := range calls {
			if c = c.perAttempt(); len(c) < 2 {
				continue
			}
			if r.Plan.shape().inferred {
				loops.count(c)
			} else {
				retries.count(c)
			}
		}
		for _, f := range families {
			if f = f.perAttempt(); f.instances() > 1 {
				children.count(f)
			}
		}
	}
	return []Stability{retries, loops, redelivered, lostFirst, lostLater, children}
}

// bodies are the starts of some bodies that belong together.
type bodies []Line

type grouped map[string]bodies

func (g grouped) add(key string, l Line) { g[key] = append(g[key], l) }

// perAttempt keeps one body of each attempt.
func (b bodies) perAttempt() bodies {
	var out bodies
	seen := map[string]bool{}
	for _, l := range b {
		k := fmt.Sprintf("%s/%d", l.Instance, l.ScheduledID)
		if !seen[k] {
			out = append(out, l)
		}
		seen[k] = true
	}
	return out
}

func (b bodies) instances() int {
	seen := map[string]bool{}
	for _, l := range b {
		seen[l.Instance] = true
	}
	return len(seen)
}

func (s *Stability) count(b bodies) {
	ids := map[string]bool{}
	for _, l := range b {
		ids[l.ExecutionID] = true
	}
	switch len(ids) {
	case 1:
		s.Same++
	case len(b):
		s.New++
	default:
		s.Mixed++
	}
}
