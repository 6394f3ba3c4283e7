package nearest_test

import (
	"testing"

	"github.com/idem-mcp/idem-mcp/internal/nearest"
)

func TestOf(t *testing.T) {
	known := []string{"run", "app", "history", "workflow", "response_format", "limit", "cursor"}
	for in, want := range map[string]string{
		"Run": "run", "run_id": "run", "instance": "", "workflwo": "workflow", "responseFormat": "response_format", "lmit": "limit", "apps": "app", "": "", "xyzzy": "", "workflow_name": "workflow",
	} {
		if got := nearest.Of(in, known); got != want {
			t.Errorf("Of(%q) = %q, want %q", in, got, want)
		}
	}
}
