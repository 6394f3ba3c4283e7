package lab

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/backend"
	"google.golang.org/protobuf/proto"
)

// resultDelay is above the lag that history tells of.
const resultDelay = 600 * time.Millisecond

var (
	errInjected = errors.New("fault injected by the lab")
	errLost     = errors.New("the worker is lost")
)

// seam stands between a worker and the engine's backend and makes things go
// wrong there. One worker's life has one seam.
type seam struct {
	backend.Backend
	store  *store
	faults *faults
	watch  *watch
	lost   chan struct{} // closed when the worker is lost
	doomed atomic.Bool   // the body during which it is lost is under way: nothing else is begun
	extra  queue         // deliveries beside the backend's
	turns  chan struct{} // pulse: a turn may be due
	tasks  chan struct{} // pulse: an activity may be due
	inbox  sync.Mutex    // held where several events must reach one turn together
}

func newSeam(be backend.Backend, st *store, f *faults, w *watch) *seam {
	return &seam{Backend: be, store: st, faults: f, watch: w, lost: make(chan struct{}), turns: make(chan struct{}, 1), tasks: make(chan struct{}, 1)}
}

// twin is a second delivery whose result is stored together with the first
// one's.
type twin struct {
	ended  chan struct{}
	result *backend.HistoryEvent
	leads  bool // its result is stored before the other one's
	alone  bool // its result is stored at once; the engine makes no other delivery
	stored chan struct{}
}

func newTwin() *twin { return &twin{ended: make(chan struct{}), stored: make(chan struct{})} }

// role is what a delivery is to the lab, kept in the work item.
type role struct {
	fault FaultKind
	twin  *twin
	copy  bool // the backend does not know of this delivery
}

const roleKey = "lab"

func roleOf(wi *backend.ActivityWorkItem) role {
	r, _ := wi.Properties[roleKey].(role)
	return r
}

// again delivers a copy of a work item. The backend is never asked to complete
// or abandon a copy: it would know it by a sequence number that it gives to
// another item as soon as the first is completed.
func (s *seam) again(wi *backend.ActivityWorkItem, t *twin) {
	c := *wi
	c.NewEvent = proto.CloneOf(wi.NewEvent)
	c.Properties = map[string]any{roleKey: role{twin: t, copy: true}}
	s.watch.begin()
	s.extra.put(&c)
	pulse(s.tasks)
}

// NextActivityWorkItem implements [backend.Backend].
func (s *seam) NextActivityWorkItem(ctx context.Context) (*backend.ActivityWorkItem, error) {
	for {
		if wi := s.extra.take(); wi != nil {
			return wi, nil
		}
		due, err := s.store.taskDue(ctx)
		if err != nil {
			return nil, err
		}
		if due && !s.doomed.Load() {
			s.watch.begin()
			wi, err := s.Backend.NextActivityWorkItem(ctx)
			if err != nil {
				s.watch.end("")
				return nil, err
			}
			s.strike(wi)
			return wi, nil
		}
		select {
		case <-s.tasks:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// strike gives a delivery the fault that is planned for it.
func (s *seam) strike(wi *backend.ActivityWorkItem) {
	kind := s.faults.strike(string(wi.InstanceID), false)
	r := role{fault: kind, twin: s.faults.twin(wi)}
	switch kind {
	case DeliveredTwice:
		s.again(wi, nil)
	case WorkerLost:
		s.doomed.Store(true)
	case ResultTwice:
		r.twin = newTwin()
		s.again(wi, r.twin)
	}
	wi.Properties = map[string]any{roleKey: r}
}

// CompleteActivityWorkItem implements [backend.Backend].
func (s *seam) CompleteActivityWorkItem(ctx context.Context, wi *backend.ActivityWorkItem) error {
	if s.isLost() {
		return errLost
	}
	r := roleOf(wi)
	var err error
	switch {
	case r.fault == ResultDropped:
		return errInjected
	case r.fault == WorkerLost:
		close(s.lost)
		return errLost
	case r.copy && r.twin == nil:
		return backend.ErrWorkItemLockLost // the first delivery is completed or will be
	case r.copy:
		err = s.completeTwin(ctx, wi, r.twin)
	case r.twin != nil:
		err = s.completePair(ctx, wi, r.twin)
	default:
		if r.fault == ResultDelayed {
			wait(ctx, resultDelay)
		}
		err = s.Backend.CompleteActivityWorkItem(ctx, wi)
	}
	if err == nil {
		s.done(string(wi.InstanceID))
	}
	return err
}

// completeTwin keeps a second delivery's result for the first one.
func (s *seam) completeTwin(ctx context.Context, wi *backend.ActivityWorkItem, t *twin) error {
	t.result = wi.Result
	close(t.ended)
	if !t.alone {
		return nil
	}
	defer close(t.stored)
	return s.AddNewWorkflowEvent(ctx, wi.InstanceID, wi.Result)
}

// completePair stores a delivery's result and its twin's so that one turn gets
// both.
func (s *seam) completePair(ctx context.Context, wi *backend.ActivityWorkItem, t *twin) error {
	select {
	case <-t.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.inbox.Lock()
	defer s.inbox.Unlock()
	if t.leads {
		if err := s.AddNewWorkflowEvent(ctx, wi.InstanceID, t.result); err != nil {
			return err
		}
	}
	if err := s.Backend.CompleteActivityWorkItem(ctx, wi); err != nil || t.leads {
		return err
	}
	return s.AddNewWorkflowEvent(ctx, wi.InstanceID, t.result)
}

// AbandonActivityWorkItem implements [backend.Backend].
func (s *seam) AbandonActivityWorkItem(ctx context.Context, wi *backend.ActivityWorkItem) error {
	defer s.done(string(wi.InstanceID))
	if s.isLost() {
		return errLost
	}
	if roleOf(wi).copy {
		return nil
	}
	return s.Backend.AbandonActivityWorkItem(ctx, wi)
}

// NextWorkflowWorkItem implements [backend.Backend].
func (s *seam) NextWorkflowWorkItem(ctx context.Context) (*backend.WorkflowWorkItem, error) {
	for {
		wi, pause, err := s.nextTurn(ctx)
		if wi != nil || err != nil {
			return wi, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-s.turns:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// nextTurn takes a turn that is due, or says how long none will be.
func (s *seam) nextTurn(ctx context.Context) (*backend.WorkflowWorkItem, time.Duration, error) {
	s.inbox.Lock()
	defer s.inbox.Unlock()
	at, ok, err := s.store.turnDue(ctx)
	switch {
	case err != nil:
		return nil, 0, err
	case !ok || s.isLost():
		return nil, time.Hour, nil
	case time.Until(at) > 0:
		return nil, time.Until(at), nil
	}
	s.watch.begin()
	wi, err := s.Backend.NextWorkflowWorkItem(ctx)
	if err != nil {
		s.watch.end("")
	}
	return wi, 0, err
}

// CompleteWorkflowWorkItem implements [backend.Backend].
func (s *seam) CompleteWorkflowWorkItem(ctx context.Context, wi *backend.WorkflowWorkItem) error {
	if s.isLost() {
		return errLost
	}
	kind := NoFault
	if len(wi.State.PendingTasks) > 0 {
		kind = s.faults.strike(string(wi.InstanceID), true)
	}
	switch kind {
	case CommitFailed:
		return errInjected
	case CommitLostEarly, CommitLostBetween, CommitLostLate:
		return s.lose(ctx, wi, kind)
	}
	if err := s.Backend.CompleteWorkflowWorkItem(ctx, wi); err != nil {
		return err
	}
	if kind == CommitAmbiguous {
		return errInjected
	}
	s.done(string(wi.InstanceID))
	return nil
}

// lose dispatches what a turn scheduled and does not commit the turn, as a
// runtime can whose dispatch and commit are two steps. The first call's result
// comes as the fault has it, the other ones' after those of the re-run.
func (s *seam) lose(ctx context.Context, wi *backend.WorkflowWorkItem, kind FaultKind) error {
	var first *twin
	for _, e := range wi.State.PendingTasks {
		t := newTwin()
		if first == nil {
			first = t
			t.leads, t.alone = kind == CommitLostBetween, kind == CommitLostEarly
		}
		s.faults.lose(string(wi.InstanceID), e, t)
		s.again(&backend.ActivityWorkItem{InstanceID: wi.InstanceID, NewEvent: e}, t)
	}
	until := first.ended
	switch kind {
	case CommitLostLate:
		return errInjected
	case CommitLostEarly:
		until = first.stored
	}
	select {
	case <-until:
		return errInjected
	case <-ctx.Done():
		return ctx.Err()
	}
}

// AbandonWorkflowWorkItem implements [backend.Backend].
func (s *seam) AbandonWorkflowWorkItem(ctx context.Context, wi *backend.WorkflowWorkItem) error {
	defer s.done(string(wi.InstanceID))
	if s.isLost() {
		return errLost
	}
	return s.Backend.AbandonWorkflowWorkItem(ctx, wi)
}

// AddNewWorkflowEvent implements [backend.Backend].
func (s *seam) AddNewWorkflowEvent(ctx context.Context, id api.InstanceID, e *backend.HistoryEvent) error {
	defer pulse(s.turns)
	return s.Backend.AddNewWorkflowEvent(ctx, id, e)
}

// CreateWorkflowInstance implements [backend.Backend].
func (s *seam) CreateWorkflowInstance(ctx context.Context, r *backend.CreateWorkflowInstanceRequest) error {
	defer pulse(s.turns)
	return s.Backend.CreateWorkflowInstance(ctx, r)
}

// done ends a work item, whatever became of it.
func (s *seam) done(instance string) {
	s.watch.end(instance)
	pulse(s.turns)
	pulse(s.tasks)
}

func (s *seam) isLost() bool {
	select {
	case <-s.lost:
		return true
	default:
		return false
	}
}

// faults knows which fault strikes a run where, and what a lost turn had
// dispatched. It outlives a worker.
type faults struct {
	mu   sync.Mutex
	runs map[string]*struck
	lost map[string]*twin // by instance and scheduled id
}

// struck is a run's fault.
type struck struct {
	plan  Plan
	seen  int
	fired bool
	turn  []int32 // the scheduled ids of the lost turn
	inst  string  // the instance it struck: the run or a child
}

func newFaults(plans []Plan) *faults {
	f := &faults{runs: map[string]*struck{}, lost: map[string]*twin{}}
	for _, p := range plans {
		f.runs[p.Instance] = &struck{plan: p}
	}
	return f
}

// strike counts a delivery or a commit of a run and returns the fault that
// strikes it.
func (f *faults) strike(instance string, commit bool) FaultKind {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[root(instance)]
	if r == nil || r.fired || r.plan.Fault == NoFault || r.plan.Fault.ofCommit() != commit {
		return NoFault
	}
	r.seen++
	if r.fired = r.seen > r.plan.At; !r.fired {
		return NoFault
	}
	r.inst = instance
	return r.plan.Fault
}

func lostKey(instance string, id int32) string { return fmt.Sprintf("%s/%d", instance, id) }

func (f *faults) lose(instance string, e *backend.HistoryEvent, t *twin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[root(instance)]
	r.turn = append(r.turn, e.EventId)
	f.lost[lostKey(instance, e.EventId)] = t
}

// twin returns and forgets what a lost turn had dispatched in place of wi.
func (f *faults) twin(wi *backend.ActivityWorkItem) *twin {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := lostKey(string(wi.InstanceID), wi.NewEvent.EventId)
	t := f.lost[k]
	delete(f.lost, k)
	if t != nil && t.alone {
		return nil
	}
	return t
}

// of returns what struck a run.
func (f *faults) of(instance string) struck {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *f.runs[instance]
}
