package tools_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/idem-mcp/idem-mcp/tools"
)

type message struct {
	ID     int `json:"id"`
	Result struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Input       json.RawMessage `json:"inputSchema"`
			Output      json.RawMessage `json:"outputSchema"`
			Annotations map[string]any  `json:"annotations"`
		} `json:"tools"`
		Content []struct{ Type, Text string } `json:"content"`
		IsError bool                          `json:"isError"`
		Body    json.RawMessage               `json:"structuredContent"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// talk sends requests to a stdio server and returns the answers by id, and the
// longest line. Every line of the server must be JSON-RPC.
func talk(t testing.TB, d tools.Deps, requests ...string) (answers map[int]message, sizes map[int]int) {
	t.Helper()
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for i, r := range requests {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`+"\n", i+1, r)
	}
	var out bytes.Buffer
	if err := tools.ServeStdio(t.Context(), d, zerolog.Nop(), strings.NewReader(strings.TrimSuffix(in, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers, sizes = map[int]message{}, map[int]int{}
	sc := bufio.NewScanner(&out)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var m message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			t.Fatalf("not JSON-RPC: %q", sc.Text())
		}
		answers[m.ID], sizes[m.ID] = m, len(sc.Bytes())
	}
	return answers, sizes
}

func call(tool, args string) string {
	return fmt.Sprintf(`"method":"tools/call","params":{"name":%q,"arguments":%s}`, tool, args)
}

func TestToolsList(t *testing.T) {
	answers, sizes := talk(t, deps(t, "../examples/runs"), `"method":"tools/list"`)
	list := answers[1].Result.Tools
	if len(list) != len(tools.All()) {
		t.Fatalf("%d tools listed, %d defined", len(list), len(tools.All()))
	}
	if sizes[1] > 16_000 {
		t.Errorf("tools/list takes %d bytes, more than 4k tokens", sizes[1])
	}
	t.Logf("tools/list: %d bytes", sizes[1])
	for _, tool := range list {
		for hint, want := range map[string]bool{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false} {
			if got, ok := tool.Annotations[hint].(bool); !ok || got != want {
				t.Errorf("%s: %s is %v", tool.Name, hint, tool.Annotations[hint])
			}
		}
		compile(t, tool.Input)
		compile(t, tool.Output)
		if !bytes.Contains(tool.Input, []byte(`"additionalProperties":false`)) {
			t.Errorf("%s admits unknown arguments", tool.Name)
		}
	}
}

// TestBudget asks everything of every example run as an assistant does.
func TestBudget(t *testing.T) {
	d := deps(t, "../examples/runs")
	corpus, err := filepath.Abs("../review/testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	d.Code.Roots = []string{corpus}
	requests := []string{call("idem_find_duplicates", `{}`), call("idem_find_duplicates", `{"response_format":"detailed"}`), call("idem_list_runs", `{"limit":1000}`), call("idem_status", `{}`),
		call("idem_review_code", `{"paths":["."],"with_runs":true}`), call("idem_review_code", `{"paths":["."],"with_runs":true,"response_format":"detailed","limit":1000}`),
		call("idem_find_duplicates", `{"with_code":["."],"response_format":"detailed"}`), call("idem_preview_rerun", `{"run":"../examples/runs/s7-pg-04-fanout-big/history.ndjson","event":"1","code":["."]}`)}
	for h, err := range d.Source.Runs(t.Context(), filter()) {
		if err != nil {
			continue // passed over
		}
		args := fmt.Sprintf(`{"run":%q,"response_format":"detailed","limit":1000}`, h.Ref.Location)
		requests = append(requests, call("idem_find_duplicates", args), call("idem_read_history", args))
	}
	answers, _ := talk(t, d, requests...)
	for i, r := range requests {
		m := answers[i+1]
		if m.Error != nil || m.Result.IsError || len(m.Result.Content) != 1 {
			t.Errorf("%s: %+v", r, m)
			continue
		}
		if n := len(m.Result.Body); n > tools.Budget {
			t.Errorf("%s: %d bytes of JSON", r, n)
		}
		if n := len(m.Result.Content[0].Text); n > tools.Budget {
			t.Errorf("%s: %d bytes of text", r, n)
		}
		var a struct {
			Summary   string
			Truncated bool
			Cursor    string
			Narrow    string
		}
		if err := json.Unmarshal(m.Result.Body, &a); err != nil || a.Summary == "" {
			t.Errorf("%s: %v, %+v", r, err, a)
		}
		if a.Truncated != (a.Cursor != "") || a.Truncated != (a.Narrow != "") {
			t.Errorf("%s: truncated %v, cursor %q, narrow %q", r, a.Truncated, a.Cursor, a.Narrow)
		}
	}
}

func TestErrors(t *testing.T) {
	d := deps(t, "../examples/runs")
	answers, _ := talk(t, d,
		`"method":"tools/call","params":{"name":"idem_nothing","arguments":{}}`,
		call("idem_list_runs", `{"appid":"orders"}`),
		call("idem_list_runs", `{"limit":"ten"}`),
		call("idem_list_runs", `{"limit":5000}`),
		call("idem_list_runs", `{"since":"yesterday"}`),
		call("idem_list_runs", `{"cursor":"x"}`),
		call("idem_list_runs", `{"app":null,"limit":null}`),
		call("idem_explain_call", `{}`),
		call("idem_read_history", `{"history":{"hello":1}}`),
		`"method":"tools/call","params":{"name":"idem_status"}`,
	)
	if answers[1].Error == nil {
		t.Error("an unknown tool is no protocol error")
	}
	for id, want := range map[int]string{
		2: `Did you mean "app"?`, 3: "whole number from 1 to 1000", 4: "whole number from 1 to 1000", 5: "RFC 3339", 6: "cursor", 8: "call", 9: "Known shapes",
	} {
		m := answers[id]
		if m.Error != nil || !m.Result.IsError || len(m.Result.Content) == 0 || !strings.Contains(m.Result.Content[0].Text, want) {
			t.Errorf("request %d: %+v; want a tool error holding %q", id, m, want)
		}
	}
	for _, id := range []int{7, 10} {
		if m := answers[id]; m.Error != nil || m.Result.IsError {
			t.Errorf("request %d was refused: %+v", id, m)
		}
	}
}
