package history

import "time"

// NoID marks an event id or reference that the event or the shape does not
// carry. Dapr itself writes -1 for events without one; 0 is a valid id (the
// first activity of a Go workflow).
const NoID int32 = -1

// Kind is the type of a history event.
type Kind uint8

// Event kinds, named as the protocol names them since Dapr 1.18. Older names
// (orchestratorStarted, subOrchestrationInstanceCreated) are read as the same.
const (
	KindUnknown Kind = iota
	WorkflowStarted
	WorkflowCompleted
	ExecutionStarted
	ExecutionCompleted
	ExecutionTerminated
	ExecutionSuspended
	ExecutionResumed
	ExecutionStalled
	ContinueAsNew
	TaskScheduled
	TaskCompleted
	TaskFailed
	TimerCreated
	TimerFired
	ChildCreated
	ChildCompleted
	ChildFailed
	EventSent
	EventRaised
	DetachedCreated
	GenericEvent
	numKinds
)

var kindNames = [numKinds]string{
	"unknown", "workflowStarted", "workflowCompleted", "executionStarted", "executionCompleted",
	"executionTerminated", "executionSuspended", "executionResumed", "executionStalled", "continueAsNew",
	"taskScheduled", "taskCompleted", "taskFailed", "timerCreated", "timerFired",
	"childWorkflowInstanceCreated", "childWorkflowInstanceCompleted", "childWorkflowInstanceFailed",
	"eventSent", "eventRaised", "detachedWorkflowInstanceCreated", "genericEvent",
}

// String is the protocol's name of the kind.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return kindNames[KindUnknown]
}

// Inbox reports whether the engine receives events of this kind from outside
// the turn (results, timers firing, signals), as against actions that the
// turn's own code took (schedules, timers set).
func (k Kind) Inbox() bool {
	switch k {
	case ExecutionStarted, ExecutionTerminated, ExecutionSuspended, ExecutionResumed, ExecutionStalled,
		TaskCompleted, TaskFailed, TimerFired, ChildCompleted, ChildFailed, EventRaised:
		return true
	}
	return false
}

// Status is a run's status.
type Status uint8

// The statuses. StatusUnknown stays unknown; it is never read as pending.
const (
	StatusUnknown Status = iota
	Running
	Completed
	Failed
	Terminated
	Suspended
	Canceled
	Pending
	Stalled
	ContinuedAsNew
)

var statusNames = [...]string{"unknown", "running", "completed", "failed", "terminated", "suspended", "canceled", "pending", "stalled", "continued_as_new"}

// String is the snake_case name.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return statusNames[StatusUnknown]
}

// Ended reports whether a run in this status can produce no further event of
// its own.
func (s Status) Ended() bool {
	return s == Completed || s == Failed || s == Terminated || s == Canceled
}

// OriginKind says why a timer was created. Recorded from Dapr 1.18 with an SDK
// of the same age; OriginUnknown before.
type OriginKind uint8

// Timer origins.
const (
	OriginUnknown OriginKind = iota
	OriginCreateTimer
	OriginExternalEvent
	OriginActivityRetry
	OriginChildRetry
)

// String is the protocol's name of the origin.
func (o OriginKind) String() string {
	return [...]string{"", "createTimer", "externalEvent", "activityRetry", "childWorkflowRetry"}[o]
}

// Origin is a timer's origin. Ref is what it names: the task execution id for
// OriginActivityRetry, the first child's instance id for OriginChildRetry, the
// event for OriginExternalEvent.
type Origin struct {
	Kind OriginKind
	Ref  string
}

// Failure is what an activity, a child run or a run reported. All texts were
// written by the application.
type Failure struct {
	Type         string
	Message      string
	Stack        string
	NonRetriable bool
	Inner        *Failure
}

// Parent is the run that created a child run.
type Parent struct {
	Instance, Execution, Name, App string
	TaskScheduledID                int32 // the parent's event that created the child
}

// Event is one history event, flat: which fields mean something depends on
// Kind.
type Event struct {
	Index           int32  // position in the order the source gave, from 0
	ID              int32  // the engine's event id, NoID when none
	TaskScheduledID int32  // results and fired timers: the id of what they answer; else NoID
	Kind            Kind   //
	Status          Status // ExecutionCompleted: the status
	Origin          Origin // TimerCreated
	Name            string // workflow, activity, timer or event name
	Version         string
	TaskExecutionID string    // TaskScheduled and its results
	Instance        string    // ChildCreated: the child; EventSent: the target; ExecutionStarted: the recorded instance id
	ExecutionID     string    // ExecutionStarted: workflowInstance.executionId
	RerunOf         string    // rerunParentInstanceInfo.instanceID
	RetryOf         string    // ChildCreated: retryParentInstanceInfo.instanceID
	App, TargetApp  string    // router
	At              time.Time // UTC; zero when the event has none
	FireAt          time.Time // timers: UTC
	Payload         Payload   // input, result or data, whichever the kind has
	Failure         *Failure
	Parent          *Parent // ExecutionStarted
	Unknown         string  // KindUnknown: the type as the source named it
}

// Carries says which marks a run's shape can carry. A finding that needs a mark
// the shape lacks is listed as not visible instead.
type Carries struct {
	StoredOrder bool // the order of the events is the stored one
	FullTimes   bool // times are finer than a second
	IDs         bool // task execution ids
	Origins     bool // timer origins
	Inputs      bool // payloads of task events exist in this shape at all
	Generation  bool // the generation (continue-as-new, reuse) is known
}

// Ref names one run. Instance is as the engine has it, verbatim; it can be
// empty when neither the request nor metadata names it (a rerun's own events
// carry its source's id).
type Ref struct {
	Project  Project
	App      string
	Instance string
	// Execution tells two lives of one instance id apart; may be empty.
	Execution string
	// Location is where the source keeps it (a path, a key prefix), for sources
	// where one instance id can stand in several places. Empty otherwise.
	Location string
}

// Project keeps a Catalyst project's name and numeric uid as two things: a
// link takes one or the other, never the wrong one. Both empty: no project.
type Project struct {
	Name string // "default"
	UID  string // digits only, without "prj-"
}

// Header is what a listing tells of a run.
type Header struct {
	Ref          Ref
	Workflow     string
	Version      string
	Status       Status
	Created      time.Time // zero when not told
	Updated      time.Time
	Parent       string // parent's instance id, empty when none or not told
	Generation   int64  // 0: not known; above 1: continued as new, or the id was used again without a purge
	HistoryLen   int    // -1: not known
	CustomStatus Payload
	Failure      *Failure
}

// Run is one run with its events in the order the source gave.
type Run struct {
	Header
	Shape    Shape
	Carries  Carries
	Events   []Event
	Input    Payload
	Output   Payload
	Coverage Coverage
	Sharing  Sharing
	// Backwards: the stored turns run back in time, so times say nothing.
	Backwards bool
	// Mark is that of Stamp, for the events as they were read; empty where the source
	// gives none with a run.
	Mark string
}

// Coverage says how much of what was asked was read. Every answer that rests
// on a partial one says so.
type Coverage struct {
	Asked   int      // events (or runs) that the source says exist; -1: it does not say
	Read    int      // how many were read
	Missing []string // what was not read and why, one clause each; empty when complete
}

// Partial reports whether anything asked for was not read.
func (c Coverage) Partial() bool { return len(c.Missing) > 0 }

// Shape is a form a run's history comes in.
type Shape uint8

// The shapes readers know.
const (
	ShapeUnknown    Shape = iota
	ShapeProtoJSON        // protojson HistoryEvents: an array, an object holding one, or lines
	ShapeProto            // protobuf bytes
	ShapeCLIJSON          // `dapr workflow history -o json`
	ShapeCLIYAML          // `dapr workflow history -o yaml`
	ShapeDashboard        // the dev dashboard's run detail
	ShapeCatalyst         // a Catalyst run answer: flat snake_case events
	ShapeArchive          // Catalyst archive: {"history":[{"index":N,"rawBase64":…}]}
	ShapeSidecar          // GetInstanceHistory over gRPC
	ShapeStateStore       // rows of a Dapr state store
	numShapes
)

var shapeNames = [numShapes]string{"unknown", "protojson", "protobuf", "dapr_cli_json", "dapr_cli_yaml", "dev_dashboard", "catalyst_run", "catalyst_archive", "sidecar", "state_store"}

// String is the stable name used in answers.
func (s Shape) String() string {
	if s < numShapes {
		return shapeNames[s]
	}
	return shapeNames[ShapeUnknown]
}
