package tools

import (
	"context"
	"errors"
	"iter"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// resolve reads the one run that w names: inline text, a run of the source, or
// the only run there is.
func (d Deps) resolve(ctx context.Context, w Which) (*history.Run, error) {
	if w.History != "" {
		if w.Run == "" && w.App == "" {
			return history.Read([]byte(w.History), d.Reading)
		}
		o := d.Reading
		o.Ref = history.Ref{App: w.App, Instance: w.Run}
		return history.Read([]byte(w.History), o)
	}
	if w.Run != "" {
		return d.Source.Run(ctx, history.Ref{App: w.App, Instance: w.Run})
	}
	only, err := d.onlyRun(ctx, w.App)
	if err != nil {
		return nil, err
	}
	return d.Source.Run(ctx, only)
}

// onlyRun returns the source's run if there is exactly one.
func (d Deps) onlyRun(ctx context.Context, app string) (history.Ref, error) {
	var only history.Ref
	n := 0
	for h, err := range d.Source.Runs(ctx, history.Filter{App: app}) {
		var skipped *history.Skipped
		if errors.As(err, &skipped) {
			continue
		}
		if err != nil {
			return only, err
		}
		if n++; n > 1 {
			break
		}
		only = h.Ref
	}
	switch n {
	case 0:
		return only, &fault.Error{Kind: fault.NotFound, What: "the source holds no run", Means: "nothing was read, so nothing is known", Do: "idem_status says which source is used and why"}
	case 1:
		return only, nil
	}
	return only, &badArgument{what: "the source holds many runs and none was named", do: "Give run (idem_list_runs lists them) or history, the run as JSON text"}
}

// histories iterates over whole runs, in bulk where the source can. A run that
// is gone or damaged by the time it is read is one thing passed over.
func (d Deps) histories(ctx context.Context, f history.Filter) iter.Seq2[*history.Run, error] {
	if bulk, ok := d.Source.(history.BulkSource); ok {
		return bulk.Histories(ctx, f)
	}
	return func(yield func(*history.Run, error) bool) {
		for h, err := range d.Source.Runs(ctx, f) {
			var run *history.Run
			if err == nil {
				run, err = d.Source.Run(ctx, h.Ref)
				if err != nil && ctx.Err() == nil {
					err = &history.Skipped{What: name(h.Ref), Why: err.Error()}
				}
			}
			if !yield(run, err) {
				return
			}
		}
	}
}
