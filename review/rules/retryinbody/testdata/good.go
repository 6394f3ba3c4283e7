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
	r.AddActivity(SetStatus)
	r.AddActivity(SetAll)
}

var rdb *redis.Client

// [doc]
func SetStatus(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return "done", rdb.Set(ctx.Context(), "status:"+order.ID, "paid", 0).Err()
}

// [/doc]

func SetAll(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	for _, item := range order.Items {
		if err := rdb.Set(ctx.Context(), "item:"+item.ID, "paid", 0).Err(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
