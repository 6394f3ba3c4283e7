package survey

import (
	"time"

	"github.com/dapr/durabletask-go/task"
)

// Names under which the engine knows the parts. They stand in stored histories, so
// they do not change.
const (
	scanName   = "idem-mcp.survey"
	listName   = "idem-mcp.survey.list"
	pageName   = "idem-mcp.survey.page"
	finishName = "idem-mcp.survey.finish"
)

// pagesPerHistory bounds the workflow's own history: after so many pages it
// continues as new.
const pagesPerHistory = 40

// position is where a survey stands. Every activity is given one and returns the
// next, so that a page which runs twice leads to the same place, and an early
// result that comes again only leads back.
type position struct {
	Survey  string        `json:"survey"`
	Listed  int64         `json:"listed,omitempty"` // how many there are to read, once known
	Ready   bool          `json:"ready,omitempty"`  // the list is made, where there has to be one
	Fresh   bool          `json:"fresh,omitempty"`  // the index knows no run of the source, so none is looked up
	Cursor  string        `json:"cursor,omitempty"`
	Pages   int64         `json:"pages,omitempty"`
	Seen    int64         `json:"seen,omitempty"`
	Reads   int64         `json:"reads,omitempty"`
	Repeats int64         `json:"repeats,omitempty"`
	Busy    time.Duration `json:"busy,omitempty"`
	End     bool          `json:"end,omitempty"` // nothing is left to read, or it was cancelled
	Failed  string        `json:"failed,omitempty"`
}

// scan is the workflow: page after page, then the sums. It decides nothing by the
// clock, by chance or by the index.
func (v *Surveyor) scan(ctx *task.WorkflowContext) (any, error) {
	var at position
	if err := ctx.GetInput(&at); err != nil {
		return nil, err
	}
	step := func(name string) {
		var next position
		if err := ctx.CallActivity(name, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry())).Await(&next); err != nil {
			at.Failed, at.End = err.Error(), true
			return
		}
		at = next
	}
	if !at.Ready {
		step(listName)
	}
	for n := 0; !at.End; n++ {
		if n == pagesPerHistory {
			ctx.ContinueAsNew(at)
			return nil, nil
		}
		step(pageName)
	}
	var done position
	err := ctx.CallActivity(finishName, task.WithActivityInput(at), task.WithActivityRetryPolicy(v.retry())).Await(&done)
	return done, err
}

// retry is for a source that is away for a while. Every activity may run again.
func (v *Surveyor) retry() *task.RetryPolicy {
	return &task.RetryPolicy{MaxAttempts: 6, InitialRetryInterval: v.config.RetryTime, BackoffCoefficient: 2, MaxRetryInterval: 30 * v.config.RetryTime}
}
