package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/dapr/durabletask-go/task"
	"golang.org/x/sync/errgroup"
)

const (
	inFlight  = 16 // runs driven at a time
	perEngine = 64 // runs in one database
)

// Result is what one planned run left behind.
type Result struct {
	Plan      Plan
	Struck    bool                // the planned fault took place
	StruckIn  string              // the run or child it struck
	LostTurn  []int32             // scheduled ids that a lost turn had dispatched
	Histories map[string][][]byte // stored events by instance: the run and its children
	Ledger    []Line              // of the run and its children
}

// Run drives the plans on real engines in dir, which it fills and does not
// clean, and returns a result for each, in order.
func Run(ctx context.Context, dir string, plans []Plan) ([]Result, error) {
	results := map[string]Result{}
	for i, batch := range batches(plans) {
		if err := untilDone(ctx, filepath.Join(dir, fmt.Sprintf("engine-%03d", i)), batch, results); err != nil {
			return nil, err
		}
	}
	out := make([]Result, len(plans))
	for i, p := range plans {
		out[i] = results[p.Instance]
	}
	return out, nil
}

// The engine's backend keeps the lock of a work item now and then when its database
// is busy: about once in a dozen matrices on two busy cores. Nothing then happens
// for as long as the lock lasts, so a batch that takes this long is begun again on a
// new engine; its plans are the same.
const (
	stuckAfter = time.Minute
	tries      = 4
)

func untilDone(ctx context.Context, dir string, plans []Plan, results map[string]Result) error {
	for n := 1; ; n++ {
		d := fmt.Sprintf("%s-%d", dir, n)
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
		fresh := map[string]Result{}
		limited, cancel := context.WithTimeout(ctx, stuckAfter)
		err := runBatch(limited, d, plans, fresh)
		cancel()
		switch {
		case err == nil:
			maps.Copy(results, fresh)
			return nil
		case n == tries || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return err
		}
	}
}

// batches groups plans by engine. A run that loses its worker has an engine of
// its own, so that no other run's bodies are lost with it.
func batches(plans []Plan) [][]Plan {
	var out [][]Plan
	var shared []Plan
	for _, p := range plans {
		if p.Fault == WorkerLost {
			out = append(out, []Plan{p})
			continue
		}
		if shared = append(shared, p); len(shared) == perEngine {
			out, shared = append(out, shared), nil
		}
	}
	if len(shared) > 0 {
		out = append(out, shared)
	}
	return out
}

func runBatch(ctx context.Context, dir string, plans []Plan, results map[string]Result) (err error) {
	path := filepath.Join(dir, "ledger.ndjson")
	ledger, err := OpenLedger(path)
	if err != nil {
		return err
	}
	reg := func(hold func(context.Context)) (*task.TaskRegistry, error) { return registry(ledger, hold) } //nolint:contextcheck // a body's context comes from the engine
	e, err := startEngine(ctx, dir, "lab", plans, reg)
	if err != nil {
		return errors.Join(err, ledger.Close())
	}
	err = driveAll(ctx, e, plans)
	if err == nil {
		err = collect(ctx, e, plans, results)
	}
	if err = errors.Join(err, e.close(), ledger.Close()); err != nil {
		return err
	}
	lines, err := ReadLedger(path)
	for _, l := range lines {
		r := results[root(l.Instance)]
		r.Ledger = append(r.Ledger, l)
		results[root(l.Instance)] = r
	}
	return err
}

func driveAll(ctx context.Context, e *engine, plans []Plan) error {
	g, each := errgroup.WithContext(ctx)
	g.SetLimit(inFlight)
	for _, p := range plans {
		g.Go(func() error {
			if err := e.drive(each, p); err != nil {
				return fmt.Errorf("%s (%s, %s): %w", p.Instance, p.Script.Shape, p.Fault, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return e.settle(ctx)
}

// collect reads the stored histories of the runs and their children.
func collect(ctx context.Context, e *engine, plans []Plan, results map[string]Result) error {
	for _, p := range plans {
		s := e.faults.of(p.Instance)
		results[p.Instance] = Result{Plan: p, Struck: s.fired, StruckIn: s.inst, LostTurn: s.turn, Histories: map[string][][]byte{}}
	}
	ids, err := e.store.instances(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if results[root(id)].Histories[id], err = e.store.history(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
