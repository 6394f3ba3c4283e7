package main

import (
	"net/http"
	"strings"
	"time"

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
	r.AddWorkflow(Payout)
}

// [doc]
func Payout(ctx *workflow.WorkflowContext) (any, error) {
	policy := &workflow.RetryPolicy{MaxAttempts: 10, InitialRetryInterval: time.Minute, BackoffCoefficient: 2, RetryTimeout: 2 * time.Hour}
	return nil, ctx.CallActivity(Pay, workflow.WithActivityRetryPolicy(policy)).Await(nil)
}

func Pay(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.stripe.com/v1/transfers", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", order.ID)
	_, err = http.DefaultClient.Do(req)
	return nil, err
}

// [/doc]
