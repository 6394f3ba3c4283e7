package logs_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/logs"
)

// BenchmarkLog reads a generated log against many runs, and lets grep -F look for
// the same ids in the same file. IDEM_MCP_BENCH_LOG_MB and IDEM_MCP_BENCH_RUNS set
// the sizes; docs/outside.md has figures and the command. One line in a hundred
// is of an indexed run.
func BenchmarkLog(b *testing.B) {
	mb, runs := number("IDEM_MCP_BENCH_LOG_MB", 64), number("IDEM_MCP_BENCH_RUNS", 2000)
	x, ids := manyRuns(b, runs)
	dir := b.TempDir()
	file := filepath.Join(dir, "app.log")
	size := generate(b, file, ids, mb<<20)
	list := filepath.Join(dir, "ids")
	if err := os.WriteFile(list, []byte(joinLines(ids)), 0o644); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			res, err := logs.Read(context.Background(), input.Files{Paths: []string{file}}, logs.Mapping{}, x)
			if err != nil || res.Matched == 0 {
				b.Fatal(err, res)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MB")
	})
	b.Run("grep", func(b *testing.B) {
		if _, err := exec.LookPath("grep"); err != nil {
			b.Skip("no grep")
		}
		b.SetBytes(size)
		for b.Loop() {
			cmd := exec.CommandContext(context.Background(), "grep", "-c", "-F", "-f", list, file)
			cmd.Env = append(os.Environ(), "LC_ALL=C")
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

func joinLines(list []string) string {
	n := 0
	for _, s := range list {
		n += len(s) + 1
	}
	out := make([]byte, 0, n)
	for _, s := range list {
		out = append(append(out, s...), '\n')
	}
	return string(out)
}

func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}

// manyRuns indexes runs of three calls and returns their ids.
func manyRuns(t testing.TB, n int) (*outside.Index, []string) {
	t.Helper()
	x := &outside.Index{}
	rnd := rand.New(rand.NewPCG(3, 4))
	base := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	var ids []string
	for i := range n {
		id := fmt.Sprintf("order-%06d", i)
		at := base.Add(time.Duration(i) * 500 * time.Millisecond)
		run := &history.Run{Header: history.Header{Ref: history.Ref{App: "orders", Instance: id}, Workflow: "OrderWorkflow", Status: history.Completed, Generation: 1}, Carries: history.Carries{StoredOrder: true, FullTimes: true, IDs: true}}
		run.Events = append(run.Events, history.Event{Kind: history.ExecutionStarted, ID: history.NoID, TaskScheduledID: history.NoID, At: at})
		ids = append(ids, id)
		for c := range int32(3) {
			exec := uuid(rnd)
			ids = append(ids, exec)
			run.Events = append(run.Events,
				history.Event{Index: 2*c + 1, Kind: history.TaskScheduled, ID: c, TaskScheduledID: history.NoID, Name: "ChargeCard", TaskExecutionID: exec, At: at.Add(time.Duration(c) * time.Second)},
				history.Event{Index: 2*c + 2, Kind: history.TaskCompleted, ID: history.NoID, TaskScheduledID: c, TaskExecutionID: exec, At: at.Add(time.Duration(c)*time.Second + 900*time.Millisecond)})
		}
		a := history.Analyze(run)
		x.AddRun(&a)
	}
	return x, ids
}

// generate writes JSON lines of about 240 bytes with ids, times and text, one in
// a hundred of an indexed run.
func generate(t testing.TB, path string, ids []string, size int) int64 {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	rnd := rand.New(rand.NewPCG(1, 2))
	written := 0
	for i := 0; written < size; i++ {
		exec, instance := uuid(rnd), fmt.Sprintf("cart-%06d", rnd.IntN(1_000_000))
		if i%100 == 0 {
			run := rnd.IntN(len(ids)/4) * 4
			instance, exec = ids[run], ids[run+1+rnd.IntN(3)]
		}
		n, err := fmt.Fprintf(w, `{"ts":"2026-11-29T14:%02d:%02d.%06dZ","level":"info","logger":"orders.payment","msg":"charge card step","instance":%q,"task_execution_id":%q,"activity":"ChargeCard","ev":"start","body":"%08x","trace":%q}`+"\n",
			i/60%60, i%60, i%1_000_000, instance, exec, rnd.Uint32(), uuid(rnd))
		if err != nil {
			t.Fatal(err)
		}
		written += n
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return int64(written)
}
