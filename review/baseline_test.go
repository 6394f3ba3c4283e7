package review_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review"
)

// TestBaseline: what is written is read again, in whatever order it came.
func TestBaseline(t *testing.T) {
	t.Parallel()
	all := review.Identify(reviewed("Charge", finding("IDEM002", "a.py", 10, "post(url, \"<&>\")"), finding("IDEM001", "a.py", 12, "insert(row)"), finding("IDEM001", "b.py", 14, "insert(row)")))
	b, err := review.WriteBaseline(all)
	if err != nil {
		t.Fatal(err)
	}
	again, err := review.WriteBaseline([]review.Identified{all[2], all[0], all[1]})
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("the order of findings shows: %v\n%s\n%s", err, b, again)
	}
	if !bytes.Contains(b, []byte(`post(url, \"<&>\")`)) || bytes.Contains(b, []byte(`"line"`)) {
		t.Errorf("%s", b)
	}
	known, err := review.ReadBaseline("b.json", b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range review.Compare(known, all) {
		if c.Status != review.Existing {
			t.Errorf("%s is %s", c.Rule, c.Status)
		}
	}
	empty, err := review.WriteBaseline(nil)
	if err != nil {
		t.Fatal(err)
	}
	if known, err := review.ReadBaseline("b.json", empty); err != nil || len(known) != 0 {
		t.Errorf("%v, %v", known, err)
	}
}

// FuzzReadBaseline: any bytes are a baseline, which can be written and read
// again, or an error that says what to do.
func FuzzReadBaseline(f *testing.F) {
	for _, s := range []string{"", "{}", "null", "[]", `{"format":"idem-mcp review baseline","version":1,"findings":[]}`, `{"format":"idem-mcp review baseline","version":1,"findings":null} x`,
		`{"format":"idem-mcp review baseline","version":1e0,"findings":[{"rule":"R","severity":"hazard","fingerprint":"0123456789abcdef"}]}`, "{\n<<<<<<< a", `{"format":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		known, err := review.ReadBaseline("b.json", text)
		if err != nil {
			var e *fault.Error
			if fault.KindOf(err) == fault.Unknown || !errors.As(err, &e) || e.Do == "" {
				t.Errorf("%v", err)
			}
			return
		}
		b, err := review.WriteBaseline(known)
		if err != nil {
			t.Fatal(err)
		}
		again, err := review.ReadBaseline("b.json", b)
		if err != nil {
			t.Fatal(err)
		}
		third, err := review.WriteBaseline(again)
		if d := cmp.Diff(string(b), string(third)); err != nil || d != "" {
			t.Errorf("%v %s", err, d)
		}
	})
}
