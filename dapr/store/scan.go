package store

import (
	"context"
	"iter"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// batch is what the fetching goroutine hands over.
type batch struct {
	groups []Group
	err    error
}

// groups iterates over the rows of all runs that can match f, fetching the next
// batch while the consumer works on this one.
func (s *Source) groups(ctx context.Context, f history.Filter) iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		if f.Cursor != "" {
			if _, ok := ParseLocation(f.Cursor); !ok {
				yield(Group{}, &fault.Error{Kind: fault.BadInput, What: "cursor " + clean.Line(f.Cursor, 200) + " is no run's location", Do: "Take it from the last page"})
				return
			}
		}
		ctx, cancel := context.WithCancel(ctx)
		batches := make(chan batch)
		// The goroutine ends when the listing does: cancel, then drain.
		defer func() {
			cancel()
			for range batches {
			}
		}()
		go func() {
			defer close(batches)
			s.fetch(ctx, f, func(b batch) bool {
				select {
				case batches <- b:
					return b.err == nil
				case <-ctx.Done():
					return false
				}
			})
		}()
		for b := range batches {
			if b.err != nil {
				yield(Group{}, b.err)
				return
			}
			for _, g := range b.groups {
				if ctx.Err() != nil {
					yield(Group{}, ctx.Err())
					return
				}
				if !yield(g, nil) {
					return
				}
			}
		}
		if ctx.Err() != nil {
			yield(Group{}, ctx.Err())
		}
	}
}

// fetch hands over batch after batch until emit says stop.
func (s *Source) fetch(ctx context.Context, f history.Filter, emit func(batch) bool) {
	for groups, err := range s.backend.Scan(ctx, Query{After: f.Cursor, App: f.App}) {
		if err == nil {
			groups, err = wanted(groups, f)
		}
		if !emit(batch{groups: groups, err: err}) || err != nil {
			return
		}
	}
}

// wanted drops the runs that the keys alone rule out, and those that were
// purged since they were listed.
func wanted(found []Group, f history.Filter) ([]Group, error) {
	kept := found[:0]
	for _, g := range found {
		n, ok := ParseLocation(g.Location)
		if !ok || g.Empty() || (f.App != "" && n.App != f.App) {
			continue
		}
		if err := refuse(n); err != nil {
			return nil, err
		}
		kept = append(kept, g)
	}
	return kept, nil
}
