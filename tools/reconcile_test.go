package tools_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestReconcileTable: records without a key are told, rows are places in the
// table, and records of one key that contradict each other are a question.
func TestReconcileTable(t *testing.T) {
	files := map[string]string{
		"intents.csv": "key,status,provider_id\na,succeeded,op-1\n,succeeded,op-2\na,pending,\nb,succeeded,op-3\nb,succeeded,op-3\n",
		"none.json":   "[]",
	}
	d := deps(t, "../examples/runs")
	place(t, &d, files)
	r := byName(t, "idem_reconcile").Call(t.Context(), d, json.RawMessage(`{"intents":"intents.csv","provider":"none.json"}`))
	var out struct {
		Decisions []struct {
			Row              int
			Provider, Action string
		}
	}
	if err := json.Unmarshal(r.JSON, &out); r.Err != nil || err != nil {
		t.Fatal(r.Err, err)
	}
	var got []string
	for _, dec := range out.Decisions {
		got = append(got, strings.Join([]string{string(rune('0' + dec.Row)), dec.Provider, dec.Action}, " "))
	}
	want := "1 not_covered ask_a_person; 3 not_covered ask_a_person; 4 not_covered return_stored_id; 5 not_covered return_stored_id"
	if strings.Join(got, "; ") != want {
		t.Errorf("decisions: %s", strings.Join(got, "; "))
	}
	for _, says := range []string{"4 keys: 2 to ask", "1 intent record has no key", "the provider's list is empty", "several records for this key"} {
		if !strings.Contains(r.Text, says) {
			t.Errorf("not said: %s\n%s", says, r.Text)
		}
	}
	if !r.Partial {
		t.Error("not told as partial")
	}
}
