package history

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// cliCut is where the Dapr CLI cuts payloads (120 runes) and error texts (160).
// A cut text ends in "…" or "...".
const cliCut = 120

// cliRow is one row of `dapr workflow history -o json` (CLI 1.16.3 and newer).
// The rows are sorted by full timestamp and printed to the second.
type cliRow struct {
	Namespace   string  `json:"namespace"`
	AppID       string  `json:"appID"`
	Play        *int    `json:"play"`
	Type        string  `json:"type"`
	Name        *string `json:"name"`
	EventID     *int32  `json:"eventId"`
	Timestamp   string  `json:"timestamp"`
	Status      string  `json:"status"`
	Details     *string `json:"details"`
	Router      *string `json:"router"`
	ExecutionID *string `json:"executionId"`
	Attrs       *string `json:"attrs"`
}

// cliAttrKeys are the attribute names per event type in the order the CLI
// writes them. Values are not escaped, so a value runs to the next key that is
// still to come, and the last one to the end.
var cliAttrKeys = map[Kind][]string{
	ExecutionStarted:   {"input", "tags"},
	ExecutionCompleted: {"output", "failureType", "failureMessage"},
	ExecutionStalled:   {"reason", "description"},
	TaskScheduled:      {"input"},
	TaskCompleted:      {"scheduledId", "output"},
	TaskFailed:         {"scheduledId", "errorType", "errorMsg", "nonRetriable"},
	ChildCreated:       {"input"},
	ChildCompleted:     {"output"},
	TimerCreated:       {"timerName", "fireAt", "origin", "taskExecId", "instanceId", "eventName"},
	TimerFired:         {"timerId", "fireAt"},
	EventRaised:        {"eventName", "payload"},
	EventSent:          {"eventName", "payload", "targetInstance"},
}

// addCLIRow decodes one row and appends it.
func (r *objectReader) addCLIRow(raw json.RawMessage) {
	n := r.run.Coverage.Asked
	r.run.Coverage.Asked++
	var row cliRow
	if err := json.Unmarshal(raw, &row); err != nil {
		r.run.Coverage.miss("row %d is not a row of `dapr workflow history`", n)
		return
	}
	kind := kindNamed(row.Type)
	ev := Event{Index: int32(len(r.run.Events)), ID: NoID, TaskScheduledID: NoID, Kind: kind, At: parseTime(row.Timestamp)}
	if kind == KindUnknown {
		ev.Unknown = row.Type
		r.run.Coverage.miss("row %d has the unknown type %q and was not interpreted", n, row.Type)
	}
	if r.run.Ref.App == "" {
		r.run.Ref.App = row.AppID
	}
	ev.Name = deref(row.Name)
	if row.EventID != nil {
		ev.ID = *row.EventID
	} else if kind == ChildCreated {
		ev.ID = 0 // the CLI leaves a zero out here
	}
	ev.App, ev.TargetApp, _ = strings.Cut(deref(row.Router), "->")
	attrs := cliAttrs(kind, deref(row.Attrs))
	r.cliKind(&ev, &row, attrs)
	r.run.Events = append(r.run.Events, ev)
}

func (r *objectReader) cliKind(ev *Event, row *cliRow, attrs map[string]string) {
	details := deref(row.Details)
	switch ev.Kind {
	case ExecutionStarted:
		ev.ExecutionID = deref(row.ExecutionID)
		if _, parent, ok := strings.Cut(details, ",parent="); ok {
			ev.Parent = &Parent{Instance: parent, TaskScheduledID: NoID}
		}
	case TaskScheduled, TaskCompleted, TaskFailed:
		ev.TaskExecutionID = deref(row.ExecutionID)
	case ExecutionCompleted:
		ev.Status = ParseStatus(row.Status)
	case TimerCreated:
		ev.FireAt, ev.Origin = parseTime(attrs["fireAt"]), cliOrigin(attrs)
	case TimerFired:
		ev.FireAt = parseTime(attrs["fireAt"])
		ev.TaskScheduledID = atoi32(attrs["timerId"])
	}
	switch ev.Kind {
	case TaskCompleted, TaskFailed:
		ev.TaskScheduledID = atoi32(attrs["scheduledId"])
	case ChildCompleted:
		ev.TaskScheduledID = atoi32(strings.TrimPrefix(details, "eventId="))
	}
	switch ev.Kind {
	case TaskScheduled, ChildCreated:
		ev.RerunOf = strings.TrimPrefix(details, "rerunParent=")
		if ev.RerunOf == details {
			ev.RerunOf = ""
		}
	case TaskFailed:
		ev.Failure = &Failure{Type: attrs["errorType"], Message: attrs["errorMsg"], NonRetriable: attrs["nonRetriable"] == "true"}
	case ChildFailed:
		ev.Failure = &Failure{} // the CLI prints nothing of a child's failure
	}
	if ev.Kind == ExecutionCompleted && (attrs["failureType"] != "" || attrs["failureMessage"] != "") {
		ev.Failure = &Failure{Type: attrs["failureType"], Message: attrs["failureMessage"]}
	}
	if hasPayload(ev.Kind) {
		ev.Payload = r.cliPayload(ev.Kind, attrs)
	}
}

// cliPayload reads the payload attribute. The CLI leaves an empty payload out
// and cuts a long one.
func (r *objectReader) cliPayload(kind Kind, attrs map[string]string) Payload {
	for _, key := range []string{"input", "output", "payload"} {
		v, ok := attrs[key]
		switch {
		case !ok:
			continue
		case !r.decode:
			p := WithheldPayload(&r.run.Sharing)
			if cliWasCut(v) {
				return p // half a payload says nothing about equality
			}
			return p.withPrint(r.o.Fingerprint, []byte(v))
		}
		p := SharedPayload(v)
		p.cut = cliWasCut(v)
		return p
	}
	switch kind {
	case ExecutionTerminated, ExecutionSuspended, ExecutionResumed, ContinueAsNew, GenericEvent:
		return Payload{} // the CLI never prints these
	}
	return EmptyPayload()
}

func cliWasCut(s string) bool {
	if !strings.HasSuffix(s, "…") && !strings.HasSuffix(s, "...") {
		return false
	}
	return len([]rune(s)) >= cliCut
}

// cliAttrs splits "k=v;k=v" of a row of the given kind.
func cliAttrs(kind Kind, s string) map[string]string {
	out := map[string]string{}
	keys := cliAttrKeys[kind]
	for s != "" {
		key, rest, ok := strings.Cut(s, "=")
		at := index(keys, key)
		if !ok || at < 0 {
			return out
		}
		keys = keys[at+1:]
		cut := len(rest)
		// Only the texts of errors and payloads can hold ";key="; the fixed keys
		// after them are written last, so the last place counts.
		for _, next := range keys {
			if i := strings.LastIndex(rest, ";"+next+"="); i >= 0 && i < cut {
				cut = i
			}
		}
		out[key] = rest[:cut]
		s = strings.TrimPrefix(rest[cut:], ";")
	}
	return out
}

func index(keys []string, key string) int {
	for i, k := range keys {
		if k == key {
			return i
		}
	}
	return -1
}

func cliOrigin(attrs map[string]string) Origin {
	switch attrs["origin"] {
	case "activityRetry":
		return Origin{Kind: OriginActivityRetry, Ref: attrs["taskExecId"]}
	case "childWorkflowRetry":
		return Origin{Kind: OriginChildRetry, Ref: attrs["instanceId"]}
	case "externalEvent":
		return Origin{Kind: OriginExternalEvent, Ref: attrs["eventName"]}
	case "createTimer":
		return Origin{Kind: OriginCreateTimer}
	}
	return Origin{}
}

func atoi32(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return NoID
	}
	return int32(n)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return strings.ToValidUTF8(*s, "\uFFFD")
}

// restoreChildRefs gives a child's failure, which the CLI prints without any
// reference, the id of the oldest child still open when exactly one is.
func restoreChildRefs(events []Event) {
	open := map[int32]bool{}
	for i := range events {
		ev := &events[i]
		switch ev.Kind {
		case ChildCreated:
			open[ev.ID] = true
		case ChildCompleted:
			delete(open, ev.TaskScheduledID)
		case ChildFailed:
			if ev.TaskScheduledID == NoID && len(open) == 1 {
				for id := range open {
					ev.TaskScheduledID = id
				}
			}
			delete(open, ev.TaskScheduledID)
		}
	}
}

// sortedByTime reports whether the events stand in ascending or descending
// order of time, which stored order never does: a turn's start is stored before
// the older events that it consumed.
func sortedByTime(events []Event) (ascending, descending bool) {
	ascending, descending = true, true
	var prev time.Time
	for i := range events {
		t := events[i].At
		if t.IsZero() {
			continue
		}
		if !prev.IsZero() {
			ascending = ascending && !t.Before(prev)
			descending = descending && !t.After(prev)
		}
		prev = t
	}
	return ascending, descending
}
