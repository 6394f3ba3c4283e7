package parse_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/review/parse"
)

// TestLimits shows that the bounds against hostile text fire, with bounds small
// enough to wait for, and that the same text is read without them.
func TestLimits(t *testing.T) {
	if !parse.BuiltIn {
		t.Skip("review is not in a build without cgo")
	}
	src := []byte(strings.Repeat("total = price(a) + tax[b] * 2\n", 20_000))
	for _, c := range []struct {
		name string
		l    parse.Limits
		want error
	}{
		{"as shipped", parse.Limits{}, nil},
		{"nodes", parse.Limits{Nodes: 1000}, parse.ErrTooMuch},
		{"time", parse.Limits{Time: time.Millisecond}, parse.ErrTooMuch},
	} {
		start := time.Now()
		tree, err := parse.Within(parse.Python, src, c.l)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if (tree == nil) != (c.want != nil) {
			t.Errorf("%s: a tree and a refusal exclude each other", c.name)
		}
		if took := time.Since(start); c.l.Time > 0 && took > 2*time.Second {
			t.Errorf("%s: gave up after %s", c.name, took)
		}
	}
}

func TestTooDeep(t *testing.T) {
	if !parse.BuiltIn {
		t.Skip("review is not in a build without cgo")
	}
	if _, err := parse.Parse(parse.Python, []byte("x = "+strings.Repeat("(", 5000)+"1"+strings.Repeat(")", 5000))); !errors.Is(err, parse.ErrTooDeep) {
		t.Errorf("error %v, want %v", err, parse.ErrTooDeep)
	}
}
