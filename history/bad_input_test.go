package history_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// TestNestedArrays: what an array in an array holds is read once, however deep, and
// the error stays short.
func TestNestedArrays(t *testing.T) {
	const deep = 9000
	for _, inner := range []string{"", `{"a":1}`, `"` + strings.Repeat("x", 1_000_000) + `"`} {
		begun := time.Now()
		_, err := history.Read([]byte(strings.Repeat("[", deep)+inner+strings.Repeat("]", deep)), history.Options{Sharing: metadataLevel})
		if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "an array too") {
			t.Errorf("%.300v", err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%d arrays in one another took %s", deep, took)
		}
	}
}

// TestBadInput: a clear error of the right kind, or a partial run that says so.
func TestBadInput(t *testing.T) {
	good := string(mustRead(t, "../examples/runs/s2-06-two-concurrent/history.ndjson"))
	array := "[" + strings.ReplaceAll(strings.TrimSpace(good), "\n", ",") + "]"
	for name, c := range map[string]struct {
		in      string
		kind    fault.Kind
		says    string // in the error, or in Coverage.Missing
		partial bool
	}{
		"empty":                 {in: "", kind: fault.BadInput, says: "empty"},
		"spaces":                {in: " \n\t ", kind: fault.BadInput, says: "empty"},
		"empty array":           {in: "[]", kind: fault.BadInput, says: "empty JSON array"},
		"an object of another":  {in: `{"kind":"Pod","spec":{}}`, kind: fault.BadInput, says: "kind, spec"},
		"a run list":            {in: `[{"instanceID":"a","runtimeStatus":"COMPLETED","name":"W"}]`, kind: fault.BadInput, says: "instanceID"},
		"plain text":            {in: "hello world", kind: fault.BadInput, says: "text of 11 bytes"},
		"yaml of another":       {in: "- a: 1\n- b: 2\n", kind: fault.BadInput},
		"truncated object":      {in: `{"history":[{"eventId":1,`, kind: fault.Damaged, says: "JSON"},
		"truncated array":       {in: array[:len(array)-200], partial: true, says: "middle of event"},
		"truncated line":        {in: good[:len(good)-100], partial: true, says: "beyond event"},
		"garbage line":          {in: good + "{broken}\n", partial: true, says: "beyond event"},
		"100k deep":             {in: strings.Repeat("[", 100_000), kind: fault.Damaged, says: "depth"},
		"100k deep in an event": {in: `{"eventId":1,"timestamp":"2026-11-01T12:00:00Z","taskScheduled":{"name":"A","input":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}}", kind: fault.Damaged, says: "depth"},
		"unknown event type":    {in: good + `{"eventId":50,"timestamp":"2026-11-01T12:00:00Z","quantumLeap":{"a":1}}` + "\n", partial: true, says: "quantumLeap"},
		"invalid utf-8":         {in: strings.Replace(good, "BookHotel", "Book\xff\xfeHotel", 1), partial: false},
		"bom":                   {in: "\xef\xbb\xbf" + good},
		"talk before":           {in: "Fetching the run …\n\n" + array},
		"binary noise":          {in: "\x00\x01\x02\xff\xfe\x80\x81", kind: fault.BadInput, says: "binary"},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := history.Read([]byte(c.in), history.Options{Sharing: metadataLevel})
			if c.kind != fault.Unknown {
				var f *fault.Error
				if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("error %v, want kind %s with %q", err, c.kind, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if run.Coverage.Partial() != c.partial || !strings.Contains(strings.Join(run.Coverage.Missing, "; "), c.says) {
				t.Fatalf("partial=%v %v, want %v with %q", run.Coverage.Partial(), run.Coverage.Missing, c.partial, c.says)
			}
			checkInvariants(t, run)
		})
	}
}

// TestWindowsRedirect: UTF-16 with a byte order mark, as a Windows shell writes.
func TestWindowsRedirect(t *testing.T) {
	text := string(mustRead(t, "../examples/cli/s1-01-seq-3.history.json"))
	b := []byte{0xff, 0xfe}
	for _, r := range text {
		b = append(b, byte(r), byte(r>>8))
	}
	run, err := history.Read(b, history.Options{Sharing: metadataLevel})
	if err != nil || run.Shape != history.ShapeCLIJSON || len(run.Events) != 12 {
		t.Fatalf("%v %v", run, err)
	}
}

// TestHostileIDs: names and ids with controls and bidi characters are cleaned in
// findings; the model keeps ids verbatim.
func TestHostileIDs(t *testing.T) {
	evil := "Charge\u202eCard\x1b[31m\u200b"
	doc := strings.ReplaceAll(script(t, "turn\nstarted W\ntask 0 EVIL id=a\nturn\nfail 0 id=a msg=503\ntimer 1 origin=activity:a\nturn\nfired 1\ntask 2 EVIL id=a\nturn\nok 2 id=a\n"), "EVIL", `Charge\u202eCard\u001b[31m\u200b`)
	o := history.Options{Sharing: metadataLevel}
	o.Ref.Instance = "../../etc/\u202epasswd"
	run, err := history.Read([]byte(doc), o)
	if err != nil {
		t.Fatal(err)
	}
	if run.Ref.Instance != o.Ref.Instance {
		t.Errorf("the model changed the id to %q", run.Ref.Instance)
	}
	a := history.Analyze(run)
	text := string(jsonOf(t, a.Findings)) + string(jsonOf(t, a.Table()))
	if strings.Contains(text, evil) || strings.ContainsAny(text, "\u202e\u200b\x1b") || len(kinds(a, history.RetriedUnknownOutcome)) != 1 {
		t.Errorf("hostile characters in %s", text)
	}
	if _, err := a.Explain("ChargeCard[31m#0"); err != nil {
		t.Error(err)
	}
}

// TestTimeRunsBackwards and duplicate ids: findings stay within what is
// recorded.
func TestTimeRunsBackwards(t *testing.T) {
	run, err := history.Read([]byte(script(t, "turn\ntask 0 A id=a\nat -1h\nturn\nok 0 id=a\nat -1h\ntask 0 A id=b\ntask 0 A id=c\nend COMPLETED\n")), history.Options{Sharing: metadataLevel})
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, run)
	if got := kinds(history.Analyze(run), history.Retried, history.RetriedUnknownOutcome); len(got) != 0 {
		t.Errorf("duplicate ids became %v", got)
	}
}
