package survey_test

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/survey"
)

func testContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 10*time.Minute)
}

func files(t *testing.T, dir string) *file.Source {
	t.Helper()
	src, err := file.New(file.Config{Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// fake is a source of runs whose listing has no cheap cursor, like a sidecar's.
type fake struct {
	runs    []*history.Run
	problem map[string]error // by instance id
	reads   atomic.Int64
	slow    time.Duration
}

func (*fake) Describe(context.Context) history.Description {
	return history.Description{Name: "fake", Where: "here"}
}

func (f *fake) Runs(_ context.Context, filter history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) {
		for _, r := range f.runs {
			if filter.Match(r.Header) && !yield(r.Header, nil) {
				return
			}
		}
	}
}

func (f *fake) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	f.reads.Add(1)
	select {
	case <-time.After(f.slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := f.problem[ref.Instance]; err != nil {
		return nil, err
	}
	i := slices.IndexFunc(f.runs, func(r *history.Run) bool { return r.Ref.Instance == ref.Instance })
	if i < 0 {
		return nil, &fault.Error{Kind: fault.NotFound, What: "run " + ref.Instance}
	}
	return f.runs[i], nil
}

// load reads the example runs; a fake holds each id once.
func load(t *testing.T) []*history.Run {
	t.Helper()
	var out []*history.Run
	seen := map[string]bool{}
	for run, err := range files(t, "../examples/runs").Histories(t.Context(), history.Filter{}) {
		var skipped *history.Skipped
		if errors.As(err, &skipped) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if run.Ref.Location = ""; !seen[run.Ref.Instance] {
			seen[run.Ref.Instance] = true
			out = append(out, run)
		}
	}
	return out
}

// run makes a whole survey.
func run(t *testing.T, v *survey.Surveyor, sc survey.Scope) survey.Survey {
	t.Helper()
	s, _, err := v.Start(t.Context(), sc)
	if err == nil {
		s, err = v.Wait(t.Context(), s.ID, func(survey.Survey) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rows(t *testing.T, v *survey.Surveyor, s survey.Survey, d survey.Dimension) []survey.Row {
	t.Helper()
	x, err := v.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := x.Rows(t.Context(), s, d, survey.Narrow{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tallyOf is what a survey must agree with: the same runs added up in memory.
func tallyOf(runs iter.Seq2[*history.Run, error]) []history.ActivityTally {
	var t history.Tally
	for r, err := range runs {
		if err == nil {
			a := history.Analyze(r)
			t.Add(&a)
		}
	}
	return t.Activities()
}

// The rows by activity are the tally of the runs, with times to the millisecond.
func testAnswersAreTheTally(t *testing.T, open opener) {
	src := files(t, "../examples/runs")
	v := open(t, t.TempDir(), src)
	s := run(t, v, survey.Scope{})
	want := tallyOf(src.Histories(t.Context(), history.Filter{}))
	for i := range want {
		w := &want[i]
		w.LongestGap = w.LongestGap.Truncate(time.Millisecond)
		w.LastSeen, w.LastRepeat = w.LastSeen.Truncate(time.Millisecond), w.LastRepeat.Truncate(time.Millisecond)
	}
	got := rows(t, v, s, survey.ByActivity)
	tallies := make([]history.ActivityTally, len(got))
	for i := range got {
		tallies[i] = got[i].ActivityTally
	}
	if diff := cmp.Diff(want, tallies); diff != "" {
		t.Error(diff)
	}
	calls, repeated := 0, 0
	for _, w := range want {
		calls += w.Calls
		repeated += w.Retried
	}
	for _, d := range []survey.Dimension{survey.ByApp, survey.ByWorkflow, survey.ByDay} {
		sum, again, runs := 0, 0, 0
		for _, r := range rows(t, v, s, d) {
			sum += r.Calls
			again += r.Retried
			runs += r.Runs
		}
		if sum != calls || again != repeated || runs != 116 {
			t.Errorf("by %s: %d calls, %d retried, %d runs; want %d, %d, 116", d, sum, again, runs, calls, repeated)
		}
	}
}

// A second survey changes nothing but what the source changed: a run that grew is
// read as it is now, one that was purged stays and is marked.
func testSecondSurvey(t *testing.T, open opener) {
	runs := load(t)
	src := &fake{runs: runs}
	v := open(t, t.TempDir(), src)
	first := run(t, v, survey.Scope{})
	before := rows(t, v, first, survey.ByActivity)
	i := slices.IndexFunc(runs, func(r *history.Run) bool { return r.Ref.Instance == "s2-04-label-exhausted" })
	src.runs = slices.Delete(slices.Clone(runs), i, i+1)
	second := run(t, v, survey.Scope{})
	if second.Gone != 1 || second.Seen != first.Seen-1 {
		t.Errorf("%d gone, %d met, %d before", second.Gone, second.Seen, first.Seen)
	}
	after := rows(t, v, second, survey.ByActivity)
	for i := range after {
		if after[i].Before == nil || after[i].Before.Calls != before[i].Calls || after[i].Before.Retried != before[i].Retried {
			t.Errorf("%s: before is %+v", after[i].Activity, after[i].Before)
		}
		after[i].Before = nil
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("a purged run left the counts: %s", diff)
	}
	src.runs = runs
	if third := run(t, v, survey.Scope{}); third.Gone != 0 {
		t.Errorf("%d gone after the run came back", third.Gone)
	}
}

// Of two readings of one life the longer stays, whichever comes last.
func testShorterNeverReplacesLonger(t *testing.T, open opener) {
	runs := load(t)
	i := slices.IndexFunc(runs, func(r *history.Run) bool { return r.Ref.Instance == "s2-04-label-exhausted" })
	whole, cut := runs[i], *runs[i]
	cut.Events = cut.Events[:len(cut.Events)-6]
	cut.Status = history.Running
	src := &fake{runs: []*history.Run{&cut}}
	v := open(t, t.TempDir(), src)
	short := rows(t, v, run(t, v, survey.Scope{}), survey.ByActivity)
	src.runs = []*history.Run{whole}
	long := rows(t, v, run(t, v, survey.Scope{}), survey.ByActivity)
	src.runs = []*history.Run{&cut}
	again := rows(t, v, run(t, v, survey.Scope{}), survey.ByActivity)
	for _, r := range [][]survey.Row{short, long, again} {
		for i := range r {
			r[i].Before = nil
		}
	}
	if cmp.Equal(short, long) || !cmp.Equal(long, again) {
		t.Errorf("short %v\nlong %v\nagain %v", short, long, again)
	}
}

// An ended run whose listing says when it was last written to is not read again;
// a running one is.
func testUnchangedIsNotReadAgain(t *testing.T, open opener) {
	runs := load(t)
	running := 0
	for _, r := range runs {
		r.Updated = time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC)
		if !r.Status.Ended() {
			running++
		}
	}
	src := &fake{runs: runs}
	v := open(t, t.TempDir(), src)
	first := run(t, v, survey.Scope{})
	if first.Listed != int64(len(runs)) || src.reads.Load() != int64(len(runs)) || first.Seen != int64(len(runs)) {
		t.Errorf("listed %d, read %d of %d", first.Listed, src.reads.Load(), len(runs))
	}
	second := run(t, v, survey.Scope{})
	if n := src.reads.Load() - int64(len(runs)); n != int64(running) || running == 0 {
		t.Errorf("read %d runs again, %d are running", n, running)
	}
	if second.Seen != first.Seen || second.Repeats != first.Repeats || second.Gone != 0 {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
}

// What cannot be read is counted and named, and nothing is then taken for gone.
func testUnreadable(t *testing.T, open opener) {
	runs := load(t)
	src := &fake{runs: runs}
	v := open(t, t.TempDir(), src)
	run(t, v, survey.Scope{})
	bad := runs[slices.IndexFunc(runs, func(r *history.Run) bool { return !r.Status.Ended() })].Ref.Instance // the others are not read again
	src.problem = map[string]error{bad: &fault.Error{Kind: fault.Damaged, What: "read it"}}
	src.runs = runs[:len(runs)-1]
	s := run(t, v, survey.Scope{})
	x, err := v.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	named, n, err := x.Unread(t.Context(), s, true, 5)
	if err != nil || n != 1 || len(named) != 1 || !strings.Contains(named[0].What, bad) || named[0].Why != "read it" {
		t.Errorf("%d unread: %v, %v", n, named, err)
	}
	if s.State != survey.Done || s.Gone != 0 {
		t.Errorf("%+v", s)
	}
}

// A source that goes away for good ends the survey as failed, with what was read.
func testSourceGoesAway(t *testing.T, open opener) {
	runs := load(t)
	src := &fake{runs: runs, problem: map[string]error{runs[60].Ref.Instance: &fault.Error{Kind: fault.Unreachable, What: "no answer from the store"}}}
	v := open(t, t.TempDir(), src)
	s := run(t, v, survey.Scope{})
	if s.State != survey.Failed || !strings.Contains(s.Reason, "no answer from the store") {
		t.Fatalf("%+v", s)
	}
	src.problem = nil
	if s = run(t, v, survey.Scope{}); s.State != survey.Done || s.Seen != int64(len(runs)) {
		t.Errorf("the next survey: %+v", s)
	}
}

// A survey that was cancelled ends, keeps what it has read and can be asked.
func testCancel(t *testing.T, open opener) {
	src := &fake{runs: load(t), slow: 20 * time.Millisecond}
	v := open(t, t.TempDir(), src)
	s, _, err := v.Start(t.Context(), survey.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	s, err = v.Wait(t.Context(), s.ID, func(now survey.Survey) {
		if now.Seen > 0 {
			if err := v.Cancel(t.Context(), now.ID); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || s.State != survey.Cancelled || s.Seen == 0 || s.Seen == int64(len(src.runs)) {
		t.Fatalf("%+v, %v", s, err)
	}
	if len(rows(t, v, s, survey.ByActivity)) == 0 {
		t.Error("nothing is known of what was read")
	}
}

// The scope restricts what is read and what is answered; the survey's own runs are
// in no answer.
func testScope(t *testing.T, open opener) {
	runs := load(t)
	own := *runs[0]
	own.Ref.App, own.Ref.Instance = survey.OwnApp, "own"
	v := open(t, t.TempDir(), &fake{runs: append(runs, &own)})
	s := run(t, v, survey.Scope{})
	if s.Seen != int64(len(runs)) {
		t.Errorf("%d of %d runs", s.Seen, len(runs))
	}
	s = run(t, v, survey.Scope{App: "shop-js"})
	for _, r := range rows(t, v, s, survey.ByApp) {
		if r.App != "shop-js" {
			t.Errorf("a row of %s", r.App)
		}
	}
	day := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	if s = run(t, v, survey.Scope{Since: "later", From: day}); s.Seen != 0 {
		t.Errorf("%d runs after the last", s.Seen)
	}
}

// A survey under way is the one that starts; a new one begins when it has ended.
func TestStartResumes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := &fake{runs: load(t), slow: 5 * time.Millisecond}
	v := survey.New(survey.Config{Dir: dir, Source: src, Page: 10, LockTime: 200 * time.Millisecond})
	s, begun, err := v.Start(t.Context(), survey.Scope{})
	if err != nil || !begun {
		t.Fatal(begun, err)
	}
	if err := v.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	v = open(t, dir, src)
	again, begun, err := v.Start(t.Context(), survey.Scope{})
	if err != nil || begun || again.ID != s.ID {
		t.Fatalf("%s, begun %v, %v; want %s", again.ID, begun, err, s.ID)
	}
	if s, err = v.Wait(t.Context(), s.ID, func(survey.Survey) {}); err != nil || s.State != survey.Done || s.Seen != int64(len(src.runs)) {
		t.Errorf("%+v, %v", s, err)
	}
	if next, begun, err := v.Start(t.Context(), survey.Scope{}); err != nil || !begun || next.ID == s.ID {
		t.Errorf("%s, begun %v, %v", next.ID, begun, err)
	}
}

// The index holds no payload: the texts of the runs' inputs are nowhere in its file.
func TestNoPayloads(t *testing.T) {
	t.Parallel()
	const secret = "4000-0000-SECRET"
	folder := filepath.Join(t.TempDir(), "runs")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../examples/runs/s2-04-label-exhausted/history.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(raw), "SocketTimeoutException", secret)
	if text == string(raw) || os.WriteFile(filepath.Join(folder, "history.ndjson"), []byte(text), 0o600) != nil {
		t.Fatal("the run has no such text")
	}
	src, err := file.New(file.Config{Paths: []string{folder}, Options: history.Options{Sharing: history.Sharing{Level: history.LevelFull}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run(t, open(t, dir, src), survey.Scope{})
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret) {
			t.Errorf("%s holds what the application wrote", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A state store's unchanged runs are known by their marks: the second survey reads
// only what was written since.
func testMarksOfAStore(t *testing.T, open opener) {
	path := filepath.Join(t.TempDir(), "state.db")
	fill(t, path, 300)
	src, err := sqlite.New(sqlite.Config{ConnectionString: path})
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, t.TempDir(), src)
	first := run(t, v, survey.Scope{})
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, change := range []string{
		`UPDATE state SET etag = 'another' WHERE key LIKE '%||run-0000007||metadata'`,
		`DELETE FROM state WHERE key LIKE '%||run-0000009||%'`,
	} {
		if _, err := db.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	second := run(t, v, survey.Scope{})
	if first.Reads != 300 || second.Reads != 1 || second.Seen != 299 || second.Gone != 1 || second.Repeats != first.Repeats {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
	third := run(t, v, survey.Scope{})
	if third.Reads != 0 || third.Seen != 299 {
		t.Errorf("third %+v", third)
	}
	for _, r := range rows(t, v, third, survey.ByWorkflow) {
		fresh := openParts(t, t.TempDir(), src)
		if s := run(t, fresh, survey.Scope{Workflow: r.Workflow}); s.Seen == 0 || int(s.Seen) > r.Runs || int(s.Seen) < r.Runs-1 { // one is gone
			t.Errorf("%s: %d of %d runs: %+v", r.Workflow, s.Seen, r.Runs, s)
		}
	}
}
