package history

import "time"

// rerunInfo is what a run's events say about being a rerun of another.
type rerunInfo struct {
	is     bool
	of     string // the source's instance id
	target int    // index of the event that the rerun started from, -1: not told
	at     time.Time
}

// findRerun reads the lineage of a rerun: the newest event with
// rerunParentInstanceInfo is the target (older ones were copied from a source
// that was a rerun itself). Where no event is marked, an instance id in
// executionStarted that is not this run's still shows that it is one.
func findRerun(run *Run) rerunInfo {
	info := rerunInfo{target: -1}
	for i := range run.Events {
		ev := &run.Events[i]
		if ev.RerunOf != "" && (info.target < 0 || !ev.At.Before(info.at)) {
			info = rerunInfo{is: true, of: ev.RerunOf, target: i, at: ev.At}
		}
	}
	if info.is || run.Ref.Instance == "" {
		return info
	}
	if rec := run.RecordedInstance(); rec != "" && rec != run.Ref.Instance {
		info = rerunInfo{is: true, of: rec, target: -1}
	}
	return info
}

// copied reports whether an attempt was copied from the source: scheduled and
// answered before the target was stamped. Siblings of the target whose result
// is newer, or missing, ran again though nothing marks them.
func (info rerunInfo) copied(r *reading, a *Attempt) bool {
	if !info.is || info.target < 0 || a.Scheduled == info.target || a.Result < 0 {
		return false
	}
	if r.run.Carries.FullTimes {
		return r.ev[a.Scheduled].At.Before(info.at) && r.ev[a.Result].At.Before(info.at)
	}
	return a.Scheduled < info.target && a.Result < info.target
}
