package survey

import (
	"fmt"
	"time"

	"github.com/dapr/durabletask-go/task"
)

// Names under which the engine knows the parts. They stand in stored histories, so
// they do not change.
const (
	scanName   = "idem-mcp.survey"
	partName   = "idem-mcp.survey.partition"
	listName   = "idem-mcp.survey.list"
	planName   = "idem-mcp.survey.plan"
	pageName   = "idem-mcp.survey.page"
	finishName = "idem-mcp.survey.finish"
)

// pagesPerHistory bounds a partition's own history: after so many pages it
// continues as new.
const pagesPerHistory = 40

// about is the survey that an activity works for. Every input has it, so that what
// is written is keyed on the input alone.
type about struct {
	Survey string `json:"survey"`
	Seq    int64  `json:"seq"`
	Source string `json:"source"`
	Scope  Scope  `json:"scope"`
}

func (a about) what() about { return a }

// survey is as much of it as reading and writing runs takes.
func (a about) survey() Survey {
	return Survey{ID: a.Survey, Seq: a.Seq, Source: a.Source, Scope: a.Scope, State: Running}
}

// partition is a range of the source.
type partition struct {
	Number int64  `json:"part"`
	After  string `json:"after,omitempty"` // cursor of the run before its first; empty: the beginning
	Last   string `json:"last,omitempty"`  // cursor of its last run; empty: the end of the source
	// Beyond are the ends of the next partitions: where the last run was purged
	// meanwhile, reading ends there, and what is read twice changes nothing.
	Beyond []string `json:"beyond,omitempty"`
}

// position is where a partition stands. Every page is given one and returns the
// next, so that a page which runs twice leads to the same place, and an early
// result that comes again only leads back.
type position struct {
	about
	partition
	Listed  int64         `json:"listed,omitempty"` // how many there are to read, where this tells
	Fresh   bool          `json:"fresh,omitempty"`  // the index knows no run of the source, so none is looked up
	Cursor  string        `json:"cursor,omitempty"`
	Pages   int64         `json:"pages,omitempty"`
	Seen    int64         `json:"seen,omitempty"`
	Reads   int64         `json:"reads,omitempty"`
	Repeats int64         `json:"repeats,omitempty"`
	Busy    time.Duration `json:"busy,omitempty"`
	End     bool          `json:"end,omitempty"`     // nothing is left to read, or it was cancelled
	Stopped bool          `json:"stopped,omitempty"` // it was cancelled
	Failed  string        `json:"failed,omitempty"`
}

// plan is where a survey as a whole stands: what is planned and not yet read.
type plan struct {
	about
	Width   int         `json:"width"`             // partitions that are read at once, at most
	Ready   bool        `json:"ready,omitempty"`   // the list is taken, where there has to be one
	Fresh   bool        `json:"fresh,omitempty"`   // as in a position
	Listed  int64       `json:"listed,omitempty"`  // counted so far
	Cursor  string      `json:"cursor,omitempty"`  // the end of the last partition
	Planned int64       `json:"planned,omitempty"` // partitions so far
	Whole   bool        `json:"whole,omitempty"`   // all of the source is planned
	Parts   []partition `json:"parts,omitempty"`
	Stopped bool        `json:"stopped,omitempty"`
	Failed  string      `json:"failed,omitempty"`
}

// scan is the workflow: the source is divided into partitions, a child workflow
// reads each, and the sums are made. It decides nothing by the clock, by chance, by
// the index or by settings that two workers could have differently. In one turn it
// schedules one activity at most: the PostgreSQL backend cannot commit two.
func (v *Surveyor) scan(ctx *task.WorkflowContext) (any, error) {
	var at plan
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	take := func(t task.Task) {
		var next plan
		if err := t.Await(&next); err != nil {
			at.Parts, at.Failed = nil, err.Error()
			return
		}
		at = next
	}
	if !at.Ready {
		take(ctx.CallActivity(listName, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry())))
	}
	if len(at.Parts) == 0 && !at.over() {
		take(ctx.CallActivity(planName, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry())))
	}
	if len(at.Parts) > 0 {
		var next task.Task
		if !at.Whole { // planned while these are read
			next = ctx.CallActivity(planName, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry()))
		}
		stopped, failed := v.readParts(ctx, at)
		if next != nil {
			take(next)
		} else {
			at.Parts = nil
		}
		at.Stopped = at.Stopped || stopped
		if at.Failed == "" {
			at.Failed = failed
		}
		if !at.over() || len(at.Parts) > 0 && at.Failed == "" && !at.Stopped {
			ctx.ContinueAsNew(at) // no child is left, so none of their results is lost
			return nil, nil
		}
	}
	var done plan
	at.Parts = nil
	err := ctx.CallActivity(finishName, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry())).Await(&done)
	return done, err
}

// over reports whether nothing more is planned.
func (p plan) over() bool { return p.Whole || p.Stopped || p.Failed != "" }

// readParts reads the planned partitions, as many at once as the plan allows, in
// their order. The first that fails or was cancelled ends it.
func (v *Surveyor) readParts(ctx *task.WorkflowContext, at plan) (stopped bool, failed string) {
	var under []task.Task
	await := func() {
		var end position
		err := under[0].Await(&end)
		under = under[1:]
		switch {
		case failed != "":
		case err != nil:
			failed = err.Error()
		default:
			failed = end.Failed
		}
		stopped = stopped || end.Stopped
	}
	for _, p := range at.Parts {
		if len(under) == max(at.Width, 1) {
			await()
		}
		if stopped || failed != "" {
			break
		}
		start := position{about: at.about, partition: p, Fresh: at.Fresh, Cursor: p.After}
		under = append(under, ctx.CallChildWorkflow(partName, task.WithChildWorkflowInput(start), task.WithChildWorkflowInstanceID(partID(at.Survey, p.Number))))
	}
	for len(under) > 0 {
		await()
	}
	return stopped, failed
}

// partID is the id of the child workflow that reads a partition.
func partID(survey string, part int64) string { return fmt.Sprintf("%s.%d", survey, part) }

// readPart is the child workflow: page after page of one partition.
func (v *Surveyor) readPart(ctx *task.WorkflowContext) (any, error) {
	var at position
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	for n := 0; !at.End; n++ {
		if n == pagesPerHistory {
			ctx.ContinueAsNew(at)
			return nil, nil
		}
		var next position
		if err := ctx.CallActivity(pageName, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry())).Await(&next); err != nil {
			at.Failed, at.End = err.Error(), true
			break
		}
		at = next
	}
	return at, nil
}

// retry is for a source that is away for a while. Every activity may run again.
func (v *Surveyor) retry() *task.RetryPolicy {
	return &task.RetryPolicy{MaxAttempts: 6, InitialRetryInterval: v.config.RetryTime, BackoffCoefficient: 2, MaxRetryInterval: 30 * v.config.RetryTime}
}
