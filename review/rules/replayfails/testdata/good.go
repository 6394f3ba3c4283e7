package main

import (
	"image"
	"image/color"
	"image/png"
	"os"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(DropUpload)
	r.AddActivity(WriteBeside)
}

// [doc]
func DropUpload(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	if err := os.Remove("/uploads/" + order.ID); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return nil, nil
}

// [/doc]

func WriteBeside(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	f, err := os.Create("/labels/" + order.ID + ".tmp")
	if err != nil {
		return nil, err
	}
	if err := png.Encode(f, label(order)); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return nil, os.Rename(f.Name(), "/labels/"+order.ID) // every run makes the draft before it is moved
}

func label(order Order) image.Image { return image.NewUniform(color.White) }
