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
	r.AddActivity(Settle)
}

// [doc]
func Settle(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	if err := post("https://api.stripe.com/v1/charges", order.ID); err != nil {
		return nil, err
	}
	return nil, post("https://api.stripe.com/v1/transfers", order.ID)
}

func post(url, key string) error {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	_, err = http.DefaultClient.Do(req) // want "carries the key of another operation"
	return err
}

// [/doc]
