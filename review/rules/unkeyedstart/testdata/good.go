package main

import (
	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(StartFulfilment)
}

var wfc *workflow.Client

// [doc]
func StartFulfilment(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return wfc.ScheduleWorkflow(ctx.Context(), "Fulfil", workflow.WithInstanceID("fulfil-"+order.ID))
}

// [/doc]
