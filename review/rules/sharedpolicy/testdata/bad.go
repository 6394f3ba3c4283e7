package main

import (
	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Check)
	r.AddActivity(Price)
	r.AddActivity(Stock)
	r.AddWorkflow(OrderFlow)
}

// [doc]
var policy = &workflow.RetryPolicy{MaxAttempts: 5}

func OrderFlow(ctx *workflow.WorkflowContext) (any, error) {
	if err := ctx.CallActivity(Check, workflow.WithActivityRetryPolicy(policy)).Await(nil); err != nil { // want "one retry policy object is used for all 3 calls"
		return nil, err
	}
	if err := ctx.CallActivity(Price, workflow.WithActivityRetryPolicy(policy)).Await(nil); err != nil {
		return nil, err
	}
	return nil, ctx.CallActivity(Stock, workflow.WithActivityRetryPolicy(policy)).Await(nil)
}

// [/doc]

func Check(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return true, nil
}

func Price(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return 1, nil
}

func Stock(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return 2, nil
}
