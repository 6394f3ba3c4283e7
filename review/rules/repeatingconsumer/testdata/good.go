package main

import (
	"context"
	"database/sql"

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
	r.AddActivity(Announce)
}

var (
	client dapr.Client
	db     *sql.DB
)

// [doc]
func Announce(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, client.PublishEvent(ctx.Context(), "pubsub", "orders", order, dapr.PublishEventWithMetadata(map[string]string{"cloudevent.id": order.ID}))
}

func serve(s Service) {
	s.AddTopicEventHandler(&Subscription{PubsubName: "pubsub", Topic: "orders"}, onOrder)
}

func onOrder(ctx context.Context, e *TopicEvent) (bool, error) {
	_, err := db.ExecContext(ctx, "INSERT INTO seen (event_id) VALUES ($1) ON CONFLICT (event_id) DO NOTHING", e.ID)
	return err != nil, err
}

// [/doc]
