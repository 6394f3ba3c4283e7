package catalyst

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

var _ history.BulkSource = (*Source)(nil)

// Histories reads the runs that match, several at a time, and yields them in
// the order of the listing. A run that cannot be read is a *history.Skipped; a
// sign-in that ends or a server that goes away ends the iteration.
func (s *Source) Histories(ctx context.Context, f history.Filter) iter.Seq2[*history.Run, error] {
	return func(yield func(*history.Run, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var readers sync.WaitGroup
		defer readers.Wait()
		defer cancel()
		var pending []chan read // in the order of the listing
		next := func() bool {
			r := <-pending[0]
			pending = pending[1:]
			return deliver(r, yield)
		}
		for h, err := range s.Runs(ctx, f) {
			ch := make(chan read, 1)
			pending = append(pending, ch)
			if err != nil {
				ch <- read{err: err}
			} else {
				readers.Go(func() {
					run, err := s.Run(ctx, h.Ref)
					ch <- read{h.Ref, run, err}
				})
			}
			if len(pending) >= s.config.Concurrency && !next() {
				return
			}
		}
		for len(pending) > 0 && next() {
		}
	}
}

type read struct {
	ref history.Ref
	run *history.Run
	err error
}

// deliver yields what was read; false when the iteration is over.
func deliver(r read, yield func(*history.Run, error) bool) bool {
	var skipped *history.Skipped
	switch {
	case r.err == nil:
		return yield(r.run, nil)
	case errors.As(r.err, &skipped):
		return yield(nil, r.err)
	}
	switch fault.KindOf(r.err) {
	case fault.NotFound, fault.TooLarge, fault.Damaged, fault.Withheld:
		if r.ref.Instance != "" {
			return yield(nil, &history.Skipped{What: "run " + clean.Line(r.ref.Instance, 200), Why: r.err.Error()})
		}
	}
	yield(nil, r.err)
	return false
}
