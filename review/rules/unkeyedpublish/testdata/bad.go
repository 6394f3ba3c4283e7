package main

import (
	"github.com/dapr/durabletask-go/workflow"
	dapr "github.com/dapr/go-sdk/client"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Announce)
}

var client dapr.Client

// [doc]
func Announce(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, client.PublishEvent(ctx.Context(), "pubsub", "orders", order) // want "publishes without a message id of its own"
}

// [/doc]
