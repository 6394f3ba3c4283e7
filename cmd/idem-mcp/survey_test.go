package main

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"
)

// surveyed runs the program with a cache directory of its own.
func surveyed(t *testing.T, cache string, args ...string) (code int, out, told string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = execute(t.Context(), world{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Now: time.Now,
		Env: []string{"HOME=" + cache, "XDG_CACHE_HOME=" + cache},
	})
	return code, stdout.String(), stderr.String()
}

// TestSurvey makes a survey of the examples and asks it in every form.
func TestSurvey(t *testing.T) {
	t.Parallel()
	const runs = "../../examples/runs"
	cache := t.TempDir()
	code, out, told := surveyed(t, cache, "survey", runs)
	if code != exitFound || !strings.Contains(out, "in 116 runs; protect ChargeCard of orders first") || !strings.Contains(told, "done, 116 runs met, 116 read") {
		t.Fatalf("%d\n%s\n%s", code, out, told)
	}
	if n := strings.Count(out, "\n"); n > 40 {
		t.Errorf("the text has %d lines", n)
	}
	code, out, _ = surveyed(t, cache, "survey", "--action", "answer", "--activity", "CapturePayment", runs)
	if code != exitFound || !strings.Contains(out, "CapturePayment#0") {
		t.Errorf("calls: %d\n%s", code, out)
	}
	code, out, _ = surveyed(t, cache, "survey", "--action", "answer", "--output", "csv", runs)
	table, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || code != exitFound || len(table) != 55 || table[1][3] != "ChargeCard" || table[1][5] != "20" {
		t.Errorf("csv: %d, %d lines, %v: %v", code, len(table), err, table[:min(2, len(table))])
	}
	code, out, _ = surveyed(t, cache, "survey", "--action", "answer", "--by", "app", "--output", "openmetrics", runs)
	if code != exitFound || !strings.HasSuffix(out, "# EOF\n") || !strings.Contains(out, `idem_survey_retried_after_unknown_outcome{app="orders"} 16`) {
		t.Errorf("openmetrics: %d\n%s", code, out)
	}
	if code, _, told = surveyed(t, cache, "runs", "--output", "csv", runs); code != exitError || !strings.Contains(told, "text or json") {
		t.Errorf("csv of another command: %d %s", code, told)
	}
	if code, _, told = surveyed(t, t.TempDir(), "survey", "--by", "nosuch", runs); code != exitError || strings.Contains(told, "runs met") || !strings.Contains(told, "nosuch") {
		t.Errorf("what cannot be answered is scanned: %d %s", code, told)
	}
	if code, _, told = surveyed(t, t.TempDir(), "survey", "--action", "poll", runs); code != exitError || !strings.Contains(told, "no survey of this source") {
		t.Errorf("none: %d %s", code, told)
	}
}

// TestSurveyObeysTheRules: the review of the survey's own activities, and of the
// two functions that write, finds nothing.
func TestSurveyObeysTheRules(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"review", "../../survey", "--response-format", "detailed"},
		{"review", "../../survey", "--symbol", "upsert,finish", "--response-format", "detailed"},
	} {
		code, out, told := surveyed(t, t.TempDir(), args...)
		if code != exitNothing || strings.Contains(out, "verify:") {
			t.Errorf("%v: %d\n%s%s", args, code, out, told)
		}
		for _, name := range []string{"idem-mcp.survey.list", "idem-mcp.survey.plan", "idem-mcp.survey.page", "idem-mcp.survey.finish"} {
			if len(args) == 4 && !strings.Contains(out, "safe: "+name) {
				t.Errorf("%s was not reviewed:\n%s", name, out)
			}
		}
		if len(args) > 4 && !strings.Contains(out, "guarded by ON CONFLICT") {
			t.Errorf("the writes were not seen:\n%s", out)
		}
	}
}
