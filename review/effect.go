package review

import "github.com/idem-mcp/idem-mcp/review/knowledge"

// Site is a place in the source.
type Site struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	Quote   string `json:"quote"`
}

// Effect is one call, met while a body is walked, that acts on or looks at the
// world outside the activity.
type Effect struct {
	Class    knowledge.Class
	Callee   string // as written: client.publish_event
	Resource string // table, store, topic, bucket, URL: what it touches, "" if not known
	Row      *knowledge.Row
	Site     Site
	Path     []Site // the calls that lead from the body to Site, outermost first

	Key     *Value // what identifies the thing written
	KeyName string // how the key is passed: argument, header, column
	Dedupe  *Value // a key given to the other side to refuse a repeat
	Value   *Value // what is written
	Args    []*Value

	Conditional string // the write refuses a repeat by itself: how
	Caught      string // a repeat is refused with an error that the body takes as success: how
	Swallowed   bool   // its failure does not leave the body as a failure
	Strict      bool   // fails when the thing is already there, or gone
	Lenient     bool   // told not to fail then
	Memory      bool   // in the memory of the process only
	Guess       bool   // judged by its name
	Loop        bool
	Conds       []*Cond // the branches and early exits it stands behind
	Tries       []*tryFrame
	Tx          *Effect // the transaction it runs in
	Verb        string
	URL         string
	Statement   string // SQL
	Relative    bool   // SQL that changes a column by its own value, or a write of a value changed from a read
	DerivedFrom *Effect
	Reader      bool   // a write by form that seems only to read, by name
	Question    string // what to ask when it is not known what it does
	Staged      bool
	Retried     string  // run again by the body itself: the loop or wrapper
	Intent      *Effect // the pending row written before it, which a repeat reconciles
	Refuses     *Effect // a request whose handler answers otherwise once this, its own change, is done
	order       int
}

// Acts reports whether the effect changes anything outside.
func (e *Effect) Acts() bool {
	switch e.Class {
	case knowledge.Read, knowledge.None, knowledge.Config, knowledge.LLM, knowledge.Tx, knowledge.Track, knowledge.SQL, knowledge.HTTP, "":
		return false
	}
	return true
}

// Cond is a condition that an effect stands behind.
type Cond struct {
	Value *Value // what was tested
	Text  string
	Exit  bool // the other side left the body: return, raise, continue
	Site  Site
}

// OnlyError reports a condition that only asks whether a call failed.
func (c *Cond) OnlyError() bool { return errorTest(c.Text) }

// BareError reports a condition that asks only whether there was an error.
func (c *Cond) BareError() bool { return errorAlone.MatchString(c.Text) }

type tryFrame struct {
	catches  []Catch
	swallows bool // some handler ends without raising
	dup      string
	site     Site
}
