package history

import "time"

// FindingKind is what the events say. The names are a contract.
type FindingKind string

// Findings that are repeats: more than one execution is recorded, ordered or
// may have been dispatched.
const (
	Retried               FindingKind = "retried"
	RetriedUnknownOutcome FindingKind = "retried_after_unknown_outcome"
	RejectionRetried      FindingKind = "rejection_retried"
	RetryPending          FindingKind = "retry_pending"
	SecondResult          FindingKind = "second_result"
	ChildRetried          FindingKind = "child_retried"
	Rerun                 FindingKind = "rerun"
	CommitLost            FindingKind = "commit_lost"
	AttemptsMayOverlap    FindingKind = "attempts_may_overlap"
	TurnLag               FindingKind = "turn_lag"
	OrphanResult          FindingKind = "orphan_result"
	Stuck                 FindingKind = "stuck"
	Unfinished            FindingKind = "unfinished"
	IDUnstable            FindingKind = "id_unstable"
	IDMissing             FindingKind = "id_missing"
	IDReused              FindingKind = "id_reused"
	SameInputTwice        FindingKind = "same_input_twice"
)

// Findings that no history shows: package outside makes them of logs, spans and
// provider lists. All but EffectMissing are repeats.
const (
	ExecutedMore  FindingKind = "executed_more_than_recorded"
	EffectTwice   FindingKind = "effect_more_than_once"
	EffectMissing FindingKind = "effect_missing"
	Overlapped    FindingKind = "overlapped"
)

// Bounds of what a finding shows, and the hint's threshold.
const (
	maxEvidence  = 40  // events quoted per finding
	maxQuote     = 200 // runes of an application's text
	maxName      = 200 // runes of a name
	lagThreshold = 500 * time.Millisecond
)

// The rates that answers about lost commits quote, measured on real runs with a
// ledger outside the engine (docs/evidence.md).
const (
	markedAsRecorded, markedTotal = 16, 20
	siblingsMore, siblingsTotal   = 6, 7
	ratesCondition                = "real runs with failing commits, Dapr 1.18.0, Go and JavaScript SDKs, SQLite and PostgreSQL"
)

// Repeat reports whether a finding of this kind makes the exit code 1.
func (k FindingKind) Repeat() bool {
	switch k {
	case Retried, RetriedUnknownOutcome, RejectionRetried, RetryPending, SecondResult, ChildRetried, Rerun, CommitLost,
		ExecutedMore, EffectTwice, Overlapped:
		return true
	}
	return false
}

// Certainty is how a finding is known.
type Certainty string

// The certainties.
const (
	Recorded Certainty = "recorded" // events say it
	Inferred Certainty = "inferred" // linked by a named rule
	Possible Certainty = "possible" // events fit more executions than are recorded
	Outside  Certainty = "outside"  // a log, trace or provider list says it
	Question Certainty = "question" // the evidence cannot settle it
)

// LinkRule names how an attempt was linked to the one before it.
type LinkRule string

// The rules, in the order they are tried.
const (
	LinkExecutionID   LinkRule = "same_execution_id"    // rule 1: one task execution id in one run
	LinkTimerOrigin   LinkRule = "retry_timer_origin"   // rule 2: the retry timer names the first attempt's id
	LinkTimerInferred LinkRule = "retry_timer_inferred" // rule 3: failure, timer in the same turn, same call when it fires
	LinkEventID       LinkRule = "same_event_id"        // rule 4: older Python SDKs reuse the event id
	LinkChildOrigin   LinkRule = "child_retry_origin"   // rule 5: the retry timer names the first child
	LinkChildInferred LinkRule = "child_retry_inferred" // rule 5, without an origin
	LinkHandLoop      LinkRule = "hand_loop"            // a loop in the workflow's own code
	LinkRerun         LinkRule = "rerun_parent"         // rerunParentInstanceInfo
	LinkNone          LinkRule = ""
)

// inferred reports whether the rule reads a pattern rather than a reference.
func (l LinkRule) inferred() bool {
	return l == LinkTimerInferred || l == LinkHandLoop || l == LinkChildInferred
}

// Outcome is what a failure says about the outside world.
type Outcome string

// The outcomes.
const (
	NotApplied Outcome = "not_applied" // it never got there
	Unknown    Outcome = "unknown"     // it may have been applied
	Rejected   Outcome = "rejected"    // it was refused and always will be
	Unclear    Outcome = "unclear"     // the words do not tell
)

// Mark is a trace that a lost commit leaves on an attempt.
type Mark string

// The marks.
const (
	MarkOrder Mark = "order" // the result is stored before its schedule
	MarkTime  Mark = "time"  // the result is older than its schedule
	MarkID    Mark = "id"    // schedule and result carry different task execution ids
)

// AttemptView is one recorded attempt as answers show it. Pointers are null
// where nothing is recorded.
type AttemptView struct {
	TaskScheduledID int32      `json:"task_scheduled_id"`
	TaskExecutionID *string    `json:"task_execution_id"`
	ScheduledAt     *time.Time `json:"scheduled_at"`
	EndedAt         *time.Time `json:"ended_at"`
	Result          *string    `json:"result"`  // completed, failed, null: none recorded
	Outcome         *Outcome   `json:"outcome"` // of a failure
	OutcomeFrom     string     `json:"outcome_from,omitempty"`
	Error           string     `json:"error,omitempty"` // the application's text, cleaned and cut
	ErrorType       string     `json:"error_type,omitempty"`
	LinkedBy        LinkRule   `json:"linked_by,omitempty"`
	Marks           []Mark     `json:"marks,omitempty"`
	Turn            *int       `json:"turn,omitempty"`
}

// TurnCall is a call that a lost turn, a rerun or an earlier child ran.
type TurnCall struct {
	Activity        string  `json:"activity"`
	Call            string  `json:"call,omitempty"`
	TaskScheduledID int32   `json:"task_scheduled_id"`
	TaskExecutionID *string `json:"task_execution_id,omitempty"`
	Marks           []Mark  `json:"marks"`
	Reading         string  `json:"reading"`
}

// ChildView is one child run of a retried child.
type ChildView struct {
	Run       string     `json:"run"`
	EventID   int32      `json:"event_id"`
	CreatedAt *time.Time `json:"created_at"`
	Result    *string    `json:"result"`
	Outcome   *Outcome   `json:"outcome"`
	Error     string     `json:"error,omitempty"`
	Reading   string     `json:"reading"`
	Calls     []TurnCall `json:"calls,omitempty"`
}

// Evidence is an event that a finding rests on.
type Evidence struct {
	Event   int32  `json:"event"`    // index in the order the source gave
	EventID int32  `json:"event_id"` // the engine's id, -1: none
	Type    string `json:"type"`
	Says    string `json:"says"`
}

// Finding is one thing that the events of a run say.
type Finding struct {
	Kind      FindingKind   `json:"kind"`
	Certainty Certainty     `json:"certainty"`
	Repeat    bool          `json:"repeat"`
	App       string        `json:"app"`
	Run       string        `json:"run"`
	Location  string        `json:"location,omitempty"`
	Activity  *string       `json:"activity"`
	Call      *string       `json:"call"`
	Attempts  []AttemptView `json:"attempts,omitempty"`
	LinkedBy  []LinkRule    `json:"linked_by,omitempty"`
	Inputs    string        `json:"inputs,omitempty"` // same, different, not compared
	Turn      *int          `json:"turn,omitempty"`   // from 0
	Calls     []TurnCall    `json:"calls,omitempty"`
	Workflow  string        `json:"workflow,omitempty"` // child_retried
	Children  []ChildView   `json:"children,omitempty"` // child_retried
	RerunOf   string        `json:"rerun_of,omitempty"`
	Target    *int32        `json:"target_event_id,omitempty"`
	FiresAt   *time.Time    `json:"fires_at,omitempty"` // retry_pending
	LagMS     int64         `json:"lag_ms,omitempty"`   // turn_lag
	Message   string        `json:"message"`            // what was seen
	Meaning   string        `json:"meaning"`            // for the outside world
	Settles   string        `json:"settled_by,omitempty"`
	Evidence  []Evidence    `json:"evidence"`
}

// CallView is one line of the table of calls.
type CallView struct {
	App      string        `json:"app"`
	Run      string        `json:"run"`
	Location string        `json:"location,omitempty"`
	Call     string        `json:"call"`
	Activity string        `json:"activity"`
	Attempts int           `json:"attempts"` // recorded, not executed
	Result   *string       `json:"result"`
	IDs      []int32       `json:"task_scheduled_ids"`
	Findings []FindingKind `json:"findings,omitempty"`
	Copy     bool          `json:"copied_by_rerun,omitempty"`
}

// Pattern is a repetition that the workflow's code makes on purpose: not a
// duplicate.
type Pattern struct {
	Kind     string `json:"kind"` // fan_out, loop, continue_as_new, instance_id_reused
	Activity string `json:"activity,omitempty"`
	Calls    int    `json:"calls,omitempty"`
	Note     string `json:"note"`
}

// Analysis is everything that can be said of one run from its events alone.
type Analysis struct {
	Run        *Run
	Calls      []Call
	Findings   []Finding
	Patterns   []Pattern
	NotVisible []string
}

// Repeats counts the findings that are repeats.
func (a *Analysis) Repeats() int {
	n := 0
	for i := range a.Findings {
		if a.Findings[i].Kind.Repeat() {
			n++
		}
	}
	return n
}
