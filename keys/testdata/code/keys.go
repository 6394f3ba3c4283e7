package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/dapr/durabletask-go/workflow"
)

type Order struct {
	ID     string
	Amount int64
	Lines  []Line
}

type Line struct{ SKU string }

type Payment struct {
	Key, Instance string
	Amount        int64
}

func register(r *workflow.Registry) error {
	return errors.Join(r.AddActivity(ChargeCard), r.AddActivity(ChargeCardByExecutionID), r.AddActivity(ChargeCardLogged), r.AddWorkflow(OrderWorkflow))
}

// [activity]
func ChargeCard(ctx workflow.ActivityContext) (any, error) {
	var in Payment
	if err := ctx.GetInput(&in); err != nil {
		return nil, err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.pay.example/v1/payments", strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", in.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("payment: %s", resp.Status)
	}
	return resp.Status, nil
}

// [/activity]

func OrderWorkflow(ctx *workflow.WorkflowContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	// [natural]
	in := Payment{Key: order.ID + ":charge", Amount: order.Amount}
	err := ctx.CallActivity(ChargeCard, workflow.WithActivityInput(in)).Await(nil)
	// [/natural]
	if err != nil {
		return nil, err
	}
	// [step]
	in = Payment{Key: ctx.ID() + ":charge-card", Amount: order.Amount}
	err = ctx.CallActivity(ChargeCard, workflow.WithActivityInput(in)).Await(nil)
	// [/step]
	if err != nil {
		return nil, err
	}
	// [loop]
	for i := range order.Lines { // a step name for every turn; better the item's own id
		in := Payment{Key: fmt.Sprintf("%s:charge-card:%d", ctx.ID(), i), Amount: order.Amount}
		if err := ctx.CallActivity(ChargeCard, workflow.WithActivityInput(in)).Await(nil); err != nil {
			return nil, err
		}
	}
	// [/loop]
	// [parent]
	// In the parent: the child gets the key, so a retried child has the same.
	child := Payment{Key: ctx.ID() + ":charge-card", Amount: order.Amount}
	err = ctx.CallChildWorkflow("PayWorkflow", workflow.WithChildWorkflowInput(child)).Await(nil)
	// [/parent]
	return nil, err
}

// [execution_id]
func ChargeCardByExecutionID(ctx workflow.ActivityContext) (any, error) {
	key := ctx.GetTaskExecutionID() + ":charge"
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.pay.example/v1/payments", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("payment: %s", resp.Status)
	}
	return resp.Status, nil
}

// [/execution_id]

// [log]
// idemLine is a log message that idem-mcp reads as it is.
func idemLine(event, activity, body, instance, executionID, key, outcome string) string {
	return "idem event=" + event + " activity=" + activity + " body=" + body +
		word("instance", instance) + word("execution_id", executionID) + word("key", key) + word("outcome", outcome)
}

func word(name, value string) string {
	switch {
	case value == "":
		return ""
	case strings.ContainsAny(value, " =\"\\\t\n"):
		return " " + name + "=" + strconv.Quote(value)
	}
	return " " + name + "=" + value
}

func bodyID() string { // a new one in every body: it tells bodies apart and is no key
	b := make([]byte, 4)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// [/log]

// [logged]
func ChargeCardLogged(ctx workflow.ActivityContext) (any, error) {
	var in Payment
	if err := ctx.GetInput(&in); err != nil {
		return nil, err
	}
	body, execution := bodyID(), ctx.GetTaskExecutionID()
	slog.Info(idemLine("start", "ChargeCard", body, in.Instance, execution, in.Key, ""))
	status, err := charge(ctx, in)
	if err != nil {
		slog.Info(idemLine("end", "ChargeCard", body, in.Instance, execution, in.Key, "error"))
		return nil, err
	}
	slog.Info(idemLine("effect", "ChargeCard", body, in.Instance, execution, in.Key, ""))
	slog.Info(idemLine("end", "ChargeCard", body, in.Instance, execution, in.Key, "ok"))
	return status, nil
}

// [/logged]

func charge(ctx workflow.ActivityContext, in Payment) (string, error) {
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://api.pay.example/v1/payments", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Idempotency-Key", in.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return "", fmt.Errorf("payment: %s", resp.Status)
	}
	return resp.Status, nil
}

func main() {}
