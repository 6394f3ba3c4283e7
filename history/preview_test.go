package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/history"
)

// TestPreviewAgainstRecordedReruns: what a preview of the source says is what
// each recorded rerun did, by its ledger (which bodies ran) and its history
// (which ids they carried).
func TestPreviewAgainstRecordedReruns(t *testing.T) {
	runs := map[string]realRun{}
	var reruns []realRun
	for _, r := range realRuns(t, metadataLevel) {
		runs[r.name] = r
		if r.truth.Links["rerun_of"] != nil {
			reruns = append(reruns, r)
		}
	}
	if len(reruns) < 4 {
		t.Fatalf("found %d recorded reruns", len(reruns))
	}
	for _, r := range reruns {
		t.Run(r.name, func(t *testing.T) {
			source := history.Analyze(runs[r.truth.Links["rerun_of"].(string)].run)
			p, err := source.PreviewRerun(jsonText(r.truth.Links["from_event"]))
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Refused) > 0 {
				t.Errorf("the engine did it, and the preview says that it refuses: %q", p.Refused)
			}
			want, got := map[string]string{}, map[string]string{}
			for _, c := range r.truth.Calls {
				if c.Bodies > 0 {
					want[c.Activity+"#"+jsonText(c.Scheduled[0])] = idAgainst(source.Run, r.run, c.Scheduled[0])
				}
			}
			for _, c := range p.Again {
				got[c.Call] = string(c.ID)
				if c.ID == history.AgainSameID && *c.TaskExecutionID != executionID(r.run, c.EventID) {
					t.Errorf("%s: id %s, the rerun has %s", c.Call, *c.TaskExecutionID, executionID(r.run, c.EventID))
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("fired again (-rerun +preview):\n%s", d)
			}
			if len(p.Copied)+len(p.Again) != len(r.truth.Calls) {
				t.Errorf("%d copied and %d again of %d calls", len(p.Copied), len(p.Again), len(r.truth.Calls))
			}
		})
	}
}

func executionID(run *history.Run, id int32) string {
	for i := range run.Events {
		if ev := &run.Events[i]; ev.Kind == history.TaskScheduled && ev.ID == id {
			return ev.TaskExecutionID
		}
	}
	return ""
}

func idAgainst(source, rerun *history.Run, id int32) string {
	if executionID(source, id) == executionID(rerun, id) {
		return "same"
	}
	return "new"
}

// TestPreviewAgainstAnalysis: for every event of every real run, a rerun is put
// together as the engine does it, and what the analysis of that rerun calls
// copied and repeated must be what the preview of the source said.
func TestPreviewAgainstAnalysis(t *testing.T) {
	previews := 0
	for _, r := range realRuns(t, metadataLevel) {
		source := history.Analyze(r.run)
		raw := bytes.Split(bytes.TrimSpace(mustRead(t, "../examples/runs/"+r.name+"/history.ndjson")), []byte("\n"))
		seen := map[int32]bool{}
		for i := range r.run.Events {
			ev := &r.run.Events[i]
			if ev.Kind != history.TaskScheduled || ev.RerunOf != "" || seen[ev.ID] {
				continue
			}
			seen[ev.ID] = true
			p, err := source.PreviewRerun(fmt.Sprint(ev.ID))
			if err != nil {
				t.Fatalf("%s from %d: %v", r.name, ev.ID, err)
			}
			if isRerun(r.run) {
				continue // two lineages in one history: the analysis reads the newest only
			}
			previews++
			again := history.Analyze(forked(t, raw, ev.ID))
			want, got := map[int32]bool{}, map[int32]bool{}
			for _, f := range kinds(again, history.Rerun) {
				for _, c := range f.Calls {
					want[c.TaskScheduledID] = true
				}
			}
			for _, c := range p.Again {
				if c.Why != history.AgainLater { // what code calls anew is not in a history that has just been forked
					got[c.EventID] = true
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s from %d: dispatched again (-analysis of the rerun +preview of the source):\n%s", r.name, ev.ID, d)
			}
		}
	}
	if previews < 200 {
		t.Errorf("only %d previews were compared", previews)
	}
	t.Logf("%d previews compared", previews)
}

func isRerun(run *history.Run) bool {
	return slices.ContainsFunc(run.Events, func(e history.Event) bool { return e.RerunOf != "" })
}

// forked is the history of a rerun as Dapr's engine stores it before anything
// of it has answered.
func forked(t *testing.T, raw [][]byte, target int32) *history.Run {
	t.Helper()
	type event struct {
		line []byte
		obj  map[string]any
	}
	var kept []event
	open := map[int32]event{}
	var order []int32
	id := func(m map[string]any, key string) int32 {
		n, _ := m[key].(float64) // protojson leaves 0 out
		return int32(n)
	}
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	stamp := func(e event) []byte {
		e.obj["timestamp"] = now.Format(time.RFC3339Nano)
		b, err := json.Marshal(e.obj)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var lines [][]byte
	for _, line := range raw {
		e := event{line: line}
		if err := json.Unmarshal(line, &e.obj); err != nil {
			t.Fatal(err)
		}
		if s, ok := e.obj["taskScheduled"].(map[string]any); ok {
			if id(e.obj, "eventId") == target {
				s["rerunParentInstanceInfo"] = map[string]any{"instanceID": "source"}
				open[target], order = e, append(order, target)
				break
			}
			open[id(e.obj, "eventId")], order = e, append(order, id(e.obj, "eventId"))
			continue
		}
		for _, kind := range []string{"taskCompleted", "taskFailed"} {
			if res, ok := e.obj[kind].(map[string]any); ok {
				if s, ok := open[id(res, "taskScheduledId")]; ok {
					kept = append(kept, s)
					delete(open, id(res, "taskScheduledId"))
				}
			}
		}
		kept = append(kept, e)
	}
	for _, e := range kept {
		lines = append(lines, e.line)
	}
	for _, id := range order {
		if e, ok := open[id]; ok {
			lines = append(lines, stamp(e))
			delete(open, id)
		}
	}
	run, err := history.Read(bytes.Join(lines, []byte("\n")), history.Options{Sharing: metadataLevel, Ref: history.Ref{Instance: "rerun"}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestPreviewProperties: every attempt of a source is copied, repeated or
// forgotten, no call is told twice, and a later target repeats no call that an
// earlier one copies.
func TestPreviewProperties(t *testing.T) {
	for _, r := range realRuns(t, metadataLevel) {
		a := history.Analyze(r.run)
		copied := map[string]bool{}
		for i := range r.run.Events {
			ev := &r.run.Events[i]
			if ev.Kind != history.TaskScheduled && ev.Kind != history.TimerCreated && ev.Kind != history.ChildCreated {
				continue
			}
			p, err := a.PreviewRerun(fmt.Sprint(ev.ID))
			if err != nil {
				t.Fatalf("%s from %d: %v", r.name, ev.ID, err)
			}
			told := map[string]bool{}
			for _, c := range p.Again {
				told[c.Call] = true
				if copied[c.Call] {
					t.Errorf("%s from %d: %s fires again, and an earlier target copies it", r.name, ev.ID, c.Call)
				}
				if c.Reading == "" || c.Recorded < 1 || (c.ID == history.AgainSameID) != (c.TaskExecutionID != nil) {
					t.Errorf("%s from %d: %+v", r.name, ev.ID, c)
				}
			}
			for _, c := range p.Copied {
				if told[c.Call] {
					t.Errorf("%s from %d: %s is copied and fires again", r.name, ev.ID, c.Call)
				}
				told[c.Call], copied[c.Call] = true, true
			}
			if len(told) != len(a.Calls) {
				t.Errorf("%s from %d: %d of %d calls are told", r.name, ev.ID, len(told), len(a.Calls))
			}
			if len(p.Unknown) == 0 {
				t.Errorf("%s from %d: nothing is said to be unknown", r.name, ev.ID)
			}
		}
	}
}

// previewed writes a preview in short: the repeated calls, then the copies.
func previewed(p history.Preview) string {
	var b strings.Builder
	for _, c := range p.Again {
		fmt.Fprintf(&b, "%s %d %s %s\n", c.Call, c.EventID, c.Why, c.ID)
	}
	for _, c := range p.Children {
		fmt.Fprintf(&b, "child %s %d %s\n", c.Workflow, c.EventID, c.Why)
	}
	for _, c := range p.Timers {
		fmt.Fprintf(&b, "timer %d\n", c.EventID)
	}
	for _, s := range p.Signals {
		fmt.Fprintf(&b, "signal %s\n", s)
	}
	for _, c := range p.Copied {
		fmt.Fprintf(&b, "copied %s\n", c.Call)
	}
	return b.String()
}

func TestPreviewOfShapes(t *testing.T) {
	fanOut := "turn\nstarted Fan\ntask 0 A id=a\ntask 2 C id=c\ntask 1 B id=b\nturn\nok 2 id=c\nturn\nok 0 id=a\nok 1 id=b\ntask 3 D id=d\nturn\nok 3 id=d\nend COMPLETED"
	retried := "turn\nstarted W\ntask 0 Pay id=p\nturn\nfail 0 id=p msg=timeout\ntimer 1 origin=activity:p\nturn\nfired 1\ntask 2 Pay id=p\nturn\nok 2 id=p\ntask 3 Mail id=m\nturn\nok 3 id=m\nend COMPLETED"
	changing := strings.NewReplacer("task 2 Pay id=p", "task 2 Pay id=q", "ok 2 id=p", "ok 2 id=q").Replace(retried)
	lost := "turn\nstarted W\nturn\nok 0 id=x\ntask 0 A id=a\ntask 1 B id=b\nturn\nok 1 id=b\ntask 2 C id=c\nturn\nok 2 id=c\nend COMPLETED"
	mixed := "turn\nstarted W\ntask 0 A\nturn\nok 0\nchild 1 Ship kid-1\ntimer 2 in=1h\ntask 3 B\nturn\nraised go\nok 3\nchildok 1\nend COMPLETED"
	for _, c := range []struct{ name, src, event, want string }{
		{"siblings are those stored before the target, whatever their ids", fanOut, "1", "A#0 0 unfinished same\nC#2 2 unfinished same\nB#1 1 target same\nD#3 3 later new\n"},
		{"what the same turn stored after the target gets a new id", fanOut, "0", "A#0 0 target same\nC#2 2 later new\nB#1 1 later new\nD#3 3 later new\n"},
		{"by the name of a call", fanOut, "D#3", "D#3 3 target same\ncopied A#0\ncopied C#2\ncopied B#1\n"},
		{"first attempt of a retried call", retried, "Pay#0", "Pay#0 0 target same\nMail#3 3 later new\n"},
		{"second attempt: the first is a copy", retried, "2", "Pay#0 2 target same\nMail#3 3 later new\n"},
		{"the retry timer: the SDK takes the id of the failed attempt", retried, "1", "Pay#0 2 later same\nMail#3 3 later new\ntimer 1\n"},
		{"the same where ids change with every attempt", changing, "1", "Pay#0 2 later new\nMail#3 3 later new\ntimer 1\n"},
		{"a result before its schedule does not end the call", lost, "2", "A#0 0 unfinished same\nC#2 2 target same\ncopied B#1\n"},
		{"children, timers and signals", mixed, "3", "B#3 3 target none\nchild Ship 1 unfinished\ntimer 2\nsignal go\ncopied A#0\n"},
		{"from a child run", mixed, "1", "B#3 3 later none\nchild Ship 1 target\nsignal go\ncopied A#0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, err := history.Read([]byte(script(t, c.src)), history.Options{Sharing: metadataLevel, Ref: history.Ref{Instance: "run-1"}})
			if err != nil {
				t.Fatal(err)
			}
			a := history.Analyze(run)
			p, err := a.PreviewRerun(c.event)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, previewed(p)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestPreviewRefusals(t *testing.T) {
	src := "turn\nstarted W\ntask 0 A\nturn\nok 0\ntask 1 B"
	run, err := history.Read([]byte(script(t, src)), history.Options{Sharing: metadataLevel, Ref: history.Ref{Instance: "run-1"}})
	if err != nil {
		t.Fatal(err)
	}
	run.Parent = "order-1"
	a := history.Analyze(run)
	p, err := a.PreviewRerun("0")
	if err != nil || len(p.Refused) != 2 || !strings.Contains(p.Refused[1], "order-1") {
		t.Errorf("a running child run: %v, %v", p.Refused, err)
	}
	for _, event := range []string{"-1", "7", "Nobody", "", "99999999999"} {
		if _, err := a.PreviewRerun(event); err == nil || !strings.Contains(err.Error(), "0 A, 1 B") {
			t.Errorf("%q: %v", event, err)
		}
	}
	ended := history.Analyze(readScript(t, src+"\nturn\nok 1\nend COMPLETED"))
	if _, err := ended.PreviewRerun("99"); err == nil || !strings.Contains(err.Error(), "executionCompleted") {
		t.Errorf("from the end of the run: %v", err)
	}
}

// TestPreviewWithoutStoredOrder: the CLI sorts by time, and the turns still tell
// what stood before the target.
func TestPreviewWithoutStoredOrder(t *testing.T) {
	compared := 0
	for _, r := range realRuns(t, metadataLevel) {
		cli, err := os.ReadFile("../examples/cli/" + r.name + ".history.json")
		if err != nil {
			continue
		}
		run, err := history.Read(cli, history.Options{Sharing: metadataLevel})
		if err != nil {
			t.Fatal(err)
		}
		sorted, stored := history.Analyze(run), history.Analyze(r.run)
		for i := range r.run.Events {
			if r.run.Events[i].Kind != history.TaskScheduled {
				continue
			}
			event := fmt.Sprint(r.run.Events[i].ID)
			want, err := stored.PreviewRerun(event)
			if err != nil {
				t.Fatal(err)
			}
			got, err := sorted.PreviewRerun(event)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if d := cmp.Diff(strings.Split(previewed(want), "\n"), strings.Split(previewed(got), "\n")); d != "" {
				t.Errorf("%s from %s (-stored +sorted):\n%s", r.name, event, d)
			}
		}
	}
	if compared < 40 {
		t.Errorf("only %d previews were compared", compared)
	}
	run := readScript(t, "started W\nturn\ntask 0 A id=a\ntask 1 B id=b\nok 0 id=a\nturn\nok 1 id=b\ntask 2 C id=c\nturn\nok 2 id=c\nturn\nend COMPLETED")
	run.Carries.StoredOrder = false // B's result came while the turn ran that schedules C, which the next turn consumed
	a := history.Analyze(run)
	p, err := a.PreviewRerun("2")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("B#1 1 unfinished same\nC#2 2 target same\ncopied A#0\n", previewed(p)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func readScript(t *testing.T, src string) *history.Run {
	t.Helper()
	run, err := history.Read([]byte(script(t, src)), history.Options{Sharing: metadataLevel, Ref: history.Ref{Instance: "run-1"}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}
