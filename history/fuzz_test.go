package history_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/idem-mcp/idem-mcp/history"
)

// FuzzRead: whatever the bytes, Read answers with a run or an error, in bounded
// time, and what is said of the run holds the invariants.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"s2-06-two-concurrent", "s5-08-fanout-first-turn-fails-once", "s6-01b-rerun-middle", "s3-03-child-retry-exhausted", "s1-15-unicode"} {
		evs := protoEvents(f, name)
		f.Add(mustRead(f, "../examples/runs/"+name+"/history.ndjson"))
		for _, w := range writers() {
			f.Add(w.write(f, evs))
		}
	}
	for _, s := range []string{"", "[", "{}", "[]", "- type: TaskScheduled\n  play: 1\n", "{\"history\":[{\"rawBase64\":\"AA==\"}]}", "\xff\xfe{\x00", strings.Repeat("[", 1000)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, level := range []history.Sharing{metadataLevel, fullLevel} {
			run, err := history.Read(data, history.Options{Sharing: level})
			if err != nil {
				continue
			}
			checkInvariants(t, run)
		}
	})
}

// FuzzSplit: valid JSON is split as encoding/json takes it apart; anything else
// does no harm.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":[1,"x\\"y",{}],"c\u0041":null}`, `[1, "a,]" ,{"b":"}"}, true]`, `[]`, `{}`, `[`, `{"a"`, ` [ [ ] , [ 1 ] ] `, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, members := history.Split(data)
		if !json.Valid(data) {
			return
		}
		var wantList []json.RawMessage
		if json.Unmarshal(data, &wantList) == nil && wantList != nil {
			if d := cmp.Diff(wantList, list, cmpopts.EquateEmpty()); d != "" {
				t.Fatal(d)
			}
		}
		var wantMembers map[string]json.RawMessage
		if utf8.Valid(data) && json.Unmarshal(data, &wantMembers) == nil && wantMembers != nil {
			if d := cmp.Diff(wantMembers, members, cmpopts.EquateEmpty()); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// FuzzProto feeds single protobuf messages, as a state store's rows are.
func FuzzProto(f *testing.F) {
	for _, name := range []string{"s2-06-two-concurrent", "s6-01b-rerun-middle", "s6-12-event-raised"} {
		for _, ev := range protoEvents(f, name) {
			f.Add(marshal(f, ev))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := history.ReadProto(func(yield func([]byte, error) bool) { yield(data, nil) }, history.Options{Sharing: fullLevel})
		if err != nil {
			t.Fatal(err) // only the sequence can fail
		}
		checkInvariants(t, run)
		_, _ = history.ParseStoreMetadata(data) // must not panic
	})
}

// FuzzAnalyze builds histories from a byte program, so that the fuzzer reaches
// deep into linking.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte{0, 1, 10, 2, 0, 4, 10, 5, 0, 6, 10, 0, 3, 10, 12})
	f.Fuzz(func(t *testing.T, prog []byte) {
		checkInvariants(t, program(prog))
	})
}

// program turns bytes into a history: an opcode, then an id, an activity and
// other operands as far as the bytes go.
func program(prog []byte) *history.Run {
	run := &history.Run{Carries: history.Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true}}
	run.Ref.Instance = "fuzz"
	next := func() byte {
		if len(prog) == 0 {
			return 0
		}
		b := prog[0]
		prog = prog[1:]
		return b
	}
	names := []string{"A", "B", "A-retry"}
	execs := []string{"", "x", "y", "z"}
	at := time.Unix(1_800_000_000, 0).UTC()
	for len(prog) > 0 && len(run.Events) < 2000 {
		op := next()
		ev := history.Event{Index: int32(len(run.Events)), ID: history.NoID, TaskScheduledID: history.NoID}
		at = at.Add(time.Duration(int(next())-40) * time.Millisecond)
		ev.At = at
		id := int32(next() % 8)
		switch op % 12 {
		case 0:
			ev.Kind = history.WorkflowStarted
		case 1, 2:
			ev.Kind, ev.ID, ev.Name, ev.TaskExecutionID = history.TaskScheduled, id, names[op%2], execs[next()%4]
			if op&64 != 0 {
				ev.RerunOf = "src"
			}
		case 3:
			ev.Kind, ev.TaskScheduledID, ev.TaskExecutionID = history.TaskCompleted, id, execs[next()%4]
		case 4:
			ev.Kind, ev.TaskScheduledID, ev.TaskExecutionID = history.TaskFailed, id, execs[next()%4]
			ev.Failure = &history.Failure{Message: []string{"503", "connection refused", "invalid", "boom"}[next()%4]}
		case 5, 6:
			ev.Kind, ev.ID, ev.Name = history.TimerCreated, id, names[next()%3]
			ev.Origin = history.Origin{Kind: history.OriginKind(next() % 5), Ref: execs[next()%4]}
		case 7:
			ev.Kind, ev.TaskScheduledID = history.TimerFired, id
		case 8:
			ev.Kind, ev.ID, ev.Name, ev.Instance = history.ChildCreated, id, "C", execs[next()%4]
		case 9:
			ev.Kind, ev.TaskScheduledID = history.ChildFailed, id
		case 10:
			ev.Kind, ev.Status = history.ExecutionCompleted, history.Failed
		case 11:
			ev.Kind, ev.Instance = history.ExecutionStarted, execs[next()%4]
		}
		run.Events = append(run.Events, ev)
	}
	return run
}

// checkInvariants: what must hold of any history.
// checkPreviews: a rerun from any of the first events tells every call, as copied
// or as fired again, never as both.
func checkPreviews(t *testing.T, a *history.Analysis) {
	t.Helper()
	for i := range a.Run.Events[:min(len(a.Run.Events), 12)] {
		p, err := a.PreviewRerun(fmt.Sprint(a.Run.Events[i].ID))
		if err != nil {
			continue
		}
		told := map[string]string{}
		for _, c := range p.Again {
			told[c.Call] = "again"
		}
		for _, c := range p.Copied {
			if told[c.Call] != "" {
				t.Fatalf("%s is copied and fires again", c.Call)
			}
			told[c.Call] = "copied"
		}
		if len(told) != len(a.Calls) {
			t.Fatalf("%d of %d calls are told", len(told), len(a.Calls))
		}
	}
}

func checkInvariants(t *testing.T, run *history.Run) {
	t.Helper()
	a := history.Analyze(run)
	schedules := map[int32]int{}
	total := 0
	for i := range run.Events {
		if run.Events[i].Kind == history.TaskScheduled {
			schedules[run.Events[i].ID]++
			total++
		}
	}
	attempts := 0
	for i := range a.Calls {
		attempts += len(a.Calls[i].Attempts)
	}
	if attempts != total {
		t.Fatalf("%d schedules became %d attempts", total, attempts)
	}
	checkPreviews(t, &a)
	for _, f := range a.Findings {
		switch f.Kind {
		case history.Retried, history.RetriedUnknownOutcome, history.RejectionRetried, history.IDUnstable:
			if len(f.Attempts) < 2 {
				t.Fatalf("%s with %d attempts", f.Kind, len(f.Attempts))
			}
			for _, v := range f.Attempts {
				if schedules[v.TaskScheduledID] == 0 {
					t.Fatalf("%s invents attempt %d", f.Kind, v.TaskScheduledID)
				}
			}
		case history.CommitLost:
			marked := 0
			for _, c := range f.Calls {
				marked += len(c.Marks)
			}
			if marked == 0 || f.Certainty != history.Possible {
				t.Fatalf("commit_lost: %d marks, %s", marked, f.Certainty)
			}
		}
		if f.Repeat != f.Kind.Repeat() {
			t.Fatalf("%s: repeat=%v", f.Kind, f.Repeat)
		}
	}
	if len(a.NotVisible) == 0 {
		t.Fatal("an analysis without a word on what cannot be seen")
	}
	text := string(jsonOf(t, a.Findings)) + string(jsonOf(t, a.Table())) + string(jsonOf(t, a.Patterns)) + strings.Join(a.NotVisible, " ")
	for _, banned := range []string{"ran once", "executed once", "exactly once", "ran only once"} {
		if strings.Contains(text, banned) {
			t.Fatalf("an answer says %q", banned)
		}
	}
}
