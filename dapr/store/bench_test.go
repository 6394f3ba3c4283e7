package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
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

// benchRuns is how many runs a store holds; 100000 are about 2M events.
func benchRuns() int {
	if n, err := strconv.Atoi(os.Getenv("IDEM_MCP_BENCH_RUNS")); err == nil {
		return n
	}
	return 2000
}

func rows(b *testing.B) iter.Seq[sourcetest.Row] {
	b.Helper()
	rows, err := storetest.Rows(benchRuns())
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// sampled is how many runs the one-key-at-a-time reading does; its time is
// scaled to all of them.
const sampled = 500

// place is a filled store and three ways to read it.
type place struct {
	open   func(b *testing.B) *store.Source
	raw    func(b *testing.B, order string) int  // reads the same rows and does nothing; returns how many
	perKey func(b *testing.B, key string) []byte // one read of one key
}

// BenchmarkScan reads every run of a store at data-sharing level metadata. Run
// it with -benchtime 1x; it reports
//
//	events/s    what a scan decodes
//	x-raw       its time as a multiple of reading the same rows in the same order and doing nothing
//	x-heap      the same, of reading the rows in whatever order costs least (which no cursor could follow)
//	x-perkey    how many times faster than one read a key in sequence
//	peak-MB     the most memory the process held meanwhile
//	first-ms    until the first run
func BenchmarkScan(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { scan(b, sqlitePlace(b)) })
	b.Run("postgres-v1", func(b *testing.B) { scan(b, postgresPlace(b, true)) })
	b.Run("postgres-v2", func(b *testing.B) { scan(b, postgresPlace(b, false)) })
	b.Run("redis", func(b *testing.B) { scan(b, redisPlace(b)) })
}

func scan(b *testing.B, p place) {
	n := benchRuns()
	s := p.open(b)
	p.raw(b, "") // warm caches
	var ours, raw, heap, first time.Duration
	events, peak := 0, uint64(0)
	for b.Loop() {
		start := time.Now()
		if rows := p.raw(b, " ORDER BY key"); rows < n*14 {
			b.Fatalf("%d raw rows", rows)
		}
		raw += time.Since(start)
		start = time.Now()
		p.raw(b, "")
		heap += time.Since(start)
		watch := storetest.WatchMemory()
		start = time.Now()
		runs := 0
		for run, err := range s.Histories(context.Background(), history.Filter{}) {
			if err != nil {
				b.Fatal(err)
			}
			if runs++; runs == 1 {
				first += time.Since(start)
			}
			events += len(run.Events)
		}
		ours += time.Since(start)
		peak = max(peak, watch())
		if runs != n {
			b.Fatalf("%d runs", runs)
		}
	}
	b.ReportMetric(ours.Seconds()/heap.Seconds(), "x-heap")
	start := time.Now()
	perKey(b, p, min(n, sampled))
	one := time.Since(start) * time.Duration(n) / time.Duration(min(n, sampled))
	b.ReportMetric(float64(events)/ours.Seconds(), "events/s")
	b.ReportMetric(ours.Seconds()/raw.Seconds(), "x-raw")
	b.ReportMetric(one.Seconds()*float64(b.N)/ours.Seconds(), "x-perkey")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "first-ms")
}

// perKey reads runs as the dashboards do: metadata, then row after row.
func perKey(b *testing.B, p place, n int) {
	for i := range n {
		location := fmt.Sprintf("orders||dapr.internal.default.orders.workflow||run-%07d", i)
		for row := range store.Length(p.perKey(b, location+store.SuffixMetadata)) {
			p.perKey(b, store.HistoryKey(location, row))
		}
	}
}

func sqlitePlace(b *testing.B) place {
	path := filepath.Join(b.TempDir(), "state.db")
	if err := storetest.FillSQLite(context.Background(), path, rows(b)); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return place{
		open: func(b *testing.B) *store.Source {
			s, err := sqlite.New(sqlite.Config{ConnectionString: path})
			return opened(b, s, err)
		},
		raw: func(b *testing.B, order string) int {
			n, err := storetest.ReadSQLite(context.Background(), db, order)
			if err != nil {
				b.Fatal(err)
			}
			return n
		},
		perKey: func(b *testing.B, key string) []byte {
			var value []byte
			if err := db.QueryRow(`SELECT value FROM state WHERE key = ?`, key).Scan(&value); err != nil {
				b.Fatal(key, err)
			}
			out, err := store.AppendText(nil, value, true)
			if err != nil {
				b.Fatal(err)
			}
			return out
		},
	}
}

func opened(b *testing.B, s *store.Source, err error) *store.Source {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func postgresPlace(b *testing.B, v1 bool) place {
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		b.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test -bench Scan ./dapr/store")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		b.Fatal(err)
	}
	table := fmt.Sprintf("bench_%d", time.Now().UnixNano())
	b.Cleanup(func() {
		conn.Exec(ctx, "DROP TABLE "+table) //nolint:errcheck // the server is thrown away
		conn.Close(ctx)
	})
	if err := storetest.FillPostgres(ctx, conn, table, v1, rows(b)); err != nil {
		b.Fatal(err)
	}
	text := "value"
	if v1 {
		text = `convert_to(value #>> '{}', 'UTF8')`
	}
	return place{
		open: func(b *testing.B) *store.Source {
			s, err := postgres.New(postgres.Config{ConnectionString: server, Table: table})
			return opened(b, s, err)
		},
		raw: func(b *testing.B, order string) int {
			n, err := storetest.ReadPostgres(ctx, conn, table, text, order)
			if err != nil {
				b.Fatal(err)
			}
			return n
		},
		perKey: func(b *testing.B, key string) []byte {
			var value []byte
			if err := conn.QueryRow(ctx, `SELECT `+text+` FROM `+table+` WHERE key = $1`, key).Scan(&value); err != nil {
				b.Fatal(key, err)
			}
			out, err := store.AppendText(nil, value, v1)
			if err != nil {
				b.Fatal(err)
			}
			return out
		},
	}
}

func redisPlace(b *testing.B) place {
	server := os.Getenv("IDEM_MCP_TEST_REDIS")
	if server == "" {
		b.Skip("IDEM_MCP_TEST_REDIS names no server; run: scripts/services go test -bench Scan ./dapr/store")
	}
	ctx := context.Background()
	c := goredis.NewClient(&goredis.Options{Addr: server, DB: 10})
	c.FlushDB(ctx)
	b.Cleanup(func() { c.FlushDB(ctx); c.Close() })
	if err := storetest.FillRedis(ctx, c, rows(b)); err != nil {
		b.Fatal(err)
	}
	return place{
		open: func(b *testing.B) *store.Source {
			s, err := redis.New(redis.Config{Hosts: []string{server}, DB: 10})
			return opened(b, s, err)
		},
		raw: func(b *testing.B, order string) int {
			n, err := storetest.ReadRedis(ctx, c)
			if err != nil {
				b.Fatal(err)
			}
			return n
		},
		perKey: func(b *testing.B, key string) []byte {
			out, err := c.HGet(ctx, key, "data").Bytes()
			if err != nil {
				b.Fatal(key, err)
			}
			return out
		},
	}
}
