package main

import (
	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(UseVoucher)
}

// [doc]
type VoucherClient interface {
	Redeem(code string) (string, error)
}

var vouchers VoucherClient

func UseVoucher(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return vouchers.Redeem(order.SKU) // want "uses up a one-time token"
}

// [/doc]
