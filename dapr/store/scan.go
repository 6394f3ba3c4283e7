package store

import (
	"context"
	"iter"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Windows of names: the first is small, so that a first page comes quickly,
// the others large, because finding names costs a pass over the store's keys.
const (
	firstWindow = 1_000
	window      = 50_000
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

// fetch reads window after window and batch after batch until emit says stop.
func (s *Source) fetch(ctx context.Context, f history.Filter, emit func(batch) bool) {
	q := Query{After: f.Cursor, Limit: firstWindow}
	for {
		found, err := s.backend.Names(ctx, q)
		if err != nil {
			emit(batch{err: err})
			return
		}
		entries, err := wanted(found, f)
		if err != nil {
			emit(batch{err: err})
			return
		}
		for len(entries) > 0 {
			groups, err := s.backend.Load(ctx, entries)
			if err != nil {
				emit(batch{err: err})
				return
			}
			entries = entries[max(len(groups), 1):]
			// A run purged since it was listed has no rows.
			kept := groups[:0]
			for _, g := range groups {
				if !g.Empty() {
					kept = append(kept, g)
				}
			}
			if !emit(batch{groups: kept}) {
				return
			}
		}
		if len(found) < q.Limit {
			return
		}
		q = Query{After: found[len(found)-1].Location, Limit: window}
	}
}

// wanted drops the runs that the keys alone rule out.
func wanted(found []Entry, f history.Filter) ([]Entry, error) {
	kept := make([]Entry, 0, len(found))
	for _, e := range found {
		n, ok := ParseLocation(e.Location)
		if !ok || (f.App != "" && n.App != f.App) {
			continue
		}
		if err := refuse(n); err != nil {
			return nil, err
		}
		kept = append(kept, e)
	}
	return kept, nil
}
