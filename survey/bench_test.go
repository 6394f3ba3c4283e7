//go:build unix

package survey_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"

	"github.com/idem-mcp/idem-mcp/dapr/store/postgres"
	"github.com/idem-mcp/idem-mcp/dapr/store/redis"
	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/dapr/storetest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/survey"
)

// BenchmarkSurvey makes three surveys of a state store of IDEM_MCP_BENCH_RUNS runs: a
// first one, one to which nothing has changed, and one to which one run in a thousand
// has. Run it with -benchtime 1x; it reports
//
//	runs/s      of the first survey
//	x-raw       its time as a multiple of reading the same rows in the same order and doing nothing
//	x-raw-cpu   the same of processor time, which other work on the machine leaves alone; of our own
//	            process, so not for a store that is a server
//	x-list      the time of listing the runs' marks and doing nothing, as a part of the raw read
//	x-again     how many times faster the second was
//	x-changed   how many times faster the third was
//	peak-MB     the most memory that the Go runtime held meanwhile
//	B/run       the size of the index for each run
//
// IDEM_MCP_BENCH_STATE names a SQLite file that storegen has made, instead of making
// one; it is then left as it is, and there is no third survey.
func BenchmarkSurvey(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { measure(b, inSQLite(b)) })
	b.Run("postgres", func(b *testing.B) { measure(b, inPostgres(b)) })
	b.Run("redis", func(b *testing.B) { measure(b, inRedis(b)) })
}

// place is a filled store.
type place struct {
	open   func() (history.Source, error)
	raw    func() error // reads the rows and does nothing
	change func() error // writes to one run in a thousand; nil: may not
}

func measure(b *testing.B, p place) {
	n := number("IDEM_MCP_BENCH_RUNS", 2000)
	if p.change != nil { // made just now, and small
		check(b, p.raw()) // warms caches
	}
	var raw, rawCPU, listing, first, firstCPU, second, third time.Duration
	var peak uint64
	var size int64
	for b.Loop() {
		t, c := clocked(b, p.raw)
		raw, rawCPU = raw+t, rawCPU+c
		src, err := p.open()
		check(b, err)
		if s, ok := src.(history.Stamper); ok && s.CanStamp() {
			t, _ := clocked(b, func() error {
				for _, err := range s.Stamps(context.Background(), history.Filter{}) {
					if err != nil {
						return err
					}
				}
				return nil
			})
			listing += t
		}
		dir := b.TempDir()
		v := survey.New(survey.Config{Dir: dir, Source: src})
		watch := storetest.WatchMemory()
		whole := func() error { return surveyed(v, n) }
		t, c = clocked(b, whole)
		first, firstCPU = first+t, firstCPU+c
		b.Logf("raw read %v, %v of a processor; listing %v; first survey %v, %v of the processors", raw, rawCPU, listing, t, c)
		t, c = clocked(b, whole)
		second += t
		b.Logf("second survey %v, %v of the processors", t, c)
		if p.change != nil {
			check(b, p.change())
			t, _ = clocked(b, whole)
			third += t
		}
		peak = max(peak, watch())
		check(b, v.Close(context.Background()))
		info, err := os.Stat(filepath.Join(dir, "index.sqlite"))
		check(b, err)
		size = info.Size()
	}
	b.ReportMetric(float64(n*b.N)/first.Seconds(), "runs/s")
	b.ReportMetric(first.Seconds()/raw.Seconds(), "x-raw")
	b.ReportMetric(firstCPU.Seconds()/rawCPU.Seconds(), "x-raw-cpu")
	b.ReportMetric(listing.Seconds()/raw.Seconds(), "x-list")
	b.ReportMetric(first.Seconds()/second.Seconds(), "x-again")
	if third > 0 {
		b.ReportMetric(first.Seconds()/third.Seconds(), "x-changed")
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
	b.ReportMetric(float64(size)/float64(n), "B/run")
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// clocked is how long f took, by the clock and by the processors.
func clocked(b *testing.B, f func() error) (wall, cpu time.Duration) {
	b.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start, before := time.Now(), used()
	check(b, f())
	return time.Since(start), used() - before
}

func surveyed(v *survey.Surveyor, n int) error {
	s, _, err := v.Start(context.Background(), survey.Scope{})
	if err == nil {
		s, err = v.Wait(context.Background(), s.ID, func(survey.Survey) {})
	}
	if err == nil && (s.State != survey.Done || s.Seen != int64(n)) {
		err = fmt.Errorf("%+v", s)
	}
	return err
}

func inSQLite(b *testing.B) place {
	path := os.Getenv("IDEM_MCP_BENCH_STATE")
	given := path != ""
	if path = cmp.Or(path, filepath.Join(b.TempDir(), "state.db")); !given {
		fill(b, path, number("IDEM_MCP_BENCH_RUNS", 2000))
	}
	mode := "?_pragma=cache_size(-32000)"
	if given {
		mode += "&mode=ro"
	}
	db, err := sql.Open("sqlite", "file:"+path+mode)
	check(b, err)
	db.SetMaxIdleConns(0) // its cache is none of a survey's memory
	b.Cleanup(func() { db.Close() })
	p := place{
		open: func() (history.Source, error) { return sqlite.New(sqlite.Config{ConnectionString: path}) },
		raw: func() error {
			_, err := storetest.ReadSQLite(context.Background(), db, " ORDER BY key")
			return err
		},
	}
	if !given {
		p.change = func() error {
			_, err := db.ExecContext(context.Background(), `UPDATE state SET etag = hex(randomblob(16)) WHERE key LIKE '%000||metadata'`)
			return err
		}
	}
	return p
}

func inPostgres(b *testing.B) place {
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		b.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test -bench Survey ./survey")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	check(b, err)
	table := fmt.Sprintf("survey_bench_%d", time.Now().UnixNano())
	b.Cleanup(func() {
		conn.Exec(ctx, "DROP TABLE "+table) //nolint:errcheck // the server is thrown away
		conn.Close(ctx)
	})
	rows, err := storetest.Rows(number("IDEM_MCP_BENCH_RUNS", 2000))
	check(b, err)
	check(b, storetest.FillPostgres(ctx, conn, table, false, rows))
	return place{
		open: func() (history.Source, error) {
			return postgres.New(postgres.Config{ConnectionString: server, Table: table})
		},
		raw: func() error {
			_, err := storetest.ReadPostgres(ctx, conn, table, "value", " ORDER BY key")
			return err
		},
		change: func() error {
			_, err := conn.Exec(ctx, `UPDATE `+table+` SET value = value WHERE key LIKE '%000||metadata'`)
			return err
		},
	}
}

func inRedis(b *testing.B) place {
	server := os.Getenv("IDEM_MCP_TEST_REDIS")
	if server == "" {
		b.Skip("IDEM_MCP_TEST_REDIS names no server; run: scripts/services go test -bench Survey ./survey")
	}
	ctx := context.Background()
	c := goredis.NewClient(&goredis.Options{Addr: server, DB: 12})
	c.FlushDB(ctx)
	b.Cleanup(func() { c.FlushDB(ctx); c.Close() })
	n := number("IDEM_MCP_BENCH_RUNS", 2000)
	rows, err := storetest.Rows(n)
	check(b, err)
	check(b, storetest.FillRedis(ctx, c, rows))
	return place{
		open: func() (history.Source, error) { return redis.New(redis.Config{Hosts: []string{server}, DB: 12}) },
		raw: func() error {
			_, err := storetest.ReadRedis(ctx, c)
			return err
		},
		change: func() error {
			for i := 0; i < n; i += 1000 {
				key := fmt.Sprintf("orders||dapr.internal.default.orders.workflow||run-%07d||metadata", i)
				if err := c.HIncrBy(ctx, key, "version", 1).Err(); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
