package main

import (
	"database/sql"
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
	r.AddActivity(Pay)
}

var db *sql.DB

// [doc]
func Pay(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	var status string
	if err := db.QueryRowContext(ctx.Context(), "SELECT status FROM payments WHERE order_id = $1", order.ID).Scan(&status); err != nil && err != sql.ErrNoRows {
		return nil, err
	}
	if status == "succeeded" {
		return status, nil
	}
	if status == "pending" {
		return "unknown", nil // a person, or a job, asks the provider
	}
	if _, err := db.ExecContext(ctx.Context(), "INSERT INTO payments (order_id, status) VALUES ($1, 'pending') ON CONFLICT (order_id) DO NOTHING", order.ID); err != nil {
		return nil, err
	}
	if _, err := http.Post("https://api.pay.example/v1/payments", "application/json", strings.NewReader("{}")); err != nil {
		return nil, err
	}
	_, err := db.ExecContext(ctx.Context(), "UPDATE payments SET status = 'succeeded' WHERE order_id = $1", order.ID)
	return nil, err
}

// [/doc]
