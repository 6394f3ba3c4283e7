package main

import (
	"errors"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(CheckOrder)
	r.AddWorkflow(OrderFlow)
}

var ErrInvalid = errors.New("quantity is invalid")

// [doc]
func OrderFlow(ctx *workflow.WorkflowContext) (any, error) {
	policy := &workflow.RetryPolicy{MaxAttempts: 5, Handle: func(err error) bool { return !errors.Is(err, ErrInvalid) }}
	return nil, ctx.CallActivity(CheckOrder, workflow.WithActivityRetryPolicy(policy)).Await(nil)
}

func CheckOrder(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	if order.Quantity <= 0 {
		return nil, errors.New("quantity is invalid")
	}
	return "ok", nil
}

// [/doc]
