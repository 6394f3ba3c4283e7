package main

import (
	"github.com/dapr/durabletask-go/workflow"
	"github.com/openai/openai-go"
)

type Order struct {
	ID, CustomerID, Email, SKU string
	Amount, Quantity           int64
	Items                      []Item
}

type Item struct{ ID, SKU string }

func register(r *workflow.Registry) {
	r.AddActivity(Summarize)
}

var client openai.Client

// [doc]
func Summarize(ctx workflow.ActivityContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	answer, err := client.Chat.Completions.New(ctx.Context(), openai.ChatCompletionNewParams{Model: "small"}) // want "calls the model again"
	if err != nil {
		return nil, err
	}
	return answer.Choices[0].Message.Content, nil
}

// [/doc]
