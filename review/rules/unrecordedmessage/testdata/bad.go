package main

import (
	"net/smtp"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(SendReceipt)
}

// [doc]
func SendReceipt(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	err := smtp.SendMail("mail.internal:25", nil, "shop@shop.example", []string{order.Email}, []byte("Thank you")) // want "sends a message without a record or key"
	return nil, err
}

// [/doc]
