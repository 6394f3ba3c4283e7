package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// create makes a store file as a runtime does and returns a writer to it.
func create(t testing.TB, path, table string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	exec(t, db, fmt.Sprintf(`CREATE TABLE %s (
		key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, is_binary BOOLEAN NOT NULL, etag TEXT NOT NULL,
		expiration_time TIMESTAMP DEFAULT NULL, update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)`, table))
	return db
}

func exec(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, db *sql.DB, table string, rows ...sourcetest.Row) {
	t.Helper()
	for _, r := range rows {
		exec(t, db, fmt.Sprintf(`INSERT OR REPLACE INTO %s (key, value, is_binary, etag) VALUES (?, ?, 1, 'e')`, table), r.Key, base64.StdEncoding.EncodeToString(r.Value))
	}
}

func open(t testing.TB, c sqlite.Config) *store.Source {
	t.Helper()
	s, err := sqlite.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func at(level history.Level) store.Config {
	return store.Config{Options: history.Options{Sharing: history.Sharing{Level: level, How: "set by the test"}}}
}

func TestContract(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
		path := filepath.Join(t.TempDir(), "state.db")
		switch w.Fault {
		case sourcetest.Unreachable:
			return open(t, sqlite.Config{ConnectionString: filepath.Join(t.TempDir(), "none.db")})
		case sourcetest.Forbidden:
			if os.Geteuid() == 0 {
				return nil // root may read everything
			}
			if err := os.WriteFile(path, nil, 0); err != nil {
				t.Fatal(err)
			}
			return open(t, sqlite.Config{ConnectionString: path})
		}
		db := create(t, path, "state")
		exec(t, db, "BEGIN")
		for _, r := range w.Runs {
			put(t, db, "state", r.Rows()...)
		}
		exec(t, db, "COMMIT")
		return open(t, sqlite.Config{ConnectionString: "file:" + path, Config: at(w.Level)})
	})
}

// TestRealStore reads part of a store that a Dapr 1.18 runtime wrote.
func TestRealStore(t *testing.T) {
	s := open(t, sqlite.Config{ConnectionString: "testdata/state.db"})
	var got []string
	for run, err := range s.Histories(context.Background(), history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s gen=%d events=%d/%d %s", run.Ref.Instance, run.Workflow, run.Status, run.Generation, len(run.Events), run.HistoryLen, strings.Join(run.Coverage.Missing, "; "))))
	}
	want := strings.Split(strings.TrimSpace(`
ord-reused-605 PaymentWorkflow completed gen=2 events=6/6 this is generation 2: the events of earlier ones (continued as new, or the id used again) are not kept
s1-01-seq-3 OrderWorkflow completed gen=1 events=12/12`), "\n")
	if diff := cmp.Diff(want, got[:min(2, len(got))]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(got) != 12 {
		t.Errorf("%d runs, want 12:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// TestLeavesNoTrace reads a store in WAL mode that nobody has open: no -wal or
// -shm file may appear, and the file stays as it was.
func TestLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	db := create(t, path, "state")
	exec(t, db, "PRAGMA journal_mode=WAL")
	put(t, db, "state", sourcetest.Runs(t)[0].Rows()...)
	db.Close()
	before, _ := os.ReadFile(path)
	s := open(t, sqlite.Config{ConnectionString: path})
	if n := count(t, s); n != 1 {
		t.Fatalf("%d runs, want 1", n)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 1 {
		t.Errorf("reading left files behind: %v", files)
	}
	after, _ := os.ReadFile(path)
	if string(before) != string(after) {
		t.Error("reading changed the file")
	}
}

// TestWriterComes reads a store before and after a writer opens it.
func TestWriterComes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	db := create(t, path, "state")
	exec(t, db, "PRAGMA journal_mode=WAL")
	runs := sourcetest.Runs(t)
	put(t, db, "state", runs[0].Rows()...)
	db.Close()
	s := open(t, sqlite.Config{ConnectionString: path})
	if n := count(t, s); n != 1 {
		t.Fatalf("%d runs, want 1", n)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	put(t, db, "state", runs[1].Rows()...)
	if n := count(t, s); n != 2 {
		t.Errorf("%d runs after a writer added one, want 2", n)
	}
}

func count(t testing.TB, s history.Source) int {
	t.Helper()
	n := 0
	for _, err := range s.Runs(context.Background(), history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestUntidy has runs whose rows are missing, damaged, too many, in old
// encodings, expired, or of a Catalyst project.
func TestUntidy(t *testing.T) {
	one := sourcetest.Runs(t)[0]
	missing := func(t *testing.T, change func(db *sql.DB)) *history.Run {
		t.Helper()
		path := filepath.Join(t.TempDir(), "state.db")
		db := create(t, path, "wf")
		put(t, db, "wf", one.Rows()...)
		change(db)
		s := open(t, sqlite.Config{ConnectionString: path, Table: "wf"})
		run, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for _, c := range []struct {
		name, change string
		args         []any
		events       int
		says         string
		generation   bool
		status       history.Status
	}{
		{"untouched", "SELECT 1", nil, 12, "", true, history.Completed},
		{"rows missing", "DELETE FROM wf WHERE key GLOB '*history-00000[34]'", nil, 10, "2 of 12 history rows are not in the store (history-000003, history-000004)", true, history.Completed},
		{"last row missing", "DELETE FROM wf WHERE key GLOB '*history-000011'", nil, 11, "1 of 12 history rows", true, history.StatusUnknown},
		{"no metadata row", "DELETE FROM wf WHERE key GLOB '*metadata'", nil, 12, "no metadata row", false, history.Completed},
		{"metadata unreadable", "UPDATE wf SET value = 'gICAgICAgICAgICA' WHERE key GLOB '*metadata'", nil, 12, "metadata row cannot be read", false, history.Completed},
		{"metadata claims 2^40 events", "UPDATE wf SET value = 'EICAgICAIBgB' WHERE key GLOB '*metadata'", nil, 12, "metadata row cannot be read", false, history.Completed},
		{"more rows than metadata says", "UPDATE wf SET value = 'EAYYAQ==' WHERE key GLOB '*metadata'", nil, 12, "6 history rows beyond the 6", true, history.Completed},
		{"not base64", "UPDATE wf SET value = '***' WHERE key GLOB '*history-000002'", nil, 11, "row ||history-000002 cannot be decoded: not base64", true, history.Completed},
		{"not an event", "UPDATE wf SET value = '/////w==' WHERE key GLOB '*history-000002'", nil, 11, "damaged", true, history.StatusUnknown},
		{"old JSON metadata", `UPDATE wf SET is_binary = 0, value = '{"InboxLength":0,"HistoryLength":12,"Generation":1}' WHERE key GLOB '*metadata'`, nil, 12, "", true, history.Completed},
		{"generation 3", "UPDATE wf SET value = 'EAwYAw==' WHERE key GLOB '*metadata'", nil, 12, "generation 3", true, history.Completed},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := missing(t, func(db *sql.DB) { exec(t, db, c.change, c.args...) })
			said := strings.Join(run.Coverage.Missing, "; ")
			if len(run.Events) != c.events || !strings.Contains(said, c.says) || (c.says == "") != (said == "") {
				t.Errorf("%d events, coverage %q; want %d and %q", len(run.Events), said, c.events, c.says)
			}
			if run.Carries.Generation != c.generation || run.Status != c.status {
				t.Errorf("generation known: %v, status %s", run.Carries.Generation, run.Status)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	one := sourcetest.Runs(t)[0]
	write := func(name string, b []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	catalyst := filepath.Join(dir, "prj.db")
	put(t, create(t, catalyst, "state"), "state", one.RowsOf("orders", "prj-165")...)
	twice := filepath.Join(dir, "twice.db")
	db := create(t, twice, "state")
	put(t, db, "state", one.RowsOf("orders", "default")...)
	put(t, db, "state", one.RowsOf("billing", "default")...)
	real, _ := os.ReadFile("testdata/state.db")
	for _, c := range []struct {
		name, conn, table string
		kind              fault.Kind
		says              string
	}{
		{"no file", filepath.Join(dir, "none.db"), "", fault.Unreachable, "relative path"},
		{"not a database", write("text.db", []byte(strings.Repeat("hello ", 1000))), "", fault.Damaged, "no SQLite database"},
		{"empty file", write("empty.db", nil), "", fault.Config, "tableName"},
		{"cut file", write("cut.db", real[:len(real)/2]), "", fault.Damaged, ""},
		{"other table", "testdata/state.db", "other", fault.Config, "tableName"},
		{"Catalyst namespace", catalyst, "", fault.Unsupported, "catalyst source"},
		{"id of two apps", twice, "", fault.BadInput, "billing||dapr.internal.default.billing.workflow||s1-01-seq-3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, sqlite.Config{ConnectionString: c.conn, Table: c.table})
			_, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
			if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", fault.KindOf(err), err)
			}
		})
	}
	for conn, kind := range map[string]fault.Kind{":memory:": fault.Unsupported, "file::memory:?cache=shared": fault.Unsupported, "file:x?mode=memory": fault.Unsupported, "": fault.Config} {
		if _, err := sqlite.New(sqlite.Config{ConnectionString: conn}); fault.KindOf(err) != kind {
			t.Errorf("%q: %v", conn, err)
		}
	}
	s := open(t, sqlite.Config{ConnectionString: catalyst})
	for _, err := range s.Runs(context.Background(), history.Filter{}) {
		if fault.KindOf(err) != fault.Unsupported {
			t.Errorf("a Catalyst namespace is listed: %v", err)
		}
	}
	if run, err := open(t, sqlite.Config{ConnectionString: twice}).Run(context.Background(), history.Ref{App: "billing", Instance: one.Instance}); err != nil || run.Ref.App != "billing" {
		t.Errorf("%v %v", run, err)
	}
}

// TestAwkwardPaths opens files whose names mean something in a URI.
func TestAwkwardPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.db", "50%25.db", "a#b.db", "ü.db"} {
		path := filepath.Join(dir, name)
		real, err := os.ReadFile("testdata/state.db")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, real, 0o600); err != nil {
			t.Fatal(err)
		}
		if n := count(t, open(t, sqlite.Config{ConnectionString: path})); n != 12 {
			t.Errorf("%s: %d runs", name, n)
		}
	}
	rel := open(t, sqlite.Config{ConnectionString: "50%25.db", Dirs: []string{t.TempDir(), dir}})
	if n := count(t, rel); n != 12 {
		t.Errorf("relative: %d runs", n)
	}
}

// TestForeignKeys finds a few runs among a million rows that are none.
func TestForeignKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	db := create(t, path, "state")
	exec(t, db, "PRAGMA synchronous=OFF")
	exec(t, db, `INSERT INTO state (key, value, is_binary, etag)
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < ?-1)
		SELECT CASE i % 3 WHEN 0 THEN 'orders||cart-'||i WHEN 1 THEN 'zz||Actor||'||i||'||metadata' ELSE 'orders||dapr.internal.default.orders.activity||x::0::'||i||'||activityState' END, '"v"', 0, 'e' FROM n`, foreignRows)
	runs := sourcetest.Runs(t)
	for _, r := range runs {
		put(t, db, "state", r.Rows()...)
	}
	s := open(t, sqlite.Config{ConnectionString: path})
	start := time.Now()
	if n := count(t, s); n != len(runs) {
		t.Errorf("%d runs, want %d", n, len(runs))
	}
	t.Logf("listed among %d foreign rows in %s", foreignRows, time.Since(start))
}

// TestBusy: a writer holds the file locked.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	db := create(t, path, "state")
	exec(t, db, "BEGIN EXCLUSIVE")
	s := open(t, sqlite.Config{ConnectionString: path})
	_, err := s.Run(context.Background(), history.Ref{Instance: "x"})
	if fault.KindOf(err) != fault.Unreachable || !strings.Contains(err.Error(), "locked by its writer") {
		t.Errorf("%s: %v", fault.KindOf(err), err)
	}
	exec(t, db, "ROLLBACK")
	if _, err := s.Run(context.Background(), history.Ref{Instance: "x"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after the lock is gone: %v", err)
	}
}

// TestManyBatches lists more runs than a batch and the first window hold.
func TestManyBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	db := create(t, path, "state")
	one := sourcetest.Runs(t)[0]
	exec(t, db, "BEGIN")
	for i := range 1500 {
		r := one
		r.Instance = fmt.Sprintf("run-%05d", i)
		put(t, db, "state", r.Rows()...)
	}
	exec(t, db, "COMMIT")
	s := open(t, sqlite.Config{ConnectionString: path})
	want := 0
	for h, err := range s.Runs(context.Background(), history.Filter{}) {
		var skipped *history.Skipped
		if err != nil && !errors.As(err, &skipped) {
			t.Fatal(err)
		}
		if id := fmt.Sprintf("run-%05d", want); h.Ref.Instance != id || h.HistoryLen != 12 {
			t.Fatalf("run %d is %s with %d events", want, h.Ref.Instance, h.HistoryLen)
		}
		want++
	}
	if want != 1500 {
		t.Errorf("%d runs, want 1500", want)
	}
}

// TestCustomStatus is withheld at level metadata and shared at full, in the
// protobuf of today and the JSON of old runtimes.
func TestCustomStatus(t *testing.T) {
	one := sourcetest.Runs(t)[0]
	for _, c := range []struct {
		name     string
		value    string
		binary   int
		metadata history.PayloadState
		full     history.PayloadState
		text     string
	}{
		{"empty", "", 1, history.PayloadEmpty, history.PayloadEmpty, ""},
		{"protobuf", base64.StdEncoding.EncodeToString([]byte("\x0a\x07halfway")), 1, history.PayloadWithheld, history.PayloadShared, "halfway"},
		{"old JSON", `"halfway"`, 0, history.PayloadWithheld, history.PayloadShared, "halfway"},
		{"damaged", base64.StdEncoding.EncodeToString([]byte("\x0a\x70x")), 1, history.PayloadWithheld, history.PayloadNotRecorded, ""},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		db := create(t, path, "state")
		put(t, db, "state", one.Rows()...)
		exec(t, db, "UPDATE state SET value = ?, is_binary = ? WHERE key GLOB '*customStatus'", c.value, c.binary)
		for level, want := range map[history.Level]history.PayloadState{history.LevelMetadata: c.metadata, history.LevelFull: c.full} {
			run, err := open(t, sqlite.Config{ConnectionString: path, Config: at(level)}).Run(context.Background(), history.Ref{Instance: one.Instance})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := run.CustomStatus.Value()
			if run.CustomStatus.State() != want || (level == history.LevelFull && text != c.text) {
				t.Errorf("%s at %s: %s %q, want %s", c.name, level, run.CustomStatus.State(), text, want)
			}
		}
	}
}
