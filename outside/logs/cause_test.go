package logs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/logs"
)

// together reads the ledger for several real runs.
func together(t *testing.T, m logs.Mapping, names ...string) (*outside.Index, *outside.Evidence) {
	t.Helper()
	x := &outside.Index{}
	all := realRuns(t)
	for _, name := range names {
		i := slices.IndexFunc(all, func(r realRun) bool { return r.name == name })
		if i < 0 {
			t.Fatalf("no run %s", name)
		}
		x.AddRun(&all[i].a)
	}
	files := input.Files{Paths: []string{examples + "/ledger.jsonl"}}
	if _, err := logs.Read(t.Context(), files, m, x); err != nil {
		t.Fatal(err)
	}
	e := x.Settle()
	if e.LearnKeys() > 0 {
		if _, err := logs.ReadKeys(t.Context(), files, m, x); err != nil {
			t.Fatal(err)
		}
		e = x.Settle()
	}
	return x, e
}

// duplicate finds the one that holds a call of a run.
func duplicate(t *testing.T, e *outside.Evidence, run, activity string) outside.Duplicate {
	t.Helper()
	list, _ := e.Duplicates(true)
	for _, d := range list {
		for _, c := range d.Calls {
			if c.Run == run && strings.HasPrefix(c.Call, activity+"#") {
				return d
			}
		}
	}
	t.Fatalf("no duplicate of %s in %s: %+v", activity, run, list)
	return outside.Duplicate{}
}

// TestCauses: what happened twice in the real runs is traced to why it did.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		runs     []string
		activity string
		cause    outside.Cause
		sameKey  int
	}{
		{[]string{"s2-14-timeout-effect-done"}, "ChargeCard", outside.CauseRetry, 1},
		{[]string{"s4-03-appkill-email-first"}, "SendReminderEmail", outside.CauseRedelivery, 1},
		{[]string{"s5-11-fanout-then-second-sibling-turn"}, "IssueTicket", outside.CauseLostCommit, 1},
		{[]string{"s7-js-10-appkill-fanout"}, "CreateShippingLabel", outside.CauseUntold, 1},
		{[]string{"s3-03-child-retry-exhausted", "s3-03-child-retry-exhausted_0000", "s3-03-child-retry-exhausted_0002", "s3-03-child-retry-exhausted_0004"}, "", outside.CauseChild, 3},
		{[]string{"ship-ORD-325"}, "BookCourier", outside.CauseChild, 1},
		{[]string{"ord-reused-605", "ord-reused-605.first"}, "ChargeCard", outside.CauseEarlierLife, 1},
		{[]string{"s6-01-rerun-src", "s6-01a-rerun-first"}, "ReserveStock", outside.CauseRerun, 2},
	} {
		t.Run(c.runs[0], func(t *testing.T) {
			_, e := together(t, mapping, c.runs...)
			list, _ := e.Duplicates(true)
			i := slices.IndexFunc(list, func(d outside.Duplicate) bool {
				return d.Cause == c.cause && slices.ContainsFunc(d.Calls, func(r outside.CallRef) bool { return strings.HasPrefix(r.Call, c.activity) })
			})
			if i < 0 {
				t.Fatalf("no duplicate of %s with cause %s: %+v", c.activity, c.cause, list)
			}
			if d := list[i]; d.Radius.SameKeyRuns != c.sameKey || d.Key == "" {
				t.Errorf("%d runs with the key %q, want %d", d.Radius.SameKeyRuns, d.Key, c.sameKey)
			}
			hidden, _ := e.Duplicates(false)
			for _, d := range hidden {
				if d.Key != "" {
					t.Error("a key is shown below level full")
				}
			}
		})
	}
}

// TestElsewhere: of one run alone, the log shows bodies with its key in a run
// that was not read.
func TestElsewhere(t *testing.T) {
	_, e := together(t, mapping, "s6-01-rerun-src")
	d := duplicate(t, e, "s6-01-rerun-src", "ReserveStock")
	if d.Cause != outside.CauseCallers || d.Elsewhere == 0 || !slices.Contains(d.Others, "s6-01a-rerun-first") {
		t.Errorf("%+v", d)
	}
}

// TestOutage: what one kill had executed again in other runs is counted.
func TestOutage(t *testing.T) {
	_, e := together(t, logs.Mapping{}, "s4-03-appkill-email-first", "s4-04-appkill-last-of-five", "s7-pg-03-appkill")
	r := duplicate(t, e, "s4-03-appkill-email-first", "SendReminderEmail").Radius
	if r.SameCauseCalls != 2 || r.SameCauseRuns != 2 || r.From == nil || r.To.Sub(*r.From) > time.Minute {
		t.Errorf("%+v", r)
	}
}

// TestOverlap: two bodies at once, by one clock; by clocks that may differ only
// beyond the allowed skew.
func TestOverlap(t *testing.T) {
	overlaps := func(m logs.Mapping) (n int) {
		_, e := together(t, m, "s5-08-fanout-first-turn-fails-once")
		for _, f := range e.Findings(0) {
			if f.Kind == history.Overlapped {
				n++
			}
		}
		return n
	}
	if n := overlaps(logs.Mapping{Host: "pid"}); n != 2 {
		t.Errorf("%d calls overlapped by one clock, want 2", n)
	}
	if n := overlaps(logs.Mapping{}); n != 1 { // 4.0 s are within the allowed 5 s, 6.0 s are not
		t.Errorf("%d calls overlapped by clocks that are not known to be one, want 1", n)
	}
}

// TestProviderCauses: a provider's duplicates are traced to runs by what the key
// is, and a completed call that the list does not know is told.
func TestProviderCauses(t *testing.T) {
	x := &outside.Index{}
	run := func(instance, exec, at, input string) {
		h := `{"eventId":-1,"timestamp":"2026-11-29T14:0` + at + `:00Z","executionStarted":{"name":"Pay","input":"` + input + `","workflowInstance":{"instanceId":"` + instance + `"}}}
{"timestamp":"2026-11-29T14:0` + at + `:01Z","taskScheduled":{"name":"ChargeCard","taskExecutionId":"` + exec + `"}}
{"eventId":-1,"timestamp":"2026-11-29T14:0` + at + `:02Z","taskCompleted":{"taskExecutionId":"` + exec + `"}}
{"eventId":1,"timestamp":"2026-11-29T14:0` + at + `:03Z","executionCompleted":{"workflowStatus":"ORCHESTRATION_STATUS_COMPLETED"}}
`
		r, err := history.Read([]byte(h), history.Options{Ref: history.Ref{Instance: instance}, Sharing: history.Sharing{Level: history.LevelFull}})
		if err != nil {
			t.Fatal(err)
		}
		a := history.Analyze(r)
		x.AddRun(&a)
	}
	run("pay-1", "e1", "1", "same")
	run("pay-2", "e2", "2", "same")
	run("pay-3", "e3", "3", "other")
	run("pay-4", "e4", "4", "other4")
	at := func(m int) time.Time { return time.Date(2026, 11, 29, 14, m, 30, 0, time.UTC) }
	for _, o := range []outside.Operation{
		{ID: "0", Key: "before", At: at(0)}, {ID: "9", Key: "after", At: at(9)},
		{ID: "1", Key: "e1", Ref: "customer-7", At: at(1)}, {ID: "2", Key: "e2", Ref: "customer-7", At: at(2)},
		{ID: "3", Key: "pay-3:charge", At: at(3)}, {ID: "4", Key: "pay-3:charge", At: at(3)},
		{ID: "5", Key: "nobody", At: at(3)}, {ID: "6", Key: "nobody", At: at(3)},
		{ID: "7", Key: "refused", At: at(3), Status: outside.OpFailed}, {ID: "8", Key: "refused", At: at(3)},
	} {
		x.AddOperation(o)
	}
	for i, key := range []string{"e1", "e2"} { // the log knows the reference both runs sent
		x.Add(&outside.Sighting{Class: outside.Start, Execution: key, Key: "customer-7", Body: key, Task: history.NoID, At: at(i + 1)})
	}
	e := x.Settle()
	got := map[string]outside.Cause{}
	list, _ := e.Duplicates(true)
	for _, d := range list {
		got[d.Key] = d.Cause
	}
	for key, want := range map[string]outside.Cause{"customer-7": outside.CauseSecondRun, "pay-3:charge": outside.CauseUntold, "nobody": outside.CauseCallers, "refused": ""} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	missing := map[string]bool{}
	for n := range 4 {
		for _, f := range e.Findings(n) {
			if f.Kind == history.EffectMissing {
				missing[f.Run] = true
			}
			if f.Certainty != history.Outside {
				t.Errorf("%s is %s", f.Kind, f.Certainty)
			}
		}
	}
	if len(missing) != 1 || !missing["pay-4"] {
		t.Errorf("missing effects: %v, want that of pay-4, which no operation is of", missing)
	}
	for _, f := range e.OnOperations(false) {
		if strings.Contains(f.Message, "customer-7") || strings.Contains(f.Message, "nobody") {
			t.Errorf("a key is shown below level full: %s", f.Message)
		}
	}
	if n := len(e.OnOperations(true)); n != 3 {
		t.Errorf("%d findings on operations", n)
	}
}

// TestSeveralCalls: one key on two calls of a run.
func TestSeveralCalls(t *testing.T) {
	x := order42(t)
	for i, exec := range []string{exec1, exec2} {
		x.Add(&outside.Sighting{Class: outside.Start, Execution: exec, Key: "k", Body: exec, Task: history.NoID, At: time.Date(2026, 11, 29, 14, 0, 2+5*i, 0, time.UTC)})
	}
	list, _ := x.Settle().Duplicates(true)
	if len(list) != 1 || list[0].Cause != outside.CauseSeveral {
		t.Errorf("%+v", list)
	}
}

// FuzzRead: no log line crashes the reader, and none makes more bodies than it
// has lines.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"ts":"2026-11-29T14:00:02Z","ev":"start","instance":"order-42","activity":"ChargeCard","body":"a"}`,
		"2026-11-29T14:00:02Z stdout F idem event=start activity=ChargeCard body=a instance=order-42 key=\"a\\\"b\"",
		`{"log":"{\"log\":\"idem event=end instance=order-42\"}\n","time":"x"}`, "order-42 a=b \"c=d", `{"a":{"b":{"c":{"d":{"e":{"f":{"g":"order-42"}}}}}}}`, "order-42\x00\xff{", "a= =b order-42 \"\\",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x := order42(t)
		path := filepath.Join(t.TempDir(), "x.log")
		write(t, path, b)
		res, err := logs.Read(t.Context(), input.Files{Paths: []string{path}}, logs.Mapping{Key: "key"}, x)
		if err != nil {
			t.Fatal(err)
		}
		e := x.Settle()
		bodies := 0
		for i := range e.Calls {
			if n := e.Calls[i].Bodies; n != nil {
				bodies += *n
			}
		}
		if int64(bodies) > res.Matched || res.Matched > res.Lines {
			t.Errorf("%d bodies of %d matched lines of %d", bodies, res.Matched, res.Lines)
		}
		e.Findings(0)
		e.Duplicates(true)
	})
}
