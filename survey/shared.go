package survey

import (
	"context"
	"time"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/client"
	"github.com/dapr/durabletask-go/task"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// hub is the library's client of a shared engine: the engine host, a Dapr sidecar or
// Catalyst speak the same protocol. Histories here are short, so the worker keeps no
// copies of them.
func (v *Surveyor) hub() (*client.TaskHubGrpcClient, error) {
	c, err := v.config.Hub()
	if err != nil {
		return nil, err
	}
	return client.NewTaskHubGrpcClient(c, logger{v.config.Log}, client.WithStatefulHistoryDisabled()), nil
}

// sharedEngine schedules surveys on an engine that others work for.
func (v *Surveyor) sharedEngine() (*engine, error) {
	c, err := v.hub()
	if err != nil {
		return nil, err
	}
	schedule := func(ctx context.Context, workflow string, opts ...api.NewWorkflowOptions) (api.InstanceID, error) {
		// With a start time, the engine does not keep the caller until a worker takes it
		// up; an hour early, so that no difference of clocks puts it off.
		return c.ScheduleNewWorkflow(ctx, workflow, append(opts, api.WithStartTime(now().Add(-time.Hour)))...)
	}
	return &engine{schedule: schedule, look: c.FetchWorkflowMetadata, forget: c.PurgeWorkflowState, close: func(context.Context) error { return nil }}, nil
}

// Work works for the shared engine until ctx ends: any number of processes may. A
// page that is cut short is read again by another.
func (v *Surveyor) Work(ctx context.Context) error {
	if v.config.Hub == nil {
		return &fault.Error{Kind: fault.Config, What: "there is no shared engine to work for", Means: "a survey runs in the process that starts it", Do: "Set survey.engine to host or dapr"}
	}
	if err := v.ready(ctx); err != nil {
		return err
	}
	if d := v.source.Describe(ctx); d.Problem != nil {
		return d.Problem
	}
	hub, err := v.hub()
	if err != nil {
		return err
	}
	registry := task.NewTaskRegistry()
	if err := v.register(registry); err != nil {
		return err
	}
	log := logger{v.config.Log}
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		err := hub.StartWorkItemListener(ctx, registry)
		if err == nil {
			break
		}
		log.tell("warn", "the engine does not answer, trying again: "+err.Error())
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
	log.tell("info", "working for surveys of "+v.place)
	<-ctx.Done()
	v.busy <- struct{}{} // what is under way has been told to end
	return nil
}
