package keys

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Question is what is known of an activity that needs a key. Every field may be
// empty.
type Question struct {
	Activity            string
	Framework, Language string
	Code                *review.ActivityResult // nil without source
	Measured            []Measured             // nil without runs
	// Own: the measured runs are known to be of the activity's own app, so that they
	// can stand against what the tables say.
	Own      bool
	Provider *knowledge.Provider // named by the caller
	// What the runs show of time, over all of them.
	Measure *Measure
}

// How far a key can be used.
const (
	Yes  = "yes"
	Care = "with_care"
	No   = "no"
)

// Candidate is one key source with what it is worth here.
type Candidate struct {
	Rank      int       `json:"rank"` // 0: not usable
	Source    string    `json:"source"`
	Key       string    `json:"key"` // braces hold what is filled in
	Usable    string    `json:"usable" jsonschema:"yes, with_care or no"`
	Why       string    `json:"why"`
	Stability Stability `json:"stability"`
	Measured  string    `json:"measured"`
	Conflict  string    `json:"conflict,omitempty" jsonschema:"where the table and the measurement disagree"`
	Versions  string    `json:"versions"`
	Caveat    string    `json:"caveat,omitempty"`
}

// Stability is a candidate's row.
type Stability struct {
	Retry         knowledge.Hold `json:"retry"`
	Redelivery    knowledge.Hold `json:"redelivery"`
	LostCommit    knowledge.Hold `json:"lost_commit"`
	Rerun         knowledge.Hold `json:"rerun"`
	ContinueAsNew knowledge.Hold `json:"continue_as_new"`
	ChildRetry    knowledge.Hold `json:"child_retry"`
	Distinct      knowledge.Hold `json:"distinct"`
}

// Problem is a fault of the key as it is now.
type Problem struct {
	Kind string `json:"kind"` // window_too_short, id_changes, id_missing, shared_key
	Says string `json:"says"`
	Fix  string `json:"fix"`
}

// Choice is the answer.
type Choice struct {
	Candidates []Candidate `json:"candidates"`
	Effects    []EffectKey `json:"effects"`
	Steps      []Step      `json:"steps"`
	Windows    []Window    `json:"windows"`
	Problems   []Problem   `json:"problems"`
	Record     Record      `json:"record"`
	// Suffix is how the key of the first effect ends.
	Suffix string `json:"-"`
	Test   Test   `json:"test"`
}

// Choose ranks the key sources and says what each needs.
func Choose(q Question) Choice {
	c := Choice{Effects: effectKeys(q.Code), Steps: steps(q), Problems: []Problem{}, Test: testOf(q)}
	c.Suffix = "charge"
	if len(c.Effects) > 0 {
		c.Suffix = c.Effects[0].Suffix
	} else if q.Activity != "" {
		c.Suffix = kebab(q.Activity)
	}
	for _, src := range knowledge.KeySources(q.Framework, q.Language) {
		c.Candidates = append(c.Candidates, q.candidate(src, c.Suffix))
	}
	rank(c.Candidates)
	c.Windows = q.windows(c.Effects)
	c.Problems = append(c.Problems, q.problems(c)...)
	c.Record = record(c)
	return c
}

// rank orders candidates: the usable first, then in the order of preference that
// they come in.
func rank(list []Candidate) {
	order := []string{Yes, Care, No}
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Compare(slices.Index(order, a.Usable), slices.Index(order, b.Usable))
	})
	for i := range list {
		if list[i].Usable != No {
			list[i].Rank = i + 1
		}
	}
}

func (q *Question) candidate(src knowledge.KeySource, suffix string) Candidate {
	c := Candidate{Source: src.ID, Versions: src.Versions, Caveat: src.Caveat, Measured: "not measured: it is made of values that the workflow passes",
		Stability: Stability{src.Retry, src.Redelivery, src.LostCommit, src.Rerun, src.ContinueAsNew, src.ChildRetry, src.Distinct}}
	switch src.ID {
	case knowledge.NaturalKey:
		q.natural(&c, suffix)
	case knowledge.ExecutionKey:
		c.Key = "{task execution id}:" + suffix
		q.execution(&c)
	case knowledge.StepKey:
		c.Key, c.Usable = "{instance id}:"+stepName(q), Yes
		c.Why = "it survives what the task execution id does not (a lost commit); for a call made once per run, with a step name of its own for every call site and loop turn"
		if c.Stability.Rerun.Is == knowledge.Part {
			c.Why += ". A rerun gives later steps a new key"
		}
		if q.looped() {
			c.Key += ":{i}"
		}
	case knowledge.ParentKey:
		c.Key, c.Usable = "{parent's instance id}:"+stepName(q), Care
		c.Why = "only for activities of a child run: make it in the parent and pass it in the child's input"
	}
	return c
}

// natural looks for an id of the operation in the input.
func (q *Question) natural(c *Candidate, suffix string) {
	c.Key, c.Usable = "{the operation's own id}:"+suffix, Yes
	c.Why = "the best where the input has one: the other side understands it, and it survives a rerun"
	if q.Code == nil {
		return
	}
	ids := make([]string, len(q.Code.InputIDs))
	for i, id := range q.Code.InputIDs {
		if ids[i] = id; strings.Count(id, ".") > 1 { // the parameter's own name is enough
			ids[i] = strings.TrimPrefix(id, "input.")
		}
	}
	if len(ids) == 0 {
		c.Usable = Care
		c.Why = "no field of the input that the body uses looks like the id of one operation: if the workflow has one, pass it in the input"
		return
	}
	c.Key = "{" + ids[0] + "}:" + suffix
	c.Why = "it is in the input already: the other side understands it, and it survives a rerun"
	if strings.HasSuffix(strings.ToLower(ids[0]), "key") {
		c.Key, c.Why = "{"+ids[0]+"}", "the input has a key already; it is as good as what the workflow makes it of"
	} else if len(ids) > 1 {
		c.Why += "; other candidates: " + strings.Join(ids[1:], ", ")
	}
}

// execution weighs the task execution id: what the SDK's code says, then what
// the runs show. A measurement of this app outweighs the table.
func (q *Question) execution(c *Candidate) {
	s := &c.Stability
	switch s.Retry.Is {
	case knowledge.Absent:
		c.Usable, c.Why = No, "there is none"
	case knowledge.Same:
		c.Usable, c.Why = Yes, "every retry and redelivery of one call has the same"
		if s.LostCommit.Is == knowledge.New {
			c.Usable, c.Why = Care, c.Why+", but a lost commit changes it, and nothing tells the body so"
		}
	case knowledge.New:
		c.Usable, c.Why = No, "every attempt has another: it covers a redelivery and no retry"
		if q.Code != nil && len(q.Code.CallSites) > 0 && !slices.ContainsFunc(q.Code.CallSites, func(s review.CallSite) bool { return s.Retries }) {
			c.Usable, c.Why = Care, "every attempt has another, and no call site that was found retries: it holds until one does"
		}
	default:
		c.Usable, c.Why = Care, "what becomes of it depends on the SDK: give language, or measure it on this app's runs"
		if q.Framework != "" && q.Framework != "dapr" && q.Framework != "agents" {
			c.Why = "not known for this framework: nothing was read or measured"
		}
	}
	q.weigh(c)
}

// weigh holds the measurement against the table.
func (q *Question) weigh(c *Candidate) {
	m, why := q.decisive()
	beyond, lost := q.beyondRetries()
	if lost > 0 && c.Stability.LostCommit.Is == knowledge.Same {
		c.Usable, c.Conflict = Care, "the SDK's code likely keeps the id in a lost commit, these runs changed it there: trust the runs"
	}
	if m == nil {
		c.Measured = "not measured: " + why
		if beyond != "" {
			c.Measured = "not measured over retries: " + why + beyond
		}
		if c.Stability.Retry.Is == knowledge.Same || c.Stability.Retry.Is == knowledge.New {
			c.Why += "; published texts contradict each other about it, so measure it on this app's runs"
		}
		return
	}
	c.Measured = fmt.Sprintf("the same in %d of %s with several attempts", m.IDs.Same, plural(m.IDs.Same+m.IDs.Changed+m.IDs.Missing, "call"))
	if m.behaviour == noIDs {
		c.Measured = fmt.Sprintf("none of %s carries one", plural(m.IDs.Without, "attempt"))
	}
	c.Measured += beyond
	table := c.Stability.Retry.Is
	switch {
	case m.behaviour == keptOverAttempts && table == knowledge.New:
		c.Usable, c.Conflict = Care, "the SDK's code makes a new id per attempt, these runs kept it: another SDK or version runs here than the one asked about. Settle that before relying on it"
	case m.behaviour == keptOverAttempts && table == knowledge.Absent:
		c.Conflict = "the SDK has no such id, these runs carry one: they are of another SDK"
	case m.behaviour == keptOverAttempts && table == knowledge.Depends:
		c.Why = "these runs kept it over all attempts; a lost commit changes it in Go, Python and Java"
	case m.behaviour == newPerAttempt:
		if table == knowledge.Same {
			c.Conflict = "the SDK's code keeps the id over attempts, these runs changed it: trust the runs"
		}
		c.Usable, c.Why = No, "in these runs every attempt had another id: it covers a redelivery and no retry"
	case m.behaviour == noIDs:
		if table == knowledge.Same || table == knowledge.New {
			c.Conflict = "the SDK sends an id from the versions named here on, these runs carry none: an older version or another SDK runs here"
		}
		c.Usable, c.Why = No, "these runs carry no id"
	case m.behaviour == mixed:
		c.Usable, c.Why = No, "in these runs it was the same for some calls and not for others"
		c.Conflict = "no one behaviour fits these runs: several SDKs or versions write to them"
	}
}

// decisive is the measurement that may stand against the tables: of the activity
// itself where its calls say something, else of its app.
//
// Activities of one name in several apps that behave differently decide nothing.
func (q *Question) decisive() (m *Measured, why string) {
	switch {
	case len(q.Measured) == 0:
		return nil, "no run was read"
	case !q.Own:
		return nil, "the runs that were read show no call of it, and whether they are of the same app is not known"
	}
	rows := q.own()
	if !slices.ContainsFunc(rows, func(m Measured) bool { return m.behaviour != notMeasured }) {
		rows = q.Measured // the apps, whose other activities say what the SDK does
	}
	for i := range rows {
		switch {
		case rows[i].behaviour == notMeasured:
		case m != nil && m.behaviour != rows[i].behaviour:
			return nil, "the apps that were read behave differently; give app"
		case m == nil:
			m = &rows[i]
		}
	}
	return m, "no call with several attempts whose ids can be compared was read"
}

// beyondRetries says what the runs show of ids in lost turns and reruns, and how
// many calls a lost commit gave another id.
func (q *Question) beyondRetries() (says string, lost int) {
	if !q.Own {
		return "", 0
	}
	turns, kept, anew := 0, 0, 0
	for _, m := range q.own() {
		turns, lost, kept, anew = turns+m.LostTurns, lost+m.IDs.LostChanged, kept+m.RerunKept, anew+m.RerunNew
	}
	if turns > 0 {
		says = fmt.Sprintf("; in lost turns %d of %s show another id on the result", lost, plural(turns, "call"))
	}
	if kept+anew > 0 {
		says += fmt.Sprintf("; in reruns %d kept the source's id and %d got a new one", kept, anew)
	}
	return says, lost
}

// own are the rows of the activity itself, else all.
func (q *Question) own() []Measured {
	n := 0
	for n < len(q.Measured) && q.Measured[n].Activity != "" {
		n++
	}
	if n == 0 {
		return q.Measured
	}
	return q.Measured[:n]
}

// problems are the faults of the key that the code uses now.
func (q *Question) problems(c Choice) []Problem {
	var out []Problem
	for _, w := range c.Windows {
		if w.Verdict == TooShort && w.Keyed {
			out = append(out, Problem{Kind: "window_too_short", Says: "key present, window too short: " + w.Says, Fix: "keep a record of your own beside the provider's key, for longer than the longest-running workflow; or end the retry policy within the window"})
		}
	}
	if q.Code == nil {
		return out
	}
	m, _ := q.decisive()
	lines := map[int]bool{}
	for _, k := range q.Code.Keys {
		if m == nil || lines[k.Line] || !slices.Contains(k.Origin, "task_execution_id") {
			continue
		}
		lines[k.Line] = true
		at := fmt.Sprintf("the key at %s:%d is made of the task execution id, and in these runs ", q.Code.File, k.Line)
		switch m.behaviour {
		case newPerAttempt, mixed:
			out = append(out, Problem{Kind: "id_changes", Says: at + "it changes between the attempts of a call", Fix: "take the first candidate instead"})
		case noIDs:
			out = append(out, Problem{Kind: "id_missing", Says: at + "there is none: every call would have the same empty key", Fix: "take the first candidate instead"})
		}
	}
	for _, f := range q.Code.Findings {
		if f.Slug == "shared-key" {
			out = append(out, Problem{Kind: "shared_key", Says: f.Message, Fix: "one key per side effect: see effects"})
		}
	}
	return out
}

// horizon is the longest that the attempts at a call site go on, and where.
func (q *Question) horizon() (time.Duration, string) {
	var longest time.Duration
	at := ""
	if q.Code == nil {
		return 0, ""
	}
	for i := range q.Code.CallSites {
		s := &q.Code.CallSites[i]
		if h := s.RetryPolicy().Horizon; h > longest {
			longest, at = h, fmt.Sprintf("%s:%d", s.File, s.Line)
		}
	}
	return longest, at
}

func (q *Question) looped() bool {
	return q.Code != nil && slices.ContainsFunc(q.Code.CallSites, func(s review.CallSite) bool { return s.InLoop })
}
