package main

import (
	"os"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(ReadReport)
}

// [doc]
func ReadReport(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	data, err := os.ReadFile("/reports/" + order.ID) // want "its whole answer is returned"
	if err != nil {
		return nil, err
	}
	return data, nil
}

// [/doc]
