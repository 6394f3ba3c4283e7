package main

import (
	"encoding/json"

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
	r.AddActivity(Reserve)
}

var client dapr.Client

// [doc]
func Reserve(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	item, err := client.GetState(ctx.Context(), "stock", order.SKU, nil)
	if err != nil {
		return nil, err
	}
	var stock int64
	if err := json.Unmarshal(item.Value, &stock); err != nil {
		return nil, err
	}
	stock -= order.Quantity
	data, _ := json.Marshal(stock)
	return nil, client.SaveState(ctx.Context(), "stock", order.SKU, data, nil) // want "writes a value computed from what it read before"
}

// [/doc]
