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
	r.AddActivity(Enqueue)
	r.AddActivity(SKUs)
}

var rdb *redis.Client

// [doc]
func Enqueue(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, rdb.SAdd(ctx.Context(), "orders", order.ID).Err()
}

// [/doc]

func SKUs(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	var out []string
	for _, item := range order.Items {
		out = append(out, item.SKU)
	}
	return out, nil
}
