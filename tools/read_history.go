package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// idem_read_history answers: what did the engine record about this run, in
// which order? It shows recorded events; a body that ran without leaving an
// event is not among them.

func readHistory() Capability {
	return define(definition[readHistoryIn, *readHistoryOut]{
		Name: "idem_read_history", Command: "history", Title: "Events of one run", Paths: true,
		Purpose: "Reads the recorded events of a run in stored order. Use it to check a finding; not to find repeats, idem_find_duplicates reads the events itself.",
		Example: `{"run":"order-42","limit":20}`,
		Run:     runReadHistory,
	})
}

type readHistoryIn struct {
	Which
	Page
}

type readHistoryOut struct {
	Answer
	Run      runRow     `json:"run"`
	Shape    string     `json:"shape" jsonschema:"the form the history came in"`
	Carries  []string   `json:"carries"`
	Lacks    []string   `json:"lacks"`
	First    int        `json:"first_event"`
	Total    int        `json:"total_events"`
	Events   []eventRow `json:"events"`
	detailed bool
}

// eventRow is one event. Ids are pointers because 0 is one.
type eventRow struct {
	Index           int32            `json:"index"`
	Type            string           `json:"type"`
	At              string           `json:"at,omitempty"`
	ID              *int32           `json:"id,omitempty"`
	Name            string           `json:"name,omitempty"`
	TaskScheduledID *int32           `json:"task_scheduled_id,omitempty"`
	TaskExecutionID string           `json:"task_execution_id,omitempty"`
	FireAt          string           `json:"fire_at,omitempty"`
	Origin          *originRow       `json:"origin,omitempty"`
	Instance        string           `json:"instance,omitempty"`
	RerunOf         string           `json:"rerun_of,omitempty"`
	RetryOf         string           `json:"retry_of,omitempty"`
	Parent          string           `json:"parent,omitempty"`
	TargetApp       string           `json:"target_app,omitempty"`
	Status          string           `json:"status,omitempty"`
	Payload         *history.Payload `json:"payload,omitempty"`
	Failure         *failureRow      `json:"failure,omitempty"`
}

// originRow says why a timer was set. Of is the task execution id, the first
// child's run id or the event's name.
type originRow struct {
	Kind string `json:"kind"`
	Of   string `json:"of,omitempty"`
}

type failureRow struct {
	Type         string `json:"type,omitempty"`
	Message      string `json:"message,omitempty"`
	Stack        string `json:"stack,omitempty"`
	NonRetriable bool   `json:"non_retriable,omitempty"`
}

const (
	defaultEvents = 50
	cutMessage    = 200  // of an error, in concise form
	cutValue      = 2000 // of a payload or a stack, in detailed form
)

func runReadHistory(ctx context.Context, d Deps, in readHistoryIn) (*readHistoryOut, error) {
	run, err := d.resolve(ctx, in.Which)
	if err != nil {
		return nil, err
	}
	first, err := position(in.Cursor, len(run.Events))
	if err != nil {
		return nil, err
	}
	out := &readHistoryOut{Run: rowOf(run.Header), Shape: run.Shape.String(), First: first, Total: len(run.Events), detailed: in.detailed()}
	out.Run.Events = len(run.Events)
	out.Carries, out.Lacks = marks(run.Carries)
	out.Coverage.read(run)
	limit := in.Limit
	if limit == 0 && !d.Shell {
		limit = defaultEvents
	}
	out.take(run, first, limit, d.budget())
	if next := first + len(out.Events); next < len(run.Events) {
		out.Truncated, out.Cursor = true, "event:"+strconv.Itoa(next)
		out.Narrow = fmt.Sprintf("Pass cursor for the events from %d on.", next)
	}
	out.Summary = fmt.Sprintf("run %s of %s is %s; %s", name(run.Ref), orUnknown(shown(run.Workflow)), run.Status, extent(first, len(out.Events), len(run.Events)))
	out.NotVisible = []string{"An event is what the engine recorded. A body that was started again without a new schedule left none."}
	if len(out.Lacks) > 0 {
		out.NotVisible = append(out.NotVisible, "This form of history lacks "+strings.Join(out.Lacks, ", ")+".")
	}
	if isCatalyst(run.Shape) {
		out.Links = []Link{d.link(run.Ref, run.Shape)}
	}
	n := Next{Tool: "idem_find_duplicates", Why: "what these events say about repeated executions"}
	n.run(run)
	out.Next = []Next{n}
	again(out.Next, in.Which)
	if len(out.Events) == 0 {
		out.Hints = []string{"The history holds no event, or the cursor is behind its end: leave cursor out to begin again.", "A run that was created a moment ago has none yet; one that was purged has none any more."}
	}
	return out, nil
}

// position reads the cursor of an event page.
func position(cursor string, events int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := cursorAt("event:", cursor)
	return min(n, events), err
}

func extent(first, shown, total int) string {
	if shown == total {
		return count(total, "event")
	}
	if shown == 0 {
		return fmt.Sprintf("no event from %d on, of %d", first, total)
	}
	return fmt.Sprintf("events %d to %d of %d", first, first+shown-1, total)
}

func orUnknown(s string) string {
	if s == "" {
		return "an unnamed workflow"
	}
	return s
}

// take adds the events from first on that limit and budget allow.
func (out *readHistoryOut) take(run *history.Run, first, limit, budget int) {
	out.Events = []eventRow{}
	spent := 3000 // what the rest of the answer takes
	for i := first; i < len(run.Events) && (limit == 0 || len(out.Events) < limit); i++ {
		row := eventOf(&run.Events[i], out.detailed)
		spent += size(row) + 1
		if budget > 0 && spent > budget && len(out.Events) > 0 {
			return
		}
		if row.Payload != nil {
			out.Payloads.count(run.Events[i].Payload)
		}
		out.Events = append(out.Events, row)
	}
}

func eventOf(e *history.Event, detailed bool) eventRow {
	r := eventRow{
		Index: e.Index, Type: e.Kind.String(), At: stamp(e.At), ID: id(e.ID), Name: shown(e.Name), TaskScheduledID: id(e.TaskScheduledID),
		TaskExecutionID: shown(e.TaskExecutionID), FireAt: stamp(e.FireAt), Instance: shown(e.Instance), RerunOf: shown(e.RerunOf), RetryOf: shown(e.RetryOf),
		TargetApp: shown(e.TargetApp),
	}
	if e.Kind == history.KindUnknown {
		r.Type = "unknown: " + clean.Line(e.Unknown, 60)
	}
	if e.Kind == history.ExecutionCompleted {
		r.Status = e.Status.String()
	}
	if o := e.Origin; o.Kind != history.OriginUnknown {
		r.Origin = &originRow{o.Kind.String(), shown(o.Ref)}
	}
	if e.Parent != nil {
		r.Parent = shown(e.Parent.Instance)
	}
	if carriesPayload(e.Kind) {
		p := shownPayload(e.Payload, detailed)
		r.Payload = &p
	}
	if f := e.Failure; f != nil {
		r.Failure = &failureRow{Type: clean.Line(f.Type, 120), Message: clean.Line(f.Message, cutMessage), NonRetriable: f.NonRetriable}
		if detailed {
			r.Failure.Message, r.Failure.Stack = clean.Text(f.Message, cutValue), clean.Text(f.Stack, cutValue)
		}
	}
	return r
}

func carriesPayload(k history.Kind) bool {
	switch k {
	case history.TaskScheduled, history.TaskCompleted, history.ChildCreated, history.ChildCompleted, history.ExecutionStarted,
		history.ExecutionCompleted, history.ExecutionTerminated, history.EventRaised, history.EventSent:
		return true
	}
	return false
}

// shownPayload is the payload as an answer may carry it: cleaned, cut, and
// without its value in concise form.
func shownPayload(p history.Payload, detailed bool) history.Payload {
	v, ok := p.Value()
	switch {
	case !ok:
		return p
	case detailed:
		return history.SharedPayload(clean.Text(v, cutValue))
	}
	return history.SharedPayload(clean.Line(v, 60))
}

func id(n int32) *int32 {
	if n == history.NoID {
		return nil
	}
	return &n
}

func (out *readHistoryOut) render(t *text) {
	t.line("%s\n", sentence(out.Summary))
	rows := make([][]string, 0, len(out.Events))
	for _, e := range out.Events {
		at := strings.Replace(strings.TrimSuffix(e.At, "Z"), "T", " ", 1)
		if len(at) > 23 {
			at = at[:23]
		}
		rows = append(rows, []string{fmt.Sprint(e.Index), at, e.Type, e.Name, number(e.ID), number(e.TaskScheduledID), e.TaskExecutionID, e.notes()})
	}
	t.table([]string{"#", "AT (UTC)", "TYPE", "NAME", "ID", "OF", "EXECUTION ID", "NOTES"}, rows)
	if out.detailed {
		out.renderValues(t)
	}
	t.closing(&out.Answer)
}

func number(n *int32) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// notes are the facts of an event that have no column.
func (e eventRow) notes() string {
	var notes []string
	add := func(label, s string) {
		if s != "" {
			notes = append(notes, label+s)
		}
	}
	add("", e.Status)
	if e.Origin != nil {
		add("origin ", strings.TrimSpace(e.Origin.Kind+" "+e.Origin.Of))
	}
	if e.FireAt != "" {
		add("fires ", e.FireAt)
	}
	add("instance ", e.Instance)
	add("rerun of ", e.RerunOf)
	add("retry of ", e.RetryOf)
	add("child of ", e.Parent)
	add("in app ", e.TargetApp)
	if e.Failure != nil {
		add("failed: ", strings.TrimSpace(e.Failure.Type+" "+quoted(e.Failure.Message, 100)))
	}
	if e.Payload != nil && e.Payload.State() != history.PayloadShared {
		add("payload ", e.Payload.State().String())
	}
	return strings.Join(notes, "; ")
}

// renderValues writes what the application wrote, fenced.
func (out *readHistoryOut) renderValues(t *text) {
	for _, e := range out.Events {
		if e.Payload != nil {
			if v, ok := e.Payload.Value(); ok {
				t.line("\n%s", clean.Fence(fmt.Sprintf("payload of event %d, written by the application", e.Index), v))
			}
		}
		if e.Failure != nil && e.Failure.Stack != "" {
			t.line("\n%s", clean.Fence(fmt.Sprintf("failure of event %d, written by the application", e.Index), e.Failure.Message+"\n"+e.Failure.Stack))
		}
	}
}
