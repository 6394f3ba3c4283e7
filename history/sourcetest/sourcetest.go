// Package sourcetest is the contract of history.Source as a test suite. Every
// source runs it over its own stand-in, which holds the real runs of this
// package:
//
//	func TestContract(t *testing.T) {
//		sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
//			if w.Fault == sourcetest.Forbidden {
//				return nil // a file has no such state; the test is skipped
//			}
//			return newSourceOver(w.Runs, w.Level)
//		})
//	}
package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Fault is what is wrong with the world behind a source.
type Fault uint8

// The faults.
const (
	Healthy     Fault = iota
	Forbidden         // the server is there and refuses this user
	Unreachable       // nothing answers
)

// World is what the source under test must show.
type World struct {
	Runs  []Stored
	Level history.Level
	Fault Fault
}

// Run runs the contract. newSource returns a source over the world, or nil when
// the source cannot be in that state; it closes what it opens by t.Cleanup.
func Run(t *testing.T, newSource func(t *testing.T, w World) history.Source) {
	runs := Runs(t)
	open := func(t *testing.T, level history.Level, f Fault) history.Source {
		t.Helper()
		s := newSource(t, World{Runs: runs, Level: level, Fault: f})
		if s == nil {
			t.Skip("this source has no such state")
		}
		return s
	}
	t.Run("describe", func(t *testing.T) { describe(t, open(t, history.LevelMetadata, Healthy)) })
	t.Run("order and ids", func(t *testing.T) { order(t, open(t, history.LevelMetadata, Healthy), runs) })
	t.Run("listing", func(t *testing.T) { listing(t, open(t, history.LevelMetadata, Healthy), runs) })
	t.Run("paging", func(t *testing.T) { paging(t, open(t, history.LevelMetadata, Healthy)) })
	t.Run("filters", func(t *testing.T) { filters(t, open(t, history.LevelMetadata, Healthy), runs) })
	t.Run("break", func(t *testing.T) { breaking(t, open(t, history.LevelMetadata, Healthy)) })
	t.Run("cancellation", func(t *testing.T) { cancellation(t, open(t, history.LevelMetadata, Healthy), runs[0]) })
	t.Run("withheld", func(t *testing.T) { withheld(t, open(t, history.LevelMetadata, Healthy), runs) })
	t.Run("full", func(t *testing.T) { full(t, open(t, history.LevelFull, Healthy), runs) })
	t.Run("findings", func(t *testing.T) { findings(t, open(t, history.LevelMetadata, Healthy), runs) })
	t.Run("bulk", func(t *testing.T) { bulk(t, open(t, history.LevelMetadata, Healthy)) })
	t.Run("not found", func(t *testing.T) {
		failing(t, open(t, history.LevelMetadata, Healthy), "no-such-run", false, fault.NotFound)
	})
	t.Run("forbidden", func(t *testing.T) {
		failing(t, open(t, history.LevelMetadata, Forbidden), runs[0].Instance, true, fault.Forbidden, fault.SignIn)
	})
	t.Run("unreachable", func(t *testing.T) {
		failing(t, open(t, history.LevelMetadata, Unreachable), runs[0].Instance, true, fault.Unreachable)
	})
}

func ctxFor(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func describe(t *testing.T, s history.Source) {
	d := s.Describe(ctxFor(t))
	if d.Problem != nil {
		t.Fatalf("a healthy source has a problem: %v", d.Problem)
	}
	if d.Name == "" || d.Where == "" || len(d.NotVisible) == 0 {
		t.Errorf("name, where and what is not visible must be told: %+v", d)
	}
	if d.Sharing.Level != history.LevelMetadata || d.Sharing.How == "" {
		t.Errorf("sharing = %+v, want metadata and how it is known", d.Sharing)
	}
}

// headers lists everything and fails on errors.
func headers(t *testing.T, s history.Source, f history.Filter) []history.Header {
	t.Helper()
	var out []history.Header
	for h, err := range s.Runs(ctxFor(t), f) {
		var skipped *history.Skipped
		if errors.As(err, &skipped) {
			continue
		}
		if err != nil {
			t.Fatalf("list %+v: %v", f, err)
		}
		out = append(out, h)
	}
	return out
}

func ids(hs []history.Header) []string {
	out := []string{}
	for _, h := range hs {
		out = append(out, h.Ref.Instance)
	}
	return out
}

func listing(t *testing.T, s history.Source, runs []Stored) {
	got := headers(t, s, history.Filter{})
	if again := headers(t, s, history.Filter{}); !cmp.Equal(ids(got), ids(again)) {
		t.Errorf("two listings differ in order:\n%v\n%v", ids(got), ids(again))
	}
	byID := map[string]history.Header{}
	for _, h := range got {
		if _, dup := byID[h.Ref.Instance]; dup {
			t.Errorf("%s is listed twice", h.Ref.Instance)
		}
		byID[h.Ref.Instance] = h
	}
	if len(got) != len(runs) {
		t.Errorf("%d runs listed, want %d: %v", len(got), len(runs), ids(got))
	}
	for _, want := range runs {
		h := byID[want.Instance]
		if h.Workflow != want.Workflow || h.Status != want.Status {
			t.Errorf("%s: listed as %q %s, want %q %s", want.Instance, h.Workflow, h.Status, want.Workflow, want.Status)
		}
		if d := h.Created.Sub(want.Created).Abs(); !h.Created.IsZero() && d > time.Second {
			t.Errorf("%s: created %s, want %s", want.Instance, h.Created, want.Created)
		}
		if h.Created.Location() != time.UTC {
			t.Errorf("%s: time is not UTC", want.Instance)
		}
	}
}

func paging(t *testing.T, s history.Source) {
	all := headers(t, s, history.Filter{})
	for i, h := range all {
		rest := headers(t, s, history.Filter{Cursor: h.Ref.Cursor()})
		if !cmp.Equal(ids(rest), ids(all[i+1:])) {
			t.Errorf("after %s: %v, want %v", h.Ref.Instance, ids(rest), ids(all[i+1:]))
		}
	}
}

func filters(t *testing.T, s history.Source, runs []Stored) {
	want := func(keep func(Stored) bool) []string {
		out := []string{}
		for _, r := range runs {
			if keep(r) {
				out = append(out, r.Instance)
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		f    history.Filter
		keep func(Stored) bool
	}{
		"other app": {history.Filter{App: "no-such-app"}, func(Stored) bool { return false }},
		"app":       {history.Filter{App: App}, func(Stored) bool { return true }},
		"workflow":  {history.Filter{Workflow: runs[0].Workflow}, func(r Stored) bool { return r.Workflow == runs[0].Workflow }},
		"status":    {history.Filter{Status: []history.Status{history.Running}}, func(r Stored) bool { return r.Status == history.Running }},
		"text":      {history.Filter{Text: "UNICODE"}, func(r Stored) bool { return strings.Contains(r.Instance, "unicode") }},
	} {
		got := ids(headers(t, s, c.f))
		slices.Sort(got)
		if w := want(c.keep); !cmp.Equal(got, w) {
			t.Errorf("filter by %s: %v, want %v", name, got, w)
		}
	}
}

// breaking leaves a listing after its first run: nothing may go on behind it.
func breaking(t *testing.T, s history.Source) {
	headers(t, s, history.Filter{}) // connections are made
	before := runtime.NumGoroutine()
	for range 20 {
		for _, err := range s.Runs(ctxFor(t), history.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before+5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before 20 listings that were left early", runtime.NumGoroutine(), before)
		}
	}
}

func cancellation(t *testing.T, s history.Source, one Stored) {
	ctx, cancel := context.WithCancel(context.Background())
	seen, failed := 0, error(nil)
	for _, err := range s.Runs(ctx, history.Filter{}) {
		if err != nil {
			failed = err
			continue
		}
		seen++
		cancel()
	}
	cancel()
	if seen != 1 || !errors.Is(failed, context.Canceled) {
		t.Errorf("a listing cancelled after its first run gave %d runs and the error %v", seen, failed)
	}
	if _, err := s.Run(ctx, history.Ref{Instance: one.Instance}); !errors.Is(err, context.Canceled) {
		t.Errorf("a read with a cancelled context gave the error %v", err)
	}
}

// failing checks that a failure is of one of the kinds, and not another, and
// that Describe tells it instead of failing.
func failing(t *testing.T, s history.Source, instance string, everywhere bool, kinds ...fault.Kind) {
	_, err := s.Run(ctxFor(t), history.Ref{Instance: instance})
	if !slices.Contains(kinds, fault.KindOf(err)) {
		t.Errorf("read: kind %s, want one of %v: %v", fault.KindOf(err), kinds, err)
	}
	if !everywhere {
		return
	}
	var listed error
	for _, err := range s.Runs(ctxFor(t), history.Filter{}) {
		if err != nil {
			listed = err
		}
	}
	if !slices.Contains(kinds, fault.KindOf(listed)) {
		t.Errorf("list: kind %s, want one of %v: %v", fault.KindOf(listed), kinds, listed)
	}
	if d := s.Describe(ctxFor(t)); !slices.Contains(kinds, fault.KindOf(d.Problem)) {
		t.Errorf("describe: problem of kind %s, want one of %v: %v", fault.KindOf(d.Problem), kinds, d.Problem)
	}
}

func bulk(t *testing.T, s history.Source) {
	b, ok := s.(history.BulkSource)
	if !ok {
		t.Skip("this source reads runs one by one")
	}
	n := 0
	for run, err := range b.Histories(ctxFor(t), history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		one, err := s.Run(ctxFor(t), run.Ref)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(run)
		b, _ := json.Marshal(one)
		if string(a) != string(b) {
			t.Errorf("%s read in bulk and alone differ:\n%s\n%s", run.Ref.Instance, a, b)
		}
	}
	if n != len(headers(t, s, history.Filter{})) {
		t.Errorf("%d histories, not as many as are listed", n)
	}
}
