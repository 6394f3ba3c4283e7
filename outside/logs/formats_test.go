package logs_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/logs"
)

const (
	exec1 = "88d406b9-aa55-462c-999a-93b76f90bfd8"
	exec2 = "bb217e61-ddaa-4737-881b-a4f8d171efcc"
)

// order42 is a run of two calls, each recorded once.
func order42(t testing.TB) *outside.Index {
	t.Helper()
	const h = `{"eventId":-1,"timestamp":"2026-11-29T14:00:00Z","executionStarted":{"name":"OrderWorkflow","workflowInstance":{"instanceId":"order-42"}}}
{"timestamp":"2026-11-29T14:00:01Z","taskScheduled":{"name":"ChargeCard","taskExecutionId":"` + exec1 + `"}}
{"eventId":-1,"timestamp":"2026-11-29T14:00:05Z","taskCompleted":{"taskExecutionId":"` + exec1 + `"}}
{"eventId":1,"timestamp":"2026-11-29T14:00:06Z","taskScheduled":{"name":"SendMail","taskExecutionId":"` + exec2 + `"}}
{"eventId":-1,"timestamp":"2026-11-29T14:00:08Z","taskCompleted":{"taskScheduledId":1,"taskExecutionId":"` + exec2 + `"}}
{"eventId":2,"timestamp":"2026-11-29T14:00:09Z","executionCompleted":{"workflowStatus":"ORCHESTRATION_STATUS_COMPLETED"}}
`
	run, err := history.Read([]byte(h), history.Options{Ref: history.Ref{App: "orders", Instance: "order-42"}})
	if err != nil {
		t.Fatal(err)
	}
	a := history.Analyze(run)
	x := &outside.Index{}
	x.AddRun(&a)
	return x
}

// TestFormats reads the same two bodies of ChargeCard in every form.
func TestFormats(t *testing.T) {
	idem := func(event, body, more string) string {
		return "idem event=" + event + " activity=ChargeCard body=" + body + " instance=order-42 execution_id=" + exec1 + more
	}
	json := func(at, ev, body string) string {
		return fmt.Sprintf(`{"ts":"2026-11-29T14:00:0%sZ","ev":%q,"instance":"order-42","activity":"ChargeCard","task_execution_id":%q,"body":%q}`, at, ev, exec1, body)
	}
	for name, c := range map[string]struct {
		m        logs.Mapping
		lines    []string
		mentions int
	}{
		"idem line":                   {lines: []string{"2026-11-29T14:00:02Z INFO " + idem("start", "a", ""), "2026-11-29T14:00:03Z INFO " + idem("start", "b", ""), "2026-11-29T14:00:04Z INFO " + idem("end", "b", " outcome=ok")}},
		"idem line with its own time": {lines: []string{idem("start", "a", " time=2026-11-29T14:00:02Z"), "x " + idem("start", "b", ` key="order 42: \"charge\"" time=2026-11-29T14:00:03Z`)}},
		"idem line in JSON":           {lines: []string{`{"time":"2026-11-29T14:00:02Z","message":"` + idem("start", "a", "") + `"}`, `{"time":"2026-11-29T14:00:03Z","ctx":{"note":"before ` + idem("start", "b", ` key=\"k 1\"`) + `"}}`}},
		"JSON":                        {lines: []string{json("2", "start", "a"), json("2", "start", "b"), json("4", "end", "b")}},
		"JSON with other names": {lines: []string{
			`{"@timestamp":"2026-11-29T14:00:02Z","fields":{"wf":"order-42","xid":"` + exec1 + `"},"message":"ChargeCard started"}`,
			`{"@timestamp":"2026-11-29T14:00:03Z","fields":{"wf":"order-42","xid":"` + exec1 + `"},"message":"ChargeCard started"}`,
			`{"@timestamp":"2026-11-29T14:00:04Z","fields":{"wf":"order-42","xid":"` + exec1 + `"},"message":"calling the gateway"}`}, mentions: 1},
		"numbers for times": {lines: []string{`{"time":1795960802000,"event":"start","instance":"order-42","activity":"ChargeCard"}`, `{"time":1795960803.5,"event":"start","instance":"order-42","activity":"ChargeCard"}`}},
		"docker": {lines: []string{
			`{"log":"` + strings.ReplaceAll(json("2", "start", "a"), `"`, `\"`) + `\n","stream":"stdout","time":"2026-11-29T14:00:02.1Z"}`,
			`{"log":"` + idem("start", "b", "") + `\n","stream":"stdout","time":"2026-11-29T14:00:03.1Z"}`}},
		"CRI": {lines: []string{"2026-11-29T14:00:02.123456789Z stdout F " + json("2", "start", "a"), "2026-11-29T14:00:03.123456789Z stderr F " + idem("start", "b", "")}},
		"Kubernetes JSON": {lines: []string{
			`{"log":"` + strings.ReplaceAll(json("2", "start", "a"), `"`, `\"`) + `","kubernetes":{"pod_name":"orders-1"},"@timestamp":"2026-11-29T14:00:02Z"}`,
			`{"log":"level=info msg=started activity=ChargeCard instance=order-42 body=b","kubernetes":{"pod_name":"orders-2"},"@timestamp":"2026-11-29T14:00:03Z"}`}},
		"logfmt": {lines: []string{`ts=2026-11-29T14:00:02Z level=info msg="ChargeCard started" instance=order-42 xid=` + exec1, `ts=2026-11-29T14:00:03Z level=info msg="ChargeCard started" instance=order-42 xid=` + exec1}},
		"text":   {lines: []string{"2026-11-29 14:00:02,120 INFO ChargeCard started (run order-42).", "2026-11-29 14:00:03,120 INFO ChargeCard started (run order-42).", "2026-11-29 14:00:04,120 INFO ChargeCard failed, will be started again (run order-42)"}, mentions: 1},
		"text by a pattern": {m: logs.Mapping{Pattern: regexp.MustCompile(`^\[(?P<time>[^\]]+)\] (?P<event>\w+)/(?P<activity>\w+)/(?P<instance>\S+)`), Start: []string{"GO"}},
			lines: []string{"[2026-11-29T14:00:02Z] GO/ChargeCard/order-42 x", "[2026-11-29T14:00:03Z] GO/ChargeCard/order-42 x"}},
		"configured fields and words": {m: logs.Mapping{Event: "what", Instance: "a.b", Activity: "c", Time: "d", Start: []string{"anfang"}},
			lines: []string{`{"a":{"b":"order-42"},"c":"ChargeCard","d":"2026-11-29T14:00:02Z","what":"Anfang","event":"end"}`, `{"a":{"b":"order-42"},"c":"ChargeCard","d":"2026-11-29T14:00:03Z","what":"anfang","event":"end"}`}},
		"one statement twice by a shipper": {lines: []string{json("2", "start", "a"), json("2", "start", "a"), json("3", "start", "b"), json("3", "start", "b")}},
		"id in brackets and quotes":        {lines: []string{`2026-11-29T14:00:02Z ChargeCard begin [id:order-42]`, `2026-11-29T14:00:03Z ChargeCard begin "order-42",`}},
	} {
		t.Run(name, func(t *testing.T) {
			x := order42(t)
			filler := strings.Repeat(`{"ts":"2026-11-29T14:00:02Z","ev":"start","instance":"order-421","activity":"ChargeCard"}`+"\n", 3)
			path := filepath.Join(t.TempDir(), "x.log")
			write(t, path, []byte(filler+strings.Join(c.lines, "\r\n")+"\n"+filler))
			res, err := logs.Read(t.Context(), input.Files{Paths: []string{path}}, c.m, x)
			if err != nil {
				t.Fatal(err)
			}
			if int(res.Matched) != len(c.lines) {
				t.Errorf("%d lines matched of %d", res.Matched, len(c.lines))
			}
			v := x.Settle().Of(0, "ChargeCard#0")
			if v == nil || v.Bodies == nil {
				t.Fatalf("no body: %+v", v)
			}
			if *v.Bodies != 2 || v.Mentions != c.mentions {
				t.Errorf("%d bodies, %d mentions", *v.Bodies, v.Mentions)
			}
			for _, s := range v.Seen {
				if s.Start == nil || s.Start.Second() < 2 || s.Start.Second() > 3 {
					t.Errorf("a body began at %v", s.Start)
				}
			}
			if other := x.Settle().Of(0, "SendMail#1"); other != nil {
				t.Errorf("a body of another call: %+v", other)
			}
		})
	}
}

// TestMentions: lines that name a run and say nothing of a body are no bodies.
func TestMentions(t *testing.T) {
	x := order42(t)
	path := filepath.Join(t.TempDir(), "x.log")
	write(t, path, []byte("2026-11-29T14:00:02Z ChargeCard asks the gateway for order-42\n{\"instance\":\"order-42\",\"activity\":\"ChargeCard\",\"n\":1}\n"))
	if _, err := logs.Read(t.Context(), input.Files{Paths: []string{path}}, logs.Mapping{}, x); err != nil {
		t.Fatal(err)
	}
	e := x.Settle()
	for i := range e.Calls {
		if e.Calls[i].Bodies != nil && *e.Calls[i].Bodies > 0 {
			t.Errorf("bodies: %+v", e.Calls[i])
		}
	}
	if f := e.Findings(0); len(f) > 0 {
		t.Errorf("findings: %+v", f)
	}
}

// TestForeignRun: a body with an id of ours and the instance id of a run that was
// not read (a rerun) is not counted.
func TestForeignRun(t *testing.T) {
	x := order42(t)
	var b bytes.Buffer
	for i := range 300 { // the field that holds instance ids is learned from content
		fmt.Fprintf(&b, `{"ts":"2026-11-29T14:00:02Z","ev":"start","wf":"order-42-rerun","activity":"ChargeCard","xid":%q,"body":"r%d"}`+"\n", exec1, i)
	}
	fmt.Fprintf(&b, `{"ts":"2026-11-29T14:00:02Z","ev":"start","wf":"order-42","activity":"ChargeCard","xid":%q,"body":"own"}`+"\n", exec1)
	lines := strings.SplitAfter(b.String(), "\n")
	slices.Reverse(lines)
	path := filepath.Join(t.TempDir(), "x.log")
	write(t, path, []byte(strings.Join(lines, "")))
	if _, err := logs.Read(t.Context(), input.Files{Paths: []string{path}}, logs.Mapping{}, x); err != nil {
		t.Fatal(err)
	}
	if v := x.Settle().Of(0, "ChargeCard#0"); v == nil || v.Bodies == nil || *v.Bodies != 1 {
		t.Errorf("evidence: %+v", v)
	}
}

// TestLongLines: a line longer than the buffer is passed over and said so; what
// follows it is read.
func TestLongLines(t *testing.T) {
	x := order42(t)
	long := `{"instance":"order-42","pad":"` + strings.Repeat("x", 3<<20) + `"}`
	good := `{"ts":"2026-11-29T14:00:02Z","ev":"start","instance":"order-42","activity":"ChargeCard","body":"a"}`
	path := filepath.Join(t.TempDir(), "x.log")
	write(t, path, []byte(good+"\n"+long+"\n"+strings.Replace(good, `"a"`, `"b"`, 1)+"\n"+long))
	res, err := logs.Read(t.Context(), input.Files{Paths: []string{path}}, logs.Mapping{}, x)
	if err != nil {
		t.Fatal(err)
	}
	if res.TooLong < 1 || res.Matched != 2 {
		t.Errorf("%d too long, %d matched", res.TooLong, res.Matched)
	}
}
