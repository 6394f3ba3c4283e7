package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
	"github.com/idem-mcp/idem-mcp/keys"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// idem_choose_key answers: what key, then? Every source a key can come from,
// with what becomes of it in a retry, a redelivery, a lost commit, a rerun and a
// child retry: from the SDK's code, and measured on the runs that can be read.
// What a provider truly remembers, and which SDK version runs, it cannot see.

func chooseKey() Capability {
	return define(definition[chooseKeyIn, *chooseKeyOut]{
		Name: "idem_choose_key", Command: "key", Title: "Which idempotency key?", Paths: true,
		Purpose: "Ranks idempotency keys for an activity (name, source): stability by SDK and as measured on runs, provider window, code. For hazards use idem_review_code.",
		Example: `{"activity":"ChargeCard","language":"python","provider":"stripe"}`,
		Run:     runChooseKey,
	})
}

type chooseKeyIn struct {
	Activity string   `json:"activity" doc:"name"`
	Paths    []string `json:"paths" doc:"source"`
	Code     Inline   `json:"code" max:"1000000" doc:"source text"`
	Language string   `json:"language" enum:"python,csharp,java,go,javascript,typescript" doc:"SDK"`
	Provider string   `json:"provider" doc:"e.g. stripe"`
	App      string   `json:"app" doc:"app id"`
	Workflow string   `json:"workflow" doc:"runs of it"`
	Since    string   `json:"since" doc:"e.g. 7d"`
	Run      string   `json:"run" doc:"only this run"`
	History  Inline   `json:"history" max:"3000000" doc:"one run as JSON"`
	Page
}

type chooseKeyOut struct {
	Answer
	Activity string `json:"activity,omitempty"`
	Language string `json:"language,omitempty"`
	keys.Choice
	Measured []keys.Measured `json:"measured" jsonschema:"of the activity by app, then of each app; empty: not measured"`
	Code     []keys.Snippet  `json:"code" jsonschema:"the first usable key in this SDK; detailed: the log line, and the record"`

	looped, detailed, catalyst bool
	partial                    int // runs of which not all was read
}

func runChooseKey(ctx context.Context, d Deps, in chooseKeyIn) (*chooseKeyOut, error) {
	if in.empty() && !d.Shell { // a person may name runs alone, and see what they measure
		return nil, &badArgument{what: "which activity is not said", do: "Give activity, or its source as paths or code; language and provider make the answer fit"}
	}
	q := keys.Question{Activity: in.Activity, Language: in.Language}
	out := &chooseKeyOut{detailed: in.detailed()}
	var err error
	if q.Provider, err = providerNamed(in.Provider); err != nil {
		return nil, err
	}
	if len(in.Paths) > 0 || in.Code != "" {
		if q.Code, err = activityIn(ctx, d, in); err != nil {
			return nil, err
		}
		q.Activity, q.Framework, q.Language = shown(q.Code.Name), q.Code.Framework, q.Code.Language
		out.looped = slices.ContainsFunc(q.Code.CallSites, func(s review.CallSite) bool { return s.InLoop })
	}
	if in.measures() || q.Code != nil || d.Shell {
		if err := out.measure(ctx, d, in, &q); err != nil {
			return nil, err
		}
	}
	out.Activity, out.Language = shown(q.Activity), q.Language
	out.Choice = keys.Choose(q)
	out.found = len(out.Problems) > 0
	out.cut()
	out.showCode(q)
	out.Summary = keySummary(out)
	out.hints(in)
	out.shrink(d.budget())
	return out, nil
}

// measures reports whether the arguments choose runs.
func (in chooseKeyIn) measures() bool {
	return in.Activity != "" || in.App != "" || in.Workflow != "" || in.Since != "" || in.History != "" || in.Run != ""
}

func (in chooseKeyIn) empty() bool {
	return !in.measures() && len(in.Paths) == 0 && in.Code == "" && in.Provider == "" && in.Language == ""
}

// providerNamed finds a provider's row by its id or name.
func providerNamed(name string) (*knowledge.Provider, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // none was named
	}
	want := topicName(name)
	var known []string
	var near *knowledge.Provider
	all := knowledge.Providers()
	for i := range all {
		p := &all[i]
		known = append(known, p.ID)
		switch {
		case topicName(p.ID) == want || topicName(p.Name) == want:
			return p, nil
		case near == nil && strings.HasPrefix(topicName(p.Name), want+" "):
			near = p
		}
	}
	if near != nil {
		return near, nil
	}
	e := &badArgument{what: fmt.Sprintf("provider %q has no row", clean.Line(name, 60)), do: "idem_explain topic providers lists them; without a row, leave provider out and keep a record of your own"}
	if n := nearest.Of(want, known); n != "" {
		e.do = fmt.Sprintf("Did you mean %q? %s", n, e.do)
	}
	return nil, e
}

// activityIn reviews the source and picks the activity that is meant. A function
// that no framework registers is reviewed by its name.
func activityIn(ctx context.Context, d Deps, in chooseKeyIn) (*review.ActivityResult, error) {
	look := reviewCodeIn{Paths: in.Paths, Code: in.Code, Language: in.Language}
	res, err := reviewWhat(ctx, d, look)
	if err != nil {
		return nil, err
	}
	a, names := pickActivity(res.Activities, in.Activity)
	if a == nil && in.Activity != "" {
		look.Symbols = []string{in.Activity}
		if res, err = reviewWhat(ctx, d, look); err != nil {
			return nil, err
		}
		a, _ = pickActivity(res.Activities, "")
	}
	if a == nil {
		e := &badArgument{what: "no activity " + clean.Line(in.Activity, 80) + " is in that source", allowed: names, do: "Activities there: " + strings.Join(names, ", ")}
		if in.Activity == "" && len(names) > 0 {
			e.what = fmt.Sprintf("%d activities are in that source and none was named", len(names))
		}
		if len(names) == 0 {
			e.do = "No activity was found there; name a function with activity"
		}
		return nil, e
	}
	cleanActivity(a)
	for i := range a.InputIDs {
		a.InputIDs[i] = clean.Line(a.InputIDs[i], 80)
	}
	return a, nil
}

func pickActivity(all []review.ActivityResult, name string) (*review.ActivityResult, []string) {
	var names []string
	for i := range all {
		a := &all[i]
		if name != "" && (keys.SameActivity(a.Name, name) || keys.SameActivity(a.Symbol, name)) || name == "" && len(all) == 1 {
			return a, nil
		}
		if len(names) < 20 {
			names = append(names, shown(a.Name))
		}
	}
	return nil, names
}

// measure reads the runs that the arguments choose. A source that cannot be read
// leaves the answer unmeasured, and says so.
func (out *chooseKeyOut) measure(ctx context.Context, d Deps, in chooseKeyIn, q *keys.Question) error {
	m := &keys.Measure{}
	if in.History != "" || in.Run != "" {
		run, err := d.resolve(ctx, Which{Run: in.Run, History: in.History, App: in.App})
		if err != nil {
			return err
		}
		out.readRun(m, run)
	} else if err := out.readRuns(ctx, d, in, m); err != nil {
		return err
	}
	if m.Runs() == 0 {
		return nil
	}
	if out.partial > 0 {
		out.Coverage.miss(plural(out.partial, "run lacks", "runs lack") + " a part of the history (earlier generations are not kept): calls there are not counted")
	}
	q.Measure, q.Measured = m, m.Rows(q.Activity)
	q.Own = in.History != "" || in.Run != "" || in.App != "" || len(q.Measured) > 0 && q.Measured[0].Activity != ""
	most := 6
	if out.detailed {
		most = 20
	}
	out.Measured = q.Measured[:min(len(q.Measured), most)]
	return nil
}

func (out *chooseKeyOut) readRun(m *keys.Measure, run *history.Run) {
	a := history.Analyze(run)
	m.Add(&a)
	out.Coverage.Runs++
	out.Coverage.Events += len(run.Events)
	out.catalyst = out.catalyst || isCatalyst(run.Shape)
	if run.Coverage.Partial() {
		out.partial++
	}
}

func (out *chooseKeyOut) readRuns(ctx context.Context, d Deps, in chooseKeyIn, m *keys.Measure) error {
	f, err := Select{Workflow: in.Workflow, Since: in.Since}.filter(in.App, in.Cursor, d.Now())
	if err != nil {
		return err
	}
	limit := in.Limit
	if limit == 0 && !d.Shell {
		limit = defaultExamined
	}
	var last history.Ref
	for run, err := range d.histories(ctx, f) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			out.Coverage.skip(skipped)
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			out.Coverage.miss("runs were not read on: " + err.Error())
			return nil
		case limit > 0 && m.Runs() == limit:
			out.Truncated, out.Cursor = true, last.Cursor()
			out.Narrow = fmt.Sprintf("%d runs were measured, more match; narrow by workflow, app or since, or pass cursor to measure the next.", limit)
			return nil
		default:
			out.readRun(m, run)
			last = run.Ref
		}
	}
	return nil
}

// cut bounds the lists that grow with the source.
func (out *chooseKeyOut) cut() {
	most := 15
	if out.detailed {
		most = 40
	}
	for _, l := range [...]struct {
		n    int
		what string
	}{{len(out.Effects), "side effects"}, {len(out.Steps), "call sites"}, {len(out.Problems), "problems"}} {
		if l.n > most {
			out.Truncated = true
			out.Narrow = fmt.Sprintf("%d of %d %s are listed; idem_review_code lists them all.", most, l.n, l.what)
		}
	}
	out.Effects, out.Steps, out.Problems = out.Effects[:min(len(out.Effects), most)], out.Steps[:min(len(out.Steps), most)], out.Problems[:min(len(out.Problems), most)]
}

// shrink leaves out what a reader can ask for elsewhere, until the answer fits.
func (out *chooseKeyOut) shrink(budget int) {
	for budget > 0 && size(out) > budget-400 {
		switch {
		case len(out.Code) > 1:
			out.Code = out.Code[:len(out.Code)-1]
		case len(out.Measured) > 3:
			out.Measured = out.Measured[:len(out.Measured)/2]
		case len(out.Steps) > 5:
			out.Steps = out.Steps[:len(out.Steps)/2]
		case len(out.Problems) > 5:
			out.Problems = out.Problems[:len(out.Problems)/2]
		case len(out.Effects) > 5:
			out.Effects = out.Effects[:len(out.Effects)/2]
		default:
			return
		}
		out.Truncated = true
		out.Narrow = cmp.Or(out.Narrow, "Code and rows were left out to fit; idem_explain has the code, app and workflow narrow the rows, idem_review_code lists effects and call sites.")
	}
}

// partOf is the snippet that shows a key source.
var partOf = map[string]string{knowledge.NaturalKey: "natural", knowledge.ExecutionKey: "execution_id", knowledge.StepKey: "step", knowledge.ParentKey: "parent"}

// showCode adds the code of the first usable key, and in detailed form the rest.
// The snippets are of the Dapr SDKs.
func (out *chooseKeyOut) showCode(q keys.Question) {
	out.Code = []keys.Snippet{}
	if q.Framework != "" && q.Framework != "dapr" && q.Framework != "agents" {
		return
	}
	add := func(part string) {
		if s := keys.Code(q.Language, part); s != nil {
			out.Code = append(out.Code, out.fit(*s))
		}
	}
	part := partOf[out.Candidates[0].Source]
	if part == "step" && out.looped {
		part = "loop"
	}
	add(part)
	if !out.detailed {
		return
	}
	if part != "execution_id" {
		add("activity")
	}
	add("log")
	add("logged")
	if out.Record.Needed {
		out.Code = append(out.Code, keys.RecordCode(q.Language)...)
	}
}

// fit puts the activity's own name, step and effect into a snippet.
func (out *chooseKeyOut) fit(s keys.Snippet) keys.Snippet {
	return s.Fit(out.Activity, out.Suffix)
}

func keySummary(out *chooseKeyOut) string {
	best := out.Candidates[0]
	s := "for " + orNone(out.Activity) + ": "
	if out.Activity == "" {
		s = ""
	}
	s += best.Key + " (" + strings.ReplaceAll(best.Source, "_", " ") + ")"
	for _, c := range out.Candidates {
		if c.Source == knowledge.ExecutionKey {
			s += "; the task execution id " + map[string]string{keys.Yes: "can be used", keys.Care: "only with care", keys.No: "cannot be used"}[c.Usable]
			if strings.HasPrefix(c.Measured, "not measured") {
				s += " (not measured)"
			}
		}
	}
	if n := len(out.Problems); n > 0 {
		s += "; " + plural(n, "problem", "problems") + " with the key as it is"
	}
	return s
}

// hints says what is not visible and what to ask next.
func (out *chooseKeyOut) hints(in chooseKeyIn) {
	out.NotVisible = []string{"no history names the SDK or its version: the behaviour is told from ids and timers, and runs are joined to an activity by its name",
		"a redelivery leaves no event, so what it does to ids is known from the SDKs and the lab, not from these runs"}
	if len(out.Measured) == 0 {
		out.NotVisible = append(out.NotVisible, "nothing was measured: no run was read. Give the runs (app, workflow, a pasted history, or files)")
	}
	record := Next{Tool: "idem_explain", Arguments: map[string]string{"topic": "intent record", "language": out.Language}, Why: "the table and the conditional write of a record of your own"}
	line := Next{Tool: "idem_explain", Arguments: map[string]string{"topic": "log line", "language": out.Language}, Why: "the line that logs the key, so that bodies can be counted"}
	if out.Language == "" {
		delete(record.Arguments, "language")
		delete(line.Arguments, "language")
	}
	out.Next = []Next{record, line}
	if len(in.Paths) == 0 && in.Code == "" {
		n := Next{Tool: "idem_choose_key", Arguments: map[string]string{"activity": out.Activity}, Why: "again with its source (paths or code): its effects, call sites, policies and input"}
		if out.Activity == "" {
			delete(n.Arguments, "activity")
		}
		out.Next = append(out.Next, n)
	}
	if out.catalyst && out.Record.Needed {
		out.Next = append(out.Next, Next{Tool: "idem_status", Why: "the live KV-store quota, before a table is planned there"})
	}
}
