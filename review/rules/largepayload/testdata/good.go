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
	r.AddActivity(FindReport)
}

// [doc]
func FindReport(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	info, err := os.Stat("/reports/" + order.ID)
	if err != nil {
		return nil, err
	}
	return info.Size(), nil
}

// [/doc]
