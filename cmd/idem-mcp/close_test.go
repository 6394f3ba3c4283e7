package main

import (
	"errors"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

type closing struct {
	history.Source
	times int
}

func (c *closing) Close() error { c.times++; return errors.New("the other side was gone") }

// TestSourceIsClosed: a source with connections is closed, once, and a source
// without is left alone.
func TestSourceIsClosed(t *testing.T) {
	a := &app{}
	src := &closing{}
	a.holds(src)
	a.holds(struct{ history.Source }{})
	if len(a.open) != 1 {
		t.Fatalf("%d things are held, want 1", len(a.open))
	}
	a.close()
	a.close()
	if src.times != 1 {
		t.Errorf("closed %d times, want 1", src.times)
	}
}
