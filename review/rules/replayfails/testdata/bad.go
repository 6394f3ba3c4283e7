package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
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
	r.AddActivity(OpenExpense)
}

// [doc]
func DropUpload(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	return nil, os.Remove("/uploads/" + order.ID) // want "fails when the thing is already gone"
}

// [/doc]

func OpenExpense(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	resp, err := http.Get("https://expenses.example/create?id=" + order.ID)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if string(body) == "SUCCEED" {
		return nil, nil
	}
	return nil, errors.New(string(body)) // want "a second run may fail although the first succeeded"
}

var expenses = map[string]string{}

func serve() { http.HandleFunc("/create", create) }

func create(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	if _, ok := expenses[id]; ok {
		fmt.Fprint(w, "ERROR:ID_ALREADY_EXISTS")
		return
	}
	expenses[id] = "CREATED"
	fmt.Fprint(w, "SUCCEED")
}
