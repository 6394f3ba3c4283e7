package main

import (
	"database/sql"

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

var db *sql.DB

// [doc]
func Ship(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	var n int
	if err := db.QueryRowContext(ctx.Context(), "SELECT count(*) FROM shipments WHERE order_id = $1", order.ID).Scan(&n); err != nil {
		return nil, err
	}
	if n > 0 {
		return "shipped before", nil
	}
	_, err := db.ExecContext(ctx.Context(), "INSERT INTO shipments (order_id) VALUES ($1)", order.ID) // want "acts after a look whether it was done"
	return nil, err
}

// [/doc]
