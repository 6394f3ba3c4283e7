package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/api/protos"
	"github.com/dapr/durabletask-go/backend"
	"github.com/dapr/durabletask-go/backend/sqlite"
	"github.com/dapr/durabletask-go/task"
	"google.golang.org/protobuf/proto"
)

// engine is the real engine over a database file, with one worker at a time.
type engine struct {
	file     string
	app      string
	store    *store
	faults   *faults
	watch    *watch
	registry *task.TaskRegistry
	replaced chan struct{} // closed when no worker will be replaced any more
	stop     context.CancelFunc

	mu   sync.Mutex
	life *life
	err  error // of a worker's replacement
}

// life is one worker's.
type life struct {
	seam   *seam
	client backend.TaskHubClient
	end    func() error // stops and drains the worker, once
}

// startEngine starts an engine in dir for the planned runs, with the workflows
// and activities of reg, which gets what keeps a body. It stops when ctx ends;
// close must be called all the same.
func startEngine(ctx context.Context, dir, app string, plans []Plan, reg func(hold func(context.Context)) (*task.TaskRegistry, error)) (*engine, error) {
	e := &engine{file: filepath.Join(dir, "engine.sqlite"), app: app, faults: newFaults(plans), watch: newWatch(), replaced: make(chan struct{})}
	var err error
	if e.registry, err = reg(e.watch.hold); err != nil {
		return nil, fmt.Errorf("register workflows: %w", err)
	}
	if e.store, err = openStore(e.file); err != nil {
		return nil, err
	}
	ctx, e.stop = context.WithCancel(ctx)
	if e.life, err = e.start(ctx); err != nil {
		e.stop()
		return nil, errors.Join(err, e.store.close())
	}
	go e.replace(ctx)
	return e, nil
}

// start begins a worker's life.
func (e *engine) start(ctx context.Context) (*life, error) {
	be := sqlite.NewSqliteBackend(sqlite.NewSqliteOptions(storeDSN(e.file)), quiet{})
	s := newSeam(be, e.store, e.faults, e.watch)
	exec := task.NewTaskExecutorWithLogger(e.registry, quiet{})
	w := backend.NewTaskHubWorker(s,
		backend.NewWorkflowWorker(backend.WorkflowWorkerOptions{Backend: s, Executor: exec, Logger: quiet{}, AppID: e.app}),
		backend.NewActivityTaskWorker(s, exec, quiet{}), quiet{})
	if err := w.Start(ctx); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	end := sync.OnceValue(func() error { return w.Shutdown(context.WithoutCancel(ctx)) })
	return &life{seam: s, client: backend.NewTaskHubClient(s), end: end}, nil
}

// replace starts a new worker whenever one is lost.
func (e *engine) replace(ctx context.Context) {
	defer close(e.replaced)
	for {
		l := e.current()
		select {
		case <-l.seam.lost:
		case <-ctx.Done():
			return
		}
		next, err := e.succeed(ctx, l)
		if ctx.Err() != nil && err != nil {
			return // the engine is being closed
		}
		e.mu.Lock()
		e.err = err
		if err == nil {
			e.life = next
		}
		e.mu.Unlock()
		if err != nil {
			e.stop()
			return
		}
		e.watch.replaced()
	}
}

// succeed buries a lost worker, lets its locks run out and starts the next.
func (e *engine) succeed(ctx context.Context, l *life) (*life, error) {
	if err := l.end(); err != nil {
		return nil, fmt.Errorf("shut lost worker down: %w", err)
	}
	if err := e.store.expireLocks(ctx); err != nil {
		return nil, err
	}
	return e.start(ctx)
}

func (e *engine) current() *life {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.life
}

// close stops the worker, held bodies included. The engine's own database
// handle stays open: its backend has no way to close it.
func (e *engine) close() error {
	e.stop()
	<-e.replaced
	return errors.Join(e.err, e.current().end(), e.store.close())
}

// drive starts a planned run, does to it what the plan says and returns when it
// has come as far as it will.
func (e *engine) drive(ctx context.Context, p Plan) error {
	s := p.shape()
	id := api.InstanceID(p.Instance)
	c := e.current().client
	if _, err := c.ScheduleNewWorkflow(ctx, string(s.name), api.WithInstanceID(id), api.WithInput(p.Script)); err != nil {
		return err
	}
	if s.poke == raise {
		if err := c.RaiseEvent(ctx, id, goEvent); err != nil {
			return err
		}
	}
	if s.reached != nil {
		if err := e.await(ctx, p.Instance, s.reached); err != nil || s.poke != terminate {
			return err
		}
		if err := e.current().client.TerminateWorkflow(ctx, id); err != nil {
			return err
		}
	}
	return e.await(ctx, p.Instance, ended)
}

// await returns when a run's stored history satisfies reached.
func (e *engine) await(ctx context.Context, run string, reached func([]*protos.HistoryEvent) bool) error {
	for {
		changed := e.watch.on(run)
		raw, err := e.store.history(ctx, run)
		if err != nil {
			return err
		}
		events, err := decode(raw)
		if err != nil {
			return err
		}
		if reached(events) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s after %d events: %w", run, len(events), ctx.Err())
		}
	}
}

// settle returns when nothing is under way but held bodies and timers that are
// far off.
func (e *engine) settle(ctx context.Context) error {
	for {
		changed := e.watch.on("")
		idle, begun := e.watch.idle()
		task, err := e.store.taskDue(ctx)
		if err != nil {
			return err
		}
		at, turn, err := e.store.turnDue(ctx)
		if err != nil {
			return err
		}
		turn = turn && time.Until(at) <= 0
		replacing := e.current().seam.isLost()
		if still, same := e.watch.idle(); idle && still && begun == same && !task && !turn && !replacing {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func decode(raw [][]byte) ([]*protos.HistoryEvent, error) {
	out := make([]*protos.HistoryEvent, 0, len(raw))
	for _, b := range raw {
		e := &protos.HistoryEvent{}
		if err := proto.Unmarshal(b, e); err != nil {
			return nil, fmt.Errorf("decode stored event: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

// quiet is the engine's logger. What it would say of an injected fault is
// expected, and what it would say of any other shows in the histories.
type quiet struct{}

func (quiet) Debug(...any)          {}
func (quiet) Debugf(string, ...any) {}
func (quiet) Info(...any)           {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Warn(...any)           {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Error(...any)          {}
func (quiet) Errorf(string, ...any) {}
