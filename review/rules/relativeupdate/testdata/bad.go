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
}

var rdb *redis.Client

// [doc]
func CountOrder(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, rdb.Incr(ctx.Context(), "orders:"+order.CustomerID).Err() // want "changes a value by an amount"
}

// [/doc]
