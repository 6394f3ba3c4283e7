package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside/intents"
	"github.com/idem-mcp/idem-mcp/outside/logs"
	"github.com/idem-mcp/idem-mcp/tools"
)

// place writes files to a folder that an assistant may read from.
func place(t *testing.T, d *tools.Deps, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.Code.Roots = []string{dir}
	return dir
}

// secrets is a value for every field that nobody mapped, and for those that only
// level full shows.
const secret = "SECRET4711"

func secretFiles() map[string]string {
	const instance, exec = "s7-pg-03-appkill", "60a93425-a326-4b59-a0b9-cc6c2685e79d"
	line := func(ts, ev, body string) string {
		return fmt.Sprintf(`{"ts":"%s","ev":"%s","instance":"%s","activity":"ChargeCard","task_execution_id":"%s","body":"%s","order_key":"%s-key","msg":"card %s of %s","amount":"%s","outcome":"%s","error":"%s","nested":{"deep":{"%s-name":"%s"}},"host":"%s-host","list":["%s"]}`,
			ts, ev, instance, exec, body, secret, secret, secret, secret, secret, secret, secret, secret, secret, secret)
	}
	span := func(id string) string {
		return fmt.Sprintf(`{"traceId":"%s","spanId":"%s","name":"activity||ChargeCard","startTimeUnixNano":"1795964127100000000","endTimeUnixNano":"1795964127200000000","status":{"code":2,"message":"%s"},"attributes":[{"key":"durabletask.task.instance_id","value":{"stringValue":"%s"}},{"key":"durabletask.task.task_id","value":{"intValue":"0"}},{"key":"%s","value":{"stringValue":"%s"}}]}`, secret, id, secret, instance, secret, secret)
	}
	op := func(id string) string {
		return fmt.Sprintf(`{"id":"%s-%s","amount":"%s","currency":"%s","created":1795964127,"status":"%s","description":"%s","metadata":{"idempotency_key":"%s","order_id":"%s-ref"}}`, secret, id, secret, secret, secret, secret, exec, secret)
	}
	return map[string]string{
		"app.log":     line("2026-11-29T14:55:27.1Z", "start", "a") + "\n" + line("2026-11-29T14:55:27.2Z", "effect", "a") + "\n" + line("2026-11-29T14:55:28.1Z", "start", "b") + "\n" + line("2026-11-29T14:55:28.2Z", "end", "b") + "\n" + secret + " text of " + instance + " " + secret + "\n",
		"trace.json":  `{"resourceSpans":[{"resource":{"attributes":[{"key":"x","value":{"stringValue":"` + secret + `"}}]},"scopeSpans":[{"spans":[` + span("1") + "," + span("2") + `]}]}]}`,
		"ops.json":    "[" + op("1") + "," + op("2") + "]",
		"intents.csv": "key,status,provider_id,error,created_at,note\n" + secret + "-k,failed," + secret + "-id,connection to " + secret + " timed out," + secret + "," + secret + "\n" + exec + "," + secret + "," + secret + ",,," + secret + "\n",
	}
}

// TestNothingElseIsEchoed: whatever stands in a log line, a span, a provider's
// record or an intent beside the mapped fields is in no byte of an answer, and
// at level metadata keys, amounts and references are not either.
func TestNothingElseIsEchoed(t *testing.T) {
	for _, format := range []string{"concise", "detailed"} {
		for _, c := range []struct{ tool, args string }{
			{"idem_find_duplicates", `"run":"examples/runs/s7-pg-03-appkill","log":"app.log","spans":"trace.json","provider":"ops.json","intents":"intents.csv"`},
			{"idem_find_duplicates", `"text":"s7-pg","log":"app.log","spans":"trace.json","provider":"ops.json","intents":"intents.csv"`},
			{"idem_explain_call", `"run":"s7-pg-03-appkill","call":"ChargeCard","log":"app.log","spans":"trace.json","provider":"ops.json","intents":"intents.csv"`},
			{"idem_reconcile", `"intents":"intents.csv","provider":"ops.json"`},
			{"idem_reconcile", `"intents":"trace.json"`},
			{"idem_reconcile", `"intents":"app.log","provider":"intents.csv"`},
			{"idem_find_duplicates", `"run":"s7-pg-03-appkill","provider":"app.log","spans":"ops.json","intents":"trace.json","log":"intents.csv"`},
		} {
			d := deps(t, "../examples/runs")
			place(t, &d, secretFiles())
			d.Outside.Logs = logs.Mapping{Key: "order_key"}
			r := byName(t, c.tool).Call(t.Context(), d, json.RawMessage(`{`+strings.Replace(c.args, "examples/runs/", "", 1)+`,"response_format":"`+format+`"}`))
			if strings.Contains(r.Text, secret) || strings.Contains(string(r.JSON), secret) {
				t.Errorf("%s %s: a secret is shown:\n%s\n%s", c.tool, c.args, r.Text, r.JSON)
			}
			if strings.Contains(c.args, `"log":"app.log"`) && r.Err != nil {
				t.Errorf("%s %s: %v", c.tool, c.args, r.Err)
			}
		}
	}
}

// TestFullShowsMapped: at level full the mapped keys, amounts and ids are shown,
// and still nothing else.
func TestFullShowsMapped(t *testing.T) {
	d := deps(t, "../examples/runs")
	files := secretFiles()
	files["ops.json"] = strings.NewReplacer(`"id":"`+secret, `"id":"ch`, `"amount":"`+secret, `"amount":"4200`, `"currency":"`+secret, `"currency":"eur`, secret+"-ref", "order-9").Replace(files["ops.json"])
	place(t, &d, files)
	d.Reading.Sharing.Level = history.LevelFull
	r := byName(t, "idem_find_duplicates").Call(t.Context(), d, json.RawMessage(`{"run":"s7-pg-03-appkill","log":"app.log","provider":"ops.json"}`))
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, want := range []string{"ch-1", "4200 eur", "order-9"} {
		if !strings.Contains(string(r.JSON), want) {
			t.Errorf("%s is not shown at level full:\n%s", want, r.JSON)
		}
	}
	if strings.Contains(string(r.JSON)+r.Text, secret) {
		t.Error("an unmapped field is shown at level full")
	}
}

// TestOutsideRoots: an assistant reads nothing beyond the allowed folders, by no
// path and no link, and not standard input.
func TestOutsideRoots(t *testing.T) {
	d := deps(t, "../examples/runs")
	dir := place(t, &d, map[string]string{"app.log": "x\n"})
	elsewhere := filepath.Join(t.TempDir(), "secret.log")
	if err := os.WriteFile(elsewhere, []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link.log")); err != nil {
		t.Fatal(err)
	}
	d.Outside.Stdin = strings.NewReader("x")
	for _, arg := range []string{"log", "spans", "provider", "intents"} {
		for _, path := range []string{elsewhere, "link.log", "../" + filepath.Base(filepath.Dir(elsewhere)) + "/secret.log", "-", "nowhere.log"} {
			r := byName(t, "idem_find_duplicates").Call(t.Context(), d, json.RawMessage(`{"run":"s7-pg-03-appkill",`+fmt.Sprintf("%q:%q", arg, path)+`}`))
			if r.Err == nil {
				t.Errorf("%s %s was read", arg, path)
			}
		}
		r := byName(t, "idem_find_duplicates").Call(t.Context(), d, json.RawMessage(`{"run":"s7-pg-03-appkill",`+fmt.Sprintf("%q:%q", arg, dir)+`}`))
		if r.Err != nil && arg != "provider" && arg != "intents" { // which find no key in it
			t.Errorf("%s %s: %v", arg, dir, r.Err)
		}
	}
	d.Outside.Database = intents.Database{}
	if r := byName(t, "idem_reconcile").Call(t.Context(), d, json.RawMessage(`{"intents":"database"}`)); r.Err == nil {
		t.Error("a database that nobody configured was read")
	}
}

// TestOutsideBudget: with the log of all real runs an answer stays within 8k
// tokens, in both forms, and names every call that the ledger says ran more
// often than recorded in its totals.
func TestOutsideBudget(t *testing.T) {
	d := deps(t, "../examples/runs")
	ledger, err := os.ReadFile("../examples/runs/ledger.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	place(t, &d, map[string]string{"app.log": string(ledger)})
	for _, args := range []string{`{"log":"app.log"}`, `{"log":"app.log","response_format":"detailed"}`, `{"text":"s4-","log":"app.log","response_format":"detailed"}`} {
		r := byName(t, "idem_find_duplicates").Call(t.Context(), d, json.RawMessage(args))
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if len(r.JSON) > tools.Budget || len(r.Text) > tools.Budget {
			t.Errorf("%s: %d bytes of JSON, %d of text", args, len(r.JSON), len(r.Text))
		}
		if !strings.Contains(args, "detailed") && strings.Count(r.Text, "\n") > 75 {
			t.Errorf("%s: %d lines of text", args, strings.Count(r.Text, "\n"))
		}
		t.Logf("%s: %d bytes of JSON, %d of text, %d lines", args, len(r.JSON), len(r.Text), strings.Count(r.Text, "\n"))
	}
}

// TestOutsideThatTellsNothing: a source of which nothing was joined, and bodies
// that could be of a call and were counted for none, make "no repeat" partial.
func TestOutsideThatTellsNothing(t *testing.T) {
	const late = `{"ts":"2026-11-29T19:55:27.1Z","ev":"start","instance":"s7-pg-03-appkill","activity":"ChargeCard","body":"%s"}` + "\n"
	files := map[string]string{
		"other.log": `{"ts":"2026-11-29T14:55:27.1Z","ev":"start","instance":"another","activity":"ChargeCard","body":"a"}` + "\n", "empty.log": "",
		"late.log":  fmt.Sprintf(late, "a") + fmt.Sprintf(late, "b"),
		"ops.json":  `[{"id":"ch_1","amount":1,"created":1795964127,"status":"succeeded","metadata":{"idempotency_key":"another"}}]`,
		"none.json": "[]",
	}
	for args, says := range map[string]string{
		`"log":"other.log"`:      "of the log (1 line) is of these runs",
		`"log":"empty.log"`:      "the log named is empty",
		`"log":"late.log"`:       "2 bodies with an id of these runs could be of their calls",
		`"provider":"ops.json"`:  "of the provider (1 record) is of these runs",
		`"provider":"none.json"`: "the provider named is empty",
	} {
		d := deps(t, "../examples/runs")
		place(t, &d, files)
		r := byName(t, "idem_find_duplicates").Call(t.Context(), d, json.RawMessage(`{"run":"s7-pg-03-appkill",`+args+`}`))
		if r.Err != nil || !r.Partial || r.Found || !strings.Contains(r.Text, says) {
			t.Errorf("%s: partial %v, found %v, error %v, text without %q:\n%s", args, r.Partial, r.Found, r.Err, says, r.Text)
		}
	}
}
