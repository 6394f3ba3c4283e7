package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/dapr/store/postgres"
	"github.com/idem-mcp/idem-mcp/dapr/store/redis"
	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/dapr/storetest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
)

// awkward are instance ids whose rows stand between each other's in one order
// or another: they differ in case, in punctuation that a collation may ignore,
// or are each other's beginning, or hold the keys' own separator.
func awkward() []string {
	return []string{
		"run-1", "Run-1", "RUN-1", "run_1", "run1", "run 1", "run-1:0001", "run-1h", "run-1history-000001", "run-1||customStatus",
		"run-1||d", "run-1||history", "run-10", "run-2", "ärun", "arun", "Ärun", "日本", "run-1|", "run-1}", "-run", "|run",
	}
}

// TestAwkwardOrder scans runs with such ids in every store, page by page and
// from every cursor: each run comes exactly one time, whole.
func TestAwkwardOrder(t *testing.T) {
	runs := sourcetest.Runs(t)
	var rows []sourcetest.Row
	for i, id := range awkward() {
		r := runs[i%len(runs)]
		r.Instance = id
		rows = append(rows, r.Rows()...)
	}
	for name, fill := range map[string]func(*testing.T, []sourcetest.Row) *store.Source{
		"sqlite": inSQLite, "postgres": inPostgres, "redis": inRedis,
	} {
		t.Run(name, func(t *testing.T) {
			s := fill(t, rows)
			all := scanIDs(t, s, "")
			if got, want := slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(awkward())); !slices.Equal(got, want) {
				t.Fatalf("scanned\n%q, want\n%q", got, want)
			}
			for i, run := range all {
				location := "orders||dapr.internal.default.orders.workflow||" + run
				if rest := scanIDs(t, s, location); !slices.Equal(rest, all[i+1:]) {
					t.Errorf("behind %q come %q, want %q", run, rest, all[i+1:])
				}
			}
		})
	}
}

// scanIDs lists the ids behind a cursor and fails on any run that is not whole.
func scanIDs(t *testing.T, s *store.Source, cursor string) []string {
	t.Helper()
	out := []string{}
	for run, err := range s.Histories(context.Background(), history.Filter{Cursor: cursor}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Events) != run.HistoryLen || (run.Coverage.Partial() && run.Generation < 2) {
			t.Errorf("%q: %d of %d events, %v", run.Ref.Instance, len(run.Events), run.HistoryLen, run.Coverage.Missing)
		}
		out = append(out, run.Ref.Instance)
	}
	return out
}

func each(rows []sourcetest.Row) func(func(sourcetest.Row) bool) {
	return slices.Values(rows)
}

func kept(t *testing.T, s *store.Source, err error) *store.Source {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func inSQLite(t *testing.T, rows []sourcetest.Row) *store.Source {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := storetest.FillSQLite(context.Background(), path, each(rows)); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.New(sqlite.Config{ConnectionString: path})
	return kept(t, s, err)
}

func inPostgres(t *testing.T, rows []sourcetest.Row) *store.Source {
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./dapr/...")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	table := fmt.Sprintf("order_%d", time.Now().UnixNano())
	t.Cleanup(func() {
		conn.Exec(ctx, "DROP TABLE "+table) //nolint:errcheck // the server is thrown away
		conn.Close(ctx)
	})
	if err := storetest.FillPostgres(ctx, conn, table, false, each(rows)); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.New(postgres.Config{ConnectionString: server, Table: table})
	return kept(t, s, err)
}

func inRedis(t *testing.T, rows []sourcetest.Row) *store.Source {
	server := os.Getenv("IDEM_MCP_TEST_REDIS")
	if server == "" {
		t.Skip("IDEM_MCP_TEST_REDIS names no server; run: scripts/services go test ./dapr/...")
	}
	ctx := context.Background()
	c := goredis.NewClient(&goredis.Options{Addr: server, DB: 11})
	c.FlushDB(ctx)
	t.Cleanup(func() { c.FlushDB(ctx); c.Close() })
	if err := storetest.FillRedis(ctx, c, each(rows)); err != nil {
		t.Fatal(err)
	}
	s, err := redis.New(redis.Config{Hosts: []string{server}, DB: 11})
	return kept(t, s, err)
}

// TestWrittenMeanwhile scans while a writer keeps changing every run in
// transactions, as an engine does: each run comes with the rows of one moment.
func TestWrittenMeanwhile(t *testing.T) {
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./dapr/...")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	table := fmt.Sprintf("moving_%d", time.Now().UnixNano())
	rows, err := storetest.Rows(300) // more than the first page holds
	if err != nil {
		t.Fatal(err)
	}
	if err := storetest.FillPostgres(ctx, conn, table, false, rows); err != nil {
		t.Fatal(err)
	}
	defer conn.Exec(ctx, "DROP TABLE "+table) //nolint:errcheck // the server is thrown away
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for cut := 11; ; cut = (cut + 4) % 12 { // the runs lose their last events and get them back
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := shorten(ctx, conn, table, cut); err != nil {
				done <- err
				return
			}
		}
	}()
	s, err := postgres.New(postgres.Config{ConnectionString: server, Table: table})
	kept(t, s, err)
	for range 40 {
		if got := scanIDs(t, s, ""); len(got) != 300 {
			t.Errorf("%d runs", len(got))
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// shorten leaves every run n events, in one transaction; the others are parked
// under keys that are no workflow's.
func shorten(ctx context.Context, conn *pgx.Conn, table string, n int) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, q := range []string{
			`UPDATE ` + table + ` SET key = substr(key, 6) WHERE key LIKE 'park-%'`,
			fmt.Sprintf(`UPDATE %s SET key = 'park-' || key WHERE key ~ 'history-[0-9]{6}$' AND right(key, 6)::int >= %d`, table, n),
			fmt.Sprintf(`UPDATE %s SET value = '\x10%02x1801' WHERE key LIKE '%%||metadata'`, table, n),
		} {
			if _, err := tx.Exec(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// twoPages gives the rows of one run in two pages; between them the run was
// written anew.
type twoPages struct {
	before, after []sourcetest.Row
	loads         int
}

func (p *twoPages) Page(_ context.Context, after, _ string, limit int, f func(store.Row) error) error {
	rows := p.after
	if after == "" {
		rows = p.before[:limit]
	}
	for _, r := range rows {
		if r.Key > after {
			if err := f(store.Row{Key: []byte(r.Key), Value: r.Value}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *twoPages) Load(_ context.Context, location string) (store.Group, error) {
	p.loads++
	return store.LoadRows(location, func(f func(store.Row) error) error {
		for _, r := range p.after {
			if err := f(store.Row{Key: []byte(r.Key), Value: r.Value}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestReadAgainBetweenPages: a run that lies across two pages and lost rows
// between them is read again, whole.
func TestReadAgainBetweenPages(t *testing.T) {
	one := sourcetest.Runs(t)[0]
	long, short := one, one
	for range 60 { // longer than the first page
		long.Events = append(long.Events, one.Events...)
	}
	byKey := func(rows []sourcetest.Row) []sourcetest.Row {
		slices.SortFunc(rows, func(a, b sourcetest.Row) int { return strings.Compare(a.Key, b.Key) })
		return rows
	}
	p := &twoPages{before: byKey(long.Rows()), after: byKey(short.Rows())}
	var got []store.Group
	for groups, err := range store.ScanRows(context.Background(), p, store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, groups...)
	}
	if len(got) != 1 || !got[0].Whole() || len(got[0].History) != len(one.Events) || p.loads != 1 {
		t.Errorf("%d runs, %d loads, whole: %v", len(got), p.loads, len(got) == 1 && got[0].Whole())
	}
}
