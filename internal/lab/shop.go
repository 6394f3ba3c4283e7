package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dapr/durabletask-go/api"
	"github.com/dapr/durabletask-go/api/protos"
	"github.com/dapr/durabletask-go/task"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protojson"
)

// This file makes the histories of examples/shop: its workflows, with the names
// and the retry policies that its code has, run by the real engine. The bodies
// are stand-ins that fail as shopTroubles says; the example's code is not run.

// ShopOrder is the input of the shop's workflows and activities.
type ShopOrder struct {
	ID       string `json:"order_id"`
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	Total    int    `json:"total"`
	Email    string `json:"email"`
}

// trouble is how the first attempts of an activity fail.
type trouble struct {
	fails int
	words string
}

const (
	timedOut  = "HTTPSConnectionPool(host='api.pay.example', port=443): Read timed out. (read timeout=10)"
	noCourier = "503 Service Unavailable: courier gateway"
	notSent   = "connection to server at \"db.shop.example\", port 5432 failed: Connection refused"
	dropped   = "server closed the connection unexpectedly: connection reset by peer"
	declined  = "402 Payment Required: card declined"
	mailDown  = "421 4.3.2 Service not available, closing transmission channel"
)

// shopTroubles are the failures by order and activity. Orders that are not
// named go well.
func shopTroubles() map[string]map[string]trouble {
	return map[string]map[string]trouble{
		"ORD-2003":  {"ChargeCard": {1, timedOut}},
		"ORD-2005":  {"ReserveStock": {1, notSent}},
		"ORD-2006":  {"ChargeCard": {1, timedOut}},
		"ORD-2008":  {"AddLoyaltyPoints": {1, dropped}},
		"ORD-2009":  {"ChargeCard": {2, timedOut}},
		"ORD-2011":  {"ReserveStock": {1, dropped}},
		"ORD-2012":  {"ChargeCard": {4, timedOut}, "RefundCard": {1, timedOut}},
		"ORD-2014":  {"ChargeCard": {1, timedOut}},
		"ORD-2016":  {"ReserveStock": {1, notSent}},
		"ORD-2017":  {"ChargeCard": {4, declined}},
		"ORD-2019":  {"RecordOrder": {1, dropped}},
		"ORD-2020":  {"ChargeCard": {1, timedOut}},
		"SHIP-2002": {"BookCourier": {1, noCourier}},
		"SHIP-2004": {"NotifyCustomer": {1, mailDown}},
		"SHIP-2006": {"BookCourier": {3, noCourier}},
		"SHIP-2007": {"PrintLabel": {1, noCourier}},
		"SHIP-2010": {"BookCourier": {1, noCourier}},
	}
}

// shopApp is one app of the shop with its only workflow: steps one after the
// other, the calls of a step at once.
type shopApp struct {
	id, workflow, prefix string
	runs                 int
	steps                [][]shopCall
}

// shopCall is a call with its retry policy and, where its failure is made good,
// the activity that does.
type shopCall struct {
	activity string
	policy   *task.RetryPolicy
	undo     string
}

// shopApps are the workflows of examples/shop as its code has them. Reviewing the
// repository must not take this for their call sites, so no name stands in a call.
func shopApps() []shopApp {
	storage := &task.RetryPolicy{MaxAttempts: 3, InitialRetryInterval: time.Second}
	remote := &task.RetryPolicy{MaxAttempts: 4, InitialRetryInterval: 2 * time.Second, BackoffCoefficient: 2}
	return []shopApp{
		{"orders", "OrderWorkflow", "ORD", 22, [][]shopCall{
			{{"ReserveStock", storage, ""}}, {{"ChargeCard", remote, "RefundCard"}},
			{{"RecordOrder", storage, ""}, {"AddLoyaltyPoints", storage, ""}}, {{"NotifyCustomer", nil, ""}},
		}},
		{"shipping", "ShipOrderWorkflow", "SHIP", 11, [][]shopCall{
			{{"BookCourier", remote, ""}}, {{"PrintLabel", remote, "CancelBooking"}},
			{{"AnnounceShipment", remote, ""}, {"NotifyCustomer", remote, ""}},
		}},
	}
}

// flow is the app's workflow.
func (app shopApp) flow(ctx *task.WorkflowContext) (any, error) {
	var o ShopOrder
	if err := ctx.GetInput(&o); err != nil {
		return nil, err
	}
	start := func(activity string, policy *task.RetryPolicy) task.Task {
		opts := []task.CallActivityOption{task.WithActivityInput(o)}
		if policy != nil {
			opts = append(opts, task.WithActivityRetryPolicy(policy))
		}
		return ctx.CallActivity(activity, opts...)
	}
	for _, step := range app.steps {
		var tasks []task.Task
		for _, c := range step {
			tasks = append(tasks, start(c.activity, c.policy))
		}
		for i, t := range tasks {
			err := t.Await(nil)
			if undo := step[i].undo; err != nil && undo != "" {
				err = errors.Join(err, start(undo, step[i].policy).Await(nil))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return o.ID, nil
}

// registry registers the workflow and the stand-ins of its activities.
func (app shopApp) registry() (*task.TaskRegistry, error) {
	r := task.NewTaskRegistry()
	err := r.AddWorkflowN(app.workflow, app.flow)
	bodies := &shopBodies{begun: map[string]int{}, troubles: shopTroubles()}
	for _, step := range app.steps {
		for _, c := range step {
			err = errors.Join(err, r.AddActivityN(c.activity, bodies.of(c.activity)))
			if c.undo != "" {
				err = errors.Join(err, r.AddActivityN(c.undo, bodies.of(c.undo)))
			}
		}
	}
	return r, err
}

// shopBodies counts how often each body was begun.
type shopBodies struct {
	mu       sync.Mutex
	begun    map[string]int
	troubles map[string]map[string]trouble
}

func (b *shopBodies) of(name string) task.Activity {
	return func(ctx task.ActivityContext) (any, error) {
		var o ShopOrder
		if err := ctx.GetInput(&o); err != nil {
			return nil, err
		}
		b.mu.Lock()
		attempt := b.begun[o.ID+"/"+name]
		b.begun[o.ID+"/"+name]++
		b.mu.Unlock()
		wait(ctx.Context(), 40*time.Millisecond)
		if t := b.troubles[o.ID][name]; attempt < t.fails {
			return nil, errors.New(t.words)
		}
		return "ok", nil
	}
}

// Shop runs the orders and shipments of the example shop on engines in dir and
// writes their histories to out, a folder a run.
func Shop(ctx context.Context, dir, out string) error {
	for _, app := range shopApps() {
		d := filepath.Join(dir, app.id)
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
		reg := func(func(context.Context)) (*task.TaskRegistry, error) { return app.registry() } //nolint:contextcheck // a body's context comes from the engine
		e, err := startEngine(ctx, d, app.id, nil, reg)
		if err != nil {
			return err
		}
		if err := errors.Join(e.shopRuns(ctx, app, out), e.close()); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) shopRuns(ctx context.Context, app shopApp, out string) error {
	g, each := errgroup.WithContext(ctx)
	g.SetLimit(inFlight)
	for i := range app.runs {
		id := fmt.Sprintf("%s-%d", app.prefix, 2001+i)
		o := ShopOrder{ID: id, SKU: "LAMP-3", Quantity: 1 + i%3, Total: 4900 * (1 + i%3), Email: fmt.Sprintf("customer-%d@example.com", i+1)}
		g.Go(func() error {
			if _, err := e.current().client.ScheduleNewWorkflow(each, app.workflow, api.WithInstanceID(api.InstanceID(id)), api.WithInput(o)); err != nil {
				return err
			}
			if err := e.await(each, id, ended); err != nil {
				return err
			}
			raw, err := e.store.history(each, id)
			if err != nil {
				return err
			}
			events, err := decode(raw)
			if err != nil {
				return err
			}
			return export(filepath.Join(out, id), id, app.workflow, events)
		})
	}
	return g.Wait()
}

// export writes a run as the project's examples have it: the events in stored
// order and what the API tells of the run.
func export(dir, id, workflow string, events []*protos.HistoryEvent) error {
	var lines bytes.Buffer
	meta := map[string]any{"instanceId": id, "name": workflow, "runtimeStatus": "RUNNING"}
	for _, e := range events {
		b, err := protojson.Marshal(e)
		if err != nil {
			return err
		}
		if err := json.Compact(&lines, b); err != nil { // protojson's spacing is unstable on purpose
			return err
		}
		lines.WriteByte('\n')
		when := e.GetTimestamp().AsTime().Format(time.RFC3339Nano)
		if e.GetExecutionStarted() != nil {
			meta["createdAt"] = when
		}
		meta["lastUpdatedAt"] = when
		if done := e.GetExecutionCompleted(); done != nil {
			meta["runtimeStatus"] = map[bool]string{true: "COMPLETED", false: "FAILED"}[done.GetWorkflowStatus() == protos.OrchestrationStatus_ORCHESTRATION_STATUS_COMPLETED]
		}
	}
	b, err := json.MarshalIndent(meta, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "history.ndjson"), lines.Bytes(), 0o644), os.WriteFile(filepath.Join(dir, "metadata.json"), append(b, '\n'), 0o644))
}
