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
	r.AddActivity(CountOrder)
	r.AddActivity(SetStatus)
}

var rdb *redis.Client

// [doc]
func CountOrder(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, rdb.SAdd(ctx.Context(), "orders:"+order.CustomerID, order.ID).Err()
}

// [/doc]

func SetStatus(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, rdb.Set(ctx.Context(), "status:"+order.ID, "paid", 0).Err()
}
