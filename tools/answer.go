package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/links"
	"github.com/idem-mcp/idem-mcp/outside/input"
)

// Answer is what every answer has. The JSON names are a contract.
type Answer struct {
	Summary    string            `json:"summary" jsonschema:"one sentence"`
	Findings   []history.Finding `json:"findings" jsonschema:"what was found, the certain and the grave first"`
	Evidence   []Evidence        `json:"evidence" jsonschema:"the events an answer rests on, beyond those of its findings"`
	Hints      []string          `json:"hints,omitempty" jsonschema:"of an empty answer: why nothing may show, and what to try"`
	NotVisible []string          `json:"not_visible" jsonschema:"what this source cannot show, and what would"`
	Payloads   Payloads          `json:"payloads" jsonschema:"what was shared, empty, withheld or not recorded"`
	Links      []Link            `json:"links" jsonschema:"console links, or why there is none"`
	Next       []Next            `json:"next" jsonschema:"calls worth making"`
	Coverage   Coverage          `json:"coverage" jsonschema:"how much of what was asked was read"`
	Truncated  bool              `json:"truncated" jsonschema:"more exists than is listed"`
	Narrow     string            `json:"narrow,omitempty" jsonschema:"how to see less or the rest, when truncated"`
	Cursor     string            `json:"cursor,omitempty" jsonschema:"continues this answer"`

	found bool
	// examined: the answer is a verdict over many, which a cut makes partial.
	examined bool
}

func (a *Answer) common() *Answer { return a }

// settle makes every list an empty list, never null.
func (a *Answer) settle() {
	a.Findings = list(a.Findings)
	a.Evidence = list(a.Evidence)
	a.NotVisible = list(a.NotVisible)
	a.Links = list(a.Links)
	a.Next = list(a.Next)
	a.Coverage.Missing = list(a.Coverage.Missing)
	if a.Coverage.State == "" {
		a.Coverage.State = "complete"
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		f.Evidence = list(f.Evidence)
		for j := range f.Calls {
			f.Calls[j].Marks = list(f.Calls[j].Marks)
		}
	}
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Evidence is a place in a run's history with the values that decide.
type Evidence struct {
	Run string `json:"run"`
	history.Evidence
}

// Payloads counts the payloads an answer rests on by their state. A withheld
// payload is never counted as empty.
type Payloads struct {
	Shared      int    `json:"shared"`
	Empty       int    `json:"empty"`
	Withheld    int    `json:"withheld"`
	NotRecorded int    `json:"not_recorded"`
	Level       string `json:"level,omitempty" jsonschema:"the data-sharing level that withheld them; absent when nobody stated one"`
	HowKnown    string `json:"how_known,omitempty"`
}

func (p *Payloads) count(q history.Payload) {
	switch q.State() {
	case history.PayloadShared:
		p.Shared++
	case history.PayloadEmpty:
		p.Empty++
	case history.PayloadWithheld:
		p.Withheld++
		if s, _ := q.Sharing(); p.HowKnown == "" {
			p.Level, p.HowKnown = s.Level.String(), s.How
			if p.HowKnown == "" {
				p.HowKnown = "the server did not state the level"
			}
		}
	case history.PayloadNotRecorded:
		p.NotRecorded++
	}
}

func (p *Payloads) countRun(r *history.Run) {
	for i := range r.Events {
		switch r.Events[i].Kind {
		case history.TaskScheduled, history.TaskCompleted, history.ChildCreated, history.ChildCompleted,
			history.ExecutionStarted, history.ExecutionCompleted, history.EventRaised, history.EventSent:
			p.count(r.Events[i].Payload)
		}
	}
}

// String is the sentence of a text answer, empty when there is nothing to say.
func (p Payloads) String() string {
	if p.Withheld == 0 {
		return ""
	}
	why := "the server did not state the level"
	if p.Level != "" {
		why = "data-sharing level " + p.Level + ": " + p.HowKnown
	}
	return fmt.Sprintf("%s withheld (%s).", count(p.Withheld, "payload"), why)
}

// Link is a console link of a run. Without a URL, Why says why there is none.
type Link struct {
	App string `json:"app,omitempty"`
	Run string `json:"run"`
	URL string `json:"url,omitempty"`
	Why string `json:"why,omitempty" jsonschema:"why there is no link, or a caveat"`
}

// link builds the link of a run. A run of a local Dapr is in no console.
func (d Deps) link(r history.Ref, shape history.Shape) Link {
	l := Link{App: shown(r.App), Run: shown(r.Instance)}
	switch shape {
	case history.ShapeCatalyst, history.ShapeArchive:
	default:
		l.Why = "the run does not come from Catalyst, so it has no console page"
		return l
	}
	l.URL, l.Why = links.Run(d.Console, d.project(r.Project), r.App, r.Instance)
	return l
}

func (d Deps) project(p history.Project) links.Project {
	if p.Name == "" && p.UID == "" {
		return d.Project
	}
	return links.Project{Name: p.Name, UID: p.UID}
}

// Next is a call worth making.
type Next struct {
	Tool      string            `json:"tool"`
	Arguments map[string]string `json:"arguments"`
	Why       string            `json:"why"`

	path string   // the file to name in a shell instead of run
	from []string // the files of the source, where path names none
}

// readHere makes commands that read runs read those that this answer is of: a
// source that was named on the command line is not there without it.
func (d Deps) readHere(calls []Next) {
	s, ok := d.Source.(interface{ Named() []string })
	if !ok || !d.Shell {
		return
	}
	for i := range calls {
		switch n := &calls[i]; n.Tool {
		case "idem_find_duplicates", "idem_list_runs", "idem_explain_call", "idem_read_history", "idem_preview_rerun", "idem_status", "idem_survey":
			if _, pasted := n.Arguments["history"]; n.path == "" && !pasted {
				n.from = s.Named()
			}
		}
	}
}

// beside makes calls that look closer read what was read beside the runs.
func (b Beside) beside(calls []Next) {
	for i := range calls {
		if calls[i].Tool != "idem_explain_call" {
			continue
		}
		for name, paths := range map[string]string{"log": b.Log, "spans": b.Spans, "provider": b.Provider, "intents": b.Intents} {
			if paths != "" && paths != input.Stdin && clean.Line(paths, len(paths)) == paths {
				calls[i].Arguments[name] = paths
			}
		}
	}
}

// run makes n about a run: by its location where the source has one, since an
// id can stand in several places.
func (n *Next) run(r *history.Run) {
	if n.Arguments == nil {
		n.Arguments = map[string]string{}
	}
	n.Arguments["run"] = handle(r.Ref)
	if r.Shape != history.ShapeSidecar && r.Shape != history.ShapeStateStore && r.Ref.Location != "standard input" {
		n.path = r.Ref.Location
	}
}

// again makes calls about a run that was pasted: it must be pasted again, since
// nothing is kept.
func again(calls []Next, w Which) {
	if w.History == "" {
		return
	}
	for i := range calls {
		if _, ok := calls[i].Arguments["run"]; !ok {
			continue
		}
		delete(calls[i].Arguments, "run")
		if w.Run != "" {
			calls[i].Arguments["run"] = shown(w.Run)
		}
		if w.App != "" {
			calls[i].Arguments["app"] = shown(w.App)
		}
		calls[i].Arguments["history"] = "<the same history>"
	}
}

// Coverage says how much of what was asked was read.
type Coverage struct {
	State      string   `json:"state" jsonschema:"complete, partial or none"`
	Runs       int      `json:"runs"`
	Events     int      `json:"events"`
	Skipped    int      `json:"skipped,omitempty" jsonschema:"files and rows beside the runs that are no runs"`
	PassedOver []string `json:"passed_over,omitempty" jsonschema:"each of them with the reason, in detailed form"`
	Missing    []string `json:"missing" jsonschema:"what was not read, and why"`

	list int // how many PassedOver may have
}

// listFor lets the detailed form list what was passed over.
func (c *Coverage) listFor(d Deps, p Page) {
	switch {
	case !p.detailed():
	case d.Shell:
		c.list = 10_000
	default:
		c.list = 15
	}
}

// maxMissing bounds how many clauses an answer lists; the rest are counted.
const maxMissing = 10

func (c *Coverage) miss(what string) {
	c.State = "partial"
	switch n := len(c.Missing); {
	case n < maxMissing:
		c.Missing = append(c.Missing, clean.Line(what, 200))
	case n == maxMissing:
		c.Missing = append(c.Missing, "and more of the same")
	}
}

func (c *Coverage) read(r *history.Run) {
	c.Runs++
	c.Events += len(r.Events)
	for _, m := range r.Coverage.Missing {
		c.miss("run " + name(r.Ref) + ": " + m)
	}
}

// without is the coverage before r, the only run read, was read.
func (c *Coverage) without(r *history.Run) Coverage {
	before := *c
	before.Runs, before.Events, before.Missing = 0, 0, nil
	for _, m := range c.Missing {
		if !strings.HasPrefix(m, "run "+name(r.Ref)+": ") {
			before.Missing = append(before.Missing, m)
		}
	}
	return before
}

// skip records what a listing passed over.
func (c *Coverage) skip(s *history.Skipped) {
	if !s.NoRun {
		c.miss(s.What + ": " + s.Why)
		return
	}
	c.Skipped++
	if len(c.PassedOver) < c.list {
		c.PassedOver = append(c.PassedOver, clean.Line(s.What+": "+s.Why, 240))
	}
}

// name is how an answer calls a run: its id, else where it stands.
func name(r history.Ref) string {
	switch {
	case r.Instance != "":
		return shown(r.Instance)
	case r.Location != "":
		return shown(r.Location)
	}
	return "(no id)"
}

// handle is what a next call passes as run: the id, or the location where only
// that tells runs apart.
func handle(r history.Ref) string {
	if r.Location != "" {
		return r.Location
	}
	return r.Instance
}

// shown makes an id or a name safe to show.
func shown(s string) string { return clean.Line(s, 200) }

// count is "1 run", "2 runs".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") || strings.HasSuffix(what, "ch") {
		return fmt.Sprintf("%d %ses", n, what)
	}
	if strings.HasSuffix(what, "ory") || strings.HasSuffix(what, "ery") {
		return fmt.Sprintf("%d %sies", n, what[:len(what)-1])
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// size is the length of v as JSON.
func size(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(b)
}

// fitting returns how many of n members fit into budget, each measured by size.
// At least one always fits: an answer that can never be continued is worse than
// one that is a little too long. A budget of 0 is none.
func fitting(n, budget int, size func(i int) int) int {
	if budget <= 0 {
		return n
	}
	for i := range n {
		if budget -= size(i) + 1; budget < 0 {
			return max(i, 1)
		}
	}
	return n
}

func (d Deps) budget() int {
	if d.Shell {
		return 0
	}
	return Budget
}
