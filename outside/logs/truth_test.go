package logs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/logs"
)

const examples = "../../examples/runs"

// truth is what the ledger's author says of one run.
type truth struct {
	Window []*string
	Calls  []struct {
		Activity  string
		Scheduled []int32 `json:"scheduled_event_ids"`
		Bodies    int     `json:"bodies_started"`
		Effects   int     `json:"side_effects"`
		Attempts  int     `json:"attempts_in_history"`
		InHistory bool    `json:"in_this_history"`
		More      bool    `json:"executed_more_than_once"`
		Twice     bool    `json:"duplicate_side_effect"`
	}
}

func (tr truth) within(ts string) bool {
	if len(tr.Window) == 0 {
		return true
	}
	from, to := tr.Window[0], tr.Window[1]
	return (from == nil || ts >= *from) && (to == nil || ts <= *to)
}

type realRun struct {
	name  string
	a     history.Analysis
	truth truth
}

func realRuns(t testing.TB) []realRun {
	t.Helper()
	paths, err := filepath.Glob(examples + "/*/history.ndjson")
	if err != nil || len(paths) < 100 {
		t.Fatalf("%d runs (%v)", len(paths), err)
	}
	o := history.Options{Sharing: history.Sharing{Level: history.LevelMetadata, How: "test"}}
	var out []realRun
	for _, p := range paths {
		dir := filepath.Dir(p)
		run, err := history.Read(mustRead(t, p), o)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.ParseHeader(mustRead(t, filepath.Join(dir, "metadata.json")), o)
		if err != nil {
			t.Fatal(err)
		}
		run.Adopt(h)
		r := realRun{name: filepath.Base(dir), a: history.Analyze(run)}
		if err := json.Unmarshal(mustRead(t, filepath.Join(dir, "truth.json")), &r.truth); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func mustRead(t testing.TB, p string) []byte {
	t.Helper()
	b, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// line is a ledger line with what a test needs to bend it.
type line struct {
	ts   string
	pid  int
	text string
}

func ledger(t testing.TB) []line {
	t.Helper()
	var out []line
	for s := range strings.Lines(string(mustRead(t, examples+"/ledger.jsonl"))) {
		var l struct {
			TS  string
			PID int
		}
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			t.Fatal(err)
		}
		// What the ledger counted itself is not for the reader.
		s = s[:strings.Index(s, `,"nth_body_of_call"`)] + s[strings.Index(s, `,"nth_body_of_call"`)+len(`,"nth_body_of_call":1`):]
		out = append(out, line{l.TS, l.PID, strings.TrimSuffix(s, "\n")})
	}
	return out
}

func text(lines []line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	return b.Bytes()
}

// settle reads a log for one run.
func settle(t testing.TB, r *realRun, m logs.Mapping, write func(dir string)) *outside.Evidence {
	t.Helper()
	x := &outside.Index{}
	x.AddRun(&r.a)
	dir := t.TempDir()
	write(dir)
	if _, err := logs.Read(t.Context(), input.Files{Paths: []string{dir}}, m, x); err != nil {
		t.Fatal(err)
	}
	return x.Settle()
}

func plain(t testing.TB, lines []line) func(string) {
	return func(dir string) { write(t, filepath.Join(dir, "app.log"), text(lines)) }
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// mapping is all that an operator says about the ledger.
var mapping = logs.Mapping{Key: "business_key"}

// TestBodiesExactly: for every call of every real run the number of bodies and
// effects, and exactly the calls that were executed more than once.
func TestBodiesExactly(t *testing.T) {
	all, runs := ledger(t), realRuns(t)
	for _, v := range []struct {
		name  string
		lines []line
		write func(*testing.T, []line) func(string)
	}{
		{"as written", all, func(t *testing.T, l []line) func(string) { return plain(t, l) }},
		{"shuffled", shuffled(all), func(t *testing.T, l []line) func(string) { return plain(t, l) }},
		{"clock 2 s ahead", shifted(t, all, func(line) time.Duration { return 2 * time.Second }), func(t *testing.T, l []line) func(string) { return plain(t, l) }},
		{"clock 2 s behind", shifted(t, all, func(line) time.Duration { return -2 * time.Second }), func(t *testing.T, l []line) func(string) { return plain(t, l) }},
		{"two clocks 2 s apart", shifted(t, all, func(l line) time.Duration { return time.Duration(l.pid%2) * 2 * time.Second }), func(t *testing.T, l []line) func(string) { return plain(t, l) }},
		{"rotated", all, func(t *testing.T, l []line) func(string) { return rotated(t, l) }},
	} {
		t.Run(v.name, func(t *testing.T) {
			more := 0
			for _, r := range runs {
				lines := slices.DeleteFunc(slices.Clone(v.lines), func(l line) bool { return !r.truth.within(l.ts) })
				e := settle(t, &r, mapping, v.write(t, lines))
				if e.Incomplete {
					t.Errorf("%s: a whole log is called incomplete", r.name)
				}
				more += compare(t, &r, e)
			}
			if more < 40 {
				t.Errorf("only %d calls executed more than once", more)
			}
		})
	}
}

// compare holds the evidence against the truth and returns how many calls were
// executed more than once.
func compare(t *testing.T, r *realRun, e *outside.Evidence) (more int) {
	t.Helper()
	for _, c := range r.truth.Calls {
		if !c.InHistory || len(c.Scheduled) == 0 {
			continue
		}
		bodies, effects := 0, 0
		if v := e.Of(0, callKey(r, c.Scheduled[0], c.Activity)); v != nil && v.Bodies != nil {
			bodies, effects = *v.Bodies, v.Effects
		}
		if bodies != c.Bodies || effects != c.Effects {
			t.Errorf("%s %s %v: %d bodies and %d effects, truth %d and %d (unplaced %v)", r.name, c.Activity, c.Scheduled, bodies, effects, c.Bodies, c.Effects, e.Unplaced)
		}
		if (bodies > 1) != c.More {
			t.Errorf("%s %s: executed more than once %v, truth %v", r.name, c.Activity, bodies > 1, c.More)
		}
		if (effects > 1) != c.Twice {
			t.Errorf("%s %s: effect twice %v, truth %v", r.name, c.Activity, effects > 1, c.Twice)
		}
		if c.More {
			more++
		}
	}
	return more
}

func callKey(r *realRun, id int32, activity string) string {
	for i := range r.a.Calls {
		c := &r.a.Calls[i]
		if r.a.Run.Events[c.Attempts[0].Scheduled].ID == id && c.Activity == activity {
			return c.Key
		}
	}
	return ""
}

func shuffled(lines []line) []line {
	out := slices.Clone(lines)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func shifted(t testing.TB, lines []line, by func(line) time.Duration) []line {
	out := slices.Clone(lines)
	for i, l := range out {
		at, err := time.Parse(time.RFC3339Nano, l.ts)
		if err != nil {
			t.Fatal(err)
		}
		out[i].text = strings.Replace(l.text, l.ts, at.Add(by(l)).Format(time.RFC3339Nano), 1)
	}
	return out
}

// rotated writes gz and zst parts that overlap by some lines, as rotation and
// shippers leave them, and one plain tail in a folder.
func rotated(t testing.TB, lines []line) func(string) {
	return func(dir string) {
		n := len(lines)
		var gz, zs bytes.Buffer
		g := gzip.NewWriter(&gz)
		_, _ = g.Write(text(lines[:min(n, n/3+5)]))
		g.Close()
		z, err := zstd.NewWriter(&zs)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = z.Write(text(lines[n/3 : 2*n/3]))
		z.Close()
		write(t, filepath.Join(dir, "app.log.2.gz"), gz.Bytes())
		write(t, filepath.Join(dir, "app.log.1.zst"), zs.Bytes())
		if err := os.Mkdir(filepath.Join(dir, "today"), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "today", "app.log"), text(lines[2*n/3:]))
	}
}

// TestDropped: with a tenth of the lines gone nothing is overclaimed, what is
// still visible is found, and the counts say "at least".
func TestDropped(t *testing.T) {
	all, runs := ledger(t), realRuns(t)
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			kept := slices.DeleteFunc(slices.Clone(all), func(line) bool { return rnd.IntN(10) == 0 })
			found, missed := 0, 0
			whole := &outside.Index{}
			for i := range runs {
				whole.AddRun(&runs[i].a)
			}
			for _, r := range runs {
				lines := slices.DeleteFunc(slices.Clone(kept), func(l line) bool { return !r.truth.within(l.ts) })
				e := settle(t, &r, mapping, plain(t, lines))
				for _, c := range r.truth.Calls {
					if !c.InHistory || len(c.Scheduled) == 0 {
						continue
					}
					v := e.Of(0, callKey(&r, c.Scheduled[0], c.Activity))
					bodies := 0
					if v != nil && v.Bodies != nil {
						bodies = *v.Bodies
					}
					if bodies > c.Bodies {
						t.Errorf("%s %s: %d bodies claimed, truth %d", r.name, c.Activity, bodies, c.Bodies)
					}
					if c.More && bodies > 1 {
						found++
					} else if c.More {
						missed++
					}
				}
			}
			if missed > found/10 {
				t.Errorf("%d found, %d missed", found, missed)
			}
			// Read as one log, the whole is known to lack lines.
			dir := t.TempDir()
			write(t, filepath.Join(dir, "app.log"), text(kept))
			if _, err := logs.Read(t.Context(), input.Files{Paths: []string{dir}}, mapping, whole); err != nil {
				t.Fatal(err)
			}
			e := whole.Settle()
			if !e.Incomplete {
				t.Error("the log is not known to be incomplete")
			}
			for i := range e.Calls {
				if !e.Calls[i].AtLeast {
					t.Fatalf("%s: not at least", e.Calls[i].Call)
				}
			}
			t.Logf("%d executed more than once found, %d missed", found, missed)
		})
	}
}

// TestNoKeyNamed: without a business key the counts are never above the truth,
// and below it only where the key alone ties a body to the call.
func TestNoKeyNamed(t *testing.T) {
	all := ledger(t)
	var below []string
	for _, r := range realRuns(t) {
		lines := slices.DeleteFunc(slices.Clone(all), func(l line) bool { return !r.truth.within(l.ts) })
		e := settle(t, &r, logs.Mapping{}, plain(t, lines))
		for _, c := range r.truth.Calls {
			if !c.InHistory || len(c.Scheduled) == 0 {
				continue
			}
			bodies := 0
			if v := e.Of(0, callKey(&r, c.Scheduled[0], c.Activity)); v != nil && v.Bodies != nil {
				bodies = *v.Bodies
			}
			if bodies > c.Bodies {
				t.Errorf("%s %s: %d bodies, truth %d", r.name, c.Activity, bodies, c.Bodies)
			} else if bodies < c.Bodies {
				below = append(below, r.name+" "+c.Activity)
			}
		}
	}
	want := []string{"s6-25-can-straggler ChargeSubscription", "ship-ORD-325 BookCourier", "ship-ORD-325 CreateShippingLabel"}
	if !slices.Equal(below, want) {
		t.Errorf("below the truth: %v, want %v", below, want)
	}
}

// TestWithoutBodyIDs: a log whose lines do not tell bodies apart, written twice
// over by another statement, still never claims more than the truth, and finds
// what ran more than once.
func TestWithoutBodyIDs(t *testing.T) {
	all := ledger(t)
	found, missed := 0, 0
	for _, r := range realRuns(t) {
		var lines []line
		for _, l := range all {
			if !r.truth.within(l.ts) {
				continue
			}
			var f map[string]any
			if err := json.Unmarshal([]byte(l.text), &f); err != nil {
				t.Fatal(err)
			}
			delete(f, "body")
			b, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(time.RFC3339Nano, l.ts)
			if err != nil {
				t.Fatal(err)
			}
			second := fmt.Sprintf(`{"time":%q,"level":"info","msg":"runtime: activity %s %s","workflow_id":%q,"executionId":%q}`, at.Add(3*time.Millisecond).Format(time.RFC3339Nano), f["activity"], f["ev"], f["instance"], f["task_execution_id"])
			lines = append(lines, line{l.ts, l.pid, string(b)}, line{l.ts, l.pid, second})
		}
		e := settle(t, &r, mapping, plain(t, lines))
		for _, c := range r.truth.Calls {
			if !c.InHistory || len(c.Scheduled) == 0 {
				continue
			}
			bodies := 0
			if v := e.Of(0, callKey(&r, c.Scheduled[0], c.Activity)); v != nil && v.Bodies != nil {
				bodies = *v.Bodies
			}
			if bodies > c.Bodies {
				t.Errorf("%s %s: %d bodies claimed, truth %d", r.name, c.Activity, bodies, c.Bodies)
			}
			if c.More && bodies > 1 {
				found++
			} else if c.More {
				missed++
			}
		}
	}
	if missed > 2 {
		t.Errorf("%d found, %d missed", found, missed)
	}
}
