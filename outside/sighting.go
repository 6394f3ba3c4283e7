package outside

import "time"

// Class says what a sighting is of.
type Class uint8

// The classes. A line that names an id but no word for what happened is a
// Mention: it is counted and nothing is concluded from it.
const (
	Mention Class = iota
	Start
	Effect
	End
	Whole // a span: the beginning and the end of a body in one
)

// String is the stable name.
func (c Class) String() string {
	return [...]string{"mention", "start", "effect", "end", "span"}[c]
}

// Sighting is one thing that an outside source says about a body. Empty fields
// were not said. Strings may point into a reader's buffer: Index.Add keeps none.
type Sighting struct {
	Class     Class
	At        time.Time // zero: none
	Until     time.Time // of a Whole
	Instance  string
	Execution string // task execution id
	Activity  string
	Task      int32  // scheduled id, history.NoID when not said
	Body      string // an id of one body, made by the application or the tracer
	Key       string // the business key that the operator named
	Host      string // what had the clock: host, pod or process
	Failed    bool   // an End or Whole that says it failed
	Shape     uint32 // of the line: equal for lines that one statement wrote
	Succeeded bool   // an End or Whole that says it succeeded
}
