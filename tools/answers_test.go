package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/tools"
)

func filter() history.Filter { return history.Filter{} }

// certified finds what no answer may say.
var certified = regexp.MustCompile(`(?i)\b(ran|runs|run|executed|happened) (exactly |only |just )?once\b|no duplicates?\b|not executed twice`)

// TestNeverCertifies asks about every example run in every form.
func TestNeverCertifies(t *testing.T) {
	d := deps(t, "../examples/runs")
	for h, err := range d.Source.Runs(t.Context(), filter()) {
		if err != nil {
			continue
		}
		for _, form := range []string{"concise", "detailed"} {
			for _, shell := range []bool{true, false} {
				d.Shell = shell
				args := json.RawMessage(fmt.Sprintf(`{"run":%q,"response_format":%q}`, h.Ref.Location, form))
				for _, name := range []string{"idem_find_duplicates", "idem_read_history", "idem_choose_key"} {
					r := byName(t, name).Call(t.Context(), d, args)
					if r.Err != nil {
						t.Fatalf("%s %s: %v", name, args, r.Err)
					}
					for _, s := range []string{r.Text, string(r.JSON)} {
						if m := certified.FindString(s); m != "" {
							t.Errorf("%s %s says %q", name, args, m)
						}
					}
					if form == "concise" && name == "idem_find_duplicates" {
						if n := strings.Count(r.Text, "\n"); n > 48 {
							t.Errorf("%s %s: %d lines of text", name, args, n)
						}
					}
				}
			}
		}
	}
}

// long is a run of n calls of three events each, every hundredth retried.
func long(n int) string {
	var b strings.Builder
	b.WriteString(`{"eventId":-1,"timestamp":"2026-11-29T14:00:00Z","executionStarted":{"name":"Long","workflowInstance":{"instanceId":"long","executionId":"e"}},"router":{"sourceAppID":"orders"}}` + "\n")
	id := 0
	for i := range n {
		at := func(ms int) string {
			return fmt.Sprintf("2026-11-29T%02d:%02d:%02d.%03d456789Z", 14+i/3600, i/60%60, i%60, ms)
		}
		schedule := func(ms int) {
			fmt.Fprintf(&b, `{"eventId":%d,"timestamp":%q,"taskScheduled":{"name":"ChargeCard","input":"{\"order\":\"ORD-%06d\",\"amount\":1999}","taskExecutionId":"00000000-0000-4000-8000-%012d"},"router":{"sourceAppID":"orders"}}`+"\n", id, at(ms), i, i)
		}
		schedule(100)
		fmt.Fprintf(&b, `{"eventId":-1,"timestamp":%q,"workflowStarted":{}}`+"\n", at(300))
		if i%100 == 99 {
			fmt.Fprintf(&b, `{"eventId":-1,"timestamp":%q,"taskFailed":{"taskScheduledId":%d,"taskExecutionId":"00000000-0000-4000-8000-%012d","failureDetails":{"errorType":"Timeout","errorMessage":"i/o timeout"}}}`+"\n", at(200), id, i)
			id++
			schedule(400)
			fmt.Fprintf(&b, `{"eventId":-1,"timestamp":%q,"workflowStarted":{}}`+"\n", at(600))
		}
		fmt.Fprintf(&b, `{"eventId":-1,"timestamp":%q,"taskCompleted":{"taskScheduledId":%d,"result":"{\"ok\":true,\"ref\":\"ref-%06d\"}","taskExecutionId":"00000000-0000-4000-8000-%012d"}}`+"\n", at(500), id, i, i)
		id++
	}
	return b.String()
}

// TestLongRun: the concise answer for a long run is at most 5 % of its JSON and
// at most 8k tokens, in both forms.
func TestLongRun(t *testing.T) {
	for _, calls := range []int{330, 3300} {
		raw := long(calls)
		args, err := json.Marshal(map[string]string{"history": raw, "run": "long", "app": "orders"})
		if err != nil {
			t.Fatal(err)
		}
		r := byName(t, "idem_find_duplicates").Call(t.Context(), deps(t, "../examples/runs/s1-01-seq-3"), args)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		limit := min(tools.Budget, len(raw)/20)
		if len(r.JSON) > limit || len(r.Text) > limit {
			t.Errorf("%d events, %d bytes: the answer has %d bytes of JSON and %d of text, at most %d each", strings.Count(raw, "\n"), len(raw), len(r.JSON), len(r.Text), limit)
		}
		if !r.Found {
			t.Error("the retries were not found")
		}
		t.Logf("%d events, %d bytes: %d bytes of JSON, %d of text", strings.Count(raw, "\n"), len(raw), len(r.JSON), len(r.Text))
	}
}

// TestPages: following the cursor gives every finding, event and run, each in
// one place.
func TestPages(t *testing.T) {
	d := deps(t, "../examples/runs")
	collect := func(name, args, list, key string) (all []string, pages int) {
		cursor := ""
		for {
			var m map[string]any
			if err := json.Unmarshal([]byte(args), &m); err != nil {
				t.Fatal(err)
			}
			if cursor != "" {
				m["cursor"] = cursor
			}
			in, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			r := byName(t, name).Call(t.Context(), d, in)
			if r.Err != nil {
				t.Fatalf("%s %s: %v", name, in, r.Err)
			}
			var out map[string]any
			if err := json.Unmarshal(r.JSON, &out); err != nil {
				t.Fatal(err)
			}
			for _, x := range out[list].([]any) {
				all = append(all, fmt.Sprint(x.(map[string]any)[key]))
			}
			pages++
			next, _ := out["cursor"].(string)
			if next == "" {
				return all, pages
			}
			if next == cursor || pages > 500 {
				t.Fatalf("%s does not come to an end at cursor %q", name, cursor)
			}
			cursor = next
		}
	}
	events, pages := collect("idem_read_history", `{"run":"examples","limit":7,"run":"../examples/runs/s7-pg-04-fanout-big/history.ndjson"}`, "events", "index")
	for i, e := range events {
		if e != fmt.Sprint(i) {
			t.Fatalf("event %s at place %d", e, i)
		}
	}
	t.Logf("%d events on %d pages", len(events), pages)
	runs, pages := collect("idem_list_runs", `{"limit":10}`, "runs", "location")
	if len(runs) != 116 {
		t.Errorf("%d runs on %d pages", len(runs), pages)
	}
	found, pages := collect("idem_find_duplicates", `{"limit":1000}`, "findings", "kind")
	d.Shell = true
	all, _ := collect("idem_find_duplicates", `{}`, "findings", "kind")
	if len(found) != len(all) {
		t.Errorf("%d findings on %d pages, %d at once", len(found), pages, len(all))
	}
}

// TestHostileText: what an application wrote reaches neither form uncleaned.
func TestHostileText(t *testing.T) {
	raw := strings.ReplaceAll(long(2), "ChargeCard", `Charge\u202eCard\u0007`)
	raw = strings.ReplaceAll(raw, `"instanceId":"long"`, `"instanceId":"a\u200b/../b"`)
	args, err := json.Marshal(map[string]string{"history": raw, "run": "x\u202ey", "response_format": "detailed"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tools.All() {
		if c.Name == "idem_status" || c.Name == "idem_list_runs" || c.Name == "idem_console_link" || c.Name == "idem_reconcile" || c.Name == "idem_survey" || c.Positional != "" {
			continue
		}
		in := args
		switch c.Name {
		case "idem_explain_call":
			in = []byte(strings.Replace(string(args), `{`, `{"call":"0",`, 1))
		case "idem_preview_rerun":
			in = []byte(strings.Replace(string(args), `{`, `{"event":"0",`, 1))
		}
		r := c.Call(t.Context(), deps(t, "../examples/runs/s1-01-seq-3"), in)
		if r.Err != nil {
			t.Fatalf("%s: %v", c.Name, r.Err)
		}
		var decoded any
		if err := json.Unmarshal(r.JSON, &decoded); err != nil {
			t.Fatal(err)
		}
		for _, s := range append(texts(decoded), strings.Split(r.Text, "\n")...) {
			if i := strings.IndexFunc(s, clean.Hidden); i >= 0 && s[i] != '\n' && s[i] != '\t' {
				t.Errorf("%s: a hidden character in %q", c.Name, s)
			}
		}
	}
}

func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, texts(x)...)
		}
		return out
	case map[string]any:
		var out []string
		for k, x := range v {
			out = append(out, k)
			out = append(out, texts(x)...)
		}
		return out
	}
	return nil
}

// FuzzArguments: no argument crashes a capability, and every refusal explains
// itself.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"run":"a"}`, `null`, `[]`, `{"limit":1e3}`, `{"history":[{"eventId":1}]}`, `{"cursor":"finding:-1"}`, `{"status":[""]}`, `{"since":"-1d"}`} {
		f.Add(s)
	}
	d := deps(f, "../examples/runs/s1-01-seq-3")
	f.Fuzz(func(t *testing.T, args string) {
		for _, c := range tools.All() {
			r := c.Call(t.Context(), d, json.RawMessage(args))
			if r.Text == "" || !json.Valid(r.JSON) {
				t.Errorf("%s %s: %q, %s", c.Name, args, r.Text, r.JSON)
			}
			if strings.Contains(r.Text, "internal error") {
				t.Errorf("%s %s: %s", c.Name, args, r.Text)
			}
		}
	})
}
