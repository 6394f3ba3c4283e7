package review

import (
	"io/fs"
	"regexp"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Severity is what a finding does to the verdict.
type Severity string

// The severities.
const (
	Hazard Severity = "hazard" // a second run changes the world, or reports another outcome
	Verify Severity = "verify" // it hangs on something outside the repository: a question
	Advice Severity = "advice" // worth knowing; the verdict does not change
)

// Confidence is how sure a finding is.
type Confidence string

// The confidences.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Rule is one thing that can be wrong. Its documentation is the package comment
// of its folder.
type Rule struct {
	ID         string // IDEM001; never reused
	Slug       string // names the fault
	Kind       string // the short name in answers: insert_no_unique
	Since      string
	Severity   Severity
	Confidence Confidence
	// Needs lists what the check cannot do without: "call_sites", "histories".
	Needs []string
	// Supersedes are the slugs of rules whose finding at the same place says
	// less.
	Supersedes []string
	// Workflow marks a check that reads workflows instead of activities.
	Workflow bool
	// Files is the rule's folder: rule.go, whose package comment is its
	// documentation, and testdata with its examples.
	Files fs.FS
	Check func(*Pass)
}

// Activity is what a rule reads: the facts of one body.
type Activity struct {
	Name      string // the registered name
	Symbol    string // the function, or the type it is a method of
	Method    string // the method, when Symbol is a type
	Framework string // dapr, durable, temporal, agents; "" when named by hand
	Language  string
	Func      *Func
	Effects   []*Effect // in the order a run meets them
	Exits     []*Exit
	CallSites []CallSite
	Logged    []*Value // what it writes to a log
	Parsed    []Site   // where it takes the task execution id apart
	Result    *Value
	ExecID    *knowledge.ExecutionID // what its SDK's task execution id is worth, nil if not known

	bodies []Body // what the walk entered
	cut    bool   // the walk ended before the body did
}

// CallSite is where a workflow schedules the activity.
type CallSite struct {
	Workflow string `json:"workflow,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Quote    string `json:"quote"`
	Policy   string `json:"policy,omitempty"` // the retry policy as written, "" if none
	Retries  bool   `json:"retries"`          // whether a failure is run again
	InLoop   bool   `json:"in_loop,omitempty"`

	policy *Policy
	inputs map[string]bool // input fields that are the workflow's own instance id; "" is the whole input
	in     *Func
}

// Pass is one rule looking at one activity.
type Pass struct {
	Activity *Activity
	Workflow *Workflow // for rules that read workflows; Activity is nil then
	engine   *engine
	rule     *Rule
	out      *[]Finding
}

// Note is what a rule reports; empty fields take the rule's defaults.
type Note struct {
	Effect     *Effect // where: the effect's place
	Site       Site    // where, if not an effect
	Severity   Severity
	Confidence Confidence
	Kind       string
	Message    string // fact and consequence, lower case, no full stop
	Fix        string
}

// Report adds a finding.
func (p *Pass) Report(n Note) {
	site := n.Site
	if n.Effect != nil {
		site = n.Effect.Site
	}
	f := Finding{Rule: p.rule.ID, Slug: p.rule.Slug, Kind: either(n.Kind, p.rule.Kind), Severity: p.rule.Severity, Confidence: p.rule.Confidence,
		File: site.File, Line: site.Line, EndLine: site.EndLine, Quote: site.Quote, Message: n.Message, Fix: n.Fix}
	if n.Severity != "" {
		f.Severity = n.Severity
	}
	if n.Confidence != "" {
		f.Confidence = n.Confidence
	} else if n.Effect != nil && n.Effect.Guess && f.Confidence == High {
		f.Confidence = Medium
	}
	if n.Effect != nil {
		f.Path = n.Effect.Path
	}
	*p.out = append(*p.out, f)
}

// Acting yields the effects that change something.
func (a *Activity) Acting() []*Effect {
	var out []*Effect
	for _, e := range a.Effects {
		if e.Acts() {
			out = append(out, e)
		}
	}
	return out
}

// Keyed reports whether the other side is given a key that every run of one
// call repeats and that tells operations apart.
func (e *Effect) Keyed() bool {
	return e.Dedupe != nil && !e.Dedupe.Origin.Fresh() && e.Dedupe.Origin.Distinct()
}

// Guarded reports whether a repeat is refused, and how: by the write itself, by
// an error taken as success, or by a claim made before.
func (e *Effect) Guarded() (string, bool) {
	if e.Conditional != "" && (e.Key == nil || !e.Key.Origin.Fresh()) {
		return e.Conditional, true
	}
	if e.Caught != "" && (e.Key == nil || !e.Key.Origin.Fresh()) {
		return e.Caught, true
	}
	if c := e.Claim(); c != nil {
		return "claimed at line " + itoa(c.Site.Line), true
	}
	if e.Intent != nil {
		return "pending row at line " + itoa(e.Intent.Site.Line), true
	}
	return "", false
}

// Claim is the conditional write whose answer decides whether e is reached.
func (e *Effect) Claim() *Effect {
	for _, c := range e.Conds {
		if c.Value == nil {
			continue
		}
		for _, from := range c.Value.From {
			if from == e || !from.Acts() || from.order >= e.order && from.order != 0 {
				continue
			}
			if from.Caught == "" && !knowledge.Refuses(from.Conditional) && c.BareError() {
				continue // the write absorbs a repeat: its error says nothing of one
			}
			if (from.Conditional != "" || from.Caught != "") && (from.Key == nil || !from.Key.Origin.Fresh()) {
				return from
			}
		}
	}
	return nil
}

var errorAlone = regexp.MustCompile(`(?i)^(not )?!?\(?([\w.]*\.)?(err|error)(\(\))?( (!=|!==|==|===) (nil|null|undefined))?\)?$`)

// CheckedFirst is the read whose answer decides whether e is reached: a test
// that two attempts can both pass.
func (e *Effect) CheckedFirst() *Effect {
	for _, c := range e.Conds {
		if c.Value == nil || errorTest(c.Text) {
			continue
		}
		for _, r := range c.Value.Reads {
			if r.Class == knowledge.Read {
				return r
			}
		}
	}
	return nil
}

// Protected reports whether a second run is refused or absorbed.
func (e *Effect) Protected() bool {
	_, guarded := e.Guarded()
	return guarded || e.Keyed()
}

// FreshKey reports a write whose identity a second run makes anew.
func (e *Effect) FreshKey() bool { return e.Key != nil && e.Key.Origin.Fresh() }
