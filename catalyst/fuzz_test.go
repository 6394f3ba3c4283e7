package catalyst

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/history"
)

// These tests stand inside the package: what a server says is read by small
// parsers that have no public form.

// FuzzAnswer feeds arbitrary text through everything that reads an answer.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"", "{}", "[]", `{"runs":[{"instanceId":"a","status":"x"}],"nextCursor":"c"}`,
		"Here [1]: {\"data\":{\"items\":null}}", `{"error":{"kind":"ORG_MISMATCH","message":"m","retryable":false}}`,
		"denied: no", "NO_ORGANIZATION", `{"kind":"denied"}`, `{"_meta":{"dataSharingLevel":"full"}}`,
		`{"getUsage":{"data":[{"scope":"s","quotas":{"number_of_kvstores_per_project":{"used":1,"limit":null}}}]}}`,
		"```json\n{\"a\":[{\"b\":{\"customStatus\":null}}]}\n```",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a := newAnswer(nil, []string{s})
		if a.doc != nil && !json.Valid(a.doc) {
			t.Fatalf("not JSON: %q", a.doc)
		}
		r := refusalIn(a.doc, a.text, false)
		if r != nil {
			if _, known := refusalRowOf(r.Kind); !known && !strings.Contains(s, `"error"`) {
				t.Errorf("%q is taken for the refusal %q", s, r.Kind)
			}
		}
		if refusalIn(a.doc, a.text, true) == nil {
			t.Errorf("an answer marked as an error is none: %q", s)
		}
		list, found := rows(a.doc, []string{"runs", "items"}, looksLikeRun)
		if len(list) > 0 && !found {
			t.Error("rows without a list")
		}
		nextCursor(a.doc)
		failedParts(a.doc)
		findQuotas(a.doc, Quota{}, 0)
		whoami(a.doc)
		l := levelEvidence{}
		l.note(a.doc)
		sharing := l.of(a.doc)
		if sharing.Level != history.LevelUnstated && sharing.How == "" {
			t.Error("a level without how it is known")
		}
		if holdsPayload(a.doc) && !strings.ContainsAny(s, "iIoOcC") {
			t.Errorf("payload in %q", s)
		}
	})
}

func FuzzAuthParams(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://a/b", scope="x y"`)
	f.Add(`Basic realm="a\"b", Bearer a=b,c="`)
	f.Add(`==,==`)
	f.Fuzz(func(_ *testing.T, s string) { authParams(s) })
}

func TestAuthParams(t *testing.T) {
	for _, tt := range []struct{ in, metadata, scope string }{
		{`Bearer resource_metadata="https://a/b", scope="x y"`, "https://a/b", "x y"},
		{`Bearer  Resource_Metadata=https://a/b , scope=x`, "https://a/b", "x"},
		{`Basic realm="a, b=\"c\"", Bearer error="e", resource_metadata="u"`, "u", ""},
		{`Bearer`, "", ""},
		{``, "", ""},
	} {
		p := authParams(tt.in)
		if p["resource_metadata"] != tt.metadata || p["scope"] != tt.scope {
			t.Errorf("%q: %v", tt.in, p)
		}
	}
}

// TestRefusalOrRun: a run whose own text mentions a kind is a run.
func TestRefusalOrRun(t *testing.T) {
	for _, tt := range []struct {
		text  string
		isErr bool
		want  string
	}{
		{`{"error":{"kind":"ORG_MISMATCH","message":"m","retryable":false}}`, false, OrgMismatch},
		{`{"kind":"NOT_AUTHENTICATED","message":"m"}`, false, NotAuthenticated},
		{`{"error":"denied","message":"m"}`, false, Denied},
		{`{"error":{"code":"unfilterable"}}`, true, Unfilterable},
		{"DATA_SHARING_RESTRICTED: no", false, DataSharingRestricted},
		{"no-policy", false, NoPolicy},
		{"something broke", true, "error"},
		{`{"type":"denied","instanceId":"r","events":[]}`, false, ""},
		{`{"instanceId":"r","status":"FAILED","events":[{"failure_details_error_message":"denied: card"}]}`, false, ""},
		{`{"instanceId":"DATA_SHARING_RESTRICTED"}`, false, ""},
		{"deniedness", false, ""},
	} {
		a := newAnswer(nil, []string{tt.text})
		got := ""
		if r := refusalIn(a.doc, a.text, tt.isErr); r != nil {
			got = r.Kind
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestQuotaForms: the quota under its key, beside it, as text; never added up.
func TestQuotaForms(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`[{"key":"number_of_kvstores_per_project","used":1,"limit":1,"scope":"catalyst.per_cloud_region","region":"eu"}]`, "1 used, limit 1 (catalyst.per_cloud_region eu)"},
		{`{"catalyst.per_cloud_region":{"us":{"number_of_kvstores_per_project":{"used":"2","limit":null}}}}`, "2 used, limit not stated (catalyst.per_cloud_region)"},
		{`{"data":{"attributes":{"number_of_kvstores_per_project":{"limit":-1}}}}`, "not stated used, limit not stated (scope not stated)"},
		{`{"number_of_pubsubs_per_project":{"used":1,"limit":1}}`, ""},
	} {
		got := ""
		if q := findQuotas(json.RawMessage(tt.in), Quota{}, 0); len(q) == 1 {
			got = q[0].String()
		} else if len(q) > 1 {
			got = "several"
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestRecordsDoNotPrint: no form of printing shows what a record holds.
func TestRecordsDoNotPrint(t *testing.T) {
	r := record{AccessToken: "secret-access", RefreshToken: "secret-refresh"}
	for _, s := range []string{strings.TrimSpace(r.String()), fmt.Sprintf("%v", r), fmt.Sprintf("%+v", r), fmt.Sprintf("%#v", r), fmt.Sprintf("%v", &r), fmt.Sprintf("%+v", struct{ R record }{r})} {
		if strings.Contains(s, "secret-") {
			t.Errorf("printed: %s", s)
		}
	}
}
