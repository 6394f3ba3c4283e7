package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/history"
)

// The sums over the real runs are those of the ledger beside them.
func TestTallyOfRealRuns(t *testing.T) {
	t.Parallel()
	runs := realRuns(t, history.Sharing{Level: history.LevelMetadata})
	var tally history.Tally
	var want struct{ calls, attempts, retried int }
	for _, r := range runs {
		a := history.Analyze(r.run)
		tally.Add(&a)
		copies := map[int32]bool{} // of a rerun: the source's calls
		for i := range a.Calls {
			if a.Calls[i].Copy() {
				copies[r.run.Events[a.Calls[i].Attempts[0].Scheduled].ID] = true
			}
		}
		for _, c := range r.truth.Calls {
			if !c.InHistory || len(c.Scheduled) == 0 || copies[c.Scheduled[0]] {
				continue
			}
			want.calls++
			want.attempts += c.Attempts
			if c.Attempts > 1 {
				want.retried++
			}
		}
	}
	var got struct{ calls, attempts, retried int }
	ids := history.IDTally{}
	for _, at := range tally.Activities() {
		got.calls += at.Calls
		got.attempts += at.Attempts
		got.retried += at.Retried
		ids.Same += at.IDs.Same
		ids.Changed += at.IDs.Changed
		if at.Retried > 0 && (at.LongestGap <= 0 || at.LastRepeat.IsZero()) {
			t.Errorf("%s was retried and has no gap", at.Activity)
		}
		sum := 0
		for _, n := range at.Histogram {
			sum += n
		}
		if sum != at.Calls {
			t.Errorf("%s: the histogram holds %d of %d calls", at.Activity, sum, at.Calls)
		}
	}
	if got != want {
		t.Errorf("got %+v, the ledger has %+v", got, want)
	}
	if ids.Same == 0 || ids.Changed != 0 {
		t.Errorf("the Go SDK keeps its id over retries; got %+v", ids)
	}
}

// Tallies of parts add up to the tally of the whole, in any order.
func TestTallyMerges(t *testing.T) {
	t.Parallel()
	var whole, left, right, sum history.Tally
	for i, r := range realRuns(t, history.Sharing{Level: history.LevelMetadata}) {
		a := history.Analyze(r.run)
		whole.Add(&a)
		if i%3 == 0 {
			left.Add(&a)
		} else {
			right.Add(&a)
		}
	}
	sum.Merge(&right)
	sum.Merge(&left)
	if d := cmp.Diff(whole.Activities(), sum.Activities()); d != "" {
		t.Error(d)
	}
}
