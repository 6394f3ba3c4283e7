package catalysttest

import (
	"io/fs"
	"time"
)

// Options chooses what kind of server the stand-in is. The zero value is the
// likeliest Catalyst at the data-sharing level metadata.
type Options struct {
	// Addr is where to listen; empty: a free port on the loopback.
	Addr string
	// ClientID is the registered client; empty: "stand-in-client".
	ClientID string
	// RedirectPath is the registered redirect's path; empty: "/callback".
	RedirectPath string
	// Full serves payloads; otherwise the level is metadata.
	Full bool
	// StatesLevel puts the level into the whoami answer. Nothing public says
	// that Catalyst does.
	StatesLevel bool
	// TokenLife is how long an access token lives; 0: an hour.
	TokenLife time.Duration
	// Open asks for no sign-in at all.
	Open bool
	// Raw shows raw operations without annotations instead of the tools.
	Raw bool
	// NoAnnotations leaves readOnlyHint out.
	NoAnnotations bool
	// NoWorkflowStore is a project without the managed workflow store.
	NoWorkflowStore bool
	// EmptyPages puts an empty page, with a cursor, before each page of runs.
	EmptyPages bool
	// FilterLimit is how many runs of a page the server can filter; a larger
	// page is refused as unfilterable. 0: no limit.
	FilterLimit int
	// Copies serves each run this many times under ids of its own ("#2"…); 0: once.
	Copies int
	// FailedPart makes one part of the composed whoami answer fail.
	FailedPart bool
	// Runs is a directory of runs to serve; nil: the embedded ones.
	Runs fs.FS
	// Schema is what is open about the real server.
	Schema Schema
}

// Schema is one guess at everything that is not public. Zero fields take the
// first value named.
type Schema struct {
	ProjectArg string // "projectId", "ProjectId"
	RunArg     string // "runId", "instanceId"; "both" publishes both, which no client can choose between
	AppArg     string // "appId", "appIdentity"
	AppNeeded  bool   // reading a run requires the app
	AppToList  bool   // listing runs requires the app
	SizeArg    string // "pageSize", "limit"
	CursorArg  string // "cursor", "pageToken"
	Prefix     string // before every tool's name, as some proxies add
	Content    string // "text", "structured", "both", "sentence" (text with a sentence before the JSON)
	Wrap       string // "flat", "data", "composed" (keyed by operation id)
	Events     string // "events", "history", "timeline" or any other key
	Type       string // "type", "event_type", "eventType", "kind", "oneof"
	TypeCase   string // "camel" (taskScheduled), "pascal", "upper" (TASK_SCHEDULED)
	IDKey      string // "instanceId", "instanceID"
	StatusKey  string // "runtimeStatus", "status"
	Objects    bool   // payloads that are JSON come as JSON rather than as a string
}

func (o Options) withDefaults() Options {
	set := func(s *string, d string) {
		if *s == "" {
			*s = d
		}
	}
	set(&o.Addr, "127.0.0.1:0")
	set(&o.ClientID, "stand-in-client")
	set(&o.RedirectPath, "/callback")
	if o.TokenLife == 0 {
		o.TokenLife = time.Hour
	}
	if o.Copies == 0 {
		o.Copies = 1
	}
	sc := &o.Schema
	set(&sc.ProjectArg, "projectId")
	set(&sc.RunArg, "runId")
	set(&sc.AppArg, "appId")
	set(&sc.SizeArg, "pageSize")
	set(&sc.CursorArg, "cursor")
	set(&sc.Content, "text")
	set(&sc.Wrap, "flat")
	set(&sc.Events, "events")
	set(&sc.Type, "type")
	set(&sc.TypeCase, "camel")
	set(&sc.IDKey, "instanceId")
	set(&sc.StatusKey, "runtimeStatus")
	return o
}

// Fault is something that goes wrong on purpose.
type Fault struct {
	// Tool is the tool it befalls, without prefix; empty: any request.
	Tool string
	// Kind is a refusal kind (NOT_AUTHENTICATED, denied, …) or a fault of the
	// transport: "429", "500", "502", "503", "504", "403", "reset", "half",
	// "slow", "huge", "html", "redirect", "echo" (an error that repeats the
	// caller's token), "echo-answer" (a run whose texts do).
	Kind string
	// Form of a refusal: "text", "structured", "bare" (a string that begins with
	// the kind, not marked as an error); empty: "text".
	Form string
	// Retryable is what the refusal says of itself.
	Retryable bool
	// Times it happens; 0: for ever.
	Times int
}
