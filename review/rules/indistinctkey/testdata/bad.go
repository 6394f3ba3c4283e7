package main

import (
	"encoding/json"
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
	r.AddActivity(Ship)
}

// [doc]
func Ship(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	for _, item := range order.Items {
		body, _ := json.Marshal(item)
		req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.ship.example/v1/labels", strings.NewReader(string(body)))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Idempotency-Key", order.ID)
		if _, err := http.DefaultClient.Do(req); err != nil { // want "the same in every turn of the loop"
			return nil, err
		}
	}
	return nil, nil
}

// [/doc]
