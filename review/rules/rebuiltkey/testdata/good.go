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
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.pay.example/v1/payments", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", order.ID)
	_, err = http.DefaultClient.Do(req)
	return nil, err
}

// [/doc]
