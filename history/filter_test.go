package history_test

import (
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

func TestFilterMatch(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	h := history.Header{Ref: history.Ref{App: "orders", Instance: "Order-42"}, Workflow: "OrderWorkflow", Status: history.Failed, Created: at}
	for name, c := range map[string]struct {
		f    history.Filter
		want bool
	}{
		"nothing":           {history.Filter{}, true},
		"app":               {history.Filter{App: "orders"}, true},
		"another app":       {history.Filter{App: "order"}, false},
		"workflow":          {history.Filter{Workflow: "OrderWorkflow"}, true},
		"another workflow":  {history.Filter{Workflow: "orderworkflow"}, false},
		"one of statuses":   {history.Filter{Status: []history.Status{history.Running, history.Failed}}, true},
		"another status":    {history.Filter{Status: []history.Status{history.Running}}, false},
		"text in the id":    {history.Filter{Text: "order-4"}, true},
		"text in the name":  {history.Filter{Text: "WORKFLOW"}, true},
		"other text":        {history.Filter{Text: "refund"}, false},
		"window":            {history.Filter{Since: at, Until: at.Add(1)}, true},
		"before the window": {history.Filter{Since: at.Add(1)}, false},
		"after the window":  {history.Filter{Until: at}, false},
	} {
		if got := c.f.Match(h); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if (history.Filter{Since: at}).Match(history.Header{}) {
		t.Error("a run without a creation time passed a time window")
	}
}
