package tools

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/intents"
	"github.com/idem-mcp/idem-mcp/outside/logs"
	"github.com/idem-mcp/idem-mcp/outside/provider"
	"github.com/idem-mcp/idem-mcp/outside/records"
	"github.com/idem-mcp/idem-mcp/outside/spans"
)

// Outside says how what stands beside a history is read.
type Outside struct {
	Logs     logs.Mapping
	Provider provider.Mapping // the zero value: chosen from the content
	Intents  intents.Mapping
	Database intents.Database // read for intents "database"
	Skew     time.Duration
	Stdin    io.Reader // in a shell only
}

// Beside names what a capability reads beside the runs: files and folders,
// several separated by commas.
type Beside struct {
	Log      string `json:"log" max:"4096" doc:"application logs: files or folders, several separated by commas" brief:"application logs (file or folder)"`
	Spans    string `json:"spans" max:"4096" doc:"exported traces, OTLP or Zipkin JSON" brief:"OTLP or Zipkin JSON"`
	Provider string `json:"provider" max:"4096" doc:"a provider's exported list or received webhooks, CSV or JSON" brief:"provider's list"`
	Intents  string `json:"intents" max:"4096" doc:"an intent table: CSV or JSON, or database as configured" brief:"intent table"`
}

func (b Beside) given() bool { return b.Log+b.Spans+b.Provider+b.Intents != "" }

// named splits a list of paths. One that exists as it stands is one, commas or
// not.
func named(list string) []string {
	if list == "" {
		return nil
	}
	if _, err := os.Lstat(list); err == nil {
		return []string{list}
	}
	return records.Alternatives(list)
}

// outsideAnswer is the part of an answer that rests on outside sources.
type outsideAnswer struct {
	Sources    []outsideSource          `json:"sources" jsonschema:"what was read, and how much of it was joined"`
	JoinedBy   map[outside.JoinRule]int `json:"joined_by" jsonschema:"bodies by the rule that joined them"`
	Lines      outside.Lines            `json:"lines"`
	Unplaced   map[string]int           `json:"unplaced,omitempty" jsonschema:"bodies with a run's id that belong to no call, by reason"`
	Skew       string                   `json:"skew_allowed"`
	Offset     string                   `json:"clock_offset,omitempty"`
	Incomplete bool                     `json:"incomplete" jsonschema:"lines are known to be missing: every count is at least"`
	Calls      []outside.CallEvidence   `json:"calls" jsonschema:"calls with another number of bodies than of attempts, or several of either"`
	Duplicates []outside.Duplicate      `json:"duplicates" jsonschema:"what happened more than once, traced back to runs"`
	More       int                      `json:"more,omitempty" jsonschema:"duplicates counted and not listed"`

	as     map[string][]string // fields by what they were taken for
	counts map[callOf]string   // bodies of every call, for the table
}

type callOf struct{ run, location, call string }

type outsideSource struct {
	Kind    string `json:"kind"`
	Files   int    `json:"files"`
	Read    int64  `json:"read"`    // lines, spans or records
	Matched int64  `json:"matched"` // of a run that was read
	Note    string `json:"note,omitempty"`
}

// readOutside reads everything that was named and joins it with the index.
func (d Deps) readOutside(ctx context.Context, b Beside, x *outside.Index, cov *Coverage) (*outsideAnswer, *outside.Evidence, error) {
	out := &outsideAnswer{as: map[string][]string{}, counts: map[callOf]string{}}
	x.Skew = d.Outside.Skew
	if err := d.readProvider(ctx, b.Provider, x, out, cov); err != nil {
		return nil, nil, err
	}
	if err := d.readSpans(ctx, b.Spans, x, out, cov); err != nil {
		return nil, nil, err
	}
	e, err := d.readLogs(ctx, b.Log, x, out, cov)
	if err != nil {
		return nil, nil, err
	}
	out.JoinedBy, out.Lines, out.Unplaced, out.Incomplete = e.JoinedBy, e.Lines, e.Unplaced, e.Incomplete
	out.Skew = span(e.Skew)
	if off := max(e.Ahead, e.Behind); off > 100*time.Millisecond {
		out.Offset = "ahead of the history by " + span(e.Ahead)
		if e.Behind > e.Ahead {
			out.Offset = "behind the history by " + span(e.Behind)
		}
	}
	out.Duplicates, out.More = e.Duplicates(d.full())
	for i := range e.Calls {
		c := &e.Calls[i]
		if c.Bodies != nil {
			out.counts[callOf{c.Run, c.Location, c.Call}] = bodyCount(c)
		}
		if c.Bodies != nil && (*c.Bodies != c.Attempts || *c.Bodies > 1) || c.Effects > 1 || c.Provider > 1 {
			out.Calls = append(out.Calls, *c)
		}
	}
	if err := d.readIntents(ctx, b.Intents, out, e, cov); err != nil {
		return nil, nil, err
	}
	out.admit(e, cov)
	return out, e, nil
}

// admit says which sources told nothing of these runs, and which bodies were
// left over: "no repeat" beside them is no better than without them.
func (out *outsideAnswer) admit(e *outside.Evidence, cov *Coverage) {
	for i := range out.Sources {
		s := &out.Sources[i]
		if s.Kind == "provider" {
			s.Note = fmt.Sprintf("%d with a key or reference; %s", s.Matched, s.Note)
			s.Matched = int64(e.Operations)
		}
		switch {
		case s.Read == 0:
			cov.miss("the " + s.Kind + " named is empty: it says nothing of these runs")
		case s.Matched == 0:
			cov.miss(fmt.Sprintf("nothing of what was read of the %s (%s) is of these runs: it says nothing of them", s.Kind, s.units(s.Read)))
		}
	}
	if e.Doubts > 0 {
		cov.miss(fmt.Sprintf("%s with an id of these runs could be of their calls and %s counted for none", plural(e.Doubts, "body", "bodies"), map[bool]string{true: "was", false: "were"}[e.Doubts == 1]))
	}
}

// units counts in what the source is made of.
func (s *outsideSource) units(n int64) string {
	switch s.Kind {
	case "log":
		return plural(int(n), "line", "lines")
	case "spans":
		return plural(int(n), "span", "spans")
	}
	return plural(int(n), "record", "records")
}

// full reports whether keys, amounts and references may be shown.
func (d Deps) full() bool { return d.Reading.Sharing.Level == history.LevelFull }

// readLogs reads the logs, and where keys are known a second time for lines of
// other runs and callers with the same key.
func (d Deps) readLogs(ctx context.Context, paths string, x *outside.Index, out *outsideAnswer, cov *Coverage) (*outside.Evidence, error) {
	if paths == "" {
		return x.Settle(), nil
	}
	files, err := d.files(paths)
	if err != nil {
		return nil, err
	}
	res, err := logs.Read(ctx, files, d.Outside.Logs, x)
	if err != nil {
		return nil, err
	}
	src := outsideSource{Kind: "log", Files: res.Files, Read: res.Lines, Matched: res.Matched}
	e := x.Settle()
	switch keys := e.LearnKeys() > 0; {
	case keys && files.Repeatable():
		again, err := logs.ReadKeys(ctx, files, d.Outside.Logs, x)
		if err != nil {
			return nil, err
		}
		src.Note = fmt.Sprintf("read again for the keys: %d more lines", again.Matched)
		e = x.Settle()
	case keys:
		src.Note = "standard input was not read again for lines of other runs with the same key"
	}
	if res.TooLong > 0 {
		cov.miss(fmt.Sprintf("%s of the log longer than 1 MB", plural(int(res.TooLong), "line", "lines")))
	}
	broken(cov, res.Broken)
	out.as = res.Fields
	out.Sources = append(out.Sources, src)
	return e, nil
}

func (d Deps) readSpans(ctx context.Context, paths string, x *outside.Index, out *outsideAnswer, cov *Coverage) error {
	if paths == "" {
		return nil
	}
	files, err := d.files(paths)
	if err != nil {
		return err
	}
	res, err := spans.Read(ctx, files, x)
	if err != nil {
		return err
	}
	broken(cov, res.Broken)
	out.Sources = append(out.Sources, outsideSource{Kind: "spans", Files: res.Files, Read: int64(res.Spans), Matched: int64(res.Matched), Note: fmt.Sprintf("%d of activities", res.Activities)})
	return nil
}

func (d Deps) readProvider(ctx context.Context, paths string, x *outside.Index, out *outsideAnswer, cov *Coverage) error {
	if paths == "" {
		return nil
	}
	files, err := d.files(paths)
	if err != nil {
		return err
	}
	res, err := provider.Read(ctx, files, d.Outside.Provider, x)
	if err != nil {
		return err
	}
	broken(cov, res.Broken)
	out.Sources = append(out.Sources, outsideSource{Kind: "provider", Files: res.Files, Read: int64(res.Records), Matched: int64(res.Operations), Note: "mapping " + clean.Line(orUnknown(res.Mapping), 40)})
	return nil
}

// readIntents adds what the intent table says of the keys that were met twice.
func (d Deps) readIntents(ctx context.Context, paths string, out *outsideAnswer, e *outside.Evidence, cov *Coverage) error {
	if paths == "" {
		return nil
	}
	var res intents.Result
	states := map[string]int{}
	err := d.eachIntent(ctx, paths, &res, func(in outside.Intent) error {
		if e.Knows(in.Key) {
			states[in.State.String()]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	broken(cov, res.Broken)
	matched, parts := 0, []string{}
	for _, s := range [...]outside.State{outside.Pending, outside.Succeeded, outside.Failed, outside.StateUnknown} {
		if n := states[s.String()]; n > 0 {
			matched += n
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	out.Sources = append(out.Sources, outsideSource{Kind: "intents", Files: res.Files, Read: int64(res.Records), Matched: int64(matched), Note: strings.Join(parts, ", ")})
	return nil
}

// eachIntent reads intent files, or the configured query for "database".
func (d Deps) eachIntent(ctx context.Context, paths string, res *intents.Result, each func(outside.Intent) error) (err error) {
	if paths == "database" {
		if d.Outside.Database.DSN == "" || d.Outside.Database.Query == "" {
			return &fault.Error{Kind: fault.Config, What: "intents says database, and none is configured", Do: "Set outside.intents.database and outside.intents.query, or name a file"}
		}
		*res, err = intents.Query(ctx, d.Outside.Database, d.Outside.Intents, each)
		return err
	}
	files, err := d.files(paths)
	if err != nil {
		return err
	}
	*res, err = intents.Read(ctx, files, d.Outside.Intents, each)
	return err
}

func broken(cov *Coverage, list []input.Broken) {
	for _, b := range list {
		cov.miss(b.Name + ": " + b.Why)
	}
}

// files resolves what was named. An assistant may name what lies under the
// allowed roots; a person in a shell may name anything, and standard input.
func (d Deps) files(paths string) (input.Files, error) {
	out := input.Files{Stdin: d.Outside.Stdin}
	for _, p := range named(paths) {
		if d.Shell {
			out.Paths = append(out.Paths, p)
			continue
		}
		abs, err := d.absolute(p)
		if err != nil {
			return out, err
		}
		real, err := filepath.EvalSymlinks(abs)
		if err != nil || p == input.Stdin {
			return out, &fault.Error{Kind: fault.NotFound, What: "read " + clean.Line(p, 200) + ": no such file or folder", Means: "nothing was joined", Do: "Check the path; it may be relative to " + d.baseFolder()}
		}
		if !slices.ContainsFunc(d.Code.Roots, func(r string) bool {
			root, err := filepath.EvalSymlinks(r)
			return err == nil && under(root, real)
		}) {
			return out, &fault.Error{Kind: fault.Forbidden, What: "read " + clean.Line(p, 200) + ": it is outside the allowed roots", Means: "nothing was read", Do: "Allowed: " + strings.Join(d.Code.Roots, ", ") + ". The operator widens this with review.roots"}
		}
		out.Paths = append(out.Paths, real)
	}
	return out, nil
}

// fit cuts what is listed to a size in bytes; 0 is no bound.
func (o *outsideAnswer) fit(budget int, detailed bool) {
	if o.Calls == nil {
		o.Calls = []outside.CallEvidence{}
	}
	if o.Duplicates == nil {
		o.Duplicates = []outside.Duplicate{}
	}
	if budget <= 0 {
		return
	}
	for i := range o.Calls {
		if c := &o.Calls[i]; !detailed {
			c.Seen = c.Seen[:min(len(c.Seen), 4)]
		}
	}
	n := fitting(len(o.Duplicates), budget/2, func(i int) int { return size(o.Duplicates[i]) })
	o.More += len(o.Duplicates) - n
	o.Duplicates = o.Duplicates[:n]
	o.Calls = o.Calls[:fitting(len(o.Calls), budget/2, func(i int) int { return size(o.Calls[i]) })]
}

// only keeps what is about one call.
func (o *outsideAnswer) only(call string) {
	o.Duplicates = slices.DeleteFunc(o.Duplicates, func(d outside.Duplicate) bool {
		return !slices.ContainsFunc(d.Calls, func(c outside.CallRef) bool { return c.Call == call || c.Call == "" })
	})
	o.More, o.Calls = 0, nil
}
