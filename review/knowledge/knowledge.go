// Package knowledge holds what the reviewer knows about the world as tables:
// what a library call does ([Row]), how SDKs register and call activities
// ([Registration]), and what providers offer against duplicates ([Provider]).
// It has no logic beyond normalising names; adding a library is adding rows.
package knowledge

import "strings"

// Class is what a call does to the world outside the activity.
type Class string

// The classes of calls that act.
const (
	Insert    Class = "insert"    // a new record per call
	Create    Class = "create"    // a new thing at another system
	Charge    Class = "charge"    // money moves
	Message   Class = "message"   // a person is told: mail, SMS, push, chat
	Publish   Class = "publish"   // an event or queue message
	Increment Class = "increment" // relative change
	Append    Class = "append"    // content is added at the end
	Put       Class = "put"       // set by key
	Delete    Class = "delete"    // removed by key
	Start     Class = "start"     // a run, job or process is started
	Spend     Class = "spend"     // a one-time token or code is used up
	Act       Class = "act"       // looks like acting, not known: a question
	LLM       Class = "llm"       // model inference: cost and text only
)

// The classes that only look, or make values.
const (
	Read     Class = "read"     // returns outside state
	Generate Class = "generate" // random value
	Clock    Class = "clock"    // time
	Hash     Class = "hash"     // deterministic digest of the arguments
	Config   Class = "config"   // environment, settings
	None     Class = "none"     // known to be harmless: logging, telemetry, sleep
)

// The classes that are read further by the engine.
const (
	HTTP    Class = "http"    // a request: verb and path decide
	Invoke  Class = "invoke"  // service invocation: like HTTP, default POST
	SQL     Class = "sql"     // a statement in text: it decides
	Binding Class = "binding" // Dapr output binding: its operation decides
	Commit  Class = "commit"  // writes what was changed on tracked objects
	Track   Class = "track"   // marks an object to be written
	Tx      Class = "tx"      // opens a transaction
	Open    Class = "open"    // opens a file: the mode decides
	Over    Class = "over"    // writes over what it is given: a file, a buffer
	Builder Class = "builder" // starts a statement that later links complete
	Command Class = "command" // sends a command object: its type decides
	Program Class = "program" // starts another program: its command line decides
	Output  Class = "output"  // sets an output binding: its definition decides
)

// The classes that are the activity's own context.
const (
	Input      Class = "input"       // the activity's input
	ExecID     Class = "exec_id"     // task execution id
	AttemptID  Class = "attempt_id"  // per-attempt id
	InstanceID Class = "instance_id" // the run's instance id
)

// Row says what one call does. All names are compared in normal form ([Norm]);
// alternatives are separated by "|", and "*" stands for any text at the start
// or end of a name.
type Row struct {
	// Lib must be contained in an import of the file, or in the path the
	// receiver came from. Empty: any file.
	Lib string
	// Recv must be the receiver's type, its variable or field, or a name
	// earlier in the call chain. Empty: any. "-" : no receiver.
	Recv string
	// Name is the method or function.
	Name string
	// Class is what the call does.
	Class Class
	// Key selects the argument that identifies what is written: a position, an
	// argument name, "recv" for the receiver, or several of them in order of
	// preference. Context and cancellation arguments are not counted.
	Key string
	// Value selects the argument that is written.
	Value string
	// Verb of an HTTP row: GET, POST … or "@1" for an argument, "name" for the
	// method's name.
	Verb string
	// Gives is the type of what comes back, where no declaration says it.
	Gives string
	// Flags: "strict" (fails when the thing is already there, or gone),
	// "cond" (conditional by itself), "memory" (process memory only),
	// "blind" (no key is looked at: an id in the message is content) ...
	Flags string
	// Provider names the row of [Providers] that says how it deduplicates.
	Provider string
}

// Has reports whether the row carries the flag.
func (r *Row) Has(flag string) bool {
	for f := range strings.SplitSeq(r.Flags, " ") {
		if f == flag {
			return true
		}
	}
	return false
}

// Norm is the normal form of a name: lower case, no "_", "-" or "$", no
// trailing "async".
func Norm(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '_' || c == '-' || c == '$':
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	out := string(b)
	if len(out) > len("async") {
		out = strings.TrimSuffix(out, "async")
	}
	return out
}

// Match reports whether the normal name fits one of the alternatives.
func Match(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	for alt := range strings.SplitSeq(pattern, "|") {
		if fits(alt, name) {
			return true
		}
	}
	return false
}

func fits(alt, name string) bool {
	pre, post := strings.HasPrefix(alt, "*"), len(alt) > 1 && strings.HasSuffix(alt, "*")
	alt = strings.TrimPrefix(alt, "*")
	if post {
		alt = alt[:len(alt)-1]
	}
	switch {
	case pre && post:
		return strings.Contains(name, alt)
	case pre:
		return strings.HasSuffix(name, alt)
	case post:
		return strings.HasPrefix(name, alt)
	}
	return alt == name
}
