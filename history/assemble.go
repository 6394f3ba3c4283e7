package history

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxMissing bounds how many clauses a Coverage lists; the rest are counted.
const maxMissing = 20

// miss records that something was not read.
func (c *Coverage) miss(format string, args ...any) {
	switch n := len(c.Missing); {
	case n < maxMissing:
		c.Missing = append(c.Missing, fmt.Sprintf(format, args...))
	case n == maxMissing:
		c.Missing = append(c.Missing, "and more of the same")
	}
}

func newRun(shape Shape, o Options) *Run {
	r := &Run{Shape: shape, Sharing: o.Sharing, Carries: carries(shape)}
	r.Ref = o.Ref
	r.HistoryLen = -1
	r.Input, r.Output, r.CustomStatus = Payload{}, Payload{}, Payload{}
	return r
}

// carries says what a shape can carry at best; finish takes away what a given
// run turned out not to have.
func carries(s Shape) Carries {
	switch s {
	case ShapeProtoJSON, ShapeProto, ShapeArchive, ShapeSidecar, ShapeStateStore:
		return Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true}
	case ShapeCatalyst:
		return Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true}
	case ShapeCLIJSON, ShapeCLIYAML:
		return Carries{IDs: true, Origins: true, Inputs: true}
	case ShapeDashboard:
		return Carries{StoredOrder: true, FullTimes: true, Inputs: true}
	}
	return Carries{}
}

// finish derives the run's header from its events where nothing better is
// known, and settles what this run carries.
func finish(r *Run, o Options) {
	r.Coverage.Read = len(r.Events)
	if r.Coverage.Asked < r.Coverage.Read {
		r.Coverage.Asked = r.Coverage.Read
	}
	subsecond := false
	for i := range r.Events {
		ev := &r.Events[i]
		ev.Index = int32(i)
		subsecond = subsecond || ev.At.Nanosecond() != 0
		if ev.At.After(r.Updated) {
			r.Updated = ev.At
		}
		summarize(r, ev)
	}
	r.Carries.FullTimes = r.Carries.FullTimes && subsecond
	r.checkWhole()
	if r.Status == StatusUnknown && len(r.Events) > 0 && !r.Coverage.Partial() {
		r.Status = derivedStatus(r.Events)
	}
	if r.Ref.App == "" {
		r.Ref.App = recordedApp(r.Events)
	}
	if r.Ref.Execution == "" {
		r.Ref.Execution = r.executionID()
	}
}

// summarize copies what an event says about the whole run into the header.
func summarize(r *Run, ev *Event) {
	switch ev.Kind {
	case ExecutionStarted:
		if r.Workflow == "" {
			r.Workflow = ev.Name
		}
		if r.Version == "" {
			r.Version = ev.Version
		}
		if r.Created.IsZero() {
			r.Created = ev.At
		}
		if ev.Parent != nil && r.Parent == "" {
			r.Parent = ev.Parent.Instance
		}
		if r.Input.State() == PayloadNotRecorded {
			r.Input = ev.Payload
		}
	case ExecutionCompleted:
		if r.Output.State() == PayloadNotRecorded {
			r.Output = ev.Payload
		}
		if ev.Failure != nil && r.Failure == nil {
			r.Failure = ev.Failure
		}
	}
}

// derivedStatus reads the status off the events. A run whose end is not
// recorded is running as far as its history goes.
func derivedStatus(events []Event) Status {
	status := Running
	for i := range events {
		switch events[i].Kind {
		case ExecutionCompleted:
			if events[i].Status != StatusUnknown {
				return events[i].Status
			}
			return StatusUnknown
		case ExecutionTerminated:
			status = Terminated
		case ExecutionSuspended:
			status = Suspended
		case ExecutionResumed:
			status = Running
		case ExecutionStalled:
			status = Stalled
		}
	}
	return status
}

// recordedApp is the app id that the events' routers name, when they agree.
func recordedApp(events []Event) string {
	app := ""
	for i := range events {
		e := &events[i]
		if e.App == "" || e.Kind == ChildCompleted || e.Kind == ChildFailed {
			continue
		}
		if app == "" {
			app = e.App
		} else if app != e.App {
			return ""
		}
	}
	return app
}

func (r *Run) executionID() string {
	for i := range r.Events {
		if r.Events[i].Kind == ExecutionStarted {
			return r.Events[i].ExecutionID
		}
	}
	return ""
}

// RecordedInstance is the instance id that the run's own events name. It is the
// source's id in a rerun, so it never stands in for Ref.Instance.
func (r *Run) RecordedInstance() string {
	for i := range r.Events {
		if r.Events[i].Kind == ExecutionStarted {
			return r.Events[i].Instance
		}
	}
	return ""
}

func validUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// maxBackward is how far a turn may begin before the one that was stored before
// it: two hosts' clocks.
const maxBackward = time.Minute

// checkWhole notes what makes a history doubtful as a whole: no beginning, times
// that run backwards, one id for different activities.
func (r *Run) checkWhole() {
	if len(r.Events) == 0 {
		return
	}
	started := false
	names := map[int32]string{}
	var turn time.Time
	for i := range r.Events {
		ev := &r.Events[i]
		switch ev.Kind {
		case ExecutionStarted:
			started = true
		case TaskScheduled:
			if name, ok := names[ev.ID]; ok && name != ev.Name {
				r.Coverage.miss("event id %d stands for different activities, so results cannot be told apart", ev.ID)
			}
			names[ev.ID] = ev.Name
		case WorkflowStarted:
			if r.Carries.StoredOrder && !ev.At.IsZero() {
				if turn.Sub(ev.At) > maxBackward && !r.Backwards {
					r.Backwards = true
					r.Coverage.miss("the times run backwards at event %d: nothing is read from them", i)
				}
				turn = ev.At
			}
		}
	}
	if !started {
		r.Coverage.miss("executionStarted is missing: the beginning of this history is not here")
	}
}
