package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/provider"
)

func read(t testing.TB, m provider.Mapping, texts ...string) (*outside.Index, provider.Result, error) {
	t.Helper()
	x := &outside.Index{}
	dir := t.TempDir()
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, err := provider.Read(t.Context(), input.Files{Paths: []string{dir}}, m, x)
	return x, res, err
}

// TestShapes: the ready mappings are chosen from the content, and one's own work.
func TestShapes(t *testing.T) {
	own := provider.Mapping{Name: "own", ID: []string{"nr"}, Ref: []string{"Our Ref"}, Status: []string{"st"}, Time: []string{"when"}}
	for name, c := range map[string]struct {
		m       provider.Mapping
		text    string
		mapping string
		key     string
		want    outside.Shown
	}{
		"stripe list":        {text: `{"object":"list","data":[{"id":"ch_1","amount":100,"currency":"eur","created":1795960000,"status":"succeeded","metadata":{"idempotency_key":"k"}}],"has_more":false}`, mapping: "stripe", key: "k", want: outside.OneSucceeded},
		"stripe two":         {text: `[{"id":"ch_1","created":1795960000,"status":"succeeded","metadata":{"order_id":"k"}},{"id":"ch_2","created":1795960001,"status":"succeeded","metadata":{"order_id":"k"}}]`, mapping: "stripe", key: "k", want: outside.Several},
		"stripe one payment": {text: `[{"id":"pi_1","object":"payment_intent","created":1795960000,"status":"succeeded","metadata":{"order_id":"k"}},{"id":"ch_2","payment_intent":"pi_1","created":1795960001,"status":"succeeded","metadata":{"order_id":"k"}}]`, mapping: "stripe", key: "k", want: outside.OneSucceeded},
		"stripe CSV":         {text: "id,Created (UTC),Amount,Currency,Status,order_id (metadata)\nch_1,2026-11-29 14:00:00,1.00,eur,Failed,k\n", mapping: "stripe", key: "k", want: outside.OnlyFailed},
		"stripe webhooks":    {text: `{"id":"evt_1","type":"payment_intent.succeeded","created":1795960001,"data":{"object":{"id":"pi_1","created":1795960000,"status":"succeeded","amount":1}},"request":{"id":"r","idempotency_key":"k"}}` + "\n", mapping: "stripe", key: "k", want: outside.OneSucceeded},
		"adyen CSV":          {text: "Company Account;Psp Reference;Merchant Reference;Creation Date;Amount;Record Type\nX;8815;k;2026-11-29 14:00:00;1.00;SentForSettle\nX;8815;k;2026-11-29 15:00:00;1.00;Settled\n", mapping: "adyen", key: "k", want: outside.OneSucceeded},
		"adyen webhooks":     {text: `{"live":"false","notificationItems":[{"NotificationRequestItem":{"pspReference":"8815","merchantReference":"k","eventCode":"AUTHORISATION","success":"true","eventDate":"2026-11-29T14:00:00+01:00","amount":{"value":1,"currency":"EUR"}}}]}`, mapping: "adyen", key: "k", want: outside.OneSucceeded},
		"square":             {text: `{"payments":[{"id":"p1","reference_id":"k","status":"APPROVED","created_at":"2026-11-29T14:00:00Z","amount_money":{"amount":1,"currency":"USD"}}]}`, mapping: "square", key: "k", want: outside.OnePending},
		"own CSV":            {m: own, text: "nr\tour ref\tst\twhen\n7\tk\tpaid\t2026-11-29 14:00:00\n", mapping: "own", key: "k", want: outside.OneSucceeded},
		"GraphQL":            {m: own, text: `{"data":{"payments":[{"nr":1,"Our Ref":"k","st":"paid"},{"nr":2,"Our Ref":"k","st":"paid"}]}}`, mapping: "own", key: "k", want: outside.Several},
	} {
		t.Run(name, func(t *testing.T) {
			x, res, err := read(t, c.m, c.text)
			if err != nil || len(res.Broken) > 0 {
				t.Fatal(err, res.Broken)
			}
			if res.Mapping != c.mapping {
				t.Errorf("mapping %s", res.Mapping)
			}
			if got, _ := x.Shows(&outside.Intent{Key: c.key}); got != c.want {
				t.Errorf("shows %s, want %s (%+v)", got, c.want, res)
			}
		})
	}
}

// TestUnkeyed: a list that nothing can be joined with is an error that says what
// to set; one that breaks off is read as far as it goes.
func TestUnkeyed(t *testing.T) {
	if _, _, err := read(t, provider.Mapping{}, "a,b\n1,2\n"); fault.KindOf(err) != fault.BadInput {
		t.Errorf("error %v", err)
	}
	_, res, err := read(t, provider.Mapping{}, `[{"id":"1","metadata":{"order_id":"k"}},{"id":"2","metad`)
	if err != nil || len(res.Broken) != 1 || res.Operations != 1 {
		t.Errorf("%v %+v", err, res)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"1","metadata":{"order_id":"k"}}]}`))
	f.Add([]byte("id,reference_id\n1,k\n"))
	f.Add([]byte(`{"data":{"data":{"items":[[],{}]}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, err := read(t, provider.Mapping{}, string(b))
		if err != nil && fault.KindOf(err) != fault.BadInput {
			t.Fatal(err)
		}
	})
}
