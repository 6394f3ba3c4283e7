package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net/http"

	"github.com/dapr/durabletask-go/workflow"
	"github.com/google/uuid"
)

// Shipping is the activities' access to the world outside.
type Shipping struct {
	db           *sql.DB
	http         *http.Client
	carrier, bus string
}

// BookCourier orders a pick-up.
func (s *Shipping) BookCourier(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.send(ctx.Context(), http.MethodPost, s.carrier+"/bookings", uuid.NewString(), order)
}

// PrintLabel puts the parcel's label where the warehouse prints it from.
func (s *Shipping) PrintLabel(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.send(ctx.Context(), http.MethodPut, s.carrier+"/labels/"+order.ID, "", order)
}

// CancelBooking gives the pick-up back.
func (s *Shipping) CancelBooking(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.send(ctx.Context(), http.MethodDelete, s.carrier+"/bookings/"+order.ID, "", nil)
}

// AnnounceShipment tells other services.
func (s *Shipping) AnnounceShipment(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.send(ctx.Context(), http.MethodPost, s.bus+"/v1.0/publish/pubsub/shipments", "", order)
}

// NotifyCustomer writes to the customer, unless the outbox says that somebody
// already did.
func (s *Shipping) NotifyCustomer(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO outbox (message_id, recipient, template) VALUES ($1, $2, 'shipped') ON CONFLICT (message_id) DO NOTHING", "shipped-"+order.ID, order.Email)
	return nil, err
}

func input(ctx workflow.ActivityContext) (Order, error) {
	var order Order
	err := ctx.GetInput(&order)
	return order, err
}

// send calls another system and fails unless it agreed.
func (s *Shipping) send(ctx context.Context, method, url, key string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(b))
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
		log.Printf("%s %s, key %s", method, url, key)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return nil
}
