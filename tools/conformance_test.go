package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/tools"
)

// TestConformance holds every tool to what assistants rely on, by calling it.
func TestConformance(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for _, c := range tools.All() {
		t.Run(c.Name, func(t *testing.T) { conforms(t, c, dir) })
	}
}

// Words with which a purpose says when to use a tool, and when not: another tool
// that it names is one to use instead.
var (
	when    = regexp.MustCompile(`(?i)\b(use|for|before|when)\b`)
	whenNot = regexp.MustCompile(`(?i)\b(not|never|nothing)\b|idem_`)
)

func conforms(t *testing.T, c tools.Capability, dir string) {
	if !when.MatchString(c.Purpose) || !whenNot.MatchString(c.Purpose) {
		t.Errorf("the purpose says not both when to use it and when not: %s", c.Purpose)
	}
	d, args := exampleCall(t, c, dir)
	r := c.Call(t.Context(), d, args)
	if r.Err != nil {
		t.Fatalf("%s: %v", args, r.Err)
	}
	whole := membersOf(t, r.JSON)
	checkAnswer(t, r)
	checkNext(t, d, r)
	for _, format := range []string{"concise", "detailed"} {
		if r := c.Call(t.Context(), d, withArgument(t, args, "response_format", format)); r.Err != nil {
			t.Errorf("response_format %s: %v", format, r.Err)
		} else {
			checkAnswer(t, r)
		}
	}
	checkFields(t, c, d, args, whole)
	checkLimit(t, c, d, args)
	for name, bad := range map[string]any{"response_format": "short", "limit": 0, "cursor": "nonsense:1", "fields": []string{"nothing"}, "feilds": "x"} {
		r := c.Call(t.Context(), d, withArgument(t, args, name, bad))
		if r.Err == nil {
			if name != "cursor" { // a listing may begin anywhere, and some tools have one page
				t.Errorf("%s %v was accepted", name, bad)
			}
			continue
		}
		checkRefusal(t, name, r)
	}
}

// exampleCall is a real call of a tool: the first golden case that is answered.
func exampleCall(t *testing.T, c tools.Capability, dir string) (tools.Deps, json.RawMessage) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, strings.TrimPrefix(c.Name, "idem_"), "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		in := archive(t, path)
		if _, shell := in["shell"]; shell || in["answer.json"] == "" {
			continue
		}
		return prepare(t, path, in)
	}
	t.Fatal("there is no golden case to call it with")
	return tools.Deps{}, nil
}

func withArgument(t *testing.T, args json.RawMessage, name string, value any) json.RawMessage {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(args, &m); err != nil {
		t.Fatal(err)
	}
	m[name] = value
	return arguments(t, m)
}

func membersOf(t *testing.T, raw json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

type commonAnswer struct {
	Summary   string
	Hints     []string
	Truncated bool
	Narrow    string
	Cursor    string
	Next      []struct {
		Tool      string
		Arguments map[string]string
		Why       string
	}
}

// checkAnswer: an answer has a summary, ends with what to ask next, and says how
// to go on when it is cut.
func checkAnswer(t *testing.T, r tools.Result) {
	t.Helper()
	var a commonAnswer
	if err := json.Unmarshal(r.JSON, &a); err != nil {
		t.Fatal(err)
	}
	if a.Summary == "" || len(a.Next) == 0 {
		t.Errorf("summary %q, %d next calls", a.Summary, len(a.Next))
	}
	if !strings.Contains(r.Text, "\nNext:\n") {
		t.Errorf("the text does not end with next calls:\n%s", r.Text)
	}
	if a.Truncated != (a.Cursor != "") || a.Truncated != (a.Narrow != "") {
		t.Errorf("truncated %v, cursor %q, narrow %q", a.Truncated, a.Cursor, a.Narrow)
	}
	if a.Truncated && !strings.Contains(r.Text, a.Cursor) {
		t.Errorf("the text of a cut answer does not show the cursor %s", a.Cursor)
	}
	if len(r.JSON) > tools.Budget || len(r.Text) > tools.Budget {
		t.Errorf("%d bytes of JSON, %d of text", len(r.JSON), len(r.Text))
	}
}

// checkNext: the calls that an answer suggests can be made as they stand, unless
// they leave something to fill in.
func checkNext(t *testing.T, d tools.Deps, r tools.Result) {
	t.Helper()
	var a commonAnswer
	if err := json.Unmarshal(r.JSON, &a); err != nil {
		t.Fatal(err)
	}
	for _, n := range a.Next {
		c := byName(t, n.Tool)
		if n.Why == "" {
			t.Errorf("%s is suggested without a reason", n.Tool)
		}
		if strings.Contains(fmt.Sprint(n.Arguments), "<") {
			if err := takes(c, n.Arguments); err != nil {
				t.Errorf("%s is suggested: %v", n.Tool, err)
			}
			continue // something is left to fill in
		}
		if r := c.Call(t.Context(), d, arguments(t, n.Arguments)); r.Err != nil && fault.KindOf(r.Err) != fault.NotFound {
			t.Errorf("%s %v is suggested, and refused: %v", n.Tool, n.Arguments, r.Err)
		}
	}
}

func takes(c tools.Capability, args map[string]string) error {
	names := map[string]bool{}
	for _, f := range c.Fields {
		names[f.Name] = true
	}
	for name := range args {
		if !names[name] {
			return fmt.Errorf("there is no argument %s", name)
		}
	}
	return nil
}

// checkFields: every member can be asked for alone, and what was not asked for
// is absent in both forms.
func checkFields(t *testing.T, c tools.Capability, d tools.Deps, args json.RawMessage, whole map[string]json.RawMessage) {
	t.Helper()
	always := map[string]bool{"summary": true, "coverage": true, "truncated": true, "narrow": true, "cursor": true}
	for _, m := range c.Members() {
		r := c.Call(t.Context(), d, withArgument(t, args, "fields", []string{m}))
		if r.Err != nil {
			t.Errorf("fields %s: %v", m, r.Err)
			continue
		}
		got := membersOf(t, r.JSON)
		for name := range got {
			if name != m && !always[name] {
				t.Errorf("fields %s: %s is there too", m, name)
			}
		}
		for name, v := range whole {
			if (name == m || always[name]) && string(got[name]) != string(v) {
				t.Errorf("fields %s: %s is %s, want %s", m, name, got[name], v)
			}
		}
		if strings.Contains(r.Text, "\nNext:\n") != (m == "next") {
			t.Errorf("fields %s: the text\n%s", m, r.Text)
		}
	}
}

// checkLimit: with limit 1 the answer is no longer, and its cursor is understood.
func checkLimit(t *testing.T, c tools.Capability, d tools.Deps, args json.RawMessage) {
	t.Helper()
	one := withArgument(t, args, "limit", 1)
	r := c.Call(t.Context(), d, one)
	if r.Err != nil {
		t.Fatalf("limit 1: %v", r.Err)
	}
	checkAnswer(t, r)
	var a commonAnswer
	if err := json.Unmarshal(r.JSON, &a); err != nil {
		t.Fatal(err)
	}
	if a.Cursor == "" {
		return
	}
	if r := c.Call(t.Context(), d, withArgument(t, one, "cursor", a.Cursor)); r.Err != nil {
		t.Errorf("its own cursor %s is refused: %v", a.Cursor, r.Err)
	}
}

// checkRefusal: an error says what failed and what to do.
func checkRefusal(t *testing.T, name string, r tools.Result) {
	t.Helper()
	var e struct {
		Error struct {
			What, Do string
			Allowed  []string
		}
	}
	if err := json.Unmarshal(r.JSON, &e); err != nil {
		t.Fatal(err)
	}
	if e.Error.What == "" || e.Error.Do == "" || !strings.Contains(r.Text, e.Error.Do[1:len(e.Error.Do)-1]) {
		t.Errorf("%s is refused without saying what to do: %s", name, r.Text)
	}
	if (name == "fields" || name == "response_format") && len(e.Error.Allowed) == 0 {
		t.Errorf("%s is refused without the allowed values", name)
	}
}

// TestEmptyAnswers: an answer with nothing in it says why that may be, and what
// to try.
func TestEmptyAnswers(t *testing.T) {
	d := deps(t, "../examples/runs")
	d.Code.Roots = []string{t.TempDir()}
	empty := deps(t, t.TempDir())
	for _, c := range []struct {
		tool string
		args string
		d    tools.Deps
		want string
	}{
		{"list_runs", `{}`, empty, "holds no run"},
		{"find_duplicates", `{}`, empty, "holds no run"},
		{"list_runs", `{"app":"order"}`, d, `Did you mean "orders"?`},
		{"list_runs", `{"workflow":"orderworkflow"}`, d, `Did you mean "OrderWorkflow"?`},
		{"list_runs", `{"since":"1m"}`, d, "The newest run seen was created at 2026-"},
		{"find_duplicates", `{"status":["suspended"],"text":"s1-01"}`, d, "try it without status"},
		{"find_duplicates", `{"workflow":"Nothing","since":"1m"}`, d, "there are "},
		{"read_history", `{"run":"s1-01-seq-3","cursor":"event:5000"}`, d, "leave cursor out"},
		{"review_code", `{"code":"x = 1","language":"python"}`, d, "when symbol names it"},
		{"review_code", `{"code":"x = 1","language":"python","symbol":"y"}`, d, "names are compared whole"},
		{"review_code", `{"paths":["."]}`, d, "Only Python"},
	} {
		r := byName(t, c.tool).Call(t.Context(), c.d, json.RawMessage(c.args))
		if r.Err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, r.Err)
			continue
		}
		checkAnswer(t, r)
		var a commonAnswer
		if err := json.Unmarshal(r.JSON, &a); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(a.Hints, "\n"), c.want) || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s %s: want %q in\n%s", c.tool, c.args, c.want, r.Text)
		}
	}
}

// secretive refuses a listing without a filter.
type secretive struct{ history.Source }

func (s secretive) Runs(ctx context.Context, f history.Filter) iter.Seq2[history.Header, error] {
	if f.App == "" {
		return func(yield func(history.Header, error) bool) {
			yield(history.Header{}, &fault.Error{Kind: fault.Forbidden, What: "list runs of every app"})
		}
	}
	return s.Source.Runs(ctx, f)
}

// TestEmptyAndUnknown: where the names cannot be looked at, nothing is said of
// what is there.
func TestEmptyAndUnknown(t *testing.T) {
	d := deps(t, "../examples/runs/s1-01-seq-3")
	d.Source = secretive{d.Source}
	r := byName(t, "list_runs").Call(t.Context(), d, json.RawMessage(`{"app":"nobody"}`))
	if r.Err != nil || !strings.Contains(r.Text, "could not be looked at, so nothing is known about them: list runs of every app") {
		t.Errorf("%v\n%s", r.Err, r.Text)
	}
}
