package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// TestShopRuns: the committed histories of examples/shop are those that Shop
// makes: every planned failure and no other, in the apps that have the activity.
// Making them takes most of a minute, so that is not done here.
func TestShopRuns(t *testing.T) {
	troubles := shopTroubles()
	for _, app := range shopApps() {
		most := map[string]int{} // attempts that the policy allows
		for _, step := range app.steps {
			for _, c := range step {
				most[c.activity] = 1
				if c.policy != nil {
					most[c.activity] = c.policy.MaxAttempts
					most[c.undo] = c.policy.MaxAttempts
				}
			}
		}
		dirs, err := filepath.Glob("../../examples/shop/runs/" + app.prefix + "-*")
		if err != nil || len(dirs) != app.runs {
			t.Fatalf("%d runs of %s, want %d (%v)", len(dirs), app.id, app.runs, err)
		}
		for _, dir := range dirs {
			id := filepath.Base(dir)
			b, err := os.ReadFile(filepath.Join(dir, "history.ndjson"))
			if err != nil {
				t.Fatal(err)
			}
			run, err := history.Read(b, history.Options{Sharing: history.Sharing{Level: history.LevelMetadata}, Ref: history.Ref{Instance: id}})
			if err != nil {
				t.Fatal(err)
			}
			if run.Ref.App != app.id || run.Workflow != app.workflow {
				t.Errorf("%s is of %s, %s", id, run.Ref.App, run.Workflow)
			}
			met := map[string]bool{}
			a := history.Analyze(run)
			for _, c := range a.Calls {
				met[c.Activity] = true
				if want := min(troubles[id][c.Activity].fails+1, most[c.Activity]); len(c.Attempts) != want {
					t.Errorf("%s: %s has %d attempts, want %d", id, c.Key, len(c.Attempts), want)
				}
			}
			for name := range troubles[id] {
				if !met[name] {
					t.Errorf("%s: %s was not called", id, name)
				}
			}
		}
	}
	for id := range troubles {
		if !strings.HasPrefix(id, "ORD-20") && !strings.HasPrefix(id, "SHIP-20") {
			t.Errorf("no run is called %s", id)
		}
	}
}
