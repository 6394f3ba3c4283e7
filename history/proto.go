package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// maxFailureDepth bounds how deep innerFailure is followed.
const maxFailureDepth = 16

// Field numbers of HistoryEvent's oneof, from durabletask-protobuf (2026-06).
// They did not change when the names did in Dapr 1.18.
var protoKinds = [33]Kind{
	3: ExecutionStarted, 4: ExecutionCompleted, 5: ExecutionTerminated, 6: TaskScheduled, 7: TaskCompleted,
	8: TaskFailed, 9: ChildCreated, 10: ChildCompleted, 11: ChildFailed, 12: TimerCreated, 13: TimerFired,
	14: WorkflowStarted, 15: WorkflowCompleted, 16: EventSent, 17: EventRaised, 18: GenericEvent,
	20: ContinueAsNew, 21: ExecutionSuspended, 22: ExecutionResumed, 31: ExecutionStalled, 32: DetachedCreated,
}

var errNotEvent = errors.New("not a protobuf HistoryEvent")

// ReadProto decodes stored protobuf HistoryEvents, one message each, in stored
// order. A message that cannot be decoded is counted in the run's Coverage and
// the reading goes on; an error from the sequence ends it.
func ReadProto(events iter.Seq2[[]byte, error], o Options) (*Run, error) {
	run := newRun(ShapeProto, o)
	d := newDecoder(run, o)
	for raw, err := range events {
		if err != nil {
			return nil, err
		}
		d.add(raw)
	}
	d.done()
	finish(run, o)
	return run, nil
}

// Sizes of the chunks that events are decoded into. Growing one slice would
// copy every event several times.
const (
	firstChunk = 64
	maxChunk   = 4096
)

// decoder decodes protobuf events into a run, interning the strings that
// repeat.
type decoder struct {
	run    *Run
	o      Options
	intern map[string]string
	share  *Sharing
	full   [][]Event // chunks that are full
	chunk  []Event
	count  int
}

func newDecoder(run *Run, o Options) *decoder {
	return &decoder{run: run, o: o, intern: make(map[string]string, 32), share: &run.Sharing}
}

func (d *decoder) add(raw []byte) {
	if len(d.chunk) == cap(d.chunk) {
		if d.chunk != nil {
			d.full = append(d.full, d.chunk)
		}
		d.chunk = make([]Event, 0, min(max(firstChunk, d.count), maxChunk))
	}
	d.chunk = d.chunk[:len(d.chunk)+1]
	if err := d.event(raw, &d.chunk[len(d.chunk)-1]); err != nil {
		d.chunk[len(d.chunk)-1] = Event{}
		d.chunk = d.chunk[:len(d.chunk)-1]
		d.run.Coverage.miss("event %d is damaged (%v)", d.run.Coverage.Asked, err)
	} else {
		d.count++
	}
	d.run.Coverage.Asked++
}

// done hands the decoded events to the run.
func (d *decoder) done() {
	if len(d.full) == 0 {
		d.run.Events = d.chunk
		return
	}
	d.run.Events = make([]Event, 0, d.count)
	for _, c := range append(d.full, d.chunk) {
		d.run.Events = append(d.run.Events, c...)
	}
}

// event decodes one HistoryEvent into ev.
func (d *decoder) event(raw []byte, ev *Event) error {
	ev.Index, ev.TaskScheduledID = int32(d.count), NoID
	w := wire{buf: raw}
	for {
		num, typ, v, b, ok := w.next()
		if !ok {
			break
		}
		switch {
		case num == 1 && typ == wireVarint:
			ev.ID = int32(v)
		case typ != wireLen:
			// no other scalar is known
		case num == 2:
			if ev.At, ok = timestamp(b); !ok {
				return errNotEvent
			}
		case num == 30:
			d.router(b, ev)
		case num < len(protoKinds) && protoKinds[num] != KindUnknown:
			ev.Kind = protoKinds[num]
			if !d.body(b, ev) {
				return errNotEvent
			}
		default:
			ev.Unknown = fmt.Sprintf("field %d", num)
		}
	}
	if w.bad || (ev.Kind == KindUnknown && ev.Unknown == "") {
		return errNotEvent
	}
	return nil
}

func (d *decoder) str(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := d.intern[string(b)]; ok {
		return s
	}
	s := validUTF8(b)
	d.intern[string(b)] = s
	return s
}

// value decodes the payload in a google.protobuf.StringValue, as far as the
// level allows. An unset wrapper never gets here and stays empty.
func (d *decoder) value(b []byte) Payload {
	w := wire{buf: b}
	var text []byte
	for {
		num, typ, _, s, ok := w.next()
		if !ok {
			break
		}
		if num == 1 && typ == wireLen {
			text = s
		}
	}
	if d.o.Sharing.Level != LevelFull {
		return WithheldPayload(d.share).withPrint(d.o.Fingerprint, text)
	}
	if len(text) == 0 {
		return EmptyPayload()
	}
	return SharedPayload(validUTF8(text))
}

// wrapped decodes a StringValue that is not a payload (version, stack trace).
func (d *decoder) wrapped(b []byte) string {
	w := wire{buf: b}
	for {
		num, typ, _, s, ok := w.next()
		if !ok {
			return ""
		}
		if num == 1 && typ == wireLen {
			return d.str(s)
		}
	}
}

// first returns string field num of the message b.
func (d *decoder) first(b []byte, num int) string {
	w := wire{buf: b}
	for {
		n, typ, _, s, ok := w.next()
		if !ok {
			return ""
		}
		if n == num && typ == wireLen {
			return d.str(s)
		}
	}
}

func (d *decoder) router(b []byte, ev *Event) {
	w := wire{buf: b}
	for {
		num, typ, _, s, ok := w.next()
		if !ok {
			return
		}
		if typ == wireLen && num == 1 {
			ev.App = d.str(s)
		}
		if typ == wireLen && num == 2 {
			ev.TargetApp = d.str(s)
		}
	}
}

// body decodes the message of the event's kind.
func (d *decoder) body(b []byte, ev *Event) bool {
	if hasPayload(ev.Kind) {
		ev.Payload = EmptyPayload()
	}
	if hasRef(ev.Kind) {
		ev.TaskScheduledID = 0 // proto3 leaves a zero out
	}
	w := wire{buf: b}
	for {
		num, typ, v, s, ok := w.next()
		if !ok {
			return !w.bad
		}
		if typ == wireVarint {
			switch {
			case num == 1 && ev.Kind == ExecutionCompleted:
				ev.Status = protoStatus(v)
			case num == 1 && hasRef(ev.Kind) && ev.Kind != TimerFired, num == 2 && ev.Kind == TimerFired:
				ev.TaskScheduledID = int32(v)
			}
			continue
		}
		if typ == wireLen && !d.field(num, s, ev) {
			return false
		}
	}
}

// field decodes one length-delimited field of an event's message.
func (d *decoder) field(num int, s []byte, ev *Event) bool {
	ok := true
	switch ev.Kind {
	case ExecutionStarted:
		ok = d.executionStarted(num, s, ev)
	case ExecutionCompleted:
		switch num {
		case 2:
			ev.Payload = d.value(s)
		case 3:
			ev.Failure = d.failure(s, 0)
		}
	case TaskScheduled:
		switch num {
		case 1:
			ev.Name = d.str(s)
		case 2:
			ev.Version = d.wrapped(s)
		case 3:
			ev.Payload = d.value(s)
		case 5:
			ev.TaskExecutionID = d.str(s)
		case 6:
			ev.RerunOf = d.first(s, 1)
		}
	case TaskCompleted, ChildCompleted:
		switch {
		case num == 2:
			ev.Payload = d.value(s)
		case num == 3 && ev.Kind == TaskCompleted:
			ev.TaskExecutionID = d.str(s)
		}
	case TaskFailed, ChildFailed:
		switch {
		case num == 2:
			ev.Failure = d.failure(s, 0)
		case num == 3 && ev.Kind == TaskFailed:
			ev.TaskExecutionID = d.str(s)
		}
	case ChildCreated:
		d.childCreated(num, s, ev)
	case TimerCreated:
		ok = d.timerCreated(num, s, ev)
	case TimerFired:
		if num == 1 {
			ev.FireAt, ok = timestamp(s)
		}
	case EventSent:
		switch num {
		case 1:
			ev.Instance = d.str(s)
		case 2:
			ev.Name = d.str(s)
		case 3:
			ev.Payload = d.value(s)
		}
	case EventRaised:
		switch num {
		case 1:
			ev.Name = d.str(s)
		case 2:
			ev.Payload = d.value(s)
		}
	case ExecutionTerminated, ContinueAsNew, ExecutionSuspended, ExecutionResumed, GenericEvent:
		if num == 1 {
			ev.Payload = d.value(s)
		}
	case ExecutionStalled:
		if num == 2 {
			ev.Name = d.str(s)
		}
	case DetachedCreated:
		if num == 1 {
			ev.Instance = d.str(s)
		}
	}
	return ok
}

func (d *decoder) executionStarted(num int, s []byte, ev *Event) bool {
	ok := true
	switch num {
	case 1:
		ev.Name = d.str(s)
	case 2:
		ev.Version = d.wrapped(s)
	case 3:
		ev.Payload = d.value(s)
	case 4:
		ev.Instance, ev.ExecutionID = d.instance(s)
	case 5:
		ev.Parent = d.parent(s)
	case 6:
		ev.FireAt, ok = timestamp(s)
	}
	return ok
}

func (d *decoder) childCreated(num int, s []byte, ev *Event) {
	switch num {
	case 1:
		ev.Instance = d.str(s)
	case 2:
		ev.Name = d.str(s)
	case 3:
		ev.Version = d.wrapped(s)
	case 4:
		ev.Payload = d.value(s)
	case 6:
		ev.RerunOf = d.first(s, 1)
	case 8:
		ev.RetryOf = d.first(s, 1)
	}
}

func (d *decoder) timerCreated(num int, s []byte, ev *Event) bool {
	ok := true
	switch num {
	case 1:
		ev.FireAt, ok = timestamp(s)
	case 2:
		ev.Name = d.str(s)
	case 3:
		ev.RerunOf = d.first(s, 1)
	case 4:
		ev.Origin = Origin{Kind: OriginCreateTimer}
	case 5:
		ev.Origin = Origin{Kind: OriginExternalEvent, Ref: d.first(s, 1)}
	case 6:
		ev.Origin = Origin{Kind: OriginActivityRetry, Ref: d.first(s, 1)}
	case 7:
		ev.Origin = Origin{Kind: OriginChildRetry, Ref: d.first(s, 1)}
	}
	return ok
}

func (d *decoder) instance(b []byte) (id, execution string) {
	w := wire{buf: b}
	for {
		num, typ, _, s, ok := w.next()
		if !ok {
			return id, execution
		}
		if typ == wireLen && num == 1 {
			id = d.str(s)
		}
		if typ == wireLen && num == 2 {
			execution = d.wrapped(s)
		}
	}
}

func (d *decoder) parent(b []byte) *Parent {
	p := &Parent{}
	w := wire{buf: b}
	for {
		num, typ, v, s, ok := w.next()
		if !ok {
			return p
		}
		switch {
		case num == 1 && typ == wireVarint:
			p.TaskScheduledID = int32(v)
		case typ != wireLen:
		case num == 2:
			p.Name = d.wrapped(s)
		case num == 4:
			p.Instance, p.Execution = d.instance(s)
		case num == 5:
			p.App = d.str(s)
		}
	}
}

func (d *decoder) failure(b []byte, depth int) *Failure {
	f := &Failure{}
	w := wire{buf: b}
	for {
		num, typ, v, s, ok := w.next()
		if !ok {
			return f
		}
		switch {
		case num == 5 && typ == wireVarint:
			f.NonRetriable = v != 0
		case typ != wireLen:
		case num == 1:
			f.Type = d.str(s)
		case num == 2:
			f.Message = d.str(s) // interned: a retried call fails with the same words again
		case num == 3:
			f.Stack = d.wrapped(s)
		case num == 4 && depth < maxFailureDepth:
			f.Inner = d.failure(s, depth+1)
		}
	}
}

func protoStatus(v uint64) Status {
	// OrchestrationStatus 0..8 in the order of the enum.
	order := [...]Status{Running, Completed, ContinuedAsNew, Failed, Canceled, Terminated, Pending, Suspended, Stalled}
	if v < uint64(len(order)) {
		return order[v]
	}
	return StatusUnknown
}

// hasRef reports whether events of kind k answer another event.
func hasRef(k Kind) bool {
	switch k {
	case TaskCompleted, TaskFailed, ChildCompleted, ChildFailed, TimerFired:
		return true
	}
	return false
}

// hasPayload reports whether events of kind k carry a payload in the protocol.
func hasPayload(k Kind) bool {
	switch k {
	case ExecutionStarted, ExecutionCompleted, ExecutionTerminated, TaskScheduled, TaskCompleted, ChildCreated,
		ChildCompleted, EventSent, EventRaised, ContinueAsNew, ExecutionSuspended, ExecutionResumed, GenericEvent:
		return true
	}
	return false
}

// StoreMetadata is a run's metadata row in a Dapr state store.
type StoreMetadata struct {
	InboxLength, HistoryLength, Generation uint64
}

// ParseStoreMetadata decodes a metadata row: protobuf {inboxLength 1,
// historyLength 2, generation 3}, or the JSON that Dapr before 1.15 wrote
// ({"InboxLength":…}).
func ParseStoreMetadata(raw []byte) (StoreMetadata, error) {
	var m StoreMetadata
	if len(raw) > 0 && raw[0] == '{' {
		if err := json.Unmarshal(raw, &m); err != nil {
			return StoreMetadata{}, &fault.Error{Kind: fault.Damaged, What: "read a metadata row as JSON", Cause: err}
		}
		return m, nil
	}
	w := wire{buf: raw}
	for {
		num, typ, v, _, ok := w.next()
		if !ok {
			break
		}
		if typ != wireVarint {
			continue
		}
		switch num {
		case 1:
			m.InboxLength = v
		case 2:
			m.HistoryLength = v
		case 3:
			m.Generation = v
		}
	}
	if w.bad {
		return StoreMetadata{}, &fault.Error{Kind: fault.Damaged, What: "read a metadata row", Do: "the row is neither protobuf nor JSON metadata"}
	}
	return m, nil
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
