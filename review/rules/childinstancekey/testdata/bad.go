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
	r.AddWorkflow(Parent)
	r.AddWorkflow(PayChild)
}

// [doc]
func Parent(ctx *workflow.WorkflowContext) (any, error) {
	policy := &workflow.RetryPolicy{MaxAttempts: 3}
	return nil, ctx.CallChildWorkflow("PayChild", workflow.WithChildWorkflowRetryPolicy(policy)).Await(nil)
}

func PayChild(ctx *workflow.WorkflowContext) (any, error) {
	return nil, ctx.CallActivity(Pay, workflow.WithActivityInput(ctx.ID())).Await(nil)
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
	_, err = http.DefaultClient.Do(req) // want "every retry of it is a new instance"
	return nil, err
}

// [/doc]
