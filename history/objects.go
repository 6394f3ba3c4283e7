package history

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

// objectKinds are the names, normalised, that a type field or a oneof key can
// have: the protocol's names since Dapr 1.18, the older ones, and what the CLI
// and the dashboard print.
var objectKinds = map[string]Kind{
	"workflowstarted": WorkflowStarted, "orchestratorstarted": WorkflowStarted,
	"workflowcompleted": WorkflowCompleted, "orchestratorcompleted": WorkflowCompleted,
	"executionstarted": ExecutionStarted, "executioncompleted": ExecutionCompleted, "executionfailed": ExecutionCompleted,
	"executionterminated": ExecutionTerminated, "executionsuspended": ExecutionSuspended,
	"executionresumed": ExecutionResumed, "executionstalled": ExecutionStalled, "continueasnew": ContinueAsNew,
	"taskscheduled": TaskScheduled, "taskcompleted": TaskCompleted, "taskfailed": TaskFailed,
	"timercreated": TimerCreated, "timerfired": TimerFired,
	"childworkflowinstancecreated": ChildCreated, "suborchestrationinstancecreated": ChildCreated,
	"childworkflowcreated": ChildCreated, "suborchestrationcreated": ChildCreated,
	"childworkflowinstancecompleted": ChildCompleted, "suborchestrationinstancecompleted": ChildCompleted,
	"childworkflowcompleted": ChildCompleted, "suborchestrationcompleted": ChildCompleted,
	"childworkflowinstancefailed": ChildFailed, "suborchestrationinstancefailed": ChildFailed,
	"childworkflowfailed": ChildFailed, "suborchestrationfailed": ChildFailed,
	"eventsent": EventSent, "eventraised": EventRaised, "genericevent": GenericEvent,
	"detachedworkflowinstancecreated": DetachedCreated,
}

// typeKeys are where an event's type may stand, in order of trust.
var typeKeys = []string{"type", "eventtype", "kind"}

func kindNamed(s string) Kind {
	n := normalize(s)
	if k, ok := objectKinds[n]; ok {
		return k
	}
	for _, prefix := range []string{"historyeventtype", "historyevent", "eventtype", "event"} {
		if k, ok := objectKinds[strings.TrimPrefix(n, prefix)]; ok {
			return k
		}
	}
	return KindUnknown
}

// objectKind finds an event's kind: a oneof key that holds an object or null,
// else a type field, else a name that is a type. oneof is the key found.
func objectKind(obj map[string]json.RawMessage) (k Kind, oneof, named string) {
	for _, key := range sortedKeys(obj) {
		if kind, ok := objectKinds[normalize(key)]; ok {
			v := bytes.TrimSpace(obj[key])
			if len(v) > 0 && (v[0] == '{' || v[0] == 'n') && (oneof == "" || v[0] == '{') {
				k, oneof = kind, key
			}
		}
	}
	if oneof != "" {
		return k, oneof, ""
	}
	norm := fields{}
	norm.flatten("", obj, maxFlatten)
	for _, tk := range typeKeys {
		if s := norm.text(tk); s != "" {
			if k := kindNamed(s); k != KindUnknown {
				return k, "", ""
			}
			named = s
		}
	}
	if named == "" {
		if k := kindNamed(norm.text("name")); k != KindUnknown {
			return k, "", ""
		}
	}
	return KindUnknown, "", named
}

// objectReader decodes event objects: protojson, a Catalyst answer's flat
// events, the dashboard's rows.
type objectReader struct {
	run    *Run
	o      Options
	decode bool    // payloads may be decoded
	absent Payload // what an absent payload means in this shape
}

func newObjectReader(run *Run, o Options) *objectReader {
	r := &objectReader{run: run, o: o}
	switch run.Shape {
	case ShapeCatalyst:
		// An absent payload was not shared. A present one was served, so it may
		// be shown unless the operator's own level forbids it.
		r.decode = o.Sharing.Level != LevelMetadata
		if o.Sharing.Level == LevelFull {
			r.absent = WithheldPayload(&Sharing{})
		} else {
			r.absent = WithheldPayload(&run.Sharing)
		}
	default:
		r.decode = o.Sharing.Level == LevelFull
		r.absent = EmptyPayload()
	}
	return r
}

// add decodes one event object and appends it.
func (r *objectReader) add(raw json.RawMessage) {
	n := r.run.Coverage.Asked
	r.run.Coverage.Asked++
	obj := object(raw)
	if obj == nil {
		r.run.Coverage.miss("event %d is not an object", n)
		return
	}
	kind, oneof, named := objectKind(obj)
	f := make(fields, 16)
	if oneof != "" {
		f.flatten("", object(obj[oneof]), 0)
		delete(obj, oneof)
	}
	f.flatten("", obj, 0)
	ev := Event{Index: int32(len(r.run.Events)), ID: NoID, TaskScheduledID: NoID, Kind: kind}
	ev.At = f.when("timestamp", "eventtimestamp", "time", "createdat")
	r.ids(&ev, f)
	r.names(&ev, f)
	if kind == KindUnknown {
		ev.Unknown = named
		if ev.Unknown == "" {
			ev.Unknown = firstUnknownKey(obj)
		}
		r.run.Coverage.miss("event %d has the unknown type %q and was not interpreted", n, ev.Unknown)
	}
	if hasPayload(kind) {
		ev.Payload = r.payload(f, kind)
	}
	r.run.Events = append(r.run.Events, ev)
}

// firstUnknownKey names an event type that is only a oneof key.
func firstUnknownKey(obj map[string]json.RawMessage) string {
	var keys []string
	for k, v := range obj {
		if n := normalize(k); n != "router" && object(v) != nil {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	sort.Strings(keys)
	return keys[0]
}

func (r *objectReader) payload(f fields, kind Kind) Payload {
	keys := []string{"input", "payload", "data"}
	switch kind {
	case ExecutionCompleted, TaskCompleted, ChildCompleted:
		keys = []string{"result", "output"}
	}
	if r.run.Shape == ShapeDashboard {
		switch kind {
		case ExecutionStarted, ExecutionCompleted, TaskScheduled, TaskCompleted, ChildCompleted, EventRaised, EventSent:
		default:
			return Payload{} // the dashboard does not carry it
		}
	}
	p := f.payload(r.o, &r.run.Sharing, r.decode, r.absent, keys...)
	if r.run.Shape == ShapeCatalyst && r.run.Sharing.Level == LevelUnstated && p.State() == PayloadShared {
		r.run.Sharing = Sharing{Level: LevelFull, How: "a payload was served in this answer"}
	}
	return p
}

// ids reads the numbers and ids of an event.
func (r *objectReader) ids(ev *Event, f fields) {
	if id, ok := f.id("eventid", "sequenceid"); ok {
		ev.ID = id
	} else if ev.Kind == TaskScheduled || ev.Kind == TimerCreated || ev.Kind == ChildCreated {
		ev.ID = 0 // proto3 JSON leaves a zero out
	}
	if hasRef(ev.Kind) {
		keys := []string{"taskscheduledid", "scheduledid"}
		if ev.Kind == TimerFired {
			keys = []string{"timerid", "scheduledid", "taskscheduledid"}
		}
		ev.TaskScheduledID = 0
		if id, ok := f.id(keys...); ok {
			ev.TaskScheduledID = id
		}
	}
	switch ev.Kind {
	case TaskScheduled, TaskCompleted, TaskFailed:
		ev.TaskExecutionID = f.text("taskexecutionid")
	case ExecutionStarted:
		ev.Instance = f.text("workflowinstanceinstanceid", "orchestrationinstanceinstanceid", "instanceid")
		ev.ExecutionID = f.text("workflowinstanceexecutionid", "orchestrationinstanceexecutionid", "executionid")
		ev.FireAt = f.when("scheduledstarttimestamp")
		ev.Parent = parentOf(f)
	case ChildCreated, EventSent, DetachedCreated:
		ev.Instance = f.text("instanceid")
		ev.RetryOf = f.text("retryparentinstanceinfoinstanceid")
	case TimerCreated, TimerFired:
		ev.FireAt = f.when("fireat")
	}
	ev.RerunOf = f.text("rerunparentinstanceinfoinstanceid")
}

func parentOf(f fields) *Parent {
	id := f.text("parentinstanceworkflowinstanceinstanceid", "parentinstanceorchestrationinstanceinstanceid", "parentinstanceinstanceid", "parentinstanceid")
	if id == "" {
		return nil
	}
	p := &Parent{
		Instance:  id,
		Execution: f.text("parentinstanceworkflowinstanceexecutionid", "parentinstanceorchestrationinstanceexecutionid", "parentinstanceexecutionid"),
		Name:      f.text("parentinstancename"),
		App:       f.text("parentinstanceappid"),
	}
	if n, ok := f.id("parentinstancetaskscheduledid"); ok {
		p.TaskScheduledID = n
	}
	return p
}

// names reads the texts of an event.
func (r *objectReader) names(ev *Event, f fields) {
	ev.Name = f.text("name", "eventname", "workflowname", "activityname")
	if kindNamed(ev.Name) == ev.Kind && ev.Kind != KindUnknown {
		ev.Name = "" // the name was the type
	}
	ev.Version = f.text("version")
	ev.App = f.text("routersourceappid", "sourceappid")
	ev.TargetApp = f.text("routertargetappid", "targetappid")
	switch ev.Kind {
	case ExecutionCompleted:
		ev.Status = ParseStatus(f.text("workflowstatus", "orchestrationstatus", "status"))
		ev.Failure = failureOf(f, "failuredetails", 0)
	case TaskFailed, ChildFailed:
		ev.Failure = failureOf(f, "failuredetails", 0)
	case TimerCreated:
		ev.Origin = originOf(f)
	}
}

func failureOf(f fields, prefix string, depth int) *Failure {
	fail := &Failure{
		Type:         f.text(prefix+"errortype", prefix+"type"),
		Message:      f.text(prefix+"errormessage", prefix+"message"),
		Stack:        f.text(prefix + "stacktrace"),
		NonRetriable: f.flag(prefix + "isnonretriable"),
	}
	if depth < maxFlatten {
		if _, ok := f[prefix+"innerfailure"]; ok {
			fail.Inner = failureOf(f, prefix+"innerfailure", depth+1)
		}
	}
	if *fail == (Failure{}) {
		return nil
	}
	return fail
}

// originOf reads a timer's origin from its nested (activityRetry{…}) or flat
// (origin__activity_retry_…) form.
func originOf(f fields) Origin {
	for _, p := range []string{"", "origin"} {
		if id := f.text(p + "activityretrytaskexecutionid"); id != "" || has(f, p+"activityretry") {
			return Origin{Kind: OriginActivityRetry, Ref: id}
		}
		if id := f.text(p+"childworkflowretryinstanceid", p+"childworkflowretryid"); id != "" || has(f, p+"childworkflowretry") {
			return Origin{Kind: OriginChildRetry, Ref: id}
		}
		if n := f.text(p + "externaleventname"); n != "" || has(f, p+"externalevent") {
			return Origin{Kind: OriginExternalEvent, Ref: n}
		}
		if has(f, p+"createtimer") {
			return Origin{Kind: OriginCreateTimer}
		}
	}
	return Origin{}
}

func has(f fields, key string) bool {
	v, ok := f[key]
	return ok && string(bytes.TrimSpace(v)) != "null"
}

// ParseStatus reads a status in any spelling: COMPLETED,
// ORCHESTRATION_STATUS_COMPLETED, continued_as_new. Anything else is unknown.
func ParseStatus(s string) Status {
	n := normalize(s)
	n = strings.TrimPrefix(strings.TrimPrefix(n, "orchestrationstatus"), "workflowstatus")
	switch n {
	case "running":
		return Running
	case "completed":
		return Completed
	case "failed":
		return Failed
	case "terminated":
		return Terminated
	case "suspended":
		return Suspended
	case "canceled", "cancelled":
		return Canceled
	case "pending":
		return Pending
	case "stalled":
		return Stalled
	case "continuedasnew":
		return ContinuedAsNew
	}
	return StatusUnknown
}
