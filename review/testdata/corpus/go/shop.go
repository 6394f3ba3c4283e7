// Package shop is the order side of a web shop.
package shop

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/dapr/durabletask-go/workflow"
	dapr "github.com/dapr/go-sdk/client"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Order struct {
	ID, Customer, Email, SKU, PaymentKey string
	Total, Quantity, Balance             int64
	Lines                                []Line
}

type Line struct{ ID, SKU string }

type Shop struct {
	db    *sql.DB
	dapr  dapr.Client
	redis *redis.Client
	http  *http.Client
}

func (s *Shop) Register(r *workflow.Registry) error {
	r.AddActivity(s.ChargeCard)
	r.AddActivity(s.ChargeWithKey)
	r.AddActivity(s.ChargeRandom)
	r.AddActivity(s.ChargeByDay)
	r.AddActivity(s.ChargeHashed)
	r.AddActivity(s.ChargeByExecution)
	r.AddActivity(s.ChargeByTask)
	r.AddActivity(s.ChargeByPart)
	r.AddActivity(s.RecordOrder)
	r.AddActivity(s.RecordOnce)
	r.AddActivity(s.RecordNewID)
	r.AddActivity(s.AddPoints)
	r.AddActivity(s.CloseOrder)
	r.AddActivity(s.TakeStock)
	r.AddActivity(s.TakeStockOnce)
	r.AddActivity(s.Announce)
	r.AddActivity(s.AnnounceWithID)
	r.AddActivity(s.CountOrder)
	r.AddActivity(s.RememberOrder)
	r.AddActivity(s.LockOrder)
	r.AddActivity(s.ShipLines)
	r.AddActivity(s.ShipLinesByLine)
	r.AddActivity(s.RefundLookedUp)
	r.AddActivity(s.RefundIntent)
	r.AddActivity(s.SeatIfFree)
	r.AddActivity(s.RemoveLabel)
	r.AddActivity(s.RemoveLabelIfThere)
	r.AddActivity(s.WriteLabel)
	r.AddActivity(s.AppendJournal)
	r.AddActivity(s.ReadLabel)
	r.AddActivity(s.CheckOrder)
	r.AddActivity(s.PutAddress)
	r.AddActivity(s.PatientPut)
	r.AddActivity(s.SetBalance)
	r.AddActivity(s.StartExport)
	r.AddActivity(s.StartExportOnce)
	r.AddActivity(s.QontoPayout)
	r.AddActivity(s.Quote)
	r.AddActivity(s.NewNumber)
	r.AddActivity(s.LoggedCharge)
	r.AddActivity(s.UnloggedCharge)
	return r.AddWorkflow(OrderFlow)
}

func OrderFlow(ctx *workflow.WorkflowContext) (any, error) {
	var order Order
	if err := ctx.GetInput(&order); err != nil {
		return nil, err
	}
	patient := &workflow.RetryPolicy{MaxAttempts: 12, InitialRetryInterval: time.Minute, BackoffCoefficient: 2, MaxRetryInterval: time.Hour}
	if err := ctx.CallActivity("CheckOrder", workflow.WithActivityInput(order), workflow.WithActivityRetryPolicy(patient)).Await(nil); err != nil {
		return nil, err
	}
	return nil, ctx.CallActivity("QontoPayout", workflow.WithActivityInput(order), workflow.WithActivityRetryPolicy(patient)).Await(nil)
}

func input(ctx workflow.ActivityContext) (Order, error) {
	var order Order
	err := ctx.GetInput(&order)
	return order, err
}

func (s *Shop) post(url, key string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("payment: status %d", resp.StatusCode)
	}
	return nil
}

var exports *workflow.Client

// corpus: hazard post_no_key
func (s *Shop) ChargeCard(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Post("https://api.pay.example/v1/payments", "application/json", strings.NewReader(fmt.Sprint(order.Total)))
	if err != nil {
		return nil, err
	}
	return nil, resp.Body.Close()
}

// corpus: safe
func (s *Shop) ChargeWithKey(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.post("https://api.pay.example/v1/payments", order.PaymentKey, order)
}

// corpus: hazard key_in_body
func (s *Shop) ChargeRandom(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.post("https://api.pay.example/v1/payments", uuid.NewString(), order)
}

// corpus: hazard key_in_body tricky
func (s *Shop) ChargeByDay(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	key := order.ID + time.Now().Format("20060102")
	return nil, s.post("https://api.pay.example/v1/payments", key, order)
}

// corpus: safe key_rebuilt tricky
func (s *Shop) ChargeHashed(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(order.ID + "/charge"))
	return nil, s.post("https://api.pay.example/v1/payments", hex.EncodeToString(sum[:]), order)
}

// corpus: safe tricky
func (s *Shop) ChargeByExecution(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.post("https://api.pay.example/v1/payments", ctx.GetTaskExecutionID(), order)
}

// corpus: hazard attempt_key tricky
func (s *Shop) ChargeByTask(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.post("https://api.pay.example/v1/payments", fmt.Sprintf("%s-%d", order.ID, ctx.GetTaskID()), order)
}

// corpus: safe execution_id_parsed tricky
func (s *Shop) ChargeByPart(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.post("https://api.pay.example/v1/payments", strings.Split(ctx.GetTaskExecutionID(), "-")[0], order)
}

// corpus: hazard insert_no_unique
func (s *Shop) RecordOrder(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO orders (customer, total) VALUES ($1, $2)", order.Customer, order.Total)
	return nil, err
}

// corpus: safe
func (s *Shop) RecordOnce(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO orders (id, total) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", order.ID, order.Total)
	return nil, err
}

// corpus: hazard insert_no_unique,key_in_body tricky
func (s *Shop) RecordNewID(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	id := uuid.New()
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO shipments (id, order_id) VALUES ($1, $2)", id, order.ID)
	return id, err
}

// corpus: hazard counter
func (s *Shop) AddPoints(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "UPDATE customers SET points = points + $1 WHERE id = $2", order.Total/100, order.Customer)
	return nil, err
}

// corpus: safe tricky
func (s *Shop) CloseOrder(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "UPDATE orders SET status = 'closed', closed_at = $1 WHERE id = $2", time.Now().UTC(), order.ID)
	return nil, err
}

// corpus: hazard rmw,replay_fails
func (s *Shop) TakeStock(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	item, err := s.dapr.GetState(ctx.Context(), "stock", order.SKU, nil)
	if err != nil {
		return nil, err
	}
	var left int64
	if err := json.Unmarshal(item.Value, &left); err != nil {
		return nil, err
	}
	if left < order.Quantity {
		return nil, errors.New("insufficient stock")
	}
	data, err := json.Marshal(left - order.Quantity)
	if err != nil {
		return nil, err
	}
	return nil, s.dapr.SaveState(ctx.Context(), "stock", order.SKU, data, nil)
}

// corpus: safe tricky
func (s *Shop) TakeStockOnce(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO takes (order_id, sku, quantity) VALUES ($1, $2, $3) ON CONFLICT (order_id) DO NOTHING", order.ID, order.SKU, order.Quantity)
	return nil, err
}

// corpus: hazard publish_no_id
func (s *Shop) Announce(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.dapr.PublishEvent(ctx.Context(), "bus", "orders", order)
}

// corpus: safe
func (s *Shop) AnnounceWithID(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.dapr.PublishEvent(ctx.Context(), "bus", "orders", order, dapr.PublishEventWithMetadata(map[string]string{"cloudevent.id": order.ID}))
}

// corpus: hazard counter
func (s *Shop) CountOrder(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.redis.Incr(ctx.Context(), "orders:"+order.Customer).Err()
}

// corpus: safe tricky
func (s *Shop) RememberOrder(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.redis.SAdd(ctx.Context(), "orders:"+order.Customer, order.ID).Err()
}

// corpus: safe tricky
func (s *Shop) LockOrder(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	ok, err := s.redis.SetNX(ctx.Context(), "lock:"+order.ID, "1", time.Hour).Result()
	return ok, err
}

// corpus: hazard indistinct_key tricky
func (s *Shop) ShipLines(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	for _, line := range order.Lines {
		if err := s.post("https://api.parcel.example/v1/labels", order.ID, line); err != nil {
			return nil, err
		}
	}
	return len(order.Lines), nil
}

// corpus: safe key_rebuilt tricky
func (s *Shop) ShipLinesByLine(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	for _, line := range order.Lines {
		if err := s.post("https://api.parcel.example/v1/labels", order.ID+"/"+line.ID, line); err != nil {
			return nil, err
		}
	}
	return len(order.Lines), nil
}

// corpus: hazard crash_window,post_no_key tricky
func (s *Shop) RefundLookedUp(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	var done string
	err = s.db.QueryRowContext(ctx.Context(), "SELECT refund FROM refunds WHERE order_id = $1", order.ID).Scan(&done)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	if done != "" {
		return done, nil
	}
	if _, err := s.http.Post("https://api.pay.example/v1/refunds", "application/json", strings.NewReader(order.ID)); err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO refunds (order_id, refund) VALUES ($1, 'yes') ON CONFLICT (order_id) DO NOTHING", order.ID)
	return "yes", err
}

// corpus: safe tricky
func (s *Shop) RefundIntent(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	var status string
	err = s.db.QueryRowContext(ctx.Context(), "SELECT status FROM refunds WHERE order_id = $1", order.ID).Scan(&status)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	switch status {
	case "done":
		return "done", nil
	case "pending":
		return "ask the provider", nil
	}
	if _, err := s.db.ExecContext(ctx.Context(), "INSERT INTO refunds (order_id, status) VALUES ($1, 'pending') ON CONFLICT (order_id) DO NOTHING", order.ID); err != nil {
		return nil, err
	}
	if _, err := s.http.Post("https://api.pay.example/v1/refunds", "application/json", strings.NewReader(order.ID)); err != nil {
		return nil, err
	}
	_, err = s.db.ExecContext(ctx.Context(), "UPDATE refunds SET status = 'done' WHERE order_id = $1", order.ID)
	return "done", err
}

// corpus: hazard check_then_act,insert_no_unique
func (s *Shop) SeatIfFree(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	var n int
	if err := s.db.QueryRowContext(ctx.Context(), "SELECT count(*) FROM seats WHERE sku = $1", order.SKU).Scan(&n); err != nil {
		return nil, err
	}
	if n > 0 {
		return false, nil
	}
	_, err = s.db.ExecContext(ctx.Context(), "INSERT INTO seats (sku, customer) VALUES ($1, $2)", order.SKU, order.Customer)
	return true, err
}

// corpus: hazard replay_fails
func (s *Shop) RemoveLabel(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, os.Remove("/labels/" + order.ID + ".pdf")
}

// corpus: safe
func (s *Shop) RemoveLabelIfThere(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.Remove("/labels/" + order.ID + ".pdf"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return nil, nil
}

// corpus: safe
func (s *Shop) WriteLabel(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return nil, os.WriteFile("/labels/"+order.ID+".pdf", []byte(order.Customer), 0o644)
}

// corpus: hazard append
func (s *Shop) AppendJournal(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile("/var/log/orders.csv", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, err = f.WriteString(order.ID + "\n")
	return nil, err
}

// corpus: safe big_payload
func (s *Shop) ReadLabel(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile("/labels/" + order.ID + ".pdf")
	if err != nil {
		return nil, err
	}
	return data, nil
}

// corpus: safe business_rejection
func (s *Shop) CheckOrder(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	if order.Quantity <= 0 {
		return nil, errors.New("quantity is invalid")
	}
	return true, nil
}

// corpus: safe
func (s *Shop) PutAddress(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPut, "https://api.shop.example/orders/"+order.ID+"/address", strings.NewReader(order.Email))
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, err
	}
	return nil, resp.Body.Close()
}

// corpus: safe retry_loop
func (s *Shop) PatientPut(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	for attempt := 0; attempt < 5; attempt++ {
		if err = s.redis.Set(ctx.Context(), "status:"+order.ID, "open", 0).Err(); err == nil {
			return nil, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

// corpus: hazard overwrite tricky
func (s *Shop) SetBalance(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(order.Balance + order.Total)
	if err != nil {
		return nil, err
	}
	return nil, s.dapr.SaveState(ctx.Context(), "accounts", order.Customer, data, nil)
}

// corpus: hazard start_no_id
func (s *Shop) StartExport(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return exports.ScheduleWorkflow(ctx.Context(), "Export", workflow.WithInput(order))
}

// corpus: safe
func (s *Shop) StartExportOnce(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return exports.ScheduleWorkflow(ctx.Context(), "Export", workflow.WithInstanceID(order.ID), workflow.WithInput(order))
}

// corpus: hazard short_window tricky
func (s *Shop) QontoPayout(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx.Context(), http.MethodPost, "https://thirdparty.qonto.com/v2/transfers", strings.NewReader(order.Customer))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Qonto-Idempotency-Key", order.PaymentKey)
	_, err = s.http.Do(req)
	return nil, err
}

// corpus: verify post_reads
func (s *Shop) Quote(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := s.http.Post("https://api.rates.example/v1/quote", "application/json", strings.NewReader(order.SKU))
	if err != nil {
		return nil, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// corpus: safe tricky
func (s *Shop) NewNumber(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	return order.Customer + "-" + uuid.NewString(), nil
}

// corpus: safe
func (s *Shop) LoggedCharge(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	log.Printf("charging with %s", order.PaymentKey)
	return nil, s.post("https://api.pay.example/v1/payments", order.PaymentKey, order)
}

// corpus: safe key_not_logged
func (s *Shop) UnloggedCharge(ctx workflow.ActivityContext) (any, error) {
	order, err := input(ctx)
	if err != nil {
		return nil, err
	}
	log.Printf("charging")
	return nil, s.post("https://api.pay.example/v1/payments", order.PaymentKey, order)
}
