package survey_test

import (
	"context"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/survey"
)

func TestTry(t *testing.T) {
	src, err := file.New(file.Config{Paths: []string{"../examples/runs"}})
	if err != nil {
		t.Fatal(err)
	}
	v := survey.New(survey.Config{Dir: t.TempDir(), Source: src, PageTime: time.Second, Page: 30})
	s, begun, err := v.Start(t.Context(), survey.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(begun)
	start := time.Now()
	s, err = v.Wait(t.Context(), s.ID, func(s survey.Survey) {})
	t.Logf("%+v %v %v", s, err, time.Since(start))
	x, _ := v.Index(t.Context())
	rows, err := x.Rows(t.Context(), s, survey.ByActivity, survey.Narrow{})
	survey.Rank(rows, func(string) float64 { return 1 }, time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC))
	for _, r := range rows[:5] {
		t.Logf("%+v %v", r, err)
	}
	for _, d := range []survey.Dimension{survey.ByApp, survey.ByWorkflow, survey.ByDay} {
		rows, err := x.Rows(t.Context(), s, d, survey.Narrow{})
		t.Logf("%+v %v", rows[0], err)
	}
	calls, err := x.Calls(t.Context(), s, survey.Narrow{}, 0, 3)
	t.Logf("%+v %v", calls, err)
	_ = history.Filter{}
	if err := v.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 10*time.Minute)
}
