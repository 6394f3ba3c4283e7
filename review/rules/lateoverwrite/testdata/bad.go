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
	r.AddActivity(SetBalance)
}

var client dapr.Client

// [doc]
func SetBalance(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	data, _ := json.Marshal(order.Amount - order.Quantity)
	return nil, client.SaveState(ctx.Context(), "accounts", order.CustomerID, data, nil) // want "computed from a snapshot in the input"
}

// [/doc]
