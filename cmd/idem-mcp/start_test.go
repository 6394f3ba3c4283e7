package main

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkFirstAnswer is the time from starting a fresh process to its answer
// to initialize, median of 20. docs/measurements.md states it with the machine.
func BenchmarkFirstAnswer(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "idem-mcp")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	const runs = 20
	for b.Loop() {
		var times []time.Duration
		for range runs {
			times = append(times, firstAnswer(b, bin))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[runs/2].Microseconds())/1000, "ms/first-answer")
	}
}

func firstAnswer(b *testing.B, bin string) time.Duration {
	cmd := exec.CommandContext(b.Context(), bin, "serve", "../../examples/runs")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n")); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(start)
	if err != nil || !strings.Contains(line, "serverInfo") {
		b.Fatalf("%v: %q", err, line)
	}
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return took
}
