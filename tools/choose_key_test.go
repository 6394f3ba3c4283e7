package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/tools"
)

// TestChooseKeyBudget: an activity with many effects and call sites, over all
// example runs, fits into an answer in every form.
func TestChooseKeyBudget(t *testing.T) {
	var b strings.Builder
	b.WriteString("import dapr.ext.workflow as wf\nimport requests\nimport smtplib\n\nwfr = wf.WorkflowRuntime()\n\n\n@wfr.workflow\ndef order(ctx, o):\n")
	for range 300 {
		b.WriteString("    yield ctx.call_activity(charge_card, input=o, retry_policy=wf.RetryPolicy(max_number_of_attempts=5))\n")
	}
	b.WriteString("\n\n@wfr.activity\ndef charge_card(ctx, o):\n")
	for i := range 300 {
		fmt.Fprintf(&b, "    requests.post(\"https://thirdparty.qonto.com/v2/transfers/%d\", json=o, headers={\"X-Qonto-Idempotency-Key\": ctx.get_inner_context().task_execution_id})\n", i)
	}
	for _, format := range []string{"concise", "detailed"} {
		args, err := json.Marshal(map[string]any{"code": b.String(), "language": "python", "response_format": format, "provider": "smtp"})
		if err != nil {
			t.Fatal(err)
		}
		r := byName(t, "idem_choose_key").Call(t.Context(), deps(t, "../examples/runs"), args)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if len(r.JSON) > tools.Budget || len(r.Text) > tools.Budget {
			t.Errorf("%s: %d bytes of JSON, %d of text", format, len(r.JSON), len(r.Text))
		}
		t.Logf("%s: %d bytes of JSON, %d of text", format, len(r.JSON), len(r.Text))
	}
}

// TestChooseKeyUnreadable: a source that cannot be read leaves the answer
// unmeasured and partial, not wrong and not an error.
func TestChooseKeyUnreadable(t *testing.T) {
	d := deps(t, "../examples/runs/s1-01-seq-3")
	d.Source = away{d.Source}
	r := byName(t, "idem_choose_key").Call(t.Context(), d, json.RawMessage(`{"activity":"ChargeCard","language":"go"}`))
	if r.Err != nil || !r.Partial || !strings.Contains(r.Text, "not measured") {
		t.Errorf("partial = %v, %v\n%s", r.Partial, r.Err, r.Text)
	}
}

// away is a source that cannot be reached.
type away struct{ history.Source }

func (away) Runs(context.Context, history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) {
		yield(history.Header{}, &fault.Error{Kind: fault.Unreachable, What: "list runs"})
	}
}
