package input

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestMarks: a byte order mark is no part of a file's text, and UTF-16 is told as
// unread, not searched in vain.
func TestMarks(t *testing.T) {
	r, done, err := Plain(strings.NewReader("\xef\xbb\xbf{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if got, err := io.ReadAll(r); err != nil || string(got) != "{}" {
		t.Errorf("read %q, %v", got, err)
	}
	for _, text := range []string{"\xff\xfe{\x00", "\xfe\xff\x00{"} {
		_, _, err := Plain(strings.NewReader(text))
		var broken *Broken
		if !errors.As(err, &broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
