package main

import (
	"errors"
	"time"

	"github.com/dapr/durabletask-go/workflow"
)

// Order is what the order side hands over.
type Order struct {
	ID       string `json:"order_id"`
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	Total    int    `json:"total"`
	Email    string `json:"email"`
}

// ShipOrderWorkflow books a courier, prints the label and tells the world.
func ShipOrderWorkflow(ctx *workflow.WorkflowContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	in := workflow.WithActivityInput(order)
	retry := workflow.WithActivityRetryPolicy(&workflow.RetryPolicy{MaxAttempts: 4, InitialRetryInterval: 2 * time.Second, BackoffCoefficient: 2})

	if err := ctx.CallActivity("BookCourier", in, retry).Await(nil); err != nil {
		return nil, err
	}
	if err := ctx.CallActivity("PrintLabel", in, retry).Await(nil); err != nil {
		return nil, errors.Join(err, ctx.CallActivity("CancelBooking", in, retry).Await(nil))
	}
	announced := ctx.CallActivity("AnnounceShipment", in, retry)
	told := ctx.CallActivity("NotifyCustomer", in, retry)
	return order.ID, errors.Join(announced.Await(nil), told.Await(nil))
}
