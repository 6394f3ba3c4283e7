package history_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/history"
)

// truth is what a ledger outside the engine says of one real run.
type truth struct {
	Instance, Run, Scenario string
	Stuck                   bool
	Soft                    []struct {
		Turn  int
		LagS  float64 `json:"lag_s"`
		Sched []int   `json:"scheduled_event_ids"`
	} `json:"soft_evidence"`
	Links map[string]any
	Calls []struct {
		Activity  string
		Scheduled []int32 `json:"scheduled_event_ids"`
		Attempts  int     `json:"attempts_in_history"`
		Bodies    int     `json:"bodies_started"`
		InHistory bool    `json:"in_this_history"`
		Markers   []marker
	}
}

// marker is what the ledger's author found on one attempt.
type marker struct {
	EventID int32 `json:"event_id"`
	Markers []string
}

// realRun is a run of the examples with its truth.
type realRun struct {
	name  string
	run   *history.Run
	truth truth
}

// realRuns reads every real run at the given level.
func realRuns(t testing.TB, sharing history.Sharing) []realRun {
	t.Helper()
	dirs, err := filepath.Glob("../examples/runs/*/history.ndjson")
	if err != nil || len(dirs) < 100 {
		t.Fatalf("found %d real runs (%v)", len(dirs), err)
	}
	var out []realRun
	for _, path := range dirs {
		dir := filepath.Dir(path)
		r := realRun{name: filepath.Base(dir)}
		run, err := history.Read(mustRead(t, path), history.Options{Sharing: sharing})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		h, err := history.ParseHeader(mustRead(t, filepath.Join(dir, "metadata.json")), history.Options{Sharing: sharing})
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		run.Adopt(h)
		if err := json.Unmarshal(mustRead(t, filepath.Join(dir, "truth.json")), &r.truth); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		r.run = run
		out = append(out, r)
	}
	return out
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var metadataLevel = history.Sharing{Level: history.LevelMetadata, How: "the default"}
var fullLevel = history.Sharing{Level: history.LevelFull, How: "as configured"}

// TestRealRunsAgainstLedger holds the findings of every real run against what
// its ledger says: every recorded repeat, every marked turn, nothing else.
func TestRealRunsAgainstLedger(t *testing.T) {
	for _, level := range []history.Sharing{metadataLevel, fullLevel} {
		for _, r := range realRuns(t, level) {
			t.Run(level.Level.String()+"/"+r.name, func(t *testing.T) {
				a := history.Analyze(r.run)
				checkAttempts(t, r, a)
				checkMarks(t, r, a)
				checkOthers(t, r, a)
			})
		}
	}
}

func ids(views []history.AttemptView) []int32 {
	var out []int32
	for _, v := range views {
		out = append(out, v.TaskScheduledID)
	}
	return out
}

func kinds(a history.Analysis, want ...history.FindingKind) []history.Finding {
	var out []history.Finding
	for _, f := range a.Findings {
		if slices.Contains(want, f.Kind) {
			out = append(out, f)
		}
	}
	return out
}

// checkAttempts: the calls with more than one recorded attempt, exactly.
func checkAttempts(t *testing.T, r realRun, a history.Analysis) {
	t.Helper()
	want, got := map[string][]int32{}, map[string][]int32{}
	for _, c := range r.truth.Calls {
		if len(c.Scheduled) > 1 {
			want[c.Activity+"#"+jsonText(c.Scheduled[0])] = c.Scheduled
		}
	}
	for _, f := range kinds(a, history.Retried, history.RetriedUnknownOutcome, history.RejectionRetried) {
		got[*f.Call] = ids(f.Attempts)
		if len(f.LinkedBy) == 0 {
			t.Errorf("%s: no rule named", *f.Call)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("calls with several attempts (-ledger +found):\n%s", d)
	}
}

// checkMarks: the marked turns with their marks and their unmarked siblings.
func checkMarks(t *testing.T, r realRun, a history.Analysis) {
	t.Helper()
	want, got := map[int32][]string{}, map[int32][]string{}
	orphans, gotOrphans := []int32{}, []int32{}
	for _, c := range r.truth.Calls {
		for _, m := range c.Markers {
			if slices.Contains(m.Markers, "orphan_result") {
				orphans = append(orphans, m.EventID)
			} else {
				want[m.EventID] = m.Markers
			}
		}
	}
	for _, f := range kinds(a, history.CommitLost) {
		if f.Certainty != history.Possible {
			t.Errorf("a lost commit is %s about the bodies, want possible", f.Certainty)
		}
		var inTurn []int32
		for _, c := range f.Calls {
			inTurn = append(inTurn, c.TaskScheduledID)
			for _, m := range c.Marks {
				got[c.TaskScheduledID] = append(got[c.TaskScheduledID], string(m))
			}
		}
		if d := cmp.Diff(scheduledWith(r.run, inTurn[0]), inTurn); d != "" {
			t.Errorf("the turn's calls (-history +found):\n%s", d)
		}
	}
	for _, f := range kinds(a, history.OrphanResult) {
		gotOrphans = append(gotOrphans, f.Attempts[0].TaskScheduledID)
		if f.Activity != nil || f.Call != nil {
			t.Error("an orphan result names a call")
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("marks (-ledger +found):\n%s", d)
	}
	if d := cmp.Diff(orphans, gotOrphans); d != "" {
		t.Errorf("orphan results (-ledger +found):\n%s", d)
	}
}

// scheduledWith lists the ids of the tasks scheduled between the same two turn
// starts as id: an independent reading of the stored events.
func scheduledWith(run *history.Run, id int32) []int32 {
	var turn []int32
	found := false
	for _, ev := range run.Events {
		switch ev.Kind {
		case history.WorkflowStarted:
			if found {
				return turn
			}
			turn = nil
		case history.TaskScheduled:
			turn = append(turn, ev.ID)
			found = found || ev.ID == id
		}
	}
	return turn
}

// checkOthers: stuck runs, turn lag, reruns and retried children.
func checkOthers(t *testing.T, r realRun, a history.Analysis) {
	t.Helper()
	if got := len(kinds(a, history.Stuck)) > 0; got != r.truth.Stuck {
		t.Errorf("stuck = %v, ledger says %v", got, r.truth.Stuck)
	}
	want, got := []int{}, []int{}
	for _, s := range r.truth.Soft {
		if len(s.Sched) > 0 {
			want = append(want, s.Turn)
		}
	}
	for _, f := range kinds(a, history.TurnLag) {
		got = append(got, *f.Turn)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("turn lag (-ledger +found):\n%s", d)
	}
	_, isRerun := r.truth.Links["rerun_of"]
	if got := len(kinds(a, history.Rerun)) > 0; got != isRerun {
		t.Errorf("rerun = %v, want %v", got, isRerun)
	}
	childRetried := strings.Contains(r.truth.Scenario, "child") && strings.Contains(r.truth.Scenario, "retried") && !strings.HasPrefix(r.truth.Scenario, "child of")
	if got := len(kinds(a, history.ChildRetried)) > 0; got != childRetried {
		t.Errorf("child retried = %v, want %v", got, childRetried)
	}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
