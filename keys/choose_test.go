package keys_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/idem-mcp/idem-mcp/keys"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

func candidate(t *testing.T, c keys.Choice, source string) keys.Candidate {
	t.Helper()
	for _, x := range c.Candidates {
		if x.Source == source {
			return x
		}
	}
	t.Fatalf("no candidate %s", source)
	return keys.Candidate{}
}

// TestChooseBySDK: the answers of the SDKs differ, in the ways the facts do.
func TestChooseBySDK(t *testing.T) {
	for _, c := range []struct {
		language, framework   string
		usable                string
		retry, lost, childNew string // of the execution id; of the step key in a retried child
	}{
		{"go", "dapr", keys.Care, knowledge.Same, knowledge.New, knowledge.New},
		{"python", "dapr", keys.Care, knowledge.Same, knowledge.New, knowledge.Same},
		{"java", "dapr", keys.Care, knowledge.Same, knowledge.New, knowledge.Same},
		{"csharp", "dapr", keys.No, knowledge.New, knowledge.Same, knowledge.New},
		{"javascript", "dapr", keys.No, knowledge.Absent, knowledge.Absent, knowledge.Unknown},
		{"go", "temporal", keys.Care, knowledge.Unknown, knowledge.Unknown, knowledge.Unknown},
		{"", "", keys.Care, knowledge.Depends, knowledge.Depends, knowledge.Depends},
	} {
		got := keys.Choose(keys.Question{Activity: "ChargeCard", Language: c.language, Framework: c.framework})
		if len(got.Candidates) != 4 || got.Candidates[0].Source != knowledge.NaturalKey || got.Candidates[0].Rank != 1 {
			t.Errorf("%s %s: %+v", c.framework, c.language, got.Candidates)
		}
		id, step := candidate(t, got, knowledge.ExecutionKey), candidate(t, got, knowledge.StepKey)
		if id.Usable != c.usable || id.Stability.Retry.Is != c.retry || id.Stability.LostCommit.Is != c.lost || step.Stability.ChildRetry.Is != c.childNew {
			t.Errorf("%s %s: %s, retry %s, lost commit %s; step in a retried child %s", c.framework, c.language, id.Usable, id.Stability.Retry.Is, id.Stability.LostCommit.Is, step.Stability.ChildRetry.Is)
		}
		if !strings.HasPrefix(id.Measured, "not measured") {
			t.Errorf("%s: measured without runs: %s", c.language, id.Measured)
		}
		if (id.Rank == 0) != (id.Usable == keys.No) {
			t.Errorf("%s: rank %d of a key that is usable: %s", c.language, id.Rank, id.Usable)
		}
		if candidate(t, got, knowledge.ParentKey).Stability.ChildRetry.Is != knowledge.Same {
			t.Error("the parent's key must survive the child's retry")
		}
	}
}

// TestEveryHoldSaysHowItIsKnown: no cell of the tables is bare.
func TestEveryHoldSaysHowItIsKnown(t *testing.T) {
	for _, framework := range []string{"dapr", "temporal", "durable"} {
		for _, language := range append(languages, "") {
			for _, k := range knowledge.KeySources(framework, language) {
				for _, h := range []knowledge.Hold{k.Retry, k.Redelivery, k.LostCommit, k.Rerun, k.ContinueAsNew, k.ChildRetry, k.Distinct} {
					if h.Is == "" || h.Basis == "" {
						t.Errorf("%s %s %s: %+v", framework, language, k.ID, h)
					}
					if (h.Is == knowledge.Part || h.Is == knowledge.Depends) && h.Note == "" {
						t.Errorf("%s %s %s: %s says not on what", framework, language, k.ID, h.Is)
					}
				}
				if k.Versions == "" || k.Name == "" {
					t.Errorf("%s %s %s: %+v", framework, language, k.ID, k)
				}
			}
		}
	}
}

const twoEffects = `
from datetime import timedelta

import dapr.ext.workflow as wf
import requests
import smtplib

wfr = wf.WorkflowRuntime()
short = wf.RetryPolicy(first_retry_interval=timedelta(seconds=10), max_number_of_attempts=4, backoff_coefficient=2, retry_timeout=timedelta(seconds=15))
long = wf.RetryPolicy(first_retry_interval=timedelta(minutes=1), max_number_of_attempts=8, backoff_coefficient=2)


@wfr.workflow
def order_workflow(ctx, order):
    yield ctx.call_activity(charge, input=order, retry_policy=short)
    yield ctx.call_activity(charge, input=order, retry_policy=long)
    for part in order["parts"]:
        yield ctx.call_activity(charge, input=part)


@wfr.activity
def charge(ctx, order):
    requests.post("https://thirdparty.qonto.com/v2/transfers", json=order, headers={"X-Qonto-Idempotency-Key": order["order_id"]})
    with smtplib.SMTP("mail.internal") as smtp:
        smtp.send_message(order["receipt"])
`

// TestChooseFromSource: a key for each effect, a step for each call site, the
// horizon of each policy, the input's own id, and the window that is too short.
func TestChooseFromSource(t *testing.T) {
	if !parse.BuiltIn {
		t.Skip(parse.ErrNotBuiltIn)
	}
	res := reviewed(t, fstest.MapFS{"shop.py": {Data: []byte(twoEffects)}})
	if len(res.Activities) != 1 {
		t.Fatalf("%+v", res.Activities)
	}
	a := &res.Activities[0]
	got := keys.Choose(keys.Question{Activity: a.Name, Framework: a.Framework, Language: a.Language, Code: a})
	if len(got.Effects) != 2 || got.Effects[0].Suffix == got.Effects[1].Suffix || got.Effects[1].Now != "nothing" {
		t.Errorf("effects: %+v", got.Effects)
	}
	if key := got.Candidates[0].Key; key != "{order.order_id}:"+got.Effects[0].Suffix {
		t.Errorf("natural key: %s", key)
	}
	names := map[string]bool{}
	for _, s := range got.Steps {
		names[s.Step] = true
	}
	if len(got.Steps) != 3 || len(names) != 3 || !strings.HasSuffix(got.Steps[2].Step, ":{i}") {
		t.Errorf("steps: %+v", got.Steps)
	}
	if got.Steps[0].Horizon != "15s" || got.Steps[1].Horizon != "127 min" || got.Steps[2].Horizon != "" || got.Steps[2].Retries {
		t.Errorf("horizons: %+v", got.Steps)
	}
	if len(got.Problems) != 1 || got.Problems[0].Kind != "window_too_short" || !strings.Contains(got.Problems[0].Says, "127 min") {
		t.Errorf("problems: %+v", got.Problems)
	}
	if len(got.Windows) != 2 || got.Windows[0].Verdict != keys.TooShort || got.Windows[1].Verdict != keys.NoKey || !got.Record.Needed {
		t.Errorf("windows: %+v", got.Windows)
	}
	if !strings.Contains(got.Test.CallSites, "3 call sites found, 2 of them retried") {
		t.Error(got.Test.CallSites)
	}
}

// TestWindows holds every provider against a policy of six hours.
func TestWindows(t *testing.T) {
	code := policyOf(t, "timedelta(hours=6)")
	q := keys.Question{Code: code}
	for _, p := range knowledge.Providers() {
		w := q.Check(&p, true)
		want := keys.NotSeen
		switch {
		case p.Key == "":
			want = keys.NoKey
		case p.Forever:
			want = keys.Kept
		case p.Window == 0:
			want = keys.NotPublished
		case p.Window < 6*time.Hour:
			want = keys.TooShort
		}
		if w.Verdict != want || w.Says == "" || w.Checked == "" || w.Source == "" {
			t.Errorf("%s: %s, want %s (%+v)", p.ID, w.Verdict, want, w)
		}
		if unverified := !p.Verified || p.WindowUnverified; unverified == w.Verified {
			t.Errorf("%s: verified = %v", p.ID, w.Verified)
		}
		if last := len(w.Against); p.Window > 0 && (last == 0 || !strings.Contains(w.Against[last-1].Span, "no window is long enough")) {
			t.Errorf("%s: nothing says that a rerun can come at any time: %+v", p.ID, w.Against)
		}
	}
}

func policyOf(t *testing.T, timeout string) *review.ActivityResult {
	t.Helper()
	if !parse.BuiltIn {
		t.Skip(parse.ErrNotBuiltIn)
	}
	res := reviewed(t, fstest.MapFS{"shop.py": {Data: []byte(strings.ReplaceAll(twoEffects, "retry_policy=short", "retry_policy=wf.RetryPolicy(first_retry_interval=timedelta(minutes=1), max_number_of_attempts=100000, retry_timeout="+timeout+")"))}})
	return &res.Activities[0]
}

// TestOnlyOwnRunsCountAgainstTables: runs of another app say nothing about this
// activity.
func TestOnlyOwnRunsCountAgainstTables(t *testing.T) {
	m := measured(t, "../examples/runs")
	q := keys.Question{Activity: "RefundCard", Language: "csharp", Measure: m, Measured: m.Rows("RefundCard")}
	if c := candidate(t, keys.Choose(q), knowledge.ExecutionKey); c.Conflict != "" || !strings.HasPrefix(c.Measured, "not measured") || c.Usable != keys.No {
		t.Errorf("%+v", c)
	}
	q = keys.Question{Activity: "CreateShippingLabel", Language: "go", Measure: m, Measured: m.Rows("CreateShippingLabel"), Own: true}
	if c := candidate(t, keys.Choose(q), knowledge.ExecutionKey); !strings.Contains(c.Measured, "give app") {
		t.Errorf("two apps that behave differently decide: %+v", c)
	}
	m = measured(t, "../examples/runs/s2-04-label-exhausted")
	q = keys.Question{Activity: "CreateShippingLabel", Language: "csharp", Measure: m, Measured: m.Rows("CreateShippingLabel"), Own: true}
	if c := candidate(t, keys.Choose(q), knowledge.ExecutionKey); c.Conflict == "" || strings.HasPrefix(c.Measured, "not measured") {
		t.Errorf("%+v", c)
	}
}

// TestLostCommitAgainstTable: runs in which a lost commit changed ids stand
// against an SDK that likely keeps them there, and are told of one that does not.
func TestLostCommitAgainstTable(t *testing.T) {
	m := measured(t, "../examples/runs/s5-08-fanout-first-turn-fails-once", "../examples/runs/s5-10-fanout-identical-fails-once", "../examples/runs/s5-06-second-turn-fails-once-slow")
	for language, conflict := range map[string]bool{"go": false, "csharp": true} {
		q := keys.Question{Language: language, Measure: m, Measured: m.Rows(""), Own: true}
		c := candidate(t, keys.Choose(q), knowledge.ExecutionKey)
		if (c.Conflict != "") != conflict || !strings.Contains(c.Measured, "lost turns") {
			t.Errorf("%s: %q, %q", language, c.Conflict, c.Measured)
		}
	}
}
