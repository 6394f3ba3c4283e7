package review_test

import (
	"testing"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// TestOnPurpose: a file that the parser gave up is a gap in the answer, one that
// nobody wrote is none.
func TestOnPurpose(t *testing.T) {
	for reason, want := range map[string]bool{"vendored": true, "generated": true, "ignored": true, "version control": true, parse.ErrTooMuch.Error(): false, parse.ErrTooDeep.Error(): false} {
		if got := review.OnPurpose(reason); got != want {
			t.Errorf("%q: on purpose %v, want %v", reason, got, want)
		}
	}
}
