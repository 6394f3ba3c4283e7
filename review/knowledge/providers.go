package knowledge

import (
	"strings"
	"time"
)

// Provider is what another system offers against duplicates. Windows change:
// every row carries its source, and answers must show it.
type Provider struct {
	ID   string // as rows name it
	Name string // the provider, and the operation where it matters
	Key  string // how a key is passed, as written; "" when there is none
	// Names are the normal forms of the key's names that only this provider
	// uses: they tell which provider a call is for.
	Names []string
	// Hosts are parts of the address that tell the provider.
	Hosts []string
	// Window is how long a key is remembered; 0 is not known or for ever.
	Window time.Duration
	// AtLeast: a key may be remembered for longer than Window. Forever: a write
	// that is conditional on what is stored, so that nothing expires.
	AtLeast, Forever bool
	Condition        string // the window in words, and what else must hold
	// What the row says beyond the window; "" where its source does not say.
	Scope        string // within what a key must be unique
	Changed      string // the same key with other parameters
	InFlight     string // a second call while the first is under way
	AfterFailure string // a second call after the first failed
	// WindowUnverified: the row was read, its window is from memory or its
	// sources disagree.
	WindowUnverified bool
	// OneScope: the key is looked up without regard to the operation, so that
	// two operations with one key collide.
	OneScope bool
	// Verified: the documentation or source was read. False is from memory and
	// must be shown as unverified.
	Verified bool
	Source   string
}

// ProvidersChecked is when the rows were last held against their sources.
const ProvidersChecked = "2026-11"

const (
	minute = time.Minute
	hour   = time.Hour
	day    = 24 * time.Hour
)

// Providers lists them.
func Providers() []Provider { return providers }

// ProviderByID finds the row a catalogue row names.
func ProviderByID(id string) *Provider {
	for i := range providers {
		if providers[i].ID == id && id != "" {
			return &providers[i]
		}
	}
	return nil
}

// ProviderFor finds the provider of a call by the name its key is passed under,
// then by its address.
func ProviderFor(keyName, url string) *Provider {
	n := KeyName(keyName)
	for i := range providers {
		for _, k := range providers[i].Names {
			if n != "" && k == n {
				return &providers[i]
			}
		}
	}
	u := strings.ToLower(url)
	for i := range providers {
		for _, h := range providers[i].Hosts {
			if strings.Contains(u, h) {
				return &providers[i]
			}
		}
	}
	return nil
}

var providers = []Provider{
	{ID: "stripe", Name: "Stripe v1", Key: "Idempotency-Key / RequestOptions.IdempotencyKey", Hosts: []string{"api.stripe.com/v1", "api.stripe.com"}, Window: day, OneScope: true, AtLeast: true, Changed: "an error", AfterFailure: "the saved result is returned, a 500 too, once execution began", Condition: "kept 24 h or longer; the saved result includes 500s once execution began; changed parameters are an error; at most 255 characters", Verified: true, Source: "https://docs.stripe.com/api/idempotent_requests"},
	{ID: "stripe-v2", Name: "Stripe v2", Key: "Idempotency-Key", Hosts: []string{"api.stripe.com/v2"}, Window: 30 * day, OneScope: true, WindowUnverified: true, AfterFailure: "failed work is run again instead of replayed", Condition: "30 days (window unverified); a repeat runs failed work again instead of replaying it", Verified: true, Source: "https://docs.stripe.com/api-v2-overview"},
	{ID: "stripe-meter", Name: "Stripe meter events", Key: "body identifier", Hosts: []string{"/billing/meter_events"}, Window: day, AtLeast: true, Condition: "unique for a rolling 24 h or longer", Verified: true, Source: "https://docs.stripe.com/api/billing/meter-event/create"},
	{ID: "stripe-sdk", Name: "Stripe SDK retries", Condition: "the SDK makes a key per call: that covers retries inside the process, not a second attempt", Source: "https://github.com/stripe/stripe-go"},
	{ID: "adyen", Name: "Adyen", Key: "idempotency-key", Hosts: []string{"adyen.com"}, Window: 7 * day, OneScope: true, WindowUnverified: true, Scope: "company account, one region", Condition: "at most 64 characters; older pages say 31 days, newer ones are reported to say 7 (unverified); per company account, not across regions", Verified: true, Source: "https://docs.adyen.com/development-resources/api-idempotency"},
	{ID: "paypal", Name: "PayPal REST", Key: "PayPal-Request-Id", Names: []string{"paypalrequestid"}, Hosts: []string{"paypal.com"}, InFlight: "may fail", AfterFailure: "the latest status is returned", Condition: "how long differs per API; a repeat returns the latest status; two at the same time may fail", Verified: true, Source: "https://developer.paypal.com/reference/guidelines/idempotency"},
	{ID: "braintree", Name: "Braintree GraphQL", Key: "apiRequestKey", Names: []string{"apirequestkey"}, Hosts: []string{"braintree"}, Window: 30 * day, InFlight: "not covered: the repeat must follow the end of the first", Condition: "30 days; the repeat must follow the end of the first; the classic SDK has no key", Verified: true, Source: "https://developer.paypal.com/braintree/graphql/integration_guides/idempotency"},
	{ID: "square", Name: "Square", Key: "body idempotency_key", Hosts: []string{"squareup.com"}, OneScope: true, Condition: "how long keys are kept is not published", Verified: true, Source: "https://developer.squareup.com/forums/t/how-long-are-idempotency-keys-retained-for-the-createpayment-endpoint/28303"},
	{ID: "checkout", Name: "Checkout.com", Key: "Cko-Idempotency-Key", Names: []string{"ckoidempotencykey"}, Hosts: []string{"checkout.com"}, Window: day, AfterFailure: "attempted again: only successes are saved", Condition: "24 h; only successes are saved: a repeat after 4xx or 5xx is attempted again", Verified: true, Source: "https://checkout.com/docs/payments/manage-payments/retry-a-payment"},
	{ID: "truelayer", Name: "TrueLayer", Key: "Idempotency-Key", Hosts: []string{"truelayer.com"}, Window: 6 * hour, WindowUnverified: true, Condition: "the newer page says 30 days, the older 6 h", Verified: true, Source: "https://docs.truelayer.com/docs/idempotency-for-payment-requests"},
	{ID: "qonto", Name: "Qonto", Key: "X-Qonto-Idempotency-Key", Names: []string{"xqontoidempotencykey"}, Hosts: []string{"qonto.com"}, Window: 30 * minute, Changed: "not noticed", Condition: "30 minutes; a different body is not noticed", Verified: true, Source: "https://docs.qonto.com/get-started/general/idempotent-requests"},
	{ID: "razorpay", Name: "Razorpay Route", Key: "X-Transfer-Idempotency", Names: []string{"xtransferidempotency"}, InFlight: "409", Condition: "direct transfers only; 409 while the first is in flight", Verified: true, Source: "https://razorpay.com/docs/api/payments/route/transfers/direct-transfers-idempotent-request"},
	{ID: "plaid", Name: "Plaid bank transfer", Key: "idempotency_key", Hosts: []string{"plaid.com"}, Window: 7 * day, AtLeast: true, Condition: "7 days or longer", Verified: true, Source: "https://plaid.com/docs/bank-transfers/idempotency-and-retries"},
	{ID: "plaid-consent", Name: "Plaid consent payment", Key: "idempotency_key", Window: day, Condition: "24 h", Verified: true, Source: "documentation of the plaid Python client"},
	{ID: "wise", Name: "Wise transfer", Key: "customerTransactionId", Names: []string{"customertransactionid"}, Hosts: []string{"wise.com"}, Scope: "one transfer per quote", Condition: "a UUID; no window is given; one transfer per quote", Verified: true, Source: "https://docs.wise.com/api-reference/standard-transfer"},
	{ID: "shopify", Name: "Shopify Admin GraphQL", Key: "@idempotent(key:)", Hosts: []string{"myshopify.com"}, Condition: "required from 2026-04 for refunds and inventory changes; a call without it is an error", Verified: true, Source: "https://shopify.dev/changelog/making-idempotency-mandatory-for-inventory-adjustments-and-refund-mutations"},
	{ID: "resend", Name: "Resend", Key: "Idempotency-Key / Resend-Idempotency-Key", Names: []string{"resendidempotencykey"}, Hosts: []string{"resend.com"}, Window: day, Condition: "24 h, 256 characters, batches too", Verified: true, Source: "https://resend.com/docs/dashboard/emails/idempotency-keys"},
	{ID: "brevo", Name: "Brevo", Key: "body headers.idempotencyKey", Hosts: []string{"brevo.com", "sendinblue.com"}, Window: 15 * minute, Condition: "15 minutes", Verified: true, Source: "https://developers.brevo.com/changelog/email-api-now-supports-idempotency"},
	{ID: "mailgun", Name: "Mailgun", Hosts: []string{"mailgun.net"}, Condition: "none on send (o:inbox-placement-test-key is for tests only); ask the Events API by a v: variable. The source quotes it, the page itself was not read", Verified: true, Source: "https://github.com/j3soon/nurse-scheduling/pull/87"},
	{ID: "sendgrid", Name: "SendGrid", Hosts: []string{"sendgrid.com"}, Condition: "none: intent record and reconcile"},
	{ID: "ses", Name: "AWS SES", Condition: "none: intent record and reconcile"},
	{ID: "postmark", Name: "Postmark", Hosts: []string{"postmarkapp.com"}, Condition: "none: intent record and reconcile", Verified: true, Source: "https://github.com/useplunk/plunk/issues/39"},
	{ID: "smtp", Name: "SMTP", Condition: "none: intent record and reconcile"},
	{ID: "customerio", Name: "Customer.io", Hosts: []string{"customer.io"}, Condition: "none; requested", Verified: true, Source: "https://github.com/customerio/customerio-python/issues/133"},
	{ID: "dropboxsign", Name: "Dropbox Sign", Key: "Idempotency-Key", Hosts: []string{"hellosign.com"}, Window: day, Condition: "24 h, POST and PUT", Verified: true, Source: "https://developers.hellosign.com/api/manual-reference-pages/idempotency"},
	{ID: "novu", Name: "Novu", Key: "Idempotency-Key", Hosts: []string{"novu.co"}, Scope: "/events/trigger only", Condition: "only /events/trigger, and only where the organization opted in", Verified: true, Source: "https://docs.novu.co/api-reference/idempotency"},
	{ID: "svix", Name: "Svix", Key: "Idempotency-Key, eventId", Hosts: []string{"svix.com"}, Condition: "no window is given", Verified: true, Source: "https://docs.svix.com/idempotency"},
	{ID: "persona", Name: "Persona", Key: "Idempotency-Key", Hosts: []string{"withpersona.com"}, Window: day, AtLeast: true, Condition: "24 h or longer", Verified: true, Source: "https://docs.withpersona.com/2020-05-18/idempotence"},
	{ID: "twilio", Name: "Twilio messages", Hosts: []string{"api.twilio.com"}, Condition: "none on create; I-Twilio-Idempotency-Token is on inbound webhooks"},
	{ID: "slack", Name: "Slack chat.postMessage", Hosts: []string{"slack.com"}, Condition: "none documented; post once, then update by ts"},
	{ID: "github", Name: "GitHub REST", Hosts: []string{"api.github.com"}, Condition: "none for workflow_dispatch, issues and comments; natural keys are the ref and a pull request's head and base: a duplicate is 422"},
	{ID: "openai", Name: "OpenAI inference", Hosts: []string{"api.openai.com"}, Condition: "no documented replay: a second call costs again and answers differently", Verified: true, Source: "https://community.openai.com/t/how-are-you-handling-idempotency-with-ai-api-requests/1399903"},
	{ID: "sqs", Name: "SQS FIFO", Key: "MessageDeduplicationId", Names: []string{"messagededuplicationid"}, Window: 5 * minute, Condition: "5 minutes, FIFO queues only; a standard queue has none", Verified: true, Source: "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-key-terms.html"},
	{ID: "sqs-standard", Name: "SQS standard queue", Condition: "none: the consumer must refuse ids it has seen"},
	{ID: "sns", Name: "SNS FIFO", Key: "MessageDeduplicationId", Window: 5 * minute, Scope: "topic or message group", Condition: "5 minutes, FIFO topics only", Verified: true, Source: "https://docs.aws.amazon.com/sns/latest/api/API_Publish.html"},
	{ID: "dynamodb", Name: "DynamoDB TransactWriteItems", Key: "ClientRequestToken", Names: []string{"clientrequesttoken"}, Window: 10 * minute, Changed: "an error", Condition: "10 minutes after the first completed; changed parameters are an error", Verified: true, Source: "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html"},
	{ID: "dynamodb-put", Name: "DynamoDB PutItem", Key: "attribute_not_exists(pk)", Forever: true, Condition: "for ever"},
	{ID: "stepfunctions", Name: "Step Functions StartExecution", Key: "name", Window: 90 * day, Condition: "STANDARD only, 90 days; the same name and input is a no-op only while it runs", Verified: true, Source: "https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html"},
	{ID: "ec2", Name: "EC2 RunInstances, ECS RunTask", Key: "ClientToken / clientToken", Window: day, AtLeast: true, Condition: "24 h or longer"},
	{ID: "lambda", Name: "Lambda Invoke", Condition: "none; the function can use Powertools' idempotency", Source: "https://docs.powertools.aws.dev/lambda/python/latest/utilities/idempotency/"},
	{ID: "s3", Name: "S3 PutObject", Key: "If-None-Match: * / If-Match", Forever: true, InFlight: "409", Condition: "for ever; 412, and 409 on a race", Verified: true, Source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html"},
	{ID: "gcs", Name: "Google Cloud Storage", Key: "ifGenerationMatch=0", Forever: true, Condition: "for ever"},
	{ID: "azure-blob", Name: "Azure Blob", Key: "If-None-Match: *, ETag, overwrite=False", Condition: "409"},
	{ID: "servicebus", Name: "Azure Service Bus", Key: "MessageId", Window: minute, WindowUnverified: true, Condition: "only with RequiresDuplicateDetection, set when the queue is made; the default window is 10 minutes in the ARM pages, 1 minute in the .NET pages; 20 s to 7 days", Verified: true, Source: "https://learn.microsoft.com/dotnet/api/azure.messaging.servicebus.administration.queueproperties.duplicatedetectionhistorytimewindow"},
	{ID: "azure-chat", Name: "Azure Communication Chat", Key: "IdempotencyToken", Names: []string{"repeatabilityrequestid", "idempotencytoken"}, Condition: "no window is given", Verified: true, Source: "https://learn.microsoft.com (CreateChatThreadOptions)"},
	{ID: "kafka", Name: "Kafka producer", Scope: "one producer session", Condition: "enable.idempotence covers one producer session, not a second attempt"},
	{ID: "jetstream", Name: "NATS JetStream", Key: "Nats-Msg-Id", Names: []string{"natsmsgid"}, Window: 2 * minute, WindowUnverified: true, Scope: "one stream", Condition: "the stream's duplicate_window, by default 2 minutes (default unverified)", Verified: true, Source: "https://nats-io.github.io/nats.net/documentation/jetstream/publish.html"},
	{ID: "gcp-pubsub", Name: "Google Pub/Sub", Condition: "none on publish; exactly-once is for subscribers"},
	{ID: "rabbitmq", Name: "RabbitMQ", Condition: "none; a plugin exists"},
	{ID: "bullmq", Name: "BullMQ", Key: "jobId", Condition: "while the job is kept: a removed job's id can be used again"},
	{ID: "dapr-pubsub", Name: "Dapr pub/sub", Key: "metadata cloudevent.id", Names: []string{"cloudeventid"}, Condition: "only JetStream acts on it; for other brokers the consumer must refuse ids it has seen", Verified: true, Source: "components-contrib pubsub/jetstream/jetstream.go"},
	{ID: "dapr-snssqs", Name: "Dapr SNS/SQS fifo", Condition: "content-based deduplication sees the CloudEvent's time: a second publish is not refused", Verified: true, Source: "components-contrib pubsub/aws/snssqs/snssqs.go"},
	{ID: "dapr-servicebus", Name: "Dapr Service Bus", Key: "publish metadata MessageId", Window: minute, WindowUnverified: true, Condition: "as Service Bus", Verified: true, Source: "components-contrib common/component/azure/servicebus/message.go"},
	{ID: "dapr-state", Name: "Dapr state", Key: "ETag with first-write", Condition: "without an etag the last write wins; an etag that is read again does not make a decrement safe", Verified: true, Source: "Dapr docs, state management overview"},
	{ID: "dapr-outbox", Name: "Dapr outbox", Key: "cloudevent.id in the transaction's metadata", Condition: "ties the publish to the state write", Verified: true, Source: "Dapr docs, how-to outbox"},
	{ID: "dapr-bindings", Name: "Dapr bindings", Condition: "no key is added: as the provider behind them", Verified: true, Source: "components-contrib bindings"},
	{ID: "dapr-workflow", Name: "Dapr workflow start", Key: "instance id", Condition: "the reuse policy says what a second start does", Verified: true, Source: "Dapr docs, workflow"},
	{ID: "mongo", Name: "MongoDB upsert", Key: "natural id with $setOnInsert", Forever: true, Condition: "for ever", Verified: true, Source: "temporalio/reference-app-orders-go app/db/db.go"},
}
