package store

import (
	"context"
	"iter"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Stamper is a Backend whose rows carry a mark that every write changes. The
// runtime writes a run's metadata row with every change of the run, so that row's
// mark is the run's.
type Stamper interface {
	// StampPage calls f for up to limit metadata rows whose keys lie behind after,
	// in the order of Scan, in one short query. When app is set, rows of other apps
	// may be left out.
	StampPage(ctx context.Context, after, app string, limit int, f func(key, mark string) error) error
}

var _ history.Stamper = (*Source)(nil)

const (
	stampPage = 2000 // marks that one query reads
	maxMark   = 80   // bytes
)

// CanStamp implements history.Stamper.
func (s *Source) CanStamp() bool {
	_, ok := s.backend.(Stamper)
	return ok
}

// Stamps implements history.Stamper.
func (s *Source) Stamps(ctx context.Context, f history.Filter) iter.Seq2[history.Stamp, error] {
	return func(yield func(history.Stamp, error) bool) {
		b, ok := s.backend.(Stamper)
		if !ok {
			yield(history.Stamp{}, &fault.Error{Kind: fault.Unsupported, What: "list the marks of " + s.backend.Where(), Means: "this store has none", Do: "Read the runs"})
			return
		}
		after := ""
		if f.Cursor != "" {
			after = f.Cursor + SuffixMetadata
		}
		for {
			page := make([]history.Stamp, 0, 64)
			rows := 0
			err := b.StampPage(ctx, after, f.App, stampPage, func(key, mark string) error {
				rows, after = rows+1, key
				location, role, _ := SplitKey(key)
				n, ok := ParseLocation(location)
				if !ok || role != RoleMetadata || f.App != "" && n.App != f.App {
					return nil
				}
				page = append(page, history.Stamp{Ref: history.Ref{App: n.App, Instance: n.Instance, Location: n.Location()}, Mark: clean.Line(mark, maxMark)})
				return refuse(n)
			})
			for _, st := range page {
				if err == nil && !yield(st, nil) {
					return
				}
			}
			if err != nil {
				yield(history.Stamp{}, err)
				return
			}
			if rows < stampPage {
				return
			}
		}
	}
}
