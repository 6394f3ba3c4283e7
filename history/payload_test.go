package history_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// TestPayloadNeverPrintsAsAnother: every way to print a payload keeps the four
// states apart, and none but JSON and Value gives a value.
func TestPayloadNeverPrintsAsAnother(t *testing.T) {
	s := history.Sharing{Level: history.LevelMetadata, How: "as configured"}
	states := map[string]history.Payload{
		"shared":       history.SharedPayload("secret"),
		"empty":        history.EmptyPayload(),
		"withheld":     history.WithheldPayload(&s),
		"not_recorded": {},
	}
	for want, p := range states {
		var got struct {
			State, Value, Level string
			How                 string `json:"how_known"`
		}
		b := jsonOf(t, p)
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if got.State != want || p.State().String() != want {
			t.Errorf("%s prints as %s", want, b)
		}
		if (got.Value != "") != (want == "shared") || (got.Level != "") != (want == "withheld") {
			t.Errorf("%s: %s", want, b)
		}
		for _, verb := range []string{"%v", "%+v", "%s", "%#v"} {
			if text := fmt.Sprintf(verb, p); verb != "%#v" && strings.Contains(text, "secret") {
				t.Errorf("%s with %s shows the value: %s", want, verb, text)
			}
		}
		if _, ok := p.Value(); ok != (want == "shared") {
			t.Errorf("%s has a value: %v", want, ok)
		}
	}
}

// TestUnstatedLevelIsNotNamed: a payload withheld by a server that stated no
// level prints without one.
func TestUnstatedLevelIsNotNamed(t *testing.T) {
	p := history.WithheldPayload(&history.Sharing{})
	for _, text := range []string{p.String(), string(jsonOf(t, p))} {
		if strings.Contains(text, "metadata") || strings.Contains(text, "full") || !strings.Contains(text, "did not state the level") {
			t.Error(text)
		}
	}
}

// TestNoPayloadByteAtMetadata: at level metadata no byte of any payload of any
// real run is in the run, its analysis or its headers.
func TestNoPayloadByteAtMetadata(t *testing.T) {
	for _, r := range realRuns(t, metadataLevel) {
		a := history.Analyze(r.run)
		text := fmt.Sprintf("%+v", r.run) + string(jsonOf(t, a.Findings)) + string(jsonOf(t, a.Table()))
		for _, ev := range protoEvents(t, r.name) {
			for _, v := range []string{ev.GetTaskScheduled().GetInput().GetValue(), ev.GetTaskCompleted().GetResult().GetValue(), ev.GetExecutionStarted().GetInput().GetValue()} {
				if len(v) > 6 && strings.Contains(text, v) {
					t.Errorf("%s: payload %q is visible", r.name, v)
				}
			}
		}
		for i := range r.run.Events {
			if r.run.Events[i].Payload.State() == history.PayloadShared {
				t.Errorf("%s: event %d has a shared payload", r.name, i)
			}
		}
	}
}

// TestFingerprintsTellEqualityOnly: with the operator's leave, equal inputs are
// known as equal although withheld, and different ones as different.
func TestFingerprintsTellEqualityOnly(t *testing.T) {
	o := history.Options{Sharing: metadataLevel, Fingerprint: history.NewFingerprinter([]byte("k"))}
	run, err := history.Read(mustRead(t, "../examples/runs/s2-09-same-activity-twice-same/history.ndjson"), o)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []history.Payload
	for _, ev := range run.Events {
		if ev.Kind == history.TaskScheduled {
			inputs = append(inputs, ev.Payload)
		}
	}
	if got := inputs[0].Compare(inputs[1]); got != history.Equal {
		t.Errorf("same input compares as %v", got)
	}
	other, err := history.Read(mustRead(t, "../examples/runs/s2-14-timeout-effect-done/history.ndjson"), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := inputs[0].Compare(other.Input); got != history.Different {
		t.Errorf("different inputs compare as %v", got)
	}
	a := history.Analyze(run)
	if len(kinds(a, history.SameInputTwice)) == 0 {
		t.Error("two calls with the same withheld input were not asked about")
	}
	if text := fmt.Sprintf("%+v %s", inputs[0], jsonOf(t, inputs[0])); strings.Contains(text, "SendReminder") || inputs[0].State() != history.PayloadWithheld {
		t.Error(text)
	}
}

// TestCatalystAbsentEmptyValue: an absent payload was not shared, null or "" is
// empty, a value is the value; a served value proves level full.
func TestCatalystAbsentEmptyValue(t *testing.T) {
	doc := `{"instanceId":"o-1","history":[
	 {"event_id":-1,"timestamp":"2026-11-01T12:00:00.5Z","type":"ExecutionStarted","name":"W"%s},
	 {"event_id":0,"timestamp":"2026-11-01T12:00:01.5Z","type":"TaskScheduled","name":"A","input":null},
	 {"event_id":1,"timestamp":"2026-11-01T12:00:01.6Z","type":"TaskScheduled","name":"B","input":""},
	 {"event_id":2,"timestamp":"2026-11-01T12:00:01.7Z","type":"TaskScheduled","name":"C"}]}`
	run, err := history.Read(fmt.Appendf(nil, doc, ""), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []history.PayloadState{history.PayloadWithheld, history.PayloadEmpty, history.PayloadEmpty, history.PayloadWithheld}
	for i, w := range want {
		if got := run.Events[i].Payload.State(); got != w {
			t.Errorf("event %d is %s, want %s", i, got, w)
		}
	}
	if s, _ := run.Events[0].Payload.Sharing(); s.Level != history.LevelUnstated {
		t.Errorf("a level nobody stated: %v", s)
	}
	run, err = history.Read(fmt.Appendf(nil, doc, `,"input":{"order":7}`), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := run.Events[0].Payload.Value(); !ok || v != `{"order":7}` {
		t.Errorf("value = %q, %v", v, ok)
	}
	if run.Sharing.Level != history.LevelFull {
		t.Errorf("a served payload proves level full, got %v", run.Sharing)
	}
	run, err = history.Read(fmt.Appendf(nil, doc, `,"input":{"order":7}`), history.Options{Sharing: metadataLevel})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := run.Events[0].Payload.Value(); ok {
		t.Error("the operator's level metadata does not hold for an answer that carries payloads")
	}
}
