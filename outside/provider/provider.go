// Package provider reads what a provider lists or reported by webhook: its
// operations with the caller's key or reference, amount, time and status, from
// exported CSV or JSON, by a mapping. Nothing but the mapped fields is read.
package provider

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/records"
	"github.com/idem-mcp/idem-mcp/outside/times"
)

// Mapping says which fields of a record mean what: for each, names of which the
// first present counts.
type Mapping struct {
	Name                                         string
	ID, Key, Ref, Amount, Currency, Time, Status []string
	// Webhook names fields that only a webhook event has.
	Webhook []string
	// Source is where the names are documented.
	Source string
}

// Over is the mapping with the fields of own where it has any.
func (m Mapping) Over(own Mapping) Mapping {
	for _, f := range [...]struct{ to, from *[]string }{{&m.ID, &own.ID}, {&m.Key, &own.Key}, {&m.Ref, &own.Ref}, {&m.Amount, &own.Amount}, {&m.Time, &own.Time}, {&m.Status, &own.Status}} {
		if len(*f.from) > 0 {
			*f.to = *f.from
		}
	}
	return m
}

// Mappings are the ready ones.
func Mappings() []Mapping {
	return []Mapping{
		{
			// A payment intent and its charge are one payment: the intent's id counts.
			Name:   "stripe",
			ID:     []string{"data.object.payment_intent", "payment_intent", "PaymentIntent ID", "data.object.id", "id"},
			Key:    []string{"request.idempotency_key", "idempotency_key", "metadata.idempotency_key", "data.object.metadata.idempotency_key", "idempotency_key (metadata)"},
			Ref:    []string{"metadata.order_id", "data.object.metadata.order_id", "order_id (metadata)", "client_reference_id", "data.object.client_reference_id"},
			Amount: []string{"amount", "data.object.amount"}, Currency: []string{"currency", "data.object.currency"},
			Time: []string{"data.object.created", "created", "Created (UTC)", "Created date (UTC)"}, Status: []string{"data.object.status", "status"},
			Webhook: []string{"data.object.id"}, Source: "https://docs.stripe.com/api/charges/object, https://docs.stripe.com/api/events/object",
		},
		{
			Name:   "adyen",
			ID:     []string{"NotificationRequestItem.pspReference", "pspReference", "Psp Reference"},
			Ref:    []string{"NotificationRequestItem.merchantReference", "merchantReference", "Merchant Reference"},
			Amount: []string{"NotificationRequestItem.amount.value", "amount.value", "Amount"}, Currency: []string{"NotificationRequestItem.amount.currency", "amount.currency", "Currency"},
			Time: []string{"NotificationRequestItem.eventDate", "eventDate", "Creation Date", "Booking Date"}, Status: []string{"NotificationRequestItem.success", "success", "Record Type", "Status", "resultCode"},
			Webhook: []string{"NotificationRequestItem.eventCode", "eventCode"}, Source: "https://docs.adyen.com/reporting/received-payment-details-report",
		},
		{
			Name: "square",
			ID:   []string{"data.object.payment.id", "id"}, Key: []string{"idempotency_key"}, Ref: []string{"data.object.payment.reference_id", "reference_id"},
			Amount: []string{"data.object.payment.amount_money.amount", "amount_money.amount"}, Currency: []string{"data.object.payment.amount_money.currency", "amount_money.currency"},
			Time: []string{"data.object.payment.created_at", "created_at"}, Status: []string{"data.object.payment.status", "status"},
			Webhook: []string{"data.object.payment.id"}, Source: "https://developer.squareup.com/reference/square/objects/Payment",
		},
	}
}

// Named returns a ready mapping.
func Named(name string) (Mapping, error) {
	names := make([]string, 0, 4)
	for _, m := range Mappings() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Mapping{}, &fault.Error{Kind: fault.Config, What: "there is no ready mapping of that name for provider lists", Do: "Ready are " + strings.Join(names, ", ") + "; map the fields of any other with outside.provider.id, key, reference, amount, time and status"}
}

// Result is what was read.
type Result struct {
	Mapping    string `json:"mapping"`
	Files      int    `json:"files"`
	Records    int    `json:"records"`
	Operations int    `json:"operations"` // with a key or reference
	// Unkeyed records carry neither a key nor a reference, so nothing joins them.
	Unkeyed int            `json:"unkeyed,omitempty"`
	Broken  []input.Broken `json:"-"`
}

// guessed is how many records a mapping is chosen from.
const guessed = 50

// Read adds every operation of the files to the index. Without a mapping the
// ready one that fits the first records best is taken.
func Read(ctx context.Context, files input.Files, m Mapping, x *outside.Index) (Result, error) {
	res := Result{Mapping: m.Name}
	broken, err := files.Each(ctx, func(name string, r io.Reader) error {
		res.Files++
		use := m
		var held []held
		flush := func() {
			if use.ID == nil && use.Key == nil && use.Ref == nil {
				use = best(held)
				res.Mapping = use.Name
			}
			for _, h := range held {
				res.add(h.under(use), x)
			}
			held = nil
		}
		n, err := records.Read(name, r, func(rec records.Record) error {
			if use.ID != nil || use.Key != nil || use.Ref != nil {
				res.add(operation(use, rec), x)
				return ctx.Err()
			}
			if held = append(held, hold(rec)); len(held) == guessed {
				flush()
			}
			return ctx.Err()
		})
		flush()
		res.Records += n
		return err
	})
	res.Broken = broken
	if err == nil {
		x.Listed()
	}
	if err == nil && res.Records > 0 && res.Operations == 0 {
		return res, &fault.Error{Kind: fault.BadInput, What: "no record of the provider's list has a key or a reference", Means: "nothing can be joined with it",
			Do: "Say which fields they are: outside.provider.key or outside.provider.reference"}
	}
	return res, err
}

func (res *Result) add(o outside.Operation, x *outside.Index) {
	if o.Key == "" && o.Ref == "" {
		res.Unkeyed++
		return
	}
	res.Operations++
	x.AddOperation(o)
}

// held keeps the fields of a record that any ready mapping names.
type held []outside.Operation

func hold(rec records.Record) held {
	var out held
	for _, m := range Mappings() {
		out = append(out, operation(m, rec))
	}
	return out
}

func (h held) under(m Mapping) outside.Operation {
	i := slices.IndexFunc(Mappings(), func(r Mapping) bool { return r.Name == m.Name })
	return h[max(i, 0)]
}

// best is the ready mapping under which most fields have a value.
func best(list []held) Mapping {
	all := Mappings()
	top, score := 0, -1
	for i := range all {
		n := 0
		for _, h := range list {
			o := h[i]
			for _, v := range [...]bool{o.ID != "", o.Key != "" || o.Ref != "", o.Key != "" || o.Ref != "", !o.At.IsZero(), o.Status != outside.OpUnknown, o.Amount != ""} {
				if v {
					n++
				}
			}
		}
		if n > score {
			top, score = i, n
		}
	}
	return all[top]
}

func operation(m Mapping, rec records.Record) outside.Operation {
	o := outside.Operation{ID: value(rec, m.ID), Key: value(rec, m.Key), Ref: value(rec, m.Ref), Amount: value(rec, m.Amount), Status: Status(value(rec, m.Status)), Webhook: value(rec, m.Webhook) != ""}
	if c := value(rec, m.Currency); c != "" && o.Amount != "" {
		o.Amount += " " + c
	}
	o.At, _ = times.Parse(value(rec, m.Time))
	return o
}

// maxValue bounds a value that is kept.
const maxValue = 512

func value(rec records.Record, names []string) string {
	if len(names) == 0 {
		return ""
	}
	v := strings.TrimSpace(rec(names))
	if len(v) > maxValue {
		return ""
	}
	return strings.Clone(v)
}

// Status reads the words of providers. A refund or a dispute had its effect
// first.
func Status(s string) outside.OpStatus {
	switch strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(s)) {
	case "succeeded", "success", "successful", "paid", "complete", "completed", "captured", "settled", "sentforsettle", "sentforrefund", "authorised", "authorized", "true", "delivered", "sent", "ok",
		"refunded", "partiallyrefunded", "disputed", "chargeback", "available", "applied", "done":
		return outside.OpSucceeded
	case "pending", "processing", "inprogress", "requiresaction", "requirescapture", "requiresconfirmation", "approved", "queued", "received", "created", "open", "accepted", "started", "claimed", "locked":
		return outside.OpPending
	case "failed", "failure", "canceled", "cancelled", "refused", "declined", "error", "rejected", "voided", "expired", "false", "requirespaymentmethod", "bounced", "dropped":
		return outside.OpFailed
	}
	return outside.OpUnknown
}
