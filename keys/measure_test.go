package keys_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/lab"
	"github.com/idem-mcp/idem-mcp/keys"
)

var metadata = history.Options{Sharing: history.Sharing{Level: history.LevelMetadata, How: "the default"}}

// measured reads exported runs.
func measured(t *testing.T, paths ...string) *keys.Measure {
	t.Helper()
	src, err := file.New(file.Config{Paths: paths, Options: metadata})
	if err != nil {
		t.Fatal(err)
	}
	m := &keys.Measure{}
	for run, err := range all(t.Context(), src) {
		var skipped *history.Skipped
		if errors.As(err, &skipped) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		a := history.Analyze(run)
		m.Add(&a)
	}
	return m
}

func all(ctx context.Context, src history.Source) iter.Seq2[*history.Run, error] {
	if bulk, ok := src.(history.BulkSource); ok {
		return bulk.Histories(ctx, history.Filter{})
	}
	return func(yield func(*history.Run, error) bool) {
		for h, err := range src.Runs(ctx, history.Filter{}) {
			var run *history.Run
			if err == nil {
				run, err = src.Run(ctx, h.Ref)
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

func ofApp(t *testing.T, rows []keys.Measured, app string) keys.Measured {
	t.Helper()
	i := slices.IndexFunc(rows, func(m keys.Measured) bool { return m.App == app && m.Activity == "" })
	if i < 0 {
		t.Fatalf("no row of app %q", app)
	}
	return rows[i]
}

// TestMeasureRealRuns: the recorded runs of Go keep the id over every retry, lose
// it in lost turns, keep it in the target of a rerun only; those of JavaScript
// carry none.
func TestMeasureRealRuns(t *testing.T) {
	rows := measured(t, "../examples/runs").Rows("")
	golang := ofApp(t, rows, "orders")
	if golang.IDs.Same == 0 || golang.IDs.Changed != 0 || golang.IDs.Missing != 0 || golang.IDs.LostChanged == 0 || golang.RerunKept == 0 || golang.RerunNew == 0 ||
		!strings.HasPrefix(golang.Matches, "Go or Java") {
		t.Errorf("%+v", golang)
	}
	t.Log(golang.Says)
	js := ofApp(t, rows, "shop-js")
	if js.IDs.With != 0 || js.IDs.Without == 0 || !strings.Contains(js.Matches, "JavaScript") {
		t.Errorf("%+v", js)
	}
	t.Log(js.Says)
}

// TestMeasureRerun: the target kept the source's id, the step after it did not,
// and copies count as neither.
func TestMeasureRerun(t *testing.T) {
	m := measured(t, "../examples/runs/s6-01-rerun-src", "../examples/runs/s6-01b-rerun-middle")
	charge := m.Rows("ChargeCard")[0]
	if charge.Activity != "ChargeCard" || charge.RerunKept != 1 || charge.RerunNew != 0 {
		t.Errorf("%+v", charge)
	}
	mail := m.Rows("SendConfirmationEmail")[0]
	if mail.RerunKept != 0 || mail.RerunNew != 1 {
		t.Errorf("%+v", mail)
	}
	if stock := m.Rows("ReserveStock")[0]; stock.RerunKept+stock.RerunNew != 0 || stock.Calls != 1 {
		t.Errorf("the copied call counts: %+v", stock)
	}
	alone := measured(t, "../examples/runs/s6-01b-rerun-middle").Rows("ChargeCard")[0]
	if alone.RerunKept+alone.RerunNew != 0 {
		t.Error("compared with a source that was not read")
	}
}

// TestMeasureLab: the engine in process under the Go SDK; what is measured from
// its histories is what its ledger says.
func TestMeasureLab(t *testing.T) {
	var plans []lab.Plan
	for _, p := range lab.Matrix(7) {
		if p.Fault == lab.NoFault || p.Fault == lab.CommitLostEarly {
			plans = append(plans, p)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	results, err := lab.Run(ctx, t.TempDir(), plans)
	if err != nil {
		t.Fatal(err)
	}
	var m keys.Measure
	for _, r := range results {
		for id, events := range r.Histories {
			run, err := history.ReadProto(func(yield func([]byte, error) bool) {
				for _, b := range events {
					if !yield(b, nil) {
						return
					}
				}
			}, history.Options{Sharing: metadata.Sharing, Ref: history.Ref{App: "lab", Instance: id}})
			if err != nil {
				t.Fatal(err)
			}
			a := history.Analyze(run)
			m.Add(&a)
		}
	}
	row := ofApp(t, m.Rows(""), "lab")
	t.Log(row.Says)
	for _, s := range lab.MeasureStability(results) {
		switch s.Where {
		case lab.OverRetries:
			if s.Same == 0 || s.New+s.Mixed != 0 {
				t.Errorf("the ledger: %+v", s)
			}
		case lab.OverLostFirst:
			if s.New == 0 || s.Same != 0 {
				t.Errorf("the ledger: %+v", s)
			}
		}
	}
	if row.IDs.Same == 0 || row.IDs.Changed+row.IDs.Missing != 0 || row.IDs.LostChanged == 0 || !strings.HasPrefix(row.Matches, "Go") {
		t.Errorf("%+v", row)
	}
}

func TestSameActivity(t *testing.T) {
	for _, c := range []struct {
		recorded, given string
		want            bool
	}{
		{"ChargeCard", "ChargeCard", true}, {"com.shop.ChargeCard", "ChargeCard", true}, {"charge_card", "ChargeCard", true}, {"ChargeCardActivity", "charge_card", true},
		{"ChargeCard2", "ChargeCard", false}, {"RefundCard", "ChargeCard", false}, {"activity", "", false}, {"", "", true},
	} {
		if got := keys.SameActivity(c.recorded, c.given); got != c.want {
			t.Errorf("SameActivity(%q, %q) = %v", c.recorded, c.given, got)
		}
	}
}
