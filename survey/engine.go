package survey

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/backend"
	"github.com/dapr/durabletask-go/task"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// engine is who runs the workflow: this process (local.go), or an engine that
// several share (shared.go).
type engine struct {
	schedule func(ctx context.Context, workflow string, opts ...api.NewWorkflowOptions) (api.InstanceID, error)
	look     func(ctx context.Context, id api.InstanceID, opts ...api.FetchWorkflowMetadataOptions) (*backend.WorkflowMetadata, error)
	forget   func(ctx context.Context, id api.InstanceID, opts ...api.PurgeOptions) error
	close    func(ctx context.Context) error
}

// begin makes sure that a survey is under way: a workflow that is there already is
// not begun again, unless it ended without ending the survey.
func (e *engine) begin(ctx context.Context, s Survey, width int) error {
	for again := false; ; again = true {
		_, err := e.schedule(ctx, scanName, api.WithInstanceID(api.InstanceID(s.ID)),
			api.WithInput(plan{about: about{Survey: s.ID, Seq: s.Seq, Source: s.Source, Scope: s.Scope}, Width: width}))
		if err == nil || !isDuplicate(err) {
			return err
		}
		there, err := e.look(ctx, api.InstanceID(s.ID))
		if err != nil || again || !api.WorkflowMetadataIsComplete(there) {
			return err
		}
		if err := e.forget(ctx, api.InstanceID(s.ID)); err != nil {
			return err
		}
	}
}

func isDuplicate(err error) bool {
	return errors.Is(err, api.ErrDuplicateInstance) || status.Code(err) == codes.AlreadyExists || strings.Contains(err.Error(), api.ErrDuplicateInstance.Error()) || strings.Contains(err.Error(), "already exists")
}

// purge forgets the workflows of an ended survey, whose results are in the index.
// What stays is a few rows.
func (e *engine) purge(ctx context.Context, id string, parts int64) {
	if e.forget(ctx, api.InstanceID(id)) != nil {
		return // it was purged before, or somebody else is at it
	}
	for n := int64(1); n <= parts && ctx.Err() == nil; n++ {
		_ = e.forget(ctx, api.InstanceID(partID(id, n)))
	}
}

// register names the workflows and their activities.
func (v *Surveyor) register(r *task.TaskRegistry) error {
	return errors.Join(
		r.AddWorkflowN(scanName, v.scan),
		r.AddWorkflowN(partName, v.readPart),
		r.AddActivityN(listName, v.listActivity),
		r.AddActivityN(planName, v.planActivity),
		r.AddActivityN(pageName, v.pageActivity),
		r.AddActivityN(finishName, v.finishActivity),
	)
}

func (v *Surveyor) listActivity(ctx task.ActivityContext) (any, error) {
	var at plan
	done, err := v.turn(ctx, &at)
	if err != nil {
		return nil, err
	}
	defer done()
	return v.list(ctx.Context(), at)
}

func (v *Surveyor) planActivity(ctx task.ActivityContext) (any, error) {
	var at plan
	done, err := v.turn(ctx, &at)
	if err != nil {
		return nil, err
	}
	defer done()
	return v.plan(ctx.Context(), at)
}

func (v *Surveyor) pageActivity(ctx task.ActivityContext) (any, error) {
	var at position
	done, err := v.turn(ctx, &at)
	if err != nil {
		return nil, err
	}
	defer done()
	return v.page(ctx.Context(), at)
}

func (v *Surveyor) finishActivity(ctx task.ActivityContext) (any, error) {
	var at plan
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	done, err := v.wait(ctx.Context()) // it reads the index alone, so any worker can
	if err != nil {
		return nil, err
	}
	defer done()
	return v.end(ctx.Context(), at)
}

// turn reads the input of an activity and waits until this process is free: it works
// on one activity at a time, each of which takes every processor. done gives the turn
// back.
func (v *Surveyor) turn(ctx task.ActivityContext, input interface{ what() about }) (done func(), err error) {
	if err := ctx.GetInput(input); err != nil {
		return nil, err
	}
	of := input.what()
	if of.Source != v.id { // the workers of an engine all read one source
		return nil, &fault.Error{Kind: fault.Config, What: "survey " + clean.Line(of.Survey, 60) + " is not of the source of this worker, " + clean.Line(v.place, 200),
			Means: "the engine is shared by surveys of several sources, or the workers name the source differently", Do: "Give every worker of an engine the same source, and each source an engine of its own"}
	}
	return v.wait(ctx.Context())
}

func (v *Surveyor) wait(ctx context.Context) (done func(), err error) {
	select {
	case v.busy <- struct{}{}:
		return func() { <-v.busy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lockTime is how long a step of a killed process stays locked before another
// goes on with it.
const lockTime = 10 * time.Second

// Log is told what goes wrong in an engine: "error" or "warn", and what. Both kinds
// are passing; what ends a survey is told by its state.
type Log func(level, text string)

// logger hands the library's warnings on. Its lower levels say nothing of use, and
// one of them prints the database's password.
type logger struct{ log Log }

func (l logger) tell(level, text string) {
	if l.log != nil {
		l.log(level, clean.Line(text, 400))
	}
}

func (logger) Debug(...any)                     {}
func (logger) Debugf(string, ...any)            {}
func (logger) Info(...any)                      {}
func (logger) Infof(string, ...any)             {}
func (l logger) Warn(v ...any)                  { l.tell("warn", fmt.Sprint(v...)) }
func (l logger) Warnf(format string, v ...any)  { l.tell("warn", fmt.Sprintf(format, v...)) }
func (l logger) Error(v ...any)                 { l.tell("error", fmt.Sprint(v...)) }
func (l logger) Errorf(format string, v ...any) { l.tell("error", fmt.Sprintf(format, v...)) }
