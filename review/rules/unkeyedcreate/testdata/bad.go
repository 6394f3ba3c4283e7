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
	r.AddActivity(Charge)
}

// [doc]
func Charge(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	resp, err := http.Post("https://api.pay.example/v1/payments", "application/json", strings.NewReader("{}")) // want "creates something at another system without a key"
	if err != nil {
		return nil, err
	}
	return nil, resp.Body.Close()
}

// [/doc]
