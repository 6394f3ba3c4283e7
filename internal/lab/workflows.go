package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dapr/durabletask-go/task"
)

// Script is a workflow's input: which shape it takes and how its calls go.
type Script struct {
	Shape      Shape  `json:"shape"`
	Calls      int    `json:"calls"`             // calls, turns of a loop, or generations
	Fails      int    `json:"fails"`             // attempts that fail first
	Words      string `json:"words,omitempty"`   // what they say
	Applied    bool   `json:"applied,omitempty"` // they change the outside world before they fail
	Generation int    `json:"generation,omitempty"`
}

// Order is an activity's input. Call is empty where calls must have identical
// inputs; such a call is known by its scheduled id.
type Order struct {
	Instance string `json:"instance"`
	Call     string `json:"call,omitempty"`
	Fails    int    `json:"fails,omitempty"`
	Words    string `json:"words,omitempty"`
	Applied  bool   `json:"applied,omitempty"`
	Hold     bool   `json:"hold,omitempty"`
}

// label names an order's call in the ledger.
func (o Order) label(activity string, scheduledID int32) string {
	if o.Call != "" {
		return o.Call
	}
	return fmt.Sprintf("%s %d", activity, scheduledID)
}

const (
	retryPause = 2 * time.Millisecond
	childName  = "ShipOrder"
	goEvent    = "approved"
)

var activityNames = [...]string{"ReserveStock", "ChargeCard", "SendReceipt", "BookCourier", "CreateLabel"}

// registry is the worker's: every shape, the child run and the activities.
func registry(l *Ledger, hold func(context.Context)) (*task.TaskRegistry, error) {
	r := task.NewTaskRegistry()
	var errs []error
	for _, s := range shapes {
		errs = append(errs, r.AddWorkflowN(string(s.name), workflow(s.body)))
	}
	errs = append(errs, r.AddWorkflowN(childName, workflow(child)))
	for _, name := range activityNames {
		errs = append(errs, r.AddActivityN(name, activity(name, l, hold)))
	}
	return r, errors.Join(errs...)
}

// activity is the body of every activity: it writes the ledger and fails as
// often as it was told to.
func activity(name string, l *Ledger, hold func(context.Context)) task.Activity {
	return func(ctx task.ActivityContext) (any, error) {
		var o Order
		if err := ctx.GetInput(&o); err != nil {
			return nil, err
		}
		line := Line{Instance: o.Instance, Activity: name, Call: o.label(name, ctx.GetTaskID()),
			ScheduledID: ctx.GetTaskID(), ExecutionID: ctx.GetTaskExecutionID()}
		failing := l.Begin(line) < o.Fails
		if !failing || o.Applied {
			line.What = Effect
			l.Write(line)
		}
		if o.Hold {
			hold(ctx.Context())
			return nil, ctx.Context().Err()
		}
		line.What, line.Failed = Ended, failing
		l.Write(line)
		if failing {
			return nil, errors.New(o.Words)
		}
		return "receipt of " + line.Call, nil
	}
}

// flow is a workflow under way.
type flow struct {
	*task.WorkflowContext
	s Script
}

func workflow(body func(flow) error) task.Workflow {
	return func(ctx *task.WorkflowContext) (any, error) {
		f := flow{WorkflowContext: ctx}
		if err := ctx.GetInput(&f.s); err != nil {
			return nil, err
		}
		return nil, body(f)
	}
}

// order is a call that goes well.
func (f flow) order(call string) Order { return Order{Instance: string(f.ID), Call: call} }

// failing is a call whose first attempts fail.
func (f flow) failing(call string) Order {
	return Order{Instance: string(f.ID), Call: call, Fails: f.s.Fails, Words: f.s.Words, Applied: f.s.Applied}
}

// call schedules an order; i chooses the activity.
func (f flow) call(i int, o Order, opts ...task.CallActivityOption) task.Task {
	return f.CallActivity(activityNames[i%len(activityNames)], append(opts, task.WithActivityInput(o))...)
}

func (f flow) await(tasks ...task.Task) error {
	for _, t := range tasks {
		if err := t.Await(nil); err != nil {
			return err
		}
	}
	return nil
}

func retries(attempts int) task.CallActivityOption {
	return task.WithActivityRetryPolicy(&task.RetryPolicy{MaxAttempts: attempts, InitialRetryInterval: retryPause})
}

func sequence(f flow) error {
	for i := range f.s.Calls {
		if err := f.await(f.call(i, f.order(fmt.Sprint("step ", i)))); err != nil {
			return err
		}
	}
	return nil
}

func fanOut(f flow) error {
	var tasks []task.Task
	for i := range f.s.Calls {
		tasks = append(tasks, f.call(i, f.order(fmt.Sprint("part ", i))))
	}
	return f.await(tasks...)
}

func identicalFanOut(f flow) error {
	var tasks []task.Task
	for range f.s.Calls {
		tasks = append(tasks, f.call(1, f.order("")))
	}
	return f.await(tasks...)
}

func loop(f flow) error {
	for i := range f.s.Calls {
		if err := f.await(f.call(1, f.order(fmt.Sprint("item ", i))), f.CreateTimer(retryPause)); err != nil {
			return err
		}
	}
	return nil
}

func retry(f flow) error {
	if err := f.await(f.call(0, f.order("before"))); err != nil {
		return err
	}
	return f.await(f.call(1, f.failing("charge"), retries(f.s.Fails+1)), f.call(2, f.order("after")))
}

func exhausted(f flow) error { return f.await(f.call(1, f.failing("charge"), retries(f.s.Fails))) }

func retriedFanOut(f flow) error {
	var tasks []task.Task
	for i := range f.s.Calls {
		tasks = append(tasks, f.call(1, f.failing(fmt.Sprint("part ", i)), retries(f.s.Fails+1)))
	}
	return f.await(tasks...)
}

func handLoop(f flow) error {
	for {
		err := f.await(f.call(1, f.failing("charge")))
		if err == nil {
			return nil
		}
		if err := f.await(f.CreateTimer(retryPause)); err != nil {
			return err
		}
	}
}

func childRetry(f flow) error {
	return f.await(f.CallChildWorkflow(childName, task.WithChildWorkflowInput(f.s),
		task.WithChildWorkflowRetryPolicy(&task.RetryPolicy{MaxAttempts: f.s.Fails + 1, InitialRetryInterval: retryPause})))
}

// child fails as a whole until its second call goes well.
func child(f flow) error { return f.await(f.call(3, f.order("book")), f.call(4, f.failing("label"))) }

func externalEvent(f flow) error {
	if err := f.await(f.call(0, f.order("before")), f.WaitForSingleEvent(goEvent, time.Hour)); err != nil {
		return err
	}
	return f.await(f.call(1, f.order("after")))
}

func continueAsNew(f flow) error {
	if err := f.await(f.call(1, f.order(fmt.Sprint("generation ", f.s.Generation)))); err != nil {
		return err
	}
	if f.s.Generation++; f.s.Generation < f.s.Calls {
		f.ContinueAsNew(f.s)
	}
	return nil
}

func failure(f flow) error {
	return f.await(f.call(0, f.order("before")), f.call(1, f.failing("charge")))
}

func terminated(f flow) error {
	return f.await(f.call(1, f.order("charge")), f.WaitForSingleEvent("never", time.Hour))
}

func unfinished(f flow) error {
	held := f.order("charge")
	held.Hold = true
	return f.await(f.call(0, f.order("before")), f.call(1, held))
}

func retryPending(f flow) error {
	return f.await(f.call(1, f.failing("charge"), task.WithActivityRetryPolicy(&task.RetryPolicy{MaxAttempts: f.s.Fails + 1, InitialRetryInterval: time.Hour})))
}
