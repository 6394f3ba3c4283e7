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
	r.AddActivity(Quote)
}

// [doc]
func Quote(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	resp, err := http.Post("https://rates.example/v1/quote", "application/json", strings.NewReader("{}")) // want "seems only to ask"
	if err != nil {
		return nil, err
	}
	return nil, resp.Body.Close()
}

// [/doc]
