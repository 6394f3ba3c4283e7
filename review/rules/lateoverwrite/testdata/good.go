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
	r.AddActivity(Book)
	r.AddActivity(Total)
}

var client dapr.Client

// [doc]
func Book(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	data, _ := json.Marshal(order.Quantity)
	return nil, client.SaveState(ctx.Context(), "entries", order.CustomerID+"/"+order.ID, data, nil)
}

// [/doc]

func Total(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return order.Amount - order.Quantity, nil
}
