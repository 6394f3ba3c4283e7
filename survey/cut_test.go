package survey

import (
	"fmt"
	"slices"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// A run that is added moves no cut but those of its own stretch.
func TestCutsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	places := make([]string, 60_000)
	for i := range places {
		places[i] = placeOf("source", history.Ref{App: "shop", Instance: fmt.Sprint("run-", i)})
	}
	cuts := func(places []string) map[string]bool {
		var c cutter
		out, length := map[string]bool{}, 0
		for _, p := range places {
			if length++; c.after(p) {
				if out[p] = true; length > cutMost {
					t.Errorf("a stretch of %d", length)
				}
				length = 0
			}
		}
		return out
	}
	before := cuts(places)
	if len(before) < 10 || len(before) > 60 {
		t.Fatalf("%d cuts", len(before))
	}
	after := cuts(slices.Insert(slices.Clone(places), 20_000, "another"))
	moved := 0
	for p := range before {
		if !after[p] {
			moved++
		}
	}
	if moved > 1 {
		t.Errorf("%d of %d cuts moved", moved, len(before))
	}
}
