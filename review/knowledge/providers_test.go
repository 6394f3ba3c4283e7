package knowledge_test

import (
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// TestProviders holds every row to what answers show of it.
func TestProviders(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range knowledge.Providers() {
		if p.ID == "" || p.Name == "" || seen[p.ID] {
			t.Errorf("%q: id and name are required and unique", p.ID)
		}
		seen[p.ID] = true
		if p.Verified && p.Source == "" {
			t.Errorf("%s: a verified row needs its source", p.ID)
		}
		if p.Condition == "" {
			t.Errorf("%s: no condition", p.ID)
		}
		for _, n := range p.Names {
			if knowledge.KeyName(n) != n {
				t.Errorf("%s: %q is not a key name in normal form", p.ID, n)
			}
		}
	}
	for _, r := range knowledge.Rows() {
		if r.Provider != "" && !seen[r.Provider] {
			t.Errorf("row %s names provider %q, which has no row", r.Name, r.Provider)
		}
	}
}

// TestEveryKnownProvider: no row that was researched is lost.
func TestEveryKnownProvider(t *testing.T) {
	for id := range strings.FieldsSeq(`stripe stripe-v2 stripe-meter stripe-sdk adyen paypal braintree square checkout truelayer qonto razorpay plaid plaid-consent wise shopify
		resend brevo mailgun sendgrid ses postmark smtp customerio dropboxsign novu svix persona twilio slack github openai sqs sqs-standard sns dynamodb dynamodb-put stepfunctions
		ec2 lambda s3 gcs azure-blob servicebus azure-chat kafka jetstream gcp-pubsub rabbitmq dapr-pubsub dapr-snssqs dapr-servicebus dapr-state dapr-outbox dapr-bindings
		dapr-workflow mongo`) {
		if knowledge.ProviderByID(id) == nil {
			t.Errorf("no row %s", id)
		}
	}
	for _, id := range []string{"stripe-sdk", "sendgrid", "ses", "smtp", "twilio", "slack", "sqs-standard", "dynamodb-put", "ec2", "lambda", "gcs", "azure-blob", "kafka", "gcp-pubsub", "rabbitmq"} {
		if knowledge.ProviderByID(id).Verified {
			t.Errorf("%s is from memory and must be shown as unverified", id)
		}
	}
	for _, id := range []string{"stripe-v2", "adyen", "truelayer", "servicebus", "jetstream"} {
		if !knowledge.ProviderByID(id).WindowUnverified {
			t.Errorf("the window of %s is from memory, or its sources disagree", id)
		}
	}
}

func TestProviderFor(t *testing.T) {
	for _, c := range []struct{ key, url, want string }{
		{"X-Qonto-Idempotency-Key", "", "qonto"},
		{"Idempotency-Key", "https://api.stripe.com/v1/charges", "stripe"},
		{"Idempotency-Key", "https://pay.example/v1", ""},
		{"cloudevent.id", "", "dapr-pubsub"},
	} {
		got := ""
		if p := knowledge.ProviderFor(c.key, c.url); p != nil {
			got = p.ID
		}
		if got != c.want {
			t.Errorf("ProviderFor(%q, %q) = %q, want %q", c.key, c.url, got, c.want)
		}
	}
	if p := knowledge.ProviderByID("smtp"); p == nil || !strings.Contains(p.Condition, "none") {
		t.Error("no row for smtp")
	}
}

func TestModelPath(t *testing.T) {
	for url, want := range map[string]bool{
		"http://localhost:11434/api/generate":                  true,
		"{}/detect?returnFaceId=true":                          true,
		"https://api.openai.com/v1/chat/completions":           true,
		"https://x.example/formrecognizer/models/m:analyze":    true,
		"https://api.rates.example/v1/quote":                   false,
		"https://api.shop.example/orders":                      false,
		"https://api.shop.example/predictions/accept?x=detect": false,
	} {
		if got := knowledge.ModelPath(url); got != want {
			t.Errorf("ModelPath(%q) = %v", url, got)
		}
	}
}
