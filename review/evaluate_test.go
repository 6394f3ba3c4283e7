package review_test

import (
	"context"
	"os"
	"testing"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// TestCorpus holds the figures of our own labelled activities: run it with -v
// to see them.
func TestCorpus(t *testing.T) {
	ev, err := review.Evaluate(context.Background(), review.Config{Files: os.DirFS("testdata/corpus"), Languages: lang.All(), Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(ev.Overall)
	for _, f := range append(append(ev.Languages, ev.Tricky), ev.Rules...) {
		t.Log(f)
	}
	for _, m := range ev.Misses {
		t.Logf("miss %s:%d %s: labelled %s, judged %s, missing %v, noise %v, tricky %v", m.File, m.Line, m.Activity, m.Label, m.Verdict, m.Missing, m.Noise, m.Tricky)
	}
	if ev.Overall.Precision.Value < 0.97 || ev.Overall.Recall.Value < 0.95 {
		t.Errorf("precision %.3f, recall %.3f: want at least 0.97 and 0.95", ev.Overall.Precision.Value, ev.Overall.Recall.Value)
	}
	for _, l := range ev.Languages {
		if l.N < 30 {
			t.Errorf("%s: %d activities, want at least 30", l.Name, l.N)
		}
	}
}
