package outside_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/outside"
)

// TestDecide is the whole table: every state of a record against everything that
// a provider can show. A pending record, or a failure whose outcome is unknown,
// is never settled without the provider's word.
func TestDecide(t *testing.T) {
	const (
		proceed, reconcile, stored, ask = outside.Proceed, outside.Reconcile, outside.Return, outside.Ask
	)
	shows := []outside.Shown{outside.NotAsked, outside.OutOfList, outside.None, outside.OneSucceeded, outside.OnePending, outside.OnlyFailed, outside.Several}
	for _, row := range []struct {
		name    string
		in      outside.Intent
		want    [7]outside.Action // in the order of shows
		failure string
	}{
		{"absent", outside.Intent{State: outside.Absent}, [7]outside.Action{proceed, proceed, proceed, reconcile, reconcile, proceed, ask}, ""},
		{"pending", outside.Intent{State: outside.Pending}, [7]outside.Action{ask, ask, ask, reconcile, reconcile, reconcile, ask}, ""},
		{"unknown word", outside.Intent{State: outside.StateUnknown}, [7]outside.Action{ask, ask, ask, reconcile, reconcile, reconcile, ask}, ""},
		{"no table", outside.Intent{State: outside.NotRead}, [7]outside.Action{ask, ask, ask, reconcile, reconcile, reconcile, ask}, ""},
		{"succeeded", outside.Intent{State: outside.Succeeded, ID: "op-1"}, [7]outside.Action{stored, stored, ask, stored, stored, ask, ask}, ""},
		{"succeeded without id", outside.Intent{State: outside.Succeeded}, [7]outside.Action{stored, stored, ask, reconcile, stored, ask, ask}, ""},
		{"succeeded with another id", outside.Intent{State: outside.Succeeded, ID: "op-2"}, [7]outside.Action{stored, stored, ask, ask, stored, ask, ask}, ""},
		{"failed for good", outside.Intent{State: outside.Failed, Error: "card declined"}, [7]outside.Action{stored, stored, stored, reconcile, reconcile, stored, ask}, "terminal"},
		{"failed for now", outside.Intent{State: outside.Failed, Error: "dial tcp: connection refused"}, [7]outside.Action{proceed, proceed, proceed, reconcile, reconcile, proceed, ask}, "transient"},
		{"failed, unknown", outside.Intent{State: outside.Failed, Error: "read timed out"}, [7]outside.Action{ask, ask, ask, reconcile, reconcile, proceed, ask}, "outcome unknown"},
		{"failed, no words", outside.Intent{State: outside.Failed}, [7]outside.Action{ask, ask, ask, reconcile, reconcile, proceed, ask}, "outcome unknown"},
	} {
		for i, s := range shows {
			op := &outside.Operation{ID: "op-1"}
			if s <= outside.None {
				op = nil
			}
			d := outside.Decide(&row.in, s, op, true)
			if d.Action != row.want[i] {
				t.Errorf("%s × %s: %s, want %s", row.name, s, d.Action, row.want[i])
			}
			if s != outside.Several && d.Failure != row.failure {
				t.Errorf("%s × %s: failure %q, want %q", row.name, s, d.Failure, row.failure)
			}
			if d.Why == "" {
				t.Errorf("%s × %s: no reason", row.name, s)
			}
			if ask := d.Action == outside.Ask; ask != (d.Question != nil) {
				t.Errorf("%s × %s: %s with question %v", row.name, s, d.Action, d.Question)
			} else if ask && (d.Question.Asks == "" || d.Question.IfRepeat == "" || d.Question.IfNot == "") {
				t.Errorf("%s × %s: a question without both costs: %+v", row.name, s, *d.Question)
			}
			if d.Action == outside.Reconcile && op != nil && s != outside.OnlyFailed && d.ID != "op-1" {
				t.Errorf("%s × %s: reconciled without the provider's id", row.name, s)
			}
		}
	}
}

// TestDecideQuotes: words of a stored error are quoted at level full only.
func TestDecideQuotes(t *testing.T) {
	in := outside.Intent{State: outside.Failed, Error: "connection to 10.9.8.7 timed out"}
	for _, full := range []bool{true, false} {
		if d := outside.Decide(&in, outside.None, nil, full); strings.Contains(d.Why, "timed out") != full {
			t.Errorf("full %v: %s", full, d.Why)
		}
	}
}

// TestShows: a list says something by silence only of the time it covers; a
// webhook is the provider's word; what failed had no effect.
func TestShows(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	list := &outside.Index{}
	for _, o := range []outside.Operation{
		{ID: "1", Key: "first", At: day(1), Status: outside.OpSucceeded},
		{ID: "2", Key: "twice", At: day(2), Status: outside.OpSucceeded},
		{ID: "3", Key: "twice", At: day(2), Status: outside.OpUnknown},
		{ID: "4", Key: "refused", At: day(3), Status: outside.OpFailed},
		{ID: "5", Ref: "open", At: day(3), Status: outside.OpPending},
		{ID: "6", Key: "again", At: day(3), Status: outside.OpFailed},
		{ID: "7", Key: "again", At: day(4), Status: outside.OpSucceeded},
		{ID: "8", Key: "same", Ref: "same-ref", At: day(4), Status: outside.OpPending},
		{ID: "8", Key: "same", Ref: "same-ref", At: day(4), Status: outside.OpSucceeded, Webhook: true},
		{ID: "9", Key: "refunded", Amount: "100 EUR", At: day(3), Status: outside.OpSucceeded},
		{ID: "10", Key: "refunded", Amount: "-100 EUR", At: day(4), Status: outside.OpSucceeded},
		{ID: "11", Key: "outgoing", Amount: "-5", At: day(3)},
		{ID: "12", Key: "outgoing", Amount: "(5)", At: day(4)},
	} {
		list.AddOperation(o)
	}
	empty := &outside.Index{}
	empty.Listed()
	for _, c := range []struct {
		in   outside.Intent
		x    *outside.Index
		want outside.Shown
	}{
		{outside.Intent{Key: "first", State: outside.Pending, At: day(1)}, list, outside.OneSucceeded},
		{outside.Intent{Key: "twice", State: outside.Pending, At: day(2)}, list, outside.Several},
		{outside.Intent{Key: "refused", State: outside.Pending, At: day(3)}, list, outside.OnlyFailed},
		{outside.Intent{Key: "refunded", State: outside.Pending, At: day(3)}, list, outside.OneSucceeded},
		{outside.Intent{Key: "outgoing", State: outside.Pending, At: day(3)}, list, outside.Several},
		{outside.Intent{Key: "none", State: outside.Succeeded, At: day(3)}, empty, outside.OutOfList},
		{outside.Intent{Key: "none", State: outside.NotRead}, list, outside.OutOfList},
		{outside.Intent{Key: "open", State: outside.Pending, At: day(3)}, list, outside.OnePending},
		{outside.Intent{Key: "again", State: outside.Pending, At: day(3)}, list, outside.OneSucceeded},
		{outside.Intent{Key: "same", State: outside.Pending, At: day(4)}, list, outside.OneSucceeded},
		{outside.Intent{Key: "same-ref", State: outside.Pending, At: day(4)}, list, outside.OneSucceeded},
		{outside.Intent{Key: "none", State: outside.Pending, At: day(2)}, list, outside.None},
		{outside.Intent{Key: "none", State: outside.Pending, At: day(9)}, list, outside.OutOfList},
		{outside.Intent{Key: "none", State: outside.Pending}, list, outside.OutOfList},
		{outside.Intent{Key: "none", State: outside.Absent}, list, outside.None},
		{outside.Intent{Key: "none", State: outside.Pending, At: day(2)}, &outside.Index{}, outside.NotAsked},
		{outside.Intent{Key: "none", State: outside.Pending, HasWebhook: true, Webhook: outside.OpSucceeded}, &outside.Index{}, outside.OneSucceeded},
		{outside.Intent{Key: "none", State: outside.Pending, HasWebhook: true, Webhook: outside.OpFailed}, list, outside.OnlyFailed},
		{outside.Intent{Key: "open", State: outside.Pending, HasWebhook: true, Webhook: outside.OpSucceeded}, list, outside.OneSucceeded},
	} {
		if got, _ := c.x.Shows(&c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in.Key, got, c.want)
		}
	}
	var names []string
	for in := range list.Unclaimed(func(k string) bool {
		return k == "first" || k == "twice" || k == "same-ref" || k == "refunded" || k == "outgoing"
	}) {
		names = append(names, in.Key)
	}
	if got := strings.Join(names, " "); got != "open again" {
		t.Errorf("unclaimed: %s", got)
	}
}
