package main

import (
	"database/sql"
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

var db *sql.DB

// [doc]
func SendReceipt(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	res, err := db.ExecContext(ctx.Context(), "INSERT INTO sent_mail (mail_id) VALUES ($1) ON CONFLICT (mail_id) DO NOTHING", order.ID)
	if err != nil {
		return nil, err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return "sent before", nil
	}
	return "sent", smtp.SendMail("mail.internal:25", nil, "shop@shop.example", []string{order.Email}, []byte("Thank you"))
}

// [/doc]
