package history_test

import (
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// TestUnrecognisedIsNotQuoted: files beside exported runs are passed over with a
// reason that an assistant reads, and may hold anything.
func TestUnrecognisedIsNotQuoted(t *testing.T) {
	for _, text := range []string{"sk_live_51secret\n", `"sk_live_51secret"`, "password: sk_live_51secret\nuser: a\n", "- sk_live_51secret\n", "sk_live_51secret {", "[\"sk_live_51secret\"]", "{\"a\":\"sk_live_51secret\"", "{\"a\": sk_live_51secret}", "events: sk_live_51secret\n- eventId: {\n"} {
		if _, err := history.Read([]byte(text), history.Options{}); err == nil || strings.Contains(err.Error(), "sk_live") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
