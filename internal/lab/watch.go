package lab

import (
	"context"
	"sync"
	"time"

	"github.com/dapr/durabletask-go/backend"
)

// watch counts the work items under way and wakes those who wait for a run.
type watch struct {
	mu      sync.Mutex
	begun   int // ever
	busy    int
	held    int
	changed map[string]chan struct{} // by run; "" for any
}

func newWatch() *watch { return &watch{changed: map[string]chan struct{}{}} }

// on returns a channel that is closed at the next change of a run, or of any.
func (w *watch) on(run string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.changed[run]
	if c == nil {
		c = make(chan struct{})
		w.changed[run] = c
	}
	return c
}

func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	w.busy++
	w.wake("")
}

func (w *watch) end(instance string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	w.wake(root(instance), "")
}

// replaced tells that a lost worker has a successor.
func (w *watch) replaced() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wake("")
}

// wake needs w.mu.
func (w *watch) wake(runs ...string) {
	for _, r := range runs {
		if c := w.changed[r]; c != nil {
			close(c)
			delete(w.changed, r)
		}
	}
}

// hold keeps a body until ctx ends.
func (w *watch) hold(ctx context.Context) {
	w.mu.Lock()
	w.held++
	w.wake("")
	w.mu.Unlock()
	<-ctx.Done()
	w.mu.Lock()
	w.held--
	w.mu.Unlock()
}

// idle reports whether every work item under way is a held body, and how many
// ever began.
func (w *watch) idle() (idle bool, begun int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy == w.held, w.begun
}

// pulse leaves a wish to be looked at; one is enough.
func pulse(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait pauses for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// queue holds deliveries, first in first out. The zero value is empty.
type queue struct {
	mu    sync.Mutex
	items []*backend.ActivityWorkItem
}

func (q *queue) put(wi *backend.ActivityWorkItem) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, wi)
}

// take returns nil when the queue is empty.
func (q *queue) take() *backend.ActivityWorkItem {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil
	}
	wi := q.items[0]
	q.items = q.items[1:]
	return wi
}
