package history_test

import (
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// TestDoubtfulHistories: a history that contradicts itself is read in part and
// says why, and its times make no lost commit.
func TestDoubtfulHistories(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"times run backwards":    {"turn\nstarted W\ntask 0 A id=a\nat -10m\nturn\nok 0 id=a\nat -10m\nend COMPLETED\n", "times run backwards"},
		"one id, two activities": {"turn\nstarted W\ntask 1 A id=a\ntask 1 B id=b\nturn\nok 1 id=a\nend COMPLETED\n", "stands for different activities"},
		"no beginning":           {"turn\ntask 0 A id=a\nturn\nok 0 id=a\nend COMPLETED\n", "executionStarted is missing"},
	} {
		run, err := history.Read([]byte(script(t, c.script)), history.Options{Sharing: metadataLevel})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(run.Coverage.Missing, "; "), c.says) {
			t.Errorf("%s: %v", name, run.Coverage.Missing)
		}
		if f := kinds(history.Analyze(run), history.CommitLost); len(f) > 0 {
			t.Errorf("%s: %s", name, f[0].Message)
		}
	}
}
