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
	r.AddActivity(DropUpload)
}

// [doc]
func DropUpload(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	if err := os.Remove("/uploads/" + order.ID); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return nil, nil
}

// [/doc]
