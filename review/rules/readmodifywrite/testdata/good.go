package main

import (
	"database/sql"
	"encoding/json"

	"github.com/dapr/durabletask-go/workflow"
	dapr "github.com/dapr/go-sdk/client"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Reserve)
	r.AddActivity(SetPrice)
	r.AddActivity(Left)
}

var (
	client dapr.Client
	db     *sql.DB
)

// [doc]
func Reserve(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	_, err := db.ExecContext(ctx.Context(), "INSERT INTO reservations (order_id, sku, quantity) VALUES ($1, $2, $3) ON CONFLICT (order_id) DO NOTHING", order.ID, order.SKU, order.Quantity)
	return nil, err
}

// [/doc]

func SetPrice(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	data, _ := json.Marshal(order.Amount)
	return nil, client.SaveState(ctx.Context(), "prices", order.SKU, data, nil)
}

func Left(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	item, err := client.GetState(ctx.Context(), "stock", order.SKU, nil)
	if err != nil {
		return nil, err
	}
	var stock int64
	if err := json.Unmarshal(item.Value, &stock); err != nil {
		return nil, err
	}
	return stock - order.Quantity, nil
}
