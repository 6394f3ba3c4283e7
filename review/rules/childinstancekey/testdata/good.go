package main

import (
	"net/http"
	"strings"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Pay)
	r.AddActivity(Refund)
	r.AddWorkflow(Parent)
	r.AddWorkflow(PayChild)
	r.AddWorkflow(Alone)
}

// [doc]
func Parent(ctx *workflow.WorkflowContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	policy := &workflow.RetryPolicy{MaxAttempts: 3}
	return nil, ctx.CallChildWorkflow("PayChild", workflow.WithChildWorkflowInput(order.ID), workflow.WithChildWorkflowRetryPolicy(policy)).Await(nil)
}

func PayChild(ctx *workflow.WorkflowContext) (any, error) {
	var key string
	if err := ctx.GetInput(&key); err != nil {
		return nil, err
	}
	return nil, ctx.CallActivity(Pay, workflow.WithActivityInput(key)).Await(nil)
}

func Pay(ctx workflow.ActivityContext) (any, error) {
	var key string
	if err := ctx.GetInput(&key); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.pay.example/v1/payments", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", key)
	_, err = http.DefaultClient.Do(req)
	return nil, err
}

// [/doc]

func Alone(ctx *workflow.WorkflowContext) (any, error) {
	return nil, ctx.CallActivity(Refund, workflow.WithActivityInput(ctx.ID())).Await(nil)
}

func Refund(ctx workflow.ActivityContext) (any, error) {
	var key string
	if err := ctx.GetInput(&key); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.pay.example/v1/refunds", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", key)
	_, err = http.DefaultClient.Do(req)
	return nil, err
}
