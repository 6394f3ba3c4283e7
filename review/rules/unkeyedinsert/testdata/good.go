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
	r.AddActivity(FindOrder)
	r.AddActivity(SetTotal)
}

var db *sql.DB

// [doc]
func RecordOrder(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	_, err := db.ExecContext(ctx.Context(), "INSERT INTO orders (order_id, total) VALUES ($1, $2) ON CONFLICT (order_id) DO NOTHING", order.ID, order.Amount)
	return nil, err
}

// [/doc]

func FindOrder(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	var total int64
	err := db.QueryRowContext(ctx.Context(), "SELECT total FROM orders WHERE order_id = $1", order.ID).Scan(&total)
	return total, err
}

func SetTotal(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	_, err := db.ExecContext(ctx.Context(), "UPDATE orders SET total = $2 WHERE order_id = $1", order.ID, order.Amount)
	return nil, err
}
