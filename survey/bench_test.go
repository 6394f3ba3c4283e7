package survey_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/survey"
)

// BenchmarkSurvey makes two surveys of a SQLite state store of
// IDEM_MCP_BENCH_RUNS runs. Run it with -benchtime 1x; it reports
//
//	runs/s      of the first survey
//	x-raw       its time as a multiple of reading the same rows in the same order and doing nothing
//	x-again     how many times faster the second was, to which nothing had changed
//	peak-MB     the most memory that the Go runtime held meanwhile
//	B/run       the size of the index for each run
func BenchmarkSurvey(b *testing.B) {
	n := number("IDEM_MCP_BENCH_RUNS", 2000)
	path := filepath.Join(b.TempDir(), "state.db")
	fill(b, path, n)
	rawRead(b, path) // warm caches
	var raw, first, second time.Duration
	var peak uint64
	var size int64
	for b.Loop() {
		start := time.Now()
		rawRead(b, path)
		raw += time.Since(start)
		src, err := sqlite.New(sqlite.Config{ConnectionString: path})
		if err != nil {
			b.Fatal(err)
		}
		dir := b.TempDir()
		v := survey.New(survey.Config{Dir: dir, Source: src})
		watch := watchMemory()
		first += timed(b, v, n)
		second += timed(b, v, n)
		peak = max(peak, watch())
		if err := v.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "index.sqlite"))
		if err != nil {
			b.Fatal(err)
		}
		size = info.Size()
	}
	b.ReportMetric(float64(n*b.N)/first.Seconds(), "runs/s")
	b.ReportMetric(first.Seconds()/raw.Seconds(), "x-raw")
	b.ReportMetric(first.Seconds()/second.Seconds(), "x-again")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
	b.ReportMetric(float64(size)/float64(n), "B/run")
}

func timed(b *testing.B, v *survey.Surveyor, n int) time.Duration {
	b.Helper()
	start := time.Now()
	s, _, err := v.Start(context.Background(), survey.Scope{})
	if err == nil {
		s, err = v.Wait(context.Background(), s.ID, func(survey.Survey) {})
	}
	if err != nil || s.State != survey.Done || s.Seen != int64(n) {
		b.Fatalf("%+v, %v", s, err)
	}
	return time.Since(start)
}

func rawRead(b *testing.B, path string) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=cache_size(-32000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(context.Background(), `SELECT key, value, is_binary FROM state ORDER BY key`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var key, value sql.RawBytes
	var binary bool
	for rows.Next() {
		if err := rows.Scan(&key, &value, &binary); err != nil {
			b.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
}

// watchMemory samples what the Go runtime holds until the returned func is called.
func watchMemory() func() uint64 {
	runtime.GC()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				done <- peak
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}
