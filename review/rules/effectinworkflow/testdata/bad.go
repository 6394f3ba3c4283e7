package main

import (
	"net/http"
	"strings"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Check)
	r.AddWorkflow(OrderFlow)
}

// [doc]
func OrderFlow(ctx *workflow.WorkflowContext) (any, error) {
	if _, err := http.Post("https://hooks.example/started", "application/json", strings.NewReader("{}")); err != nil { // want "every replay acts again"
		return nil, err
	}
	return nil, ctx.CallActivity(Check).Await(nil)
}

// [/doc]

func Check(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return true, nil
}
