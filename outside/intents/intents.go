// Package intents reads an intent or dedupe table: one record a key, with how far
// the operation got. It comes as CSV or JSON, or from a read-only query on
// PostgreSQL or SQLite. Nothing but the mapped fields is read.
package intents

import (
	"context"
	"io"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/provider"
	"github.com/idem-mcp/idem-mcp/outside/records"
	"github.com/idem-mcp/idem-mcp/outside/times"
)

// Mapping says which fields, or columns of the query, mean what. Empty ones have
// usual names.
type Mapping struct {
	Key, State, ID, Error, Time, Webhook []string
}

// Usual is the mapping with the usual names where m has none.
func (m Mapping) usual() Mapping {
	pick := func(list []string, names ...string) []string {
		if len(list) > 0 {
			return list
		}
		return names
	}
	return Mapping{
		Key:     pick(m.Key, "key", "idempotency_key", "intent_key", "dedupe_key"),
		State:   pick(m.State, "status", "state"),
		ID:      pick(m.ID, "provider_id", "external_id", "stored_id", "result_id", "provider_ref"),
		Error:   pick(m.Error, "error", "failure", "error_message", "last_error"),
		Time:    pick(m.Time, "created_at", "updated_at", "claimed_at", "time", "created"),
		Webhook: pick(m.Webhook, "webhook_status", "webhook"),
	}
}

// Max bounds how many records are read.
const Max = 1_000_000

// Result is what was read.
type Result struct {
	Files   int            `json:"files,omitempty"`
	Records int            `json:"records"`
	Unkeyed int            `json:"unkeyed,omitempty"`
	Broken  []input.Broken `json:"-"`
}

// Read gives every record of the files to each.
func Read(ctx context.Context, files input.Files, m Mapping, each func(outside.Intent) error) (Result, error) {
	var res Result
	m = m.usual()
	broken, err := files.Each(ctx, func(name string, r io.Reader) error {
		res.Files++
		_, err := records.Read(name, r, func(rec records.Record) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return res.take(intent(m, rec), each)
		})
		return err
	})
	res.Broken = broken
	return res, res.check(err)
}

func (res *Result) take(in outside.Intent, each func(outside.Intent) error) error {
	if res.Records++; res.Records > Max {
		return &fault.Error{Kind: fault.TooLarge, What: "more than 1,000,000 intent records", Do: "Leave out those that are settled and old"}
	}
	if in.Key == "" {
		res.Unkeyed++
		return nil
	}
	in.Row = res.Records
	return each(in)
}

func (res *Result) check(err error) error {
	if err == nil && res.Records > 0 && res.Unkeyed == res.Records {
		return &fault.Error{Kind: fault.BadInput, What: "no intent record has a key", Means: "nothing can be reconciled", Do: "Say which field it is: outside.intents.key"}
	}
	return err
}

func intent(m Mapping, rec records.Record) outside.Intent {
	in := outside.Intent{Key: value(rec, m.Key), ID: value(rec, m.ID), Error: value(rec, m.Error), State: State(value(rec, m.State))}
	in.At, _ = times.Parse(value(rec, m.Time))
	if w := value(rec, m.Webhook); w != "" {
		in.Webhook, in.HasWebhook = provider.Status(w[strings.LastIndexByte(w, '.')+1:]), true // payment_intent.succeeded
	}
	return in
}

func value(rec records.Record, names []string) string {
	v := strings.TrimSpace(rec(names))
	return strings.Clone(v[:min(len(v), 2000)])
}

// State reads the words of intent tables.
func State(s string) outside.State {
	switch strings.ToLower(s) {
	case "":
		return outside.StateUnknown
	case "intent", "claimed", "reserved", "locked", "started", "new", "sending":
		return outside.Pending
	case "absent", "none":
		return outside.Absent
	}
	switch provider.Status(s) {
	case outside.OpSucceeded:
		return outside.Succeeded
	case outside.OpPending:
		return outside.Pending
	case outside.OpFailed:
		return outside.Failed
	case outside.OpUnknown:
	}
	return outside.StateUnknown
}
