package sourcetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dapr/durabletask-go/api/protos"
	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/history"
)

// wantEvent is the decisive part of an event, as text that a diff shows well.
func wantEvent(m *protos.HistoryEvent) string {
	kind := "unknown"
	r := m.ProtoReflect()
	if f := r.WhichOneof(r.Descriptor().Oneofs().ByName("eventType")); f != nil {
		kind = string(f.Name())
	}
	scheduled := history.NoID
	execution := ""
	switch {
	case m.GetTaskScheduled() != nil:
		execution = m.GetTaskScheduled().GetTaskExecutionId()
	case m.GetTaskCompleted() != nil:
		scheduled, execution = m.GetTaskCompleted().GetTaskScheduledId(), m.GetTaskCompleted().GetTaskExecutionId()
	case m.GetTaskFailed() != nil:
		scheduled, execution = m.GetTaskFailed().GetTaskScheduledId(), m.GetTaskFailed().GetTaskExecutionId()
	case m.GetTimerFired() != nil:
		scheduled = m.GetTimerFired().GetTimerId()
	case m.GetChildWorkflowInstanceCompleted() != nil:
		scheduled = m.GetChildWorkflowInstanceCompleted().GetTaskScheduledId()
	case m.GetChildWorkflowInstanceFailed() != nil:
		scheduled = m.GetChildWorkflowInstanceFailed().GetTaskScheduledId()
	}
	return fmt.Sprintf("%s id=%d answers=%d execution=%s", kind, m.GetEventId(), scheduled, execution)
}

func gotEvent(e history.Event) string {
	return fmt.Sprintf("%s id=%d answers=%d execution=%s", e.Kind, e.ID, e.TaskScheduledID, e.TaskExecutionID)
}

// order reads every run and compares its events with the stored ones, ids of
// zero included.
func order(t *testing.T, s history.Source, runs []Stored) {
	for _, r := range runs {
		run, err := s.Run(ctxFor(t), history.Ref{Instance: r.Instance})
		if err != nil {
			t.Errorf("%s: %v", r.Instance, err)
			continue
		}
		if run.Ref.Instance != r.Instance {
			t.Errorf("asked for %s, got %s", r.Instance, run.Ref.Instance)
		}
		var got, want []string
		for i, e := range run.Events {
			got = append(got, gotEvent(e))
			if int(e.Index) != i {
				t.Errorf("%s: event %d has index %d", r.Instance, i, e.Index)
			}
		}
		for _, m := range r.Messages {
			want = append(want, wantEvent(m))
		}
		if !run.Carries.StoredOrder {
			slices.Sort(got)
			slices.Sort(want)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: events differ (-stored +read):\n%s", r.Instance, diff)
		}
		if r.Generation > 1 && run.Carries.Generation && (run.Generation != int64(r.Generation) || !run.Coverage.Partial()) {
			t.Errorf("%s: generation %d with coverage %+v; want %d, and partial", r.Instance, run.Generation, run.Coverage, r.Generation)
		}
	}
}

// secrets are texts that only payloads hold.
func secrets() []string {
	return []string{"ORD-101", "1999", "ref_68f626b3", "Żółć", "北京", "greeting"}
}

// withheld checks that at level metadata no payload's text gets out, and that
// what is withheld does not look empty.
func withheld(t *testing.T, s history.Source, runs []Stored) {
	for _, r := range runs {
		run, err := s.Run(ctxFor(t), history.Ref{Instance: r.Instance})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets() {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: payload text %q gets out at level metadata", r.Instance, secret)
			}
		}
		for i, e := range run.Events {
			if _, ok := e.Payload.Value(); ok {
				t.Errorf("%s: event %d shares its payload at level metadata", r.Instance, i)
			}
			if in := inputOf(r, e); in != "" && e.Payload.State() != history.PayloadWithheld {
				t.Errorf("%s: event %d, whose input is not empty, is told as %s", r.Instance, i, e.Payload.State())
			}
		}
	}
}

// inputOf is the stored input of the activity that e schedules.
func inputOf(r Stored, e history.Event) string {
	if e.Kind != history.TaskScheduled {
		return ""
	}
	for _, m := range r.Messages {
		if ts := m.GetTaskScheduled(); ts != nil && m.GetEventId() == e.ID {
			return ts.GetInput().GetValue()
		}
	}
	return ""
}

// full checks that at level full values are the stored ones and that empty is
// told as empty.
func full(t *testing.T, s history.Source, runs []Stored) {
	for _, r := range runs {
		run, err := s.Run(ctxFor(t), history.Ref{Instance: r.Instance})
		if err != nil {
			t.Fatal(err)
		}
		if !run.Carries.Inputs {
			continue
		}
		for i, e := range run.Events {
			if e.Kind != history.TaskScheduled {
				continue
			}
			want := inputOf(r, e)
			got, shared := e.Payload.Value()
			switch {
			case want == "" && e.Payload.State() != history.PayloadEmpty:
				t.Errorf("%s: event %d, whose input is empty, is told as %s", r.Instance, i, e.Payload.State())
			case want != "" && (!shared || got != want):
				t.Errorf("%s: event %d: input %q (%s), want %q", r.Instance, i, got, e.Payload.State(), want)
			}
		}
	}
}

// findings checks that a run gives the same findings as its protojson export,
// when it comes in stored order and with full times.
func findings(t *testing.T, s history.Source, runs []Stored) {
	seen := 0
	for _, r := range runs {
		run, err := s.Run(ctxFor(t), history.Ref{Instance: r.Instance})
		if err != nil {
			t.Fatal(err)
		}
		if !run.Carries.StoredOrder || !run.Carries.FullTimes {
			continue
		}
		export, err := history.Read(r.Lines, history.Options{Sharing: run.Sharing, Ref: run.Ref})
		if err != nil {
			t.Fatal(err)
		}
		seen += len(history.Analyze(export).Findings)
		got, want := findingLines(history.Analyze(run)), findingLines(history.Analyze(export))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: findings differ (-export +source):\n%s", r.Instance, diff)
		}
	}
	if seen == 0 {
		t.Skip("no run of this source comes in stored order with full times")
	}
}

func findingLines(a history.Analysis) []string {
	var out []string
	for _, f := range a.Findings {
		b, err := json.Marshal(f)
		if err != nil {
			out = append(out, err.Error())
		}
		out = append(out, string(b))
	}
	return out
}
