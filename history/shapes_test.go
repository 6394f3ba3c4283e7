package history_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dapr/durabletask-go/api/protos"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/idem-mcp/idem-mcp/history"
)

// protoEvents decodes a real run's protojson lines with the engine's own types:
// the oracle of the readers.
func protoEvents(t testing.TB, name string) []*protos.HistoryEvent {
	t.Helper()
	var out []*protos.HistoryEvent
	for line := range strings.SplitSeq(string(mustRead(t, "../examples/runs/"+name+"/history.ndjson")), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		ev := &protos.HistoryEvent{}
		if err := protojson.Unmarshal([]byte(line), ev); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, ev)
	}
	return out
}

func marshal(t testing.TB, ev *protos.HistoryEvent) []byte {
	t.Helper()
	b, err := proto.Marshal(ev)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func jsonOf(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writer converts a run to another shape, as its real writer would.
type writer struct {
	shape history.Shape
	write func(t testing.TB, events []*protos.HistoryEvent) []byte
}

func writers() []writer {
	return []writer{
		{history.ShapeProtoJSON, func(t testing.TB, evs []*protos.HistoryEvent) []byte { return protojsonArray(t, evs, false) }},
		{history.ShapeProtoJSON, func(t testing.TB, evs []*protos.HistoryEvent) []byte { return protojsonArray(t, evs, true) }},
		{history.ShapeProtoJSON, func(t testing.TB, evs []*protos.HistoryEvent) []byte {
			return append(append([]byte(`{"instanceId":"x","history":`), protojsonArray(t, evs, false)...), '}')
		}},
		{history.ShapeProto, delimited},
		{history.ShapeProto, repeated},
		{history.ShapeArchive, archive},
		{history.ShapeCatalyst, func(t testing.TB, evs []*protos.HistoryEvent) []byte {
			return catalystRun(t, evs, "history", "type", false)
		}},
		{history.ShapeCatalyst, func(t testing.TB, evs []*protos.HistoryEvent) []byte {
			return catalystRun(t, evs, "events", "eventType", true)
		}},
		{history.ShapeDashboard, dashboard},
		{history.ShapeCLIJSON, func(t testing.TB, evs []*protos.HistoryEvent) []byte { return jsonOf(t, cliRows(evs)) }},
		{history.ShapeCLIYAML, func(t testing.TB, evs []*protos.HistoryEvent) []byte {
			b, err := yaml.Marshal(cliRows(evs))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}},
	}
}

// oldNames are the names that Dapr before 1.18 wrote.
var oldNames = strings.NewReplacer(`"workflowStarted"`, `"orchestratorStarted"`, `"workflowInstance"`, `"orchestrationInstance"`,
	`"workflowStatus"`, `"orchestrationStatus"`, `"childWorkflowInstanceCreated"`, `"subOrchestrationInstanceCreated"`,
	`"childWorkflowInstanceCompleted"`, `"subOrchestrationInstanceCompleted"`, `"childWorkflowInstanceFailed"`, `"subOrchestrationInstanceFailed"`)

func protojsonArray(t testing.TB, evs []*protos.HistoryEvent, old bool) []byte {
	t.Helper()
	var parts []string
	for _, ev := range evs {
		b, err := protojson.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, string(b))
	}
	s := "[" + strings.Join(parts, ",\n") + "]"
	if old {
		var compact bytes.Buffer // protojson's spacing is unstable on purpose
		if err := json.Compact(&compact, []byte(s)); err != nil {
			t.Fatal(err)
		}
		s = oldNames.Replace(compact.String())
	}
	return []byte(s)
}

func delimited(t testing.TB, evs []*protos.HistoryEvent) []byte {
	var out []byte
	for _, ev := range evs {
		b := marshal(t, ev)
		out = append(binary.AppendUvarint(out, uint64(len(b))), b...)
	}
	return out
}

func repeated(t testing.TB, evs []*protos.HistoryEvent) []byte {
	var out []byte
	for _, ev := range evs {
		b := marshal(t, ev)
		out = append(binary.AppendUvarint(append(out, 1<<3|2), uint64(len(b))), b...)
	}
	return out
}

func archive(t testing.TB, evs []*protos.HistoryEvent) []byte {
	var list []map[string]any
	for i, ev := range evs {
		list = append(list, map[string]any{"index": i, "rawBase64": base64.StdEncoding.EncodeToString(marshal(t, ev))})
	}
	slices.Reverse(list) // the index counts, not the place
	return jsonOf(t, map[string]any{"history": list})
}

// catalystRun writes the flat snake_case events that the published reading of a
// Catalyst answer leads to expect, in a tool result's envelope when wrapped.
func catalystRun(t testing.TB, evs []*protos.HistoryEvent, listKey, typeKey string, wrapped bool) []byte {
	var list []map[string]any
	for _, ev := range evs {
		b, err := protojson.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		var nested map[string]any
		if err := json.Unmarshal(b, &nested); err != nil {
			t.Fatal(err)
		}
		flat := map[string]any{"event_id": ev.GetEventId(), "timestamp": nested["timestamp"]}
		for k, v := range nested {
			body, ok := v.(map[string]any)
			if !ok || k == "router" {
				continue
			}
			flat[typeKey] = strings.ToUpper(k[:1]) + k[1:]
			flatten(flat, "", body)
		}
		list = append(list, flat)
	}
	run := map[string]any{"run": map[string]any{"instanceId": "x", "appId": "orders"}, listKey: list}
	if !wrapped {
		return jsonOf(t, run)
	}
	return jsonOf(t, map[string]any{"content": []any{map[string]any{"type": "text", "text": "Here it is:\n" + string(jsonOf(t, run))}}})
}

func flatten(out map[string]any, prefix string, in map[string]any) {
	for k, v := range in {
		name := prefix + snake(k)
		switch k {
		case "activityRetry", "childWorkflowRetry", "externalEvent", "createTimer":
			name = "origin__" + snake(k)
		}
		if body, ok := v.(map[string]any); ok {
			flatten(out, name+"_", body)
			if len(body) == 0 {
				out[name] = map[string]any{}
			}
			continue
		}
		out[name] = v
	}
}

func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// dashboard writes the dev dashboard's rows: no execution ids, no origins, no
// timer names.
func dashboard(t testing.TB, evs []*protos.HistoryEvent) []byte {
	var rows []map[string]any
	for _, ev := range evs {
		row := map[string]any{"sequenceId": ev.GetEventId(), "timestamp": ev.GetTimestamp().AsTime().Format(time.RFC3339Nano)}
		typ := strings.TrimPrefix(fmt.Sprintf("%T", ev.GetEventType()), "*protos.HistoryEvent_")
		switch e := ev.GetEventType().(type) {
		case *protos.HistoryEvent_TaskScheduled:
			row["name"], row["input"] = e.TaskScheduled.GetName(), e.TaskScheduled.GetInput().GetValue()
		case *protos.HistoryEvent_TaskCompleted:
			row["scheduledId"], row["output"] = e.TaskCompleted.GetTaskScheduledId(), e.TaskCompleted.GetResult().GetValue()
		case *protos.HistoryEvent_TaskFailed:
			row["scheduledId"] = e.TaskFailed.GetTaskScheduledId()
			row["failureDetails"] = map[string]any{"errorType": e.TaskFailed.GetFailureDetails().GetErrorType(), "message": e.TaskFailed.GetFailureDetails().GetErrorMessage()}
		case *protos.HistoryEvent_TimerFired:
			row["scheduledId"] = e.TimerFired.GetTimerId()
		case *protos.HistoryEvent_ExecutionStarted:
			row["name"] = e.ExecutionStarted.GetName()
		case *protos.HistoryEvent_ChildWorkflowInstanceCreated:
			typ = "SubOrchestrationCreated"
			row["name"], row["instanceId"] = e.ChildWorkflowInstanceCreated.GetName(), e.ChildWorkflowInstanceCreated.GetInstanceId()
		case *protos.HistoryEvent_ChildWorkflowInstanceFailed:
			typ = "SubOrchestrationFailed"
			row["scheduledId"] = e.ChildWorkflowInstanceFailed.GetTaskScheduledId()
		case *protos.HistoryEvent_ChildWorkflowInstanceCompleted:
			typ = "SubOrchestrationCompleted"
			row["scheduledId"] = e.ChildWorkflowInstanceCompleted.GetTaskScheduledId()
		case *protos.HistoryEvent_WorkflowStarted:
			typ = "OrchestratorStarted"
		}
		row["type"] = typ
		rows = append(rows, row)
	}
	return jsonOf(t, map[string]any{"appId": "orders", "instanceId": "x", "name": "W", "history": rows})
}

// cliRows writes the Dapr CLI's rows: sorted by full time, printed to the
// second.
func cliRows(evs []*protos.HistoryEvent) []map[string]any {
	evs = slices.Clone(evs)
	slices.SortStableFunc(evs, func(a, b *protos.HistoryEvent) int {
		return a.GetTimestamp().AsTime().Compare(b.GetTimestamp().AsTime())
	})
	var rows []map[string]any
	play := 0
	for _, ev := range evs {
		row := map[string]any{"appID": "orders", "name": nil, "status": "RUNNING", "elapsed": "1ms", "details": nil,
			"timestamp": ev.GetTimestamp().AsTime().Truncate(time.Second).Format(time.RFC3339)}
		typ := strings.TrimPrefix(fmt.Sprintf("%T", ev.GetEventType()), "*protos.HistoryEvent_")
		var attrs []string
		add := func(k string, v any) { attrs = append(attrs, fmt.Sprintf("%s=%v", k, v)) }
		if ev.GetEventId() > 0 {
			row["eventId"] = ev.GetEventId()
		}
		switch e := ev.GetEventType().(type) {
		case *protos.HistoryEvent_WorkflowStarted:
			play++
		case *protos.HistoryEvent_TaskScheduled:
			row["name"], row["eventId"] = e.TaskScheduled.GetName(), ev.GetEventId()
			if id := e.TaskScheduled.GetTaskExecutionId(); id != "" {
				row["executionId"] = id
			}
			if in := e.TaskScheduled.GetRerunParentInstanceInfo(); in != nil {
				row["details"] = "rerunParent=" + in.GetInstanceID()
			}
		case *protos.HistoryEvent_TaskCompleted:
			add("scheduledId", e.TaskCompleted.GetTaskScheduledId())
			if id := e.TaskCompleted.GetTaskExecutionId(); id != "" {
				row["executionId"] = id
			}
		case *protos.HistoryEvent_TaskFailed:
			add("scheduledId", e.TaskFailed.GetTaskScheduledId())
			add("errorType", e.TaskFailed.GetFailureDetails().GetErrorType())
			add("errorMsg", e.TaskFailed.GetFailureDetails().GetErrorMessage())
			if id := e.TaskFailed.GetTaskExecutionId(); id != "" {
				row["executionId"] = id
			}
		case *protos.HistoryEvent_TimerCreated:
			row["eventId"] = ev.GetEventId()
			row["name"] = e.TimerCreated.GetName()
			add("timerName", e.TimerCreated.GetName())
			add("fireAt", e.TimerCreated.GetFireAt().AsTime().Format(time.RFC3339))
			switch o := e.TimerCreated.GetOrigin().(type) {
			case *protos.TimerCreatedEvent_CreateTimer:
				add("origin", "createTimer")
			case *protos.TimerCreatedEvent_ActivityRetry:
				add("origin", "activityRetry")
				add("taskExecId", o.ActivityRetry.GetTaskExecutionId())
			case *protos.TimerCreatedEvent_ChildWorkflowRetry:
				add("origin", "childWorkflowRetry")
				add("instanceId", o.ChildWorkflowRetry.GetInstanceId())
			}
		case *protos.HistoryEvent_TimerFired:
			add("timerId", e.TimerFired.GetTimerId())
		case *protos.HistoryEvent_ExecutionStarted:
			row["name"] = e.ExecutionStarted.GetName()
		case *protos.HistoryEvent_ExecutionCompleted:
			row["status"] = strings.TrimPrefix(e.ExecutionCompleted.GetWorkflowStatus().String(), "ORCHESTRATION_STATUS_")
		case *protos.HistoryEvent_ChildWorkflowInstanceCreated:
			typ, row["name"] = "ChildWorkflowCreated", e.ChildWorkflowInstanceCreated.GetName()
		case *protos.HistoryEvent_ChildWorkflowInstanceCompleted:
			typ, row["details"] = "ChildWorkflowCompleted", fmt.Sprintf("eventId=%d", e.ChildWorkflowInstanceCompleted.GetTaskScheduledId())
		case *protos.HistoryEvent_ChildWorkflowInstanceFailed:
			typ = "ChildWorkflowFailed"
		}
		row["type"], row["play"] = typ, play
		if len(attrs) > 0 {
			row["attrs"] = strings.Join(attrs, ";")
		}
		rows = append(rows, row)
	}
	return rows
}

// TestEveryShapeGivesTheSameFindings converts every real run to every shape.
// What a shape cannot carry may be missing from the findings, and nothing may be
// added.
func TestEveryShapeGivesTheSameFindings(t *testing.T) {
	for _, r := range realRuns(t, metadataLevel) {
		evs := protoEvents(t, r.name)
		base := history.Analyze(mustParse(t, mustRead(t, "../examples/runs/"+r.name+"/history.ndjson"), r.run.Ref))
		for i, w := range writers() {
			t.Run(fmt.Sprintf("%s/%s-%d", r.name, w.shape, i), func(t *testing.T) {
				run := mustParse(t, w.write(t, evs), r.run.Ref)
				if run.Shape != w.shape {
					t.Fatalf("recognised as %s", run.Shape)
				}
				if run.Coverage.Partial() || len(run.Events) != len(evs) {
					t.Fatalf("read %d of %d events: %v", len(run.Events), len(evs), run.Coverage.Missing)
				}
				want, got := expect(base, run), comparable(history.Analyze(run))
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("findings (-protojson lines +this shape):\n%s", d)
				}
			})
		}
	}
}

func mustParse(t testing.TB, b []byte, ref history.Ref) *history.Run {
	t.Helper()
	run, err := history.Read(b, history.Options{Sharing: metadataLevel, Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// comparable reduces findings to what every shape can agree on: the kind and
// the attempts. Which retry kind it is hangs on texts that shapes cut.
func comparable(a history.Analysis) []string {
	var out []string
	for _, f := range a.Findings {
		line := string(f.Kind)
		switch f.Kind {
		case history.AttemptsMayOverlap, history.TurnLag, history.SameInputTwice, history.IDMissing:
			continue
		case history.CommitLost:
			for _, c := range f.Calls {
				if len(c.Marks) > 0 {
					line += fmt.Sprintf(" marked:%d", c.TaskScheduledID)
				}
			}
		}
		for _, id := range ids(f.Attempts) {
			line += fmt.Sprintf(" %d", id)
		}
		if f.Kind == history.ChildRetried {
			line += fmt.Sprintf(" x%d", len(f.Children))
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// expect takes from the full findings what the shape has no marks for: without
// ids the ids' stability, without origins what only an origin or a timer's name
// tells, and the dashboard's rows carry no lineage.
func expect(a history.Analysis, run *history.Run) []string {
	c := run.Carries
	late := lateTimers(a)
	var out []string
	for _, line := range comparable(a) {
		switch {
		case !c.IDs && strings.HasPrefix(line, "id_"),
			!c.Origins && strings.HasPrefix(line, "retry_pending"),
			!c.Origins && !c.IDs && late[line],
			run.Shape == history.ShapeDashboard && line == "rerun":
			continue
		}
		out = append(out, line)
	}
	return out
}

// lateTimers lists the retried calls whose retry timer was set in a later turn
// than the one that consumed the failure: only its name or origin links it.
func lateTimers(a history.Analysis) map[string]bool {
	out := map[string]bool{}
	for _, f := range a.Findings {
		failedAt, turns := int32(-1), 0
		for _, ev := range a.Run.Events {
			switch {
			case len(f.Attempts) < 2 || f.Activity == nil:
			case ev.Kind == history.TaskFailed && ev.TaskScheduledID == f.Attempts[0].TaskScheduledID:
				failedAt, turns = ev.Index, 0
			case ev.Kind == history.WorkflowStarted:
				turns++
			case ev.Kind == history.TimerCreated && failedAt >= 0 && ev.Name == *f.Activity+"-retry":
				if turns > 0 {
					line := string(f.Kind)
					for _, id := range ids(f.Attempts) {
						line += fmt.Sprintf(" %d", id)
					}
					out[line] = true
				}
				failedAt = -1
			}
		}
	}
	return out
}
