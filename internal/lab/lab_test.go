package lab_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/golden"
	"github.com/idem-mcp/idem-mcp/internal/lab"
)

const seed = 20261129

var (
	metadata = history.Sharing{Level: history.LevelMetadata, How: "the default"}
	full     = history.Sharing{Level: history.LevelFull, How: "as configured"}
)

func run(t *testing.T, plans []lab.Plan) []lab.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // the race detector is slow
	defer cancel()
	results, err := lab.Run(ctx, t.TempDir(), plans)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestMatrix runs every workflow with every fault, holds the findings against
// the ledger at both data-sharing levels and regenerates docs/lab.md with
// -update.
func TestMatrix(t *testing.T) {
	t.Parallel()
	results := run(t, lab.Matrix(seed))
	for _, r := range results {
		if r.Struck != (r.Plan.Fault != lab.NoFault) {
			t.Errorf("%s, %s: struck = %v", r.Plan.Script.Shape, r.Plan.Fault, r.Struck)
		}
	}
	judge(t, results, metadata)
	verdicts := judge(t, results, full)
	notVacuous(t, verdicts)
	t.Run("stability", func(t *testing.T) { stability(t, results) })
	golden.File(t, "../../docs/lab.md", []byte(head+lab.Report(results, verdicts)))
}

const head = `# The lab: findings held against a real engine with faults

Made by ` + "`go test ./internal/lab -run Matrix -update`" + `: the durabletask-go engine in process on its SQLite backend, every
workflow with every fault at a fixed seed, activities that write a ledger outside the engine. Do not edit. A longer
randomised run: ` + "`go run ./internal/lab/cmd -runs 2000 -seed 7`" + `.

This tests the detectors and the engine's crash safety. It measures no rates: this backend commits a turn and what the
turn scheduled in one transaction, so its lost commits are faked. The rates that answers quote come from the real runs
(docs/evidence.md).

`

// judge fails the test for every claim that the ledger does not bear out and for
// everything recorded that is not reported.
func judge(t *testing.T, results []lab.Result, sharing history.Sharing) []lab.Verdict {
	t.Helper()
	verdicts, problems, err := lab.JudgeAll(results, sharing)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	return verdicts
}

// notVacuous: the runs hold what the judge looks for.
func notVacuous(t *testing.T, verdicts []lab.Verdict) {
	t.Helper()
	var repeats, marks, hidden, inLostTurn, unrecorded int
	for _, v := range verdicts {
		repeats, marks, hidden = repeats+v.Reported, marks+v.MarksTold, hidden+v.Hidden
		inLostTurn, unrecorded = inLostTurn+v.InLostTurn, unrecorded+v.Unrecorded
	}
	for what, n := range map[string]int{"repeats": repeats, "marks": marks, "hidden": hidden, "in lost turns": inLostTurn, "not in history": unrecorded} {
		if n < 10 {
			t.Errorf("only %d %s in the whole matrix", n, what)
		}
	}
}

// stability measures the Go SDK's task execution ids: the same over the attempts
// of a retry policy and over redeliveries, new for every turn of a hand-written
// loop, for every child and for a first attempt whose turn was lost. A later
// attempt under a policy keeps it even then: the SDK takes it from the failure
// that history holds.
func stability(t *testing.T, results []lab.Result) {
	t.Helper()
	want := map[string]string{
		lab.OverRetries: "same", lab.OverRedelivery: "same", lab.OverLostLater: "same",
		lab.OverHandLoop: "new", lab.OverLostFirst: "new", lab.OverChildRetry: "new",
	}
	for _, s := range lab.MeasureStability(results) {
		got := map[string]int{"same": s.Same, "new": s.New}
		if n := got[want[s.Where]]; n == 0 || n != s.Same+s.New+s.Mixed {
			t.Errorf("%s: %d same, %d new, %d mixed; want %s only", s.Where, s.Same, s.New, s.Mixed, want[s.Where])
		}
	}
}

// TestRandom is a short randomised run; the command makes longer ones.
func TestRandom(t *testing.T) {
	t.Parallel()
	results := run(t, lab.Random(seed, 60))
	judge(t, results, metadata)
	judge(t, results, full)
}

// TestPlansAreRepeatable: a seed is all that a run of the lab depends on.
func TestPlansAreRepeatable(t *testing.T) {
	if !slices.Equal(lab.Random(7, 200), lab.Random(7, 200)) {
		t.Error("the same seed gives other plans")
	}
	if slices.Equal(lab.Random(7, 200), lab.Random(8, 200)) {
		t.Error("another seed gives the same plans")
	}
}

// TestJudgeSees breaks results on purpose: a judge that misses that proves
// nothing.
func TestJudgeSees(t *testing.T) {
	t.Parallel()
	var plans []lab.Plan
	for _, p := range lab.Matrix(seed) {
		if p.Fault == lab.NoFault {
			plans = append(plans, p)
		}
	}
	results := run(t, plans)
	for name, spoil := range map[string]func(*lab.Result){
		"a body that no history and no ledger explains": func(r *lab.Result) { r.Ledger = nil },
		"another call's attempts": func(r *lab.Result) {
			for id, h := range r.Histories {
				r.Histories[id] = bytesReplaced(h, `"call":"charge"`, `"call":"parcel"`)
			}
		},
		"words that mean something else": func(r *lab.Result) { r.Plan.Retried = history.SecondResult },
	} {
		t.Run(name, func(t *testing.T) {
			seen := false
			for _, r := range results {
				if r.Plan.Script.Shape != "retry policy" {
					continue
				}
				r.Histories = map[string][][]byte{r.Plan.Instance: slices.Clone(r.Histories[r.Plan.Instance])}
				spoil(&r)
				v, err := lab.Judge(r, full)
				if err != nil {
					t.Fatal(err)
				}
				seen = seen || len(v.Problems) > 0
			}
			if !seen {
				t.Error("the judge saw no problem")
			}
		})
	}
}

// bytesReplaced replaces text of equal length in the first event that holds it.
func bytesReplaced(events [][]byte, from, to string) [][]byte {
	for i, e := range events {
		if bytes.Contains(e, []byte(from)) {
			events[i] = bytes.Replace(bytes.Clone(e), []byte(from), []byte(to), 1)
			break
		}
	}
	return events
}

// TestCancelled: a cancelled lab ends at once, with held bodies and lost workers
// under way, and leaves no goroutine behind.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	go func() {
		defer cancel()
		for ctx.Err() == nil && !written(dir) {
			runtime.Gosched()
		}
	}()
	if _, err := lab.Run(ctx, dir, lab.Matrix(seed)); err == nil {
		t.Fatal("the lab ran to its end although it was cancelled")
	}
	if left := leftovers(t); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
}

// written reports whether a ledger in dir holds a line.
func written(dir string) bool {
	paths, _ := filepath.Glob(filepath.Join(dir, "*", "ledger.ndjson"))
	return slices.ContainsFunc(paths, func(p string) bool {
		info, err := os.Stat(p)
		return err == nil && info.Size() > 0
	})
}

// leftovers returns the goroutines of the lab or the engine that are still
// there. One is excepted: the engine's SQLite backend has no way to close its
// database, whose opener waits for ever.
func leftovers(t *testing.T) string {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		buf := make([]byte, 1<<20)
		left = nil
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			ours := strings.Contains(g, "durabletask-go/") || strings.Contains(g, "internal/lab.")
			if ours && !strings.Contains(g, "internal/lab_test.") && !strings.Contains(g, "sql.(*DB).connectionOpener") {
				left = append(left, g)
			}
		}
		if len(left) == 0 {
			break
		}
	}
	return strings.Join(left, "\n\n")
}
