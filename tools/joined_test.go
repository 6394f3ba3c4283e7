package tools

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/review"
)

// In this package because what is matched with what has no other surface than
// whole answers, which the goldens hold.

func activity(name, file string, workflows ...string) review.ActivityResult {
	a := review.ActivityResult{Name: name, File: file, Line: 1}
	for _, w := range workflows {
		site, in, _ := strings.Cut(w, "@")
		a.CallSites = append(a.CallSites, review.CallSite{Workflow: site, File: cmpOr(in, file)})
	}
	return a
}

func cmpOr(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func TestMatchNames(t *testing.T) {
	code := func(a ...review.ActivityResult) []review.ActivityResult { return a }
	rec := func(app, name string, workflows ...string) recordedName { return recordedName{app, name, workflows} }
	for _, c := range []struct {
		name     string
		code     []review.ActivityResult
		recorded []recordedName
		want     string // "code<-recorded by …" per match, then "?recorded" ambiguous, "-recorded" unmatched
	}{
		{"exact", code(activity("Pay", "a.py")), []recordedName{rec("x", "Pay")}, "0<-[0] name"},
		{"in two apps", code(activity("Pay", "a.py")), []recordedName{rec("x", "Pay"), rec("y", "Pay")}, "0<-[0 1] name"},
		{"two apps, and the call sites tell", code(activity("Pay", "a.py", "order_flow")), []recordedName{rec("x", "Pay", "OrderFlow"), rec("y", "Pay", "Other")}, "0<-[0] name and workflow ?1"},
		{"two apps, and both have the workflow", code(activity("Pay", "a.py", "Flow")), []recordedName{rec("x", "Pay", "Flow"), rec("y", "Pay", "Flow")}, "0<-[0 1] name"},
		{"two activities, and the workflow tells", code(activity("Pay", "a.py", "Orders"), activity("Pay", "b.py", "Refunds")), []recordedName{rec("x", "Pay", "Refunds")}, "1<-[0] name and workflow"},
		{"two activities, and nothing tells", code(activity("Pay", "a.py"), activity("Pay", "b.py")), []recordedName{rec("x", "Pay", "W")}, "?0"},
		{"two activities of one workflow", code(activity("Pay", "a.py", "W"), activity("Pay", "b.py", "W")), []recordedName{rec("x", "Pay", "W")}, "?0"},
		{"call sites of the own language come first", code(activity("Pay", "a.py", "A", "B@w.go"), activity("Pay", "b.go", "B", "A@w.py")), []recordedName{rec("x", "Pay", "A"), rec("y", "Pay", "B")}, "0<-[0] name and workflow 1<-[1] name and workflow"},
		{"suffix", code(activity("ChargeCardActivity", "A.cs")), []recordedName{rec("x", "ChargeCard")}, "0<-[0] similar name"},
		{"case and separators", code(activity("charge_card", "a.py")), []recordedName{rec("x", "ChargeCard"), rec("y", "ChargeCard")}, "0<-[0 1] similar name"},
		{"package", code(activity("ChargeCard", "A.java")), []recordedName{rec("x", "com.shop.ChargeCard")}, "0<-[0] similar name"},
		{"an exact name is never taken for a similar one", code(activity("ChargeCard", "a.py")), []recordedName{rec("x", "ChargeCard"), rec("x", "ChargeCardActivity")}, "0<-[0] name -1"},
		{"several similar names in the runs", code(activity("charge_card", "a.py")), []recordedName{rec("x", "ChargeCard"), rec("x", "chargeCard")}, "?0 ?1"},
		{"several similar names in the runs of the workflow that calls it", code(activity("charge_card", "a.py", "W")), []recordedName{rec("x", "ChargeCard", "W"), rec("x", "chargeCard", "W")}, "?0 ?1"},
		{"several similar names in the code", code(activity("charge_card", "a.py"), activity("ChargeCardActivity", "A.cs")), []recordedName{rec("x", "ChargeCard")}, "?0"},
		{"the word alone is a name", code(activity("Activity", "a.py")), []recordedName{rec("x", "Activity"), rec("x", "Other")}, "0<-[0] name -1"},
		{"nothing in common", code(activity("Pay", "a.py")), []recordedName{rec("x", "Ship")}, "-0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, matched(matchNames(c.code, c.recorded), len(c.recorded))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func matched(m matches, recorded int) string {
	var out []string
	for i, x := range m.code {
		if x.by != "" {
			out = append(out, fmt.Sprintf("%d<-%v %s", i, x.recorded, x.by))
		}
	}
	for i := range recorded {
		if m.ambiguous[i] != "" {
			out = append(out, fmt.Sprintf("?%d", i))
		}
		if slices.Contains(m.unmatched, i) {
			out = append(out, fmt.Sprintf("-%d", i))
		}
	}
	return strings.Join(out, " ")
}

// TestMatchNamesTellsEveryName: each recorded name is matched once, ambiguous or
// unmatched, and which it is does not hang on the order.
func TestMatchNamesTellsEveryName(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"Pay", "pay", "PayActivity", "com.x.Pay", "Ship", "ship_it", "ShipIt"}
	flows := []string{"A", "B", "C"}
	for range 3000 {
		var code []review.ActivityResult
		var recorded []recordedName
		for range rng.IntN(5) {
			code = append(code, activity(names[rng.IntN(len(names))], fmt.Sprintf("%d.py", rng.IntN(3)), flows[:rng.IntN(3)]...))
		}
		for i := range rng.IntN(5) {
			recorded = append(recorded, recordedName{fmt.Sprint("app", i), names[rng.IntN(len(names))], flows[rng.IntN(3):]})
		}
		m := matchNames(code, recorded)
		state := make([]string, len(recorded))
		for c, x := range m.code {
			for _, i := range x.recorded {
				state[i] += fmt.Sprintf("%s %s", x.by, code[c].File)
				if x.by == byName && code[c].Name != recorded[i].activity {
					t.Fatalf("%s matched %s by name", code[c].Name, recorded[i].activity)
				}
			}
		}
		for i := range recorded {
			if m.ambiguous[i] != "" {
				state[i] += "?"
			}
			if slices.Contains(m.unmatched, i) {
				state[i] += "-"
			}
			if state[i] == "" || strings.Count(state[i], ".py")+strings.Count(state[i], "?")+strings.Count(state[i], "-") != 1 {
				t.Fatalf("%s is told %q of %v", recorded[i], state[i], code)
			}
		}
		slices.Reverse(code)
		slices.Reverse(recorded)
		n := matchNames(code, recorded)
		for i := range recorded {
			j := len(recorded) - 1 - i
			if (m.ambiguous[j] == "") != (n.ambiguous[i] == "") || slices.Contains(m.unmatched, j) != slices.Contains(n.unmatched, i) {
				t.Fatalf("%s is told otherwise in another order: %v", recorded[i], code)
			}
		}
	}
}
