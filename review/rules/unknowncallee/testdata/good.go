package main

import (
	"net/http"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Quote)
}

// [doc]
func Quote(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	resp, err := http.Get("https://rates.example/v1/quote?sku=" + order.SKU)
	if err != nil {
		return nil, err
	}
	return nil, resp.Body.Close()
}

// [/doc]
