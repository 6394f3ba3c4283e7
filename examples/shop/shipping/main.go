// Command shipping is the shipping side of the shop.
package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/dapr/durabletask-go/workflow"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	db, err := sql.Open("pgx", os.Getenv("SHIPPING_DSN"))
	if err != nil {
		return err
	}
	s := &Shipping{db: db, http: &http.Client{Timeout: 10 * time.Second}, carrier: os.Getenv("CARRIER_URL"), bus: os.Getenv("BUS_URL")}
	r := workflow.NewRegistry()
	if err := s.register(r); err != nil {
		return err
	}
	conn, err := grpc.NewClient("localhost:"+os.Getenv("DAPR_GRPC_PORT"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := workflow.NewClient(conn).StartWorker(ctx, r); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (s *Shipping) register(r *workflow.Registry) error {
	return errors.Join(
		r.AddWorkflowN("ShipOrderWorkflow", ShipOrderWorkflow),
		r.AddActivityN("BookCourier", s.BookCourier),
		r.AddActivityN("PrintLabel", s.PrintLabel),
		r.AddActivityN("CancelBooking", s.CancelBooking),
		r.AddActivityN("AnnounceShipment", s.AnnounceShipment),
		r.AddActivityN("NotifyCustomer", s.NotifyCustomer),
	)
}
