package catalyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// maxEmptyPages is how many pages without a run may follow each other. A page
// may be empty while more follow, so one is no end; a server that never ends is
// not followed for ever.
const maxEmptyPages = 200

// Runs lists the runs of one project, page by page. What the server can filter
// it is asked to filter; every run is checked here again.
func (s *Source) Runs(ctx context.Context, f history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) {
		l := listing{source: s, filter: f, size: s.config.PageSize, waiting: f.Cursor != ""}
		l.run(ctx, yield)
	}
}

// listing is one pass over the runs.
type listing struct {
	source  *Source
	filter  history.Filter
	size    int
	cursor  any
	waiting bool // until the run that Filter.Cursor names has passed
	sent    []string
}

func (l *listing) run(ctx context.Context, yield func(history.Header, error) bool) {
	empty := 0
	for {
		doc, err := l.page(ctx)
		if err != nil {
			yield(history.Header{}, err)
			return
		}
		list, found := rows(doc, []string{"runs", "items", "results", "executions", "workflows", "workflowruns", "data", "instances"}, looksLikeRun)
		next := nextCursor(doc)
		if !found && next == nil {
			yield(history.Header{}, notRecognised("list runs", "no list of runs was found in it"))
			return
		}
		if empty++; len(list) > 0 {
			empty = 0
		}
		if !l.emit(ctx, list, yield) {
			return
		}
		if next == nil {
			l.end(len(list), yield)
			return
		}
		if err := l.advance(next, empty); err != nil {
			yield(history.Header{}, err)
			return
		}
	}
}

// page asks for one page, with half the rows each time the server says that it
// cannot filter an answer of this size.
func (l *listing) page(ctx context.Context) (json.RawMessage, error) {
	if _, err := l.source.session.tool(ctx, toolListRuns); err != nil {
		return nil, err // and the arguments can look at the tool's schema
	}
	for {
		a, err := l.source.session.call(ctx, "list runs of project "+l.source.projectName(), toolListRuns, l.arguments()...)
		if err == nil {
			if len(a.doc) == 0 {
				return nil, notRecognised("list runs", "it holds no JSON")
			}
			l.source.level.note(a.doc)
			return a.doc, nil
		}
		if !strings.EqualFold(RefusalKind(err), Unfilterable) || l.size <= 1 {
			return nil, err
		}
		l.size /= 2
	}
}

func (l *listing) arguments() []argument {
	f := l.filter
	args := []argument{
		{meaning: "the project", names: projectNames, value: l.source.projectArgument()},
		{meaning: "the page's size", names: sizeNames, value: l.size, optional: true},
	}
	if app := l.app(); app != "" {
		args = append(args, argument{meaning: "the app", names: appNames, value: app, optional: true})
	}
	if f.Workflow != "" {
		args = append(args, argument{meaning: "the workflow's name", names: workflowNames, value: f.Workflow, optional: true})
	}
	if len(f.Status) == 1 && serverFilters(f.Status[0]) {
		args = append(args, argument{meaning: "the status", names: statusNames, value: f.Status[0].String(), optional: true})
	}
	// A second wider at both ends, so that a cut fraction or an open bound loses no
	// run; the exact bounds are checked here.
	if !f.Since.IsZero() {
		args = append(args, argument{meaning: "the earliest start", names: sinceNames, value: f.Since.UTC().Add(-time.Second).Format(time.RFC3339), optional: true})
	}
	if !f.Until.IsZero() {
		args = append(args, argument{meaning: "the latest start", names: untilNames, value: f.Until.UTC().Add(time.Second).Format(time.RFC3339), optional: true})
	}
	if l.cursor != nil {
		args = append(args, argument{meaning: "the cursor", names: cursorNames, value: l.cursor})
	}
	return args
}

// app is the app to ask for: the filter's, or the configured one where the tool
// lists no runs without.
func (l *listing) app() string {
	l.source.session.mu.Lock()
	defer l.source.session.mu.Unlock()
	if l.filter.App == "" && l.source.session.tools[toolListRuns].requires(appNames) {
		return l.source.config.App
	}
	return l.filter.App
}

// serverFilters tells the statuses the server's filter knows.
func serverFilters(s history.Status) bool {
	return slices.Contains([]history.Status{history.Running, history.Completed, history.Failed, history.Terminated, history.Suspended, history.Canceled}, s)
}

// emit yields the rows that match; false when the caller has had enough.
func (l *listing) emit(ctx context.Context, list []json.RawMessage, yield func(history.Header, error) bool) bool {
	app := l.app()
	asked := app != "" && l.takes(appNames) // the server was asked for this app only
	for _, raw := range list {
		if err := ctx.Err(); err != nil {
			yield(history.Header{}, err)
			return false
		}
		h, err := l.source.header(raw)
		if err != nil {
			if !yield(history.Header{}, &history.Skipped{What: "a row of the listing", Why: err.Error()}) {
				return false
			}
			continue
		}
		if h.Ref.App == "" && asked {
			h.Ref.App = app
		}
		l.source.listed.put(h)
		if l.waiting {
			l.waiting = h.Ref.Cursor() != l.filter.Cursor
			continue
		}
		if l.filter.Match(h) && !yield(h, nil) {
			return false
		}
	}
	return true
}

// end tells, at the last page, what a caller would otherwise take for the whole.
func (l *listing) end(rows int, yield func(history.Header, error) bool) {
	switch {
	case l.waiting:
		yield(history.Header{}, &fault.Error{Kind: fault.NotFound, What: fmt.Sprintf("continue the listing after run %q", l.filter.Cursor), Means: "that run is no longer in the list", Do: "List from the start"})
	case rows >= l.size && !l.takes(cursorNames):
		yield(history.Header{}, &history.Skipped{What: "further runs", Why: fmt.Sprintf("the page of %d is full and the tool takes no cursor", rows)})
	}
}

// advance moves to the next page and refuses to go round in circles.
func (l *listing) advance(next any, empty int) error {
	key := fmt.Sprint(next)
	if slices.Contains(l.sent, key) || empty > maxEmptyPages {
		return &fault.Error{Kind: fault.Damaged, What: "list runs: the server's pages do not end", Means: "the list is not complete", Do: "Narrow the question by app, workflow or time"}
	}
	if len(l.sent) == maxEmptyPages {
		l.sent = l.sent[1:]
	}
	l.sent = append(l.sent, key)
	l.cursor = next
	return nil
}

func looksLikeRun(o object) bool {
	return o.has("instanceid", "runid", "workflowrunid", "workflowinstanceid") ||
		o.has("id") && o.has("status", "runtimestatus", "workflowname")
}

// header reads one row of a listing.
func (s *Source) header(raw json.RawMessage) (history.Header, error) {
	o, ok := asObject(raw)
	if !ok {
		return history.Header{}, errors.New("it is not an object")
	}
	row := unwrapRow(o)
	sharing := s.level.of(raw)
	opts := history.Options{Sharing: sharing, Fingerprint: s.config.Fingerprint}
	opts.Ref = history.Ref{
		Project:  s.knownProject(),
		App:      row.str("appid", "appidentity", "appname"),
		Instance: row.str("instanceid", "runid", "workflowrunid", "workflowinstanceid", "id"),
	}
	h, err := history.ParseHeader(raw, opts)
	if err != nil {
		return h, errors.New("it names no run")
	}
	if h.Workflow == "" {
		h.Workflow = row.str("name")
	}
	if h.CustomStatus.State() == history.PayloadNotRecorded {
		h.CustomStatus = history.WithheldPayload(&sharing)
	}
	return h, nil
}

func (l *listing) takes(names []string) bool {
	l.source.session.mu.Lock()
	defer l.source.session.mu.Unlock()
	return l.source.session.tools[toolListRuns].accepts(names)
}
