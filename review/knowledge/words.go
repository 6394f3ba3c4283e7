package knowledge

import (
	"slices"
	"strings"
)

// keyNames are parameter, header and field names that give the other side a
// key, in normal form without dots, and the classes they do so for ("" all).
var keyNames = map[string]string{
	"idempotencykey": "", "xidempotencykey": "", "idempotentkey": "", "idempotencytoken": "", "idempotencyid": "", "idempotency": "",
	"paypalrequestid": "", "clientrequesttoken": "", "clienttoken": "", "requesttoken": "", "apirequestkey": "", "ckoidempotencykey": "", "xqontoidempotencykey": "",
	"customertransactionid": "", "xtransferidempotency": "", "repeatabilityrequestid": "", "dedupkey": "", "dedupekey": "", "deduplicationkey": "", "deduplicationid": "",
	"dedupeid": "", "dedupid": "", "messagededuplicationid": "", "resendidempotencykey": "",
	"cloudeventid": "publish", "natsmsgid": "publish", "messageid": "publish message", "msgid": "publish", "eventid": "publish", "jobid": "publish start",
	"referenceid": "act charge", "reference": "act charge", "transactionid": "act charge", "transactionreference": "act charge", "requestid": "act charge", "operationid": "act charge",
	"paymentreference": "act charge", "clientreference": "act charge", "externalreference": "act charge",
	"instanceid": "start", "workflowid": "start", "executionname": "start", "taskid": "start", "identifier": "act",
}

// KeyName returns the normal form of a name that is a key for some class.
func KeyName(s string) string {
	n := strings.ReplaceAll(strings.ReplaceAll(Norm(s), ".", ""), " ", "")
	if _, ok := keyNames[n]; ok {
		return n
	}
	return ""
}

// KeyFor reports whether a value passed under this name is a key for calls of
// the class.
func KeyFor(s string, c Class) bool {
	n := KeyName(s)
	if n == "" {
		return false
	}
	w := keyNames[n]
	return w == "" || slices.Contains(strings.Fields(w), string(c))
}

// condWords make a write refuse or absorb a repeat.
var condWords = []string{
	"onconflict", "ondonothing", "donothing", "insertorignore", "orignore", "ondupl", "insertignore", "upsert", "ifnonematch", "ifmatch", "attributenotexists", "ifnotexists",
	"ifgenerationmatch", "setoninsert", "returnonconflict", "firstwrite", "putifabsent", "setnx", "createifnotexists", "updateorcreate", "getorcreate", "findorcreate", "rejectduplicate", "skipduplicates", "orupdate", "whennotmatched",
	"insertifnotexists", "when.notexists", "addifnotexists", "trystartworkflow",
}

// CondWord returns the word in a text, in normal form, that makes a write
// conditional.
func CondWord(norm string) string {
	for _, w := range condWords {
		if strings.Contains(norm, w) {
			return w
		}
	}
	return ""
}

// Refuses reports a condition of a write that answers a repeat with an error;
// the others absorb it and answer as they did the first time.
func Refuses(cond string) bool {
	n := Norm(cond)
	for _, w := range []string{"ifnonematch", "ifmatch", "attributenotexists", "ifgenerationmatch", "firstwrite", "rejectduplicate", "trystartworkflow", "insertifnotexists", "addifnotexists", "unique"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}

// Builders are links of a call chain that change the write before them.
var Builders = map[string]bool{
	"onconflict": true, "onconflictdonothing": true, "onconflictdoupdate": true, "ignore": true, "merge": true, "orignore": true, "orupdate": true, "onduplicatekeyupdate": true, "onduplicatekeyignore": true,
	"donothing": true, "doupdate": true, "onconflictignore": true, "values": false,
}

// actionWords in the last segment of a path mean that requesting it acts.
var actionWords = []string{"create", "delete", "remove", "send", "charge", "pay", "payment", "refund", "approve", "reject", "cancel", "start", "trigger", "book", "reserve", "submit", "increment", "publish"}

// ActionPath returns the word in a path that says a GET acts.
func ActionPath(url string) string {
	p, _, _ := strings.Cut(url, "?")
	segs := strings.Split(strings.Trim(p, "/"), "/")
	last := strings.ToLower(segs[len(segs)-1])
	last = strings.Trim(last, "{}")
	for _, w := range actionWords {
		if last == w {
			return w
		}
	}
	return ""
}

// transitions are parts of a path that move one thing to a state. Done again
// they find it there: the other side answers with success, or refuses.
var transitions = []string{"confirm", "cancel", "approve", "reject", "complete", "activate", "deactivate", "archive", "unarchive", "close", "reopen", "release", "void", "finalize", "acknowledge", "ack", "suspend", "resume", "enable", "disable", "lock", "unlock", "accept", "decline", "expire", "deliver", "fulfill"}

// TransitionPath returns the word in a path that moves the thing named before it
// to a state: /orders/{}/cancel.
func TransitionPath(url string) string {
	p, _, _ := strings.Cut(strings.ToLower(url), "?")
	segs := strings.Split(strings.Trim(p, "/"), "/")
	if len(segs) < 3 || !strings.Contains(segs[len(segs)-2], "{}") {
		return ""
	}
	if last := segs[len(segs)-1]; slices.Contains(transitions, last) {
		return last
	}
	return ""
}

// readerWords in a path or in the name around it mean that a POST only asks.
var readerWords = []string{"check", "validate", "verify", "search", "query", "lookup", "quote", "estimate", "calculate", "predict", "score", "analyze", "analyse", "classify", "translate", "graphql", "token", "login", "completions", "embed", "embedding", "embeddings", "generate", "infer", "summarize", "extract", "detect", "find", "list", "get", "read", "fetch", "similarity", "rerank", "render", "convert", "evaluate", "simulate", "preview", "exists", "inspect"}

// TokenPath reports an address that hands out access tokens: asking again gives
// another token and changes nothing else.
func TokenPath(url string) bool {
	p, _, _ := strings.Cut(strings.ToLower(url), "?")
	return strings.HasSuffix(p, "/token") || strings.HasSuffix(p, "/oauth/access_token") || strings.Contains(p, "/oauth2/") && strings.HasSuffix(p, "/token")
}

// modelWords end the paths of model servers: what is sent there is only looked at.
var modelWords = []string{"completions", "embeddings", "embed", "detect", "findsimilars", "analyze", "classify", "predict", "translate", "summarize", "transcriptions", "moderations", "generatecontent", "rerank", "infer", "similarity"}

// modelHosts serve models and nothing else.
var modelHosts = []string{":11434/", "api.openai.com/", "api.anthropic.com/", ".openai.azure.com/", "api.cognitive.microsoft.com/", "generativelanguage.googleapis.com/", "api.mistral.ai/", "api.groq.com/", "api.cohere.", "api-inference.huggingface.co/", "openrouter.ai/api/"}

// ModelPath reports a request to a model: it costs, and changes nothing.
func ModelPath(url string) bool {
	p, _, _ := strings.Cut(strings.ToLower(url), "?")
	if slices.ContainsFunc(modelHosts, func(h string) bool { return strings.Contains(p, h) }) {
		return true
	}
	segs := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == ':' })
	if strings.HasSuffix(strings.TrimSuffix(p, "/"), "/api/generate") {
		return true
	}
	return len(segs) > 0 && slices.Contains(modelWords, segs[len(segs)-1])
}

// ReaderPath reports whether a POST to the path, or in a function of the name,
// seems only to read.
func ReaderPath(url, fn string) bool {
	p, _, _ := strings.Cut(strings.ToLower(url), "?")
	segs := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '-' || r == '_' || r == '.' || r == ':' })
	if len(segs) > 3 {
		segs = segs[len(segs)-3:]
	}
	for _, s := range segs {
		for _, w := range readerWords {
			if s == w || len(w) > 4 && strings.HasPrefix(s, w) {
				return true
			}
		}
	}
	n := strings.ToLower(fn)
	for _, w := range readerWords {
		if strings.HasPrefix(n, w) {
			return true
		}
	}
	return false
}

// Mutators are collection methods that change their receiver.
var Mutators = map[string]Class{
	"append": Append, "push": Append, "add": Append, "extend": Append, "insert": Append, "unshift": Append, "addlast": Append, "addfirst": Append, "enqueue": Append, "offer": Append, "addall": Append, "addrange": Append, "pushback": Append,
	"put": Put, "set": Put, "setdefault": Put, "update": Put, "addorupdate": Put, "tryadd": Put, "putall": Put, "putifabsent": Put, "store": Put, "computeifabsent": Put,
	"remove": Delete, "discard": Delete, "tryremove": Delete, "clear": Delete, "pop": Delete,
	"increment": Increment, "decrement": Increment, "incrementandget": Increment, "getandincrement": Increment, "decrementandget": Increment, "getanddecrement": Increment, "addandget": Increment, "getandadd": Increment, "accumulateandget": Increment,
}

// Actors end the names of things that reach out of the process.
var Actors = []string{
	"client", "service", "svc", "repository", "repo", "gateway", "api", "provider", "dao", "store", "bus", "queue", "topic", "producer", "publisher", "sender", "mailer", "notifier", "notifications", "db", "database", "session", "adapter", "proxy", "stub", "sdk", "connector", "bank", "payments", "paymentprocessor", "smtp", "email", "mail", "sms", "stripe", "twilio", "slack", "kafka", "collection", "table", "bucket", "conn", "connection", "tx", "broker", "channel", "api2", "processor", "manager", "backend", "ledger", "crm", "hub", "inventory", "warehouse",
}

// Harmless are import paths whose functions never act.
var Harmless = []string{"fmt", "log", "strings", "math", "json", "logging", "time", "errors", "strconv", "sort", "re", "collections", "itertools", "functools", "typing", "builtin", "dataclasses", "datetime", "asyncio", "date-fns", "dayjs", "moment", "luxon", "lodash", "underscore", "ramda", "mathjs", "decimal.js", "bignumber.js", "zod", "validator", "dateutil", "pytz", "pendulum", "numpy", "pandas", "commons.lang3", "guava"}

// Shape recognises a library's call by the parts of its argument.
type Shape struct {
	Name   string // normal form, alternatives
	Arg    int    // the argument's position
	Fields string // all of them must be there
	Lib    string // the Lib of the row that says what the call does
}

// Shapes are calls that only one library spells like this.
var Shapes = []Shape{
	{Name: "create|createmany|createmanyandreturn", Fields: "data", Lib: "prisma"},
	{Name: "update|updatemany", Fields: "where data", Lib: "prisma"},
	{Name: "upsert", Fields: "where create update", Lib: "prisma"},
	{Name: "delete|deletemany|findunique|findfirst|findmany|count|findfirstorthrow|finduniqueorthrow", Fields: "where", Lib: "prisma"},
	{Name: "signalwithstart", Arg: 1, Fields: "taskQueue", Lib: "temporal.io|temporalio|io.temporal"},
	{Name: "findone|findall|findorcreate|findandcountall|destroy", Fields: "where", Lib: "sequelize"},
	{Name: "start|execute", Arg: 1, Fields: "taskQueue", Lib: "temporal.io|temporalio|io.temporal"},
}

// hosts of providers whose POST sends a message or moves money.
var hosts = map[string]Class{
	"api.mailgun.net": Message, "api.sendgrid.com": Message, "api.postmarkapp.com": Message, "api.resend.com": Message, "api.brevo.com": Message, "api.sendinblue.com": Message, "api.twilio.com": Message,
	"slack.com/api/chat": Message, "hooks.slack.com": Message, "discord.com/api": Message, "api.telegram.org": Message, "fcm.googleapis.com": Message, "onesignal.com": Message, "exp.host": Message, "api.mailersend.com": Message,
	"graph.facebook.com": Message, "api.pushover.net": Message, "api.vonage.com": Message, "rest.nexmo.com": Message, "outlook.office.com/webhook": Message,
	"api.stripe.com/v1/payment_intents": Charge, "api.stripe.com/v1/charges": Charge, "api.stripe.com/v1/refunds": Charge, "api.razorpay.com": Charge, "connect.squareup.com/v2/payments": Charge,
}

// HostClass is what a POST to an address does, "" if the host says nothing.
func HostClass(url string) Class {
	u := strings.ToLower(url)
	for h, c := range hosts {
		if strings.Contains(u, h) {
			return c
		}
	}
	return ""
}

// BindingOps are the operations of Dapr output bindings.
var BindingOps = map[string]Class{
	"create": Create, "get": Read, "list": Read, "query": Read, "delete": Delete, "exec": Act, "post": Create, "put": Put, "patch": Put, "head": Read, "trace": Read, "options": Read, "listobjects": Read, "presign": Read, "increment": Increment, "copy": Put, "move": Act, "rename": Act, "update": Put, "upsert": Put,
}

var (
	messageVerbs = []string{"send", "notify", "deliver", "push", "alert", "broadcast", "email", "sms", "mail", "text", "dispatch", "post", "resend"}
	messageNouns = []string{"email", "mail", "sms", "notification", "notifications", "message", "invite", "invitation", "reminder", "alert", "receipt", "newsletter", "slack", "whatsapp", "telegram", "push", "mailer", "notifier", "twilio", "sendgrid", "mailgun", "smtp", "confirmation", "postmark", "resend", "ses"}
	chargeVerbs  = []string{"charge", "refund", "capture", "payout", "transfer", "withdraw", "deposit", "debit", "credit", "pay", "settle", "disburse", "reimburse"}
	chargeNouns  = []string{"payment", "charge", "refund", "payout", "transfer", "transaction"}
	doVerbs      = []string{"process", "create", "make", "submit", "execute", "issue", "send", "perform", "initiate"}
	publishVerbs = []string{"publish", "emit", "produce", "enqueue", "broadcast"}
	actVerbs     = []string{"create", "insert", "register", "submit", "book", "reserve", "order", "place", "provision", "issue", "allocate", "launch", "start", "trigger", "schedule", "ship", "dispatch", "execute", "run", "invoke", "add", "open", "request", "purchase", "confirm", "finalize", "apply", "post", "process", "send", "assign", "enroll", "subscribe", "import", "sync", "commit"}
	putVerbs     = []string{"save", "update", "upsert", "put", "set", "store", "write", "replace", "mark", "upload", "overwrite", "complete", "approve", "reject", "activate", "deactivate", "enable", "disable", "archive", "persist", "merge", "patch"}
	deleteVerbs  = []string{"delete", "remove", "cancel", "release", "unreserve", "revoke", "terminate", "drop", "purge", "close", "stop", "rollback", "undo"}
	spendVerbs   = []string{"redeem", "consume", "exchange", "spend"}
	incVerbs     = []string{"increment", "decrement", "adjust", "deduct", "increase", "decrease", "incr", "decr", "subtract"}
)

// made are things of the process that a call such as createClient makes:
// nothing outside knows of them.
var made = []string{"client", "connection", "pool", "transport", "transporter", "builder", "factory", "logger", "context", "provider", "adapter", "stream", "hash", "hmac", "cipher", "cipheriv", "sign", "schema", "router", "error", "parser", "reader", "writer", "proxy", "controller", "signal", "scope", "handler", "middleware", "interface"}

// Makes reports a name whose call only makes an object of the process.
func Makes(words []string) bool {
	if len(words) < 2 || !slices.Contains(made, words[len(words)-1]) {
		return false
	}
	return words[0] == "create" || words[0] == "make" || words[0] == "open"
}

// Guess is the class a call's name suggests, "" for none. words are the parts
// of the method's name, around the names before it.
func Guess(words, around []string) Class {
	if len(words) == 0 {
		return ""
	}
	v := words[0]
	has := func(list []string, ws []string) bool {
		return slices.ContainsFunc(ws, func(w string) bool { return slices.Contains(list, w) })
	}
	near := func(list []string) bool {
		return has(list, words[1:]) || slices.ContainsFunc(around, func(a string) bool {
			return slices.ContainsFunc(list, func(n string) bool { return len(n) > 3 && strings.Contains(a, n) || a == n })
		})
	}
	switch {
	case slices.Contains(messageVerbs, v) && near(messageNouns):
		return Message
	case slices.Contains(incVerbs, v):
		return Increment
	case slices.Contains(chargeVerbs, v):
		return Charge
	case slices.Contains(doVerbs, v) && has(chargeNouns, words[1:]):
		return Charge
	case slices.Contains(publishVerbs, v):
		return Publish
	case slices.Contains(spendVerbs, v):
		return Spend
	case slices.Contains(putVerbs, v):
		return Put
	case slices.Contains(deleteVerbs, v):
		return Delete
	case slices.Contains(actVerbs, v):
		return Act
	}
	return ""
}

// Duplicate words in a handler's type, a condition or an error code mean that a
// refused repeat is recognised.
var Duplicate = []string{"duplicat", "uniqueviolation", "unique_violation", "uniqueconstraint", "integrityerror", "alreadyexists", "already_exists", "alreadyexist", "23505", "p2002", "11000", "er_dup", "1062", "conflict", "errduplicatedkey", "constraintviolation", "dataintegrityviolation", "conditionalcheckfailed", "preconditionfailed", "existserror", "fileexists", "eexist", "isexist", "dbupdateexception", "2627", "2601", "sqlintegrity", "entityexists", "already started", "alreadystarted"}

// Missing words mean that a thing that is already gone is recognised.
var Missing = []string{"notfound", "not_found", "nosuch", "enoent", "isnotexist", "missing", "404", "doesnotexist", "filenotfound", "errnotexist", "missing_ok", "ignore_errors", "force", "ifexists", "exist_ok"}
