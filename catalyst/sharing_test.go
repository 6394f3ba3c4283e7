package catalyst_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/history"
)

// oneTool is a server with two tools whose answer is whatever answer returns,
// for answers that no schema of the stand-in has.
func oneTool(t *testing.T, answer func() string) *catalyst.Source {
	t.Helper()
	m := server.NewMCPServer("generated", "0", server.WithToolCapabilities(false))
	readOnly := true
	for _, name := range []string{"catalyst_get_workflow_run", "catalyst_list_workflow_runs"} {
		tool := mcp.NewToolWithRawSchema(name, "", json.RawMessage(`{"type":"object","properties":{"projectId":{"type":"string"},"runId":{"type":"string"}}}`))
		tool.Annotations.ReadOnlyHint = &readOnly
		m.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(answer()), nil
		})
	}
	h := httptest.NewServer(server.NewStreamableHTTPServer(m, server.WithStateLess(true)))
	t.Cleanup(h.Close)
	return source(t, catalyst.Config{Server: h.URL + "/mcp", TokenFile: t.TempDir() + "/f", NoKeyring: true, Getenv: func(string) string { return "" }})
}

// TestNoLevelNobodyStated generates run answers whose texts are full of level
// names, and checks that a level is told only where the server stated one or
// payloads prove it.
func TestNoLevelNobodyStated(t *testing.T) {
	var doc string
	src := oneTool(t, func() string { return doc })
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"full", "metadata", `{"dataSharingLevel":"full"}`, "DATA_SHARING_RESTRICTED", "dataSharingLevel: metadata", "level", ""}
	word := func() string { return words[rng.IntN(len(words))] }
	for i := range 400 {
		payload := rng.IntN(3) == 0
		ev := map[string]any{"type": "taskFailed", "event_id": -1, "timestamp": "2026-11-29T14:00:01Z", "task_scheduled_id": 1,
			"failure_details_error_message": word(), "failure_details_stack_trace": word(), "data_sharing_level": word()}
		scheduled := map[string]any{"type": "taskScheduled", "event_id": 1, "timestamp": "2026-11-29T14:00:00Z", "name": word() + "x", "tags": map[string]any{"dataSharingLevel": word()}}
		if payload {
			scheduled["input"] = []any{nil, "", word(), map[string]any{"dataSharingLevel": "metadata"}}[rng.IntN(4)]
		}
		run := map[string]any{"instanceId": "r", "workflowName": word(), "status": "FAILED", "events": []any{scheduled, ev}}
		top := run
		if rng.IntN(2) == 0 {
			top = map[string]any{"getWorkflowRun": run}
		}
		b, err := json.Marshal(top)
		if err != nil {
			t.Fatal(err)
		}
		doc = string(b)
		got, err := src.Run(t.Context(), history.Ref{Instance: "r"})
		if err != nil {
			t.Fatalf("%d: %v: %s", i, err, doc)
		}
		want := history.Sharing{}
		if payload {
			want = history.Sharing{Level: history.LevelFull, How: "this answer holds payloads"}
		}
		if got.Sharing != want {
			t.Fatalf("%d: %+v, want %+v: %s", i, got.Sharing, want, doc)
		}
		for _, e := range got.Events {
			said, _ := json.Marshal(e.Payload)
			if text := e.Payload.String() + string(said); !payload && (strings.Contains(text, "level metadata") || strings.Contains(text, `"level":"`)) {
				t.Fatalf("%d: %s names a level nobody stated: %s", i, text, doc)
			}
		}
	}
	if d := fmt.Sprintf("%+v", src.Describe(t.Context())); strings.Contains(d, "level metadata (") {
		t.Errorf("the description names a level nobody stated: %s", d)
	}
}

// TestLevelOrder walks the order in which a level is known.
func TestLevelOrder(t *testing.T) {
	const run = `"instanceId":"r","status":"FAILED","events":[{"type":"taskScheduled","event_id":1,"timestamp":"2026-11-29T14:00:00Z","name":"A"%s}]`
	for _, tt := range []struct {
		name       string
		before, in string
		configured history.Level
		want       history.Sharing
	}{
		{"nothing", "", "", 0, history.Sharing{}},
		{"stated metadata", `"dataSharingLevel":"metadata",`, "", 0, history.Sharing{Level: history.LevelMetadata, How: "stated by the server in an answer"}},
		{"stated wins over payloads", `"dataSharingLevel":"METADATA",`, `,"input":null`, 0, history.Sharing{Level: history.LevelMetadata, How: "stated by the server in an answer"}},
		{"stated wins over configured", `"_meta":{"data_sharing_level":"full"},`, "", history.LevelMetadata, history.Sharing{Level: history.LevelFull, How: "stated by the server in an answer"}},
		{"served", "", `,"input":""`, 0, history.Sharing{Level: history.LevelFull, How: "this answer holds payloads"}},
		{"served wins over configured", "", `,"output":{}`, history.LevelMetadata, history.Sharing{Level: history.LevelFull, How: "this answer holds payloads"}},
		{"configured", "", "", history.LevelMetadata, history.Sharing{Level: history.LevelMetadata, How: "as configured"}},
		{"configured full, nothing served", "", "", history.LevelFull, history.Sharing{}},
		{"a level nobody knows", `"dataSharingLevel":"everything",`, "", 0, history.Sharing{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := oneTool(t, func() string { return "{" + tt.before + fmt.Sprintf(run, tt.in) + "}" })
			if tt.configured != history.LevelUnstated {
				c := catalyst.Config{Server: m.Describe(t.Context()).Where, SharingLevel: tt.configured, TokenFile: t.TempDir() + "/f", NoKeyring: true, Getenv: func(string) string { return "" }}
				m = source(t, c)
			}
			got, err := m.Run(t.Context(), history.Ref{Instance: "r"})
			if err != nil || got.Sharing != tt.want {
				t.Errorf("got %+v %v, want %+v", got.Sharing, err, tt.want)
			}
		})
	}
}

// TestUnrecognised: an answer of an unknown form is said to be one, and is not
// quoted.
func TestUnrecognised(t *testing.T) {
	for _, doc := range []string{"", "hello", "{}", "[]", `{"stuff":[{"secret":"ORD-77"}]}`, `"events"`, `{"events":{"a":1}}`, `{"runs":[{"x":1}]}`} {
		src := oneTool(t, func() string { return doc })
		_, err := src.Run(t.Context(), history.Ref{Instance: "r"})
		if err == nil || !strings.Contains(err.Error(), "did not recognise") || strings.Contains(err.Error(), "ORD-77") {
			t.Errorf("%q: run: %v", doc, err)
		}
		if doc == "[]" {
			continue // an empty list of runs
		}
		_, _, err = list(t.Context(), src, history.Filter{})
		if err == nil || !strings.Contains(err.Error(), "did not recognise") || strings.Contains(err.Error(), "ORD-77") {
			t.Errorf("%q: list: %v", doc, err)
		}
	}
	for _, doc := range []string{"[]", `{"runs":[]}`, `{"items":null}`, `{"data":{"items":[]}}`} {
		hs, _, err := list(t.Context(), oneTool(t, func() string { return doc }), history.Filter{})
		if err != nil || len(hs) != 0 {
			t.Errorf("%q: %d runs, %v", doc, len(hs), err)
		}
	}
}
