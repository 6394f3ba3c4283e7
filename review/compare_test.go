package review_test

import (
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/review"
)

func finding(rule, file string, line int, quote string) review.Finding {
	return review.Finding{Rule: rule, Kind: "k", Severity: review.Hazard, File: file, Line: line, Quote: quote}
}

func reviewed(activity string, findings ...review.Finding) *review.Result {
	return &review.Result{Activities: []review.ActivityResult{{Name: activity, Findings: findings}}}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	before := reviewed("Charge", finding("IDEM002", "a.py", 10, "post(url)"), finding("IDEM001", "a.py", 12, "insert(row)"), finding("IDEM001", "a.py", 14, "insert(row)"))
	for name, tc := range map[string]struct {
		after *review.Result
		want  string
	}{
		"moved lines and a renamed file": {reviewed("Charge", finding("IDEM002", "b.py", 60, "  post( url )"), finding("IDEM001", "b.py", 62, "insert(row)"), finding("IDEM001", "b.py", 64, "insert(row)")), "existing existing existing"},
		"one of two equal lines is gone": {reviewed("Charge", finding("IDEM002", "a.py", 10, "post(url)"), finding("IDEM001", "a.py", 12, "insert(row)")), "existing existing fixed"},
		"one more equal line":            {reviewed("Charge", append(before.Activities[0].Findings[:3:3], finding("IDEM001", "a.py", 16, "insert(row)"))...), "existing existing existing new"},
		"another activity":               {reviewed("Refund", finding("IDEM002", "a.py", 10, "post(url)")), "new fixed fixed fixed"},
		"nothing left":                   {reviewed("Charge"), "fixed fixed fixed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range review.Compare(review.Identify(before), review.Identify(tc.after)) {
				got = append(got, string(c.Status))
			}
			if g := strings.Join(got, " "); g != tc.want {
				t.Errorf("got %s, want %s", g, tc.want)
			}
		})
	}
}

// What was advice and is a hazard now has to be looked at.
func TestCompareGraver(t *testing.T) {
	t.Parallel()
	was, is := finding("IDEM002", "a.py", 1, "q"), finding("IDEM002", "a.py", 1, "q")
	was.Severity = review.Advice
	for _, c := range review.Compare(review.Identify(reviewed("A", was)), review.Identify(reviewed("A", is))) {
		if c.Status != review.New {
			t.Errorf("got %s", c.Status)
		}
	}
	for _, c := range review.Compare(review.Identify(reviewed("A", is)), review.Identify(reviewed("A", was))) {
		if c.Status != review.Existing {
			t.Errorf("got %s", c.Status)
		}
	}
}
