package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/idem-mcp/idem-mcp/history"
)

// idem_list_runs answers: which runs are there? It lists what the source has
// kept; runs that were purged, and earlier lives of an id, are not in it.

func listRuns() Capability {
	return define(definition[listRunsIn, *listRunsOut]{
		Name: "idem_list_runs", Command: "runs", Title: "List workflow runs", Paths: true,
		Purpose: "Lists runs by app, workflow, status, age or text. Use it to find a run's id; not to look for duplicates in many runs, idem_find_duplicates does that itself.",
		Example: `{"workflow":"OrderWorkflow","status":["failed"],"since":"24h"}`,
		Run:     runListRuns,
	})
}

type listRunsIn struct {
	App string `json:"app" doc:"app id" brief:"-"`
	Select
	Page
}

type listRunsOut struct {
	Answer
	Runs []runRow `json:"runs"`
}

type runRow struct {
	Run        string `json:"run"`
	App        string `json:"app,omitempty"`
	Location   string `json:"location,omitempty" jsonschema:"where the source keeps it; usable as run"`
	Workflow   string `json:"workflow,omitempty"`
	Status     string `json:"status"`
	Created    string `json:"created,omitempty"`
	Updated    string `json:"updated,omitempty"`
	Parent     string `json:"parent,omitempty"`
	Generation int64  `json:"generation,omitempty" jsonschema:"above 1: continued as new, or the id was used again; earlier generations are deleted"`
	Events     int    `json:"events,omitempty"`
}

// defaultRuns is how many runs an assistant is shown when it does not say.
const defaultRuns = 50

func runListRuns(ctx context.Context, d Deps, in listRunsIn) (*listRunsOut, error) {
	f, err := in.filter(in.App, in.Cursor, d.Now())
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit == 0 && !d.Shell {
		limit = defaultRuns
	}
	out := &listRunsOut{Runs: []runRow{}}
	out.Coverage.listFor(d, in.Page)
	var last history.Ref
	spent := 0
	for h, err := range d.Source.Runs(ctx, f) {
		var skipped *history.Skipped
		if errors.As(err, &skipped) {
			out.Coverage.skip(skipped)
			continue
		}
		if err != nil {
			return nil, err
		}
		row := rowOf(h)
		spent += size(row) + 1
		if limit > 0 && len(out.Runs) == limit || d.budget() > 0 && spent > d.budget()-4000 {
			out.Truncated, out.Cursor = true, last.Cursor()
			out.Narrow = "Pass cursor for the rest, or narrow by workflow, status, since or text."
			break
		}
		out.Runs = append(out.Runs, row)
		last = h.Ref
	}
	out.Coverage.Runs = len(out.Runs)
	out.conclude(in)
	if len(out.Runs) == 0 {
		out.Hints = d.whyNothing(ctx, in.Select, in.App)
	}
	return out, nil
}

func (out *listRunsOut) conclude(in listRunsIn) {
	n := len(out.Runs)
	out.Summary = count(n, "run")
	if out.Truncated {
		out.Summary = fmt.Sprintf("the first %d runs", n)
	}
	out.NotVisible = []string{"Runs that were purged, and earlier lives or generations of a run id, are not kept and cannot be listed."}
	if n == 0 {
		out.Coverage.State = "none" // a typo must not pass for an empty source
		out.Summary = "no run matches"
		if in.empty() && in.App == "" {
			out.Summary = "the source holds no run"
		}
		out.Next = []Next{{Tool: "idem_status", Arguments: map[string]string{}, Why: "which source was read, and what it can show"}}
		return
	}
	out.Next = []Next{{Tool: "idem_find_duplicates", Arguments: in.next(), Why: "which activity calls of these runs were executed more than once"}}
}

// next carries the narrowing of a listing over to another call.
func (in listRunsIn) next() map[string]string {
	args := map[string]string{}
	for k, v := range map[string]string{"app": in.App, "workflow": in.Workflow, "text": in.Text} {
		if v != "" {
			args[k] = v
		}
	}
	return args
}

func rowOf(h history.Header) runRow {
	r := runRow{
		Run: shown(h.Ref.Instance), App: shown(h.Ref.App), Location: shown(h.Ref.Location), Workflow: shown(h.Workflow),
		Status: h.Status.String(), Created: stamp(h.Created), Updated: stamp(h.Updated), Parent: shown(h.Parent), Generation: h.Generation,
	}
	r.Events = max(h.HistoryLen, 0)
	return r
}

func (out *listRunsOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	rows := make([][]string, 0, len(out.Runs))
	times := map[string]int{}
	for _, r := range out.Runs {
		times[r.Run]++
	}
	for _, r := range out.Runs {
		id := r.Run
		if id == "" {
			id = "(no id)"
		}
		location := ""
		if r.Run == "" || times[r.Run] > 1 {
			location = r.Location // only where the id does not tell runs apart
		}
		events, generation := "", ""
		if r.Events > 0 {
			events = fmt.Sprint(r.Events)
		}
		if r.Generation > 1 {
			generation = fmt.Sprint(r.Generation)
		}
		created := r.Created
		if len(created) > 19 {
			created = created[:19] + "Z"
		}
		rows = append(rows, []string{id, r.App, r.Workflow, r.Status, created, events, generation, r.Parent, location})
	}
	if len(rows) > 0 {
		t.line("")
		t.table([]string{"RUN", "APP", "WORKFLOW", "STATUS", "CREATED", "EVENTS", "GENERATION", "PARENT", "LOCATION"}, rows)
	}
	t.closing(&out.Answer)
}
