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
	var done string
	if err := db.QueryRowContext(ctx.Context(), "SELECT payment_id FROM payments WHERE order_id = $1", order.ID).Scan(&done); err != nil && err != sql.ErrNoRows {
		return nil, err
	}
	if done != "" {
		return done, nil
	}
	resp, err := http.Post("https://api.pay.example/v1/payments", "application/json", strings.NewReader("{}")) // want "records it only afterwards"
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx.Context(), "INSERT INTO payments (order_id, payment_id) VALUES ($1, $2) ON CONFLICT (order_id) DO NOTHING", order.ID, resp.Header.Get("Payment"))
	return nil, err
}

// [/doc]
