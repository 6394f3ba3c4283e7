package main

import (
	"github.com/dapr/durabletask-go/workflow"
	"github.com/redis/go-redis/v9"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Tell)
	r.AddWorkflow(OrderFlow)
}

var rdb *redis.Client

// [doc]
func OrderFlow(ctx *workflow.WorkflowContext) (any, error) {
	return nil, ctx.CallActivity(Tell).Await(nil)
}

func Tell(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, rdb.Set(ctx.Context(), "started:"+order.ID, "1", 0).Err()
}

// [/doc]
