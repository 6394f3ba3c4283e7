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
	r.AddActivity(RecordOrder)
}

var db *sql.DB

// [doc]
func RecordOrder(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	_, err := db.ExecContext(ctx.Context(), "INSERT INTO orders (order_id, total) VALUES ($1, $2)", order.ID, order.Amount) // want "inserts a row without a condition"
	return nil, err
}

// [/doc]
