package survey_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/survey"
)

// changing is a SQLite state store to which a test writes as an engine does.
type changing struct {
	t      *testing.T
	random *rand.Rand
	db     *sql.DB
	path   string
	kinds  []sourcetest.Stored
	runs   map[string]sourcetest.Stored // what is there, by id
	lives  uint64
	added  int
}

func newChanging(t *testing.T, seed uint64) *changing {
	t.Helper()
	c := &changing{t: t, random: rand.New(rand.NewPCG(seed, 9)), path: filepath.Join(t.TempDir(), "state.db"), kinds: sourcetest.Runs(t), runs: map[string]sourcetest.Stored{}}
	fill(t, c.path, 0)
	db, err := sql.Open("sqlite", "file:"+c.path+"?_pragma=synchronous(0)&_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c.db = db
	return c
}

func (c *changing) exec(query string, args ...any) {
	c.t.Helper()
	if _, err := c.db.ExecContext(c.t.Context(), query, args...); err != nil {
		c.t.Fatal(err)
	}
}

const purge = `DELETE FROM state WHERE key LIKE '%||' || ? || '||%'`

// write stores a run, its first n events, in place of what is there.
func (c *changing) write(r sourcetest.Stored, n int) {
	c.exec(purge, r.Instance)
	c.runs[r.Instance] = r
	r.Events = r.Events[:n]
	var values []string
	var args []any
	for _, row := range r.Rows() {
		values = append(values, `(?, ?, 1, ?)`)
		args = append(args, row.Key, base64.StdEncoding.EncodeToString(row.Value), fmt.Sprintf("etag-%d", c.random.Uint64()))
	}
	c.exec(`INSERT INTO state (key, value, is_binary, etag) VALUES `+strings.Join(values, ", "), args...)
}

// add stores a new life of a run, whole or as far as it has come.
func (c *changing) add(id string) {
	r := c.kinds[c.random.IntN(len(c.kinds))]
	c.lives++
	r.Instance, r.Generation = id, c.lives
	n := len(r.Events)
	if c.random.IntN(4) == 0 {
		n = 2 + c.random.IntN(n-2)
	}
	c.write(r, n)
}

func (c *changing) new() {
	c.added++
	c.add(fmt.Sprintf("run-%04d-%d", c.random.IntN(10_000), c.added))
}

func (c *changing) any() string {
	n := c.random.IntN(len(c.runs))
	for _, id := range slices.Sorted(maps.Keys(c.runs)) {
		if n == 0 {
			return id
		}
		n--
	}
	return ""
}

// change does one thing that happens to a store.
func (c *changing) change() {
	id := c.any()
	switch c.random.IntN(6) {
	case 0:
		c.exec(purge, id)
		delete(c.runs, id)
	case 1:
		c.add(id) // the id is used again
	case 2:
		c.exec(`UPDATE state SET etag = ? WHERE key LIKE '%||' || ? || '||metadata'`, fmt.Sprintf("etag-%d", c.random.Uint64()), id)
	case 3:
		r := c.runs[id]
		c.write(r, len(r.Events)) // it has gone on to its end
	default:
		c.new()
	}
}

func (c *changing) source() *store.Source {
	c.t.Helper()
	s, err := sqlite.New(sqlite.Config{ConnectionString: c.path})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { s.Close() })
	return s
}

// flaky is a store that goes away now and then, in the middle of anything.
type flaky struct {
	*store.Source
	calls atomic.Int64
	every int64
}

func (f *flaky) fails() error {
	if f.every > 0 && f.calls.Add(1)%f.every == 0 {
		return &fault.Error{Kind: fault.Unreachable, What: "no answer from the store"}
	}
	return nil
}

func (f *flaky) Histories(ctx context.Context, filter history.Filter) iter.Seq2[*history.Run, error] {
	return func(yield func(*history.Run, error) bool) {
		for r, err := range f.Source.Histories(ctx, filter) {
			if away := f.fails(); away != nil {
				yield(nil, away)
				return
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (f *flaky) Stamps(ctx context.Context, filter history.Filter) iter.Seq2[history.Stamp, error] {
	return func(yield func(history.Stamp, error) bool) {
		for s, err := range f.Source.Stamps(ctx, filter) {
			if away := f.fails(); away != nil {
				yield(s, away)
				return
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func (f *flaky) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Source.Run(ctx, ref)
}

// TestIncremental changes a store at random between surveys, some of which are
// interrupted or cancelled: what the index then knows of the runs that are there is
// what a fresh index does, and it knows of every other run that it is gone.
func TestIncremental(t *testing.T) { everywhere(t, testIncremental) }

func testIncremental(t *testing.T, openHere opener) {
	for seed := range uint64(number("IDEM_MCP_SURVEY_SEEDS", 1)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newChanging(t, seed)
			for range 150 {
				c.new()
			}
			src := &flaky{Source: c.source()}
			v := openHere(t, t.TempDir(), src)
			for round := range 6 {
				if round > 0 {
					for range []int{0, 1, 5, 40}[c.random.IntN(4)] {
						c.change()
					}
				}
				if c.random.IntN(3) == 0 { // one that may not come to its end
					src.every = int64(20 + c.random.IntN(150))
					s, _, err := v.Start(t.Context(), survey.Scope{})
					if err == nil && c.random.IntN(2) == 0 {
						err = v.Cancel(t.Context(), s.ID)
					}
					if err == nil {
						_, err = v.Wait(t.Context(), s.ID, func(survey.Survey) {})
					}
					if err != nil {
						t.Fatal(err)
					}
					src.every = 0
				}
				if c.random.IntN(3) == 0 { // of a part, with stretches of its own
					run(t, v, []survey.Scope{{App: sourcetest.App}, {Workflow: c.kinds[0].Workflow}, {Since: "1d", From: c.kinds[0].Created}}[c.random.IntN(3)])
				}
				s := run(t, v, survey.Scope{})
				if s.State != survey.Done || int(s.Seen) != len(c.runs) {
					t.Fatalf("round %d: %d runs are there: %+v", round, len(c.runs), s)
				}
				fresh := open(t, t.TempDir(), c.source())
				run(t, fresh, survey.Scope{})
				if diff := cmp.Diff(alive(t, fresh), alive(t, v)); diff != "" {
					t.Fatalf("round %d: a fresh index and this one (-fresh +this):\n%s", round, diff)
				}
				again := run(t, v, survey.Scope{})
				if again.Seen != s.Seen || again.Repeats != s.Repeats || again.Gone != s.Gone || again.Partly != s.Partly {
					t.Fatalf("round %d: nothing changed:\n%+v\n%+v", round, s, again)
				}
				if diff := cmp.Diff(counts(t, v, s), counts(t, v, again)); diff != "" {
					t.Fatalf("round %d: nothing changed (-then +now):\n%s", round, diff)
				}
			}
		})
	}
}

// counts are the rows of an answer without what hangs on the time of asking and on
// the survey before.
func counts(t *testing.T, v *survey.Surveyor, s survey.Survey) []history.ActivityTally {
	t.Helper()
	var out []history.ActivityTally
	for _, r := range rows(t, v, s, survey.ByActivity) {
		out = append(out, r.ActivityTally)
	}
	slices.SortFunc(out, func(a, b history.ActivityTally) int { return strings.Compare(a.App+a.Activity, b.App+b.Activity) })
	return out
}

func alive(t *testing.T, v *survey.Surveyor) []string {
	t.Helper()
	x, err := v.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := x.Alive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(text, "\n")
}

// A run that is added or purged makes only its own stretch be looked at again, and
// a run that goes on is read in a stretch that is as it was.
func TestStretchesPassedOver(t *testing.T) {
	t.Parallel()
	c := newChanging(t, 1)
	going := c.kinds[len(c.kinds)-1] // s6-17-running
	fill(t, c.path+".many", 9000)
	c.exec(`ATTACH ? AS many`, c.path+".many")
	c.exec(`INSERT INTO state SELECT * FROM many.state`)
	c.exec(`DETACH many`)
	going.Instance = "run-0004321-going"
	c.write(going, len(going.Events))
	v := survey.New(survey.Config{Dir: t.TempDir(), Source: c.source()})
	t.Cleanup(func() { v.Close(context.Background()) })
	x, err := v.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := run(t, v, survey.Scope{}); s.Seen != 9001 || s.Reads != 9001 {
		t.Fatalf("%+v", s)
	}
	stretches := func() map[int64]int64 {
		t.Helper()
		m, err := x.Stretches(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := stretches()
	if len(before) < 3 {
		t.Fatalf("%d stretches of 9001 runs", len(before))
	}
	for _, change := range []struct {
		query       string
		reads, seen int64
		anew        int
	}{
		{`UPDATE state SET etag = etag`, 1, 9001, 0}, // nothing: only the run that goes on is read
		{`DELETE FROM state WHERE key LIKE '%||run-0001001||%'`, 1, 9000, 1},
		{`UPDATE state SET etag = 'another' WHERE key LIKE '%||run-0008001||metadata'`, 2, 9000, 1},
		{`INSERT INTO state SELECT replace(key, 'run-0003003', 'run-0003003b'), value, is_binary, etag, expiration_time, update_time FROM state WHERE key LIKE '%||run-0003003||%'`, 2, 9001, 1},
	} {
		c.exec(change.query)
		s := run(t, v, survey.Scope{})
		now := stretches()
		anew := 0
		for id := range now {
			if _, was := before[id]; !was {
				anew++
			}
		}
		if s.Reads != change.reads || s.Seen != change.seen || anew > change.anew+1 || anew < change.anew || len(now) < len(before)-1 {
			t.Errorf("%s: %d new of %d stretches, %+v", change.query, anew, len(now), s)
		}
		before = now
	}
}

// A run that cannot be read is told of by every survey, and is read when it can be.
func TestUnreadableInAStretch(t *testing.T) {
	t.Parallel()
	c := newChanging(t, 3)
	for range 60 {
		c.new()
	}
	bad := c.kinds[0]
	bad.Instance = "run-5000-bad"
	c.write(bad, len(bad.Events))
	v := open(t, t.TempDir(), c.source())
	c.exec(`UPDATE state SET value = '////' WHERE key LIKE '%||run-5000-bad||history-%'`)
	for n := range 3 {
		s := run(t, v, survey.Scope{})
		x, err := v.Index(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, damaged, err := x.Unread(t.Context(), s, true, 5)
		if err != nil || damaged+int(s.Partly) == 0 || s.State != survey.Done {
			t.Errorf("survey %d: %d damaged, %v, %+v", n, damaged, err, s)
		}
	}
	c.write(bad, len(bad.Events))
	if s := run(t, v, survey.Scope{}); s.Seen != 61 {
		t.Errorf("%+v", s)
	}
}

// An index of the first schema, which knew no stretches, is gone on with: what it
// knows is not read again.
func TestOlderIndex(t *testing.T) {
	t.Parallel()
	c := newChanging(t, 4)
	ended := c.kinds[0]
	for i := range 120 {
		ended.Instance = fmt.Sprintf("run-%04d", i)
		c.write(ended, len(ended.Events))
	}
	now := t.TempDir()
	v := open(t, now, c.source())
	run(t, v, survey.Scope{})
	old := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(old, "index.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // for the attached file
	schema, err := os.ReadFile("migrations/1.sql")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("{{id}}", "INTEGER PRIMARY KEY", "{{clustered}}", "WITHOUT ROWID").Replace(string(schema))
	for _, q := range []string{text, `CREATE TABLE schema_version (version INTEGER NOT NULL PRIMARY KEY)`, `INSERT INTO schema_version VALUES (1)`, `ATTACH '` + filepath.Join(now, "index.sqlite") + `' AS now`} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"surveys", "runs", "tallies", "calls", "unread", "sums", "sum_attempts"} {
		var columns string
		if err := db.QueryRowContext(t.Context(), `SELECT group_concat(name) FROM pragma_table_info(?, 'main')`, table).Scan(&columns); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO main.%s (%s) SELECT %s FROM now.%s`, table, columns, columns, table)); err != nil {
			t.Fatal(table, err)
		}
	}
	c.exec(purge, "run-0007")
	delete(c.runs, "run-0007")
	c.exec(`UPDATE state SET etag = 'another' WHERE key LIKE '%||run-0009||metadata'`)
	w := open(t, old, c.source())
	s := run(t, w, survey.Scope{})
	if s.Seq != 2 || s.Seen != 119 || s.Reads != 1 || s.Gone != 1 {
		t.Errorf("%+v", s)
	}
	fresh := open(t, t.TempDir(), c.source())
	run(t, fresh, survey.Scope{})
	if diff := cmp.Diff(alive(t, fresh), alive(t, w)); diff != "" {
		t.Errorf("(-fresh +older):\n%s", diff)
	}
	if again := run(t, w, survey.Scope{}); again.Reads != 0 || again.Seen != 119 || again.Gone != 1 || again.Repeats != s.Repeats {
		t.Errorf("%+v", again)
	}
}
