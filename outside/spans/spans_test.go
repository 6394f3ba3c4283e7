package spans_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/spans"
)

// index is of a run whose activity ran twice and is recorded once.
func index(t testing.TB) *outside.Index {
	t.Helper()
	b, err := os.ReadFile("../../examples/runs/s4-03-appkill-email-first/history.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	run, err := history.Read(b, history.Options{Ref: history.Ref{Instance: "s4-03-appkill-email-first"}})
	if err != nil {
		t.Fatal(err)
	}
	a := history.Analyze(run)
	x := &outside.Index{}
	x.AddRun(&a)
	return x
}

const (
	otlpSpan = `{"spanId":"%","name":"activity||SendReminderEmail","startTimeUnixNano":"1795962837651000000","endTimeUnixNano":"1795962838000000000","attributes":[{"key":"durabletask.task.instance_id","value":{"stringValue":"s4-03-appkill-email-first"}},{"key":"durabletask.task.task_id","value":{"intValue":"0"}}]}`
	other    = `{"spanId":"9","name":"orchestration||NotificationWorkflow","startTimeUnixNano":"1795962837651000000","endTimeUnixNano":"1795962838000000000"}`
)

func span(id string) string { return otlpSpan[:11] + id + otlpSpan[12:] }

// TestShapes: the same two spans as an export request, as a collector's lines and
// as Zipkin writes them.
func TestShapes(t *testing.T) {
	wrap := func(s string) string { return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + s + `]}]}]}` }
	zip := func(id string) string {
		return `{"traceId":"1","id":"` + id + `","name":"activity||sendreminderemail","timestamp":1795962837651000,"duration":349000,"tags":{"durabletask.task.instance_id":"s4-03-appkill-email-first","durabletask.task.task_id":"0"}}`
	}
	for name, text := range map[string]string{
		"request":     wrap(span("1") + "," + other + "," + span("2")),
		"lines":       wrap(span("1")) + "\n" + wrap(other) + "\n" + wrap(span("2")) + "\n" + wrap(span("2")),
		"zipkin":      "[" + zip("1") + "," + zip("2") + `,{"traceId":"1","id":"3","name":"get /"}]`,
		"zipkin rows": zip("1") + "\n" + zip("2"),
	} {
		t.Run(name, func(t *testing.T) {
			x := index(t)
			path := filepath.Join(t.TempDir(), "t.json")
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			res, err := spans.Read(t.Context(), input.Files{Paths: []string{path}}, x)
			if err != nil || len(res.Broken) > 0 {
				t.Fatal(err, res.Broken)
			}
			v := x.Settle().Of(0, "SendReminderEmail#0")
			if v == nil || v.Bodies == nil || *v.Bodies != 2 || !v.AtLeast {
				t.Errorf("evidence %+v of %+v, want at least 2 bodies: traces are sampled", v, res)
			}
		})
	}
}

// TestLogAndSpans: one body in a log and in a trace is one body.
func TestLogAndSpans(t *testing.T) {
	x := index(t)
	path := filepath.Join(t.TempDir(), "t.json")
	if err := os.WriteFile(path, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+span("1")+`,`+span("2")+`]}]}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := spans.Read(t.Context(), input.Files{Paths: []string{path}}, x); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"a", "b"} {
		x.Add(&outside.Sighting{Class: outside.Start, Instance: "s4-03-appkill-email-first", Execution: "e60f462f-4379-46e0-a9d9-0fdc49ffaeee", Body: body, Task: history.NoID})
	}
	if v := x.Settle().Of(0, "SendReminderEmail#0"); v == nil || v.Bodies == nil || *v.Bodies != 2 {
		t.Errorf("evidence %+v", v)
	}
}

func TestBroken(t *testing.T) {
	for _, text := range []string{`{"resourceSpans":[{"scopeSpans":[{"spans":[`, `[{"traceId":`, `no spans`, `[1,2]`, `"x"`} {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		res, err := spans.Read(t.Context(), input.Files{Paths: []string{path}}, index(t))
		if err != nil || len(res.Broken) == 0 && res.Activities > 0 {
			t.Errorf("%q: %v %+v", text, err, res)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span("1") + `]}]}]}`))
	f.Add([]byte(`[{"traceId":"1","id":"1","name":"activity||x","timestamp":1,"duration":-1,"tags":{}}]`))
	f.Add([]byte(`{"data":{"data":{"data":[1]}}}`))
	x := index(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := spans.Read(t.Context(), input.Files{Paths: []string{path}}, x); err != nil {
			t.Fatal(err)
		}
		x.Settle()
	})
}
