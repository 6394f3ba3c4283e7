package main

import (
	"time"

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
}

var rdb *redis.Client

// [doc]
func SetStatus(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	var err error
	for i := 0; i < 5; i++ {
		if err = rdb.Set(ctx.Context(), "status:"+order.ID, "paid", 0).Err(); err == nil { // want "is retried in the body"
			return "done", nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// [/doc]
