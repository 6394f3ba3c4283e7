package history_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dapr/durabletask-go/api/protos"
	"google.golang.org/protobuf/proto"

	"github.com/idem-mcp/idem-mcp/history"
)

// bigRun is a run of about n events in stored form: real retries with payloads
// of 1 kB, made by repeating a real run with shifted ids.
func bigRun(b testing.TB, n int) [][]byte {
	b.Helper()
	src := protoEvents(b, "s2-06-two-concurrent")
	payload := strings.Repeat(`{"sku":"A-1","qty":1},`, 46)
	var out [][]byte
	for round := int32(0); len(out) < n; round++ {
		for _, ev := range src {
			ev := proto.Clone(ev).(*protos.HistoryEvent)
			switch {
			case ev.GetExecutionStarted() != nil && round > 0, ev.GetExecutionCompleted() != nil:
				continue
			case ev.GetTaskScheduled() != nil:
				ev.GetTaskScheduled().TaskExecutionId += fmt.Sprint(round)
				ev.GetTaskScheduled().Input.Value = payload
			case ev.GetTaskCompleted() != nil:
				ev.GetTaskCompleted().TaskScheduledId += round * 100
				ev.GetTaskCompleted().TaskExecutionId += fmt.Sprint(round)
				ev.GetTaskCompleted().Result.Value = payload
			case ev.GetTaskFailed() != nil:
				ev.GetTaskFailed().TaskScheduledId += round * 100
				ev.GetTaskFailed().TaskExecutionId += fmt.Sprint(round)
			case ev.GetTimerFired() != nil:
				ev.GetTimerFired().TimerId += round * 100
			case ev.GetTimerCreated() != nil:
				if o := ev.GetTimerCreated().GetActivityRetry(); o != nil {
					o.TaskExecutionId += fmt.Sprint(round)
				}
			}
			if ev.EventId >= 0 {
				ev.EventId += round * 100
			}
			out = append(out, marshal(b, ev))
		}
	}
	return out[:n]
}

func seq(events [][]byte) func(func([]byte, error) bool) {
	return func(yield func([]byte, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

var sizes = []int{1_000, 10_000, 100_000}

func perEvent(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkDecode compares the scanner at both levels with proto.Unmarshal of
// the same bytes.
func BenchmarkDecode(b *testing.B) {
	for _, n := range sizes {
		events := bigRun(b, n)
		size := 0
		for _, e := range events {
			size += len(e)
		}
		for _, level := range []history.Sharing{metadataLevel, fullLevel} {
			b.Run(fmt.Sprintf("%s/%d", level.Level, n), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := history.ReadProto(seq(events), history.Options{Sharing: level}); err != nil {
						b.Fatal(err)
					}
				}
				perEvent(b, n)
			})
		}
		b.Run(fmt.Sprintf("protobuf/%d", n), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				run := make([]*protos.HistoryEvent, 0, n) // kept, as a reader of a run has to
				for _, e := range events {
					ev := &protos.HistoryEvent{}
					if err := proto.Unmarshal(e, ev); err != nil {
						b.Fatal(err)
					}
					run = append(run, ev)
				}
				runtime.KeepAlive(run)
			}
			perEvent(b, n)
		})
	}
}

// BenchmarkAnalyze links the attempts and looks for every finding.
func BenchmarkAnalyze(b *testing.B) {
	for _, n := range sizes {
		run, err := history.ReadProto(seq(bigRun(b, n)), history.Options{Sharing: metadataLevel})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				history.Analyze(run)
			}
			perEvent(b, n)
		})
	}
}

// BenchmarkLink pairs schedules with results and links the attempts.
func BenchmarkLink(b *testing.B) {
	for _, n := range sizes {
		run, err := history.ReadProto(seq(bigRun(b, n)), history.Options{Sharing: metadataLevel})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				history.Link(run)
			}
			perEvent(b, n)
		})
	}
}

// BenchmarkReadJSON reads protojson lines.
func BenchmarkReadJSON(b *testing.B) {
	data := mustRead(b, "../examples/runs/s1-08-fanout-20-rows/history.ndjson")
	n := strings.Count(string(data), "\n")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := history.Read(data, history.Options{Sharing: metadataLevel}); err != nil {
			b.Fatal(err)
		}
	}
	perEvent(b, n)
}
