package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

// idem_preview_rerun answers: if this run were rerun from that event, which
// activities fire again, under which execution id, and which of them are hazards?
// It starts nothing. Which way a new run takes, nobody can know beforehand.

func previewRerun() Capability {
	return define(definition[previewRerunIn, *previewRerunOut]{
		Name: "idem_preview_rerun", Command: "preview-rerun", Title: "What would a rerun execute again?", Paths: true,
		Purpose: "Before a rerun: which activities it would execute again, with the same or a new execution id, and which are hazards (with code). It starts nothing.",
		Example: `{"run":"order-42","event":"ChargeCard#1"}`,
		Run:     runPreviewRerun,
	})
}

type previewRerunIn struct {
	Which
	Event string   `json:"event" doc:"event id, or a call such as ChargeCard#1"`
	Code  []string `json:"code" doc:"source files or folders, to tell hazards"`
	Page
}

type previewRerunOut struct {
	Answer
	Rerun  history.Preview `json:"rerun"`
	Others int             `json:"other_calls,omitempty" jsonschema:"calls that fire again and are not listed here"`
	Code   []codeOf        `json:"code,omitempty" jsonschema:"what the code does on a second run of the activities that fire again"`
	// Unprotected are calls whose code is no hazard in a retry, and whose key a
	// rerun changes.
	Unprotected []unprotected `json:"unprotected,omitempty" jsonschema:"calls whose key protects in a retry and not in this rerun"`

	detailed bool
}

// unprotected is a call whose key does not outlast the rerun.
type unprotected struct {
	Call string `json:"call"`
	Why  string `json:"why"`
}

func runPreviewRerun(ctx context.Context, d Deps, in previewRerunIn) (*previewRerunOut, error) {
	if in.Event == "" {
		return nil, &badArgument{what: "from which event is not said", do: "Give event: the id of an event as idem_read_history lists it, or a call such as ChargeCard#1"}
	}
	run, err := d.resolve(ctx, in.Which)
	if err != nil {
		return nil, err
	}
	first := 0
	if in.Cursor != "" {
		if first, err = cursorAt("call:", in.Cursor); err != nil {
			return nil, err
		}
	}
	a := history.Analyze(run)
	event := in.Event
	if call := callNamed(&a, in.Event); call != in.Event {
		event = call
	}
	out := &previewRerunOut{detailed: in.detailed()}
	if out.Rerun, err = a.PreviewRerun(event); err != nil {
		return nil, err
	}
	out.Coverage.read(run)
	out.NotVisible = out.Rerun.Unknown
	if l := d.link(run.Ref, run.Shape); isCatalyst(run.Shape) {
		out.Links = []Link{l}
	}
	if err := out.withCode(ctx, d, in, run); err != nil {
		return nil, err
	}
	out.Summary = out.summary(run)
	out.take(d, in, first)
	out.Next = out.next(run, in)
	return out, nil
}

// withCode says what the code does on a second run of what fires again.
func (out *previewRerunOut) withCode(ctx context.Context, d Deps, in previewRerunIn, run *history.Run) error {
	if len(in.Code) == 0 {
		return nil
	}
	var names repeatedNames
	for _, c := range out.Rerun.Again {
		names.name(shown(run.Ref.App), c.Activity, shown(run.Workflow))
	}
	var err error
	if out.Code, err = d.codeFor(ctx, in.Code, names.names, &out.Coverage); err != nil {
		return err
	}
	out.NotVisible = append(out.NotVisible, sameCode)
	for _, c := range out.Code {
		if c.Verdict != "" && c.Verdict != review.Hazard {
			out.outlasts(c)
		}
	}
	out.found = out.hazards()+len(out.Unprotected) > 0
	return nil
}

// outlasts notes the calls whose key the rerun changes: it has an instance id of
// its own, and later calls get new execution ids.
func (out *previewRerunOut) outlasts(c codeOf) {
	for _, a := range out.Rerun.Again {
		switch {
		case a.Activity != c.Activity:
		case slices.Contains(c.Keys, "instance_id"):
			out.Unprotected = append(out.Unprotected, unprotected{a.Call, "a key of it is made of the run's instance id, and a rerun has a new one"})
		case slices.Contains(c.Keys, "task_execution_id") && a.ID == history.AgainNewID:
			out.Unprotected = append(out.Unprotected, unprotected{a.Call, "a key of it is made of the task execution id, and the rerun gives this call a new one"})
		}
	}
}

func (out *previewRerunOut) hazards() int {
	n := 0
	for _, c := range out.Code {
		if c.Verdict == review.Hazard {
			n++
		}
	}
	return n
}

func (out *previewRerunOut) summary(run *history.Run) string {
	p := &out.Rerun
	same := 0
	for i := range p.Again {
		if p.Again[i].ID == history.AgainSameID {
			same++
		}
	}
	s := fmt.Sprintf("a rerun of %s from event %d (%s) would execute %s again, %d with the same execution id", name(run.Ref), p.Target.EventID,
		strings.TrimSpace(p.Target.Type+" "+p.Target.Name), count(len(p.Again), "call"), same)
	if n := len(p.Copied); n > 0 {
		s += "; " + plural(n, "is copied", "are copied")
	}
	if n := len(p.Children); n > 0 {
		s += "; " + count(n, "child run") + " would start again"
	}
	if n := out.hazards(); n > 0 {
		s += "; " + plural(n, "of the activities is a hazard", "of the activities are hazards")
	}
	if n := len(out.Unprotected); n > 0 {
		s += "; " + plural(n, "call has a key that the rerun changes", "calls have a key that the rerun changes")
	}
	if len(p.Refused) > 0 {
		s += "; Dapr would refuse it now"
	}
	return s + "; this is a preview, nothing was started"
}

// take lists the calls from first on that fit.
func (out *previewRerunOut) take(d Deps, in previewRerunIn, first int) {
	p := &out.Rerun
	all := p.Again
	first = min(first, len(all))
	p.Again = all[first:]
	if in.Limit > 0 {
		p.Again = p.Again[:min(in.Limit, len(p.Again))]
	}
	if d.budget() > 0 {
		p.Children, p.Copied = p.Children[:min(len(p.Children), 40)], p.Copied[:min(len(p.Copied), 40)]
		p.Timers, p.Signals = p.Timers[:min(len(p.Timers), 20)], p.Signals[:min(len(p.Signals), 20)]
		out.Unprotected = out.Unprotected[:min(len(out.Unprotected), 20)]
		listed := p.Again
		p.Again = nil
		room := d.budget() - size(out) - 800
		p.Again = listed[:fitting(len(listed), room, func(i int) int { return size(listed[i]) })]
	}
	out.Others = len(all) - len(p.Again)
	if next := first + len(p.Again); next < len(all) {
		out.Truncated, out.Cursor = true, fmt.Sprintf("call:%d", next)
		out.Narrow = fmt.Sprintf("%d of %d calls are listed; pass cursor for the rest.", next, len(all))
	}
}

func (out *previewRerunOut) next(run *history.Run, in previewRerunIn) []Next {
	n := Next{Tool: "idem_find_duplicates", Why: "what the source run has repeated already"}
	n.run(run)
	for _, c := range out.Rerun.Again {
		if c.Recorded > 1 {
			n.Tool, n.Arguments["call"], n.Why = "idem_explain_call", shown(c.Call), "what its attempts in the source say of the outside world"
			break
		}
	}
	next := []Next{n}
	again(next, in.Which)
	return next
}

func (out *previewRerunOut) render(t *text) {
	p := &out.Rerun
	t.line("%s", sentence(out.Summary))
	for _, r := range p.Refused {
		t.line("Refused as things stand: %s", ended(r))
	}
	verdicts := map[string]string{}
	for _, c := range out.Code {
		verdicts[c.Activity] = string(c.Verdict)
	}
	ids := map[history.AgainID]string{history.AgainSameID: "same", history.AgainNewID: "new", history.AgainNoID: "none recorded"}
	var rows [][]string
	for i := range p.Again {
		c := &p.Again[i]
		if !out.detailed && i == conciseRows {
			break
		}
		rows = append(rows, []string{clean.Line(c.Call, 80), string(c.Why), ids[c.ID], resultOf(c.Result, nil), fmt.Sprint(c.Recorded), verdicts[c.Activity]})
	}
	if len(rows) > 0 {
		t.line("")
		t.table([]string{"FIRES AGAIN", "WHY", "EXECUTION ID", "IN THE SOURCE", "ATTEMPTS", "SECOND RUN"}, rows)
	}
	if rest := len(p.Again) - len(rows); rest > 0 {
		t.line("and %s", plural(rest, "more call", "more calls"))
	}
	t.section("Why:", out.readings(), 8)
	var again, copied []string
	for _, c := range p.Children {
		again = append(again, fmt.Sprintf("child run %s (event %d, in the source %s): %s", c.Workflow, c.EventID, orNone(shown(c.Run)), c.Why))
	}
	for _, e := range p.Timers {
		again = append(again, fmt.Sprintf("timer of event %d %s: it fires at its old time, so at once if that is past", e.EventID, quotedName(e.Name)))
	}
	for _, s := range p.Signals {
		again = append(again, "external event "+quotedName(s)+": it is not copied, the new run waits for it")
	}
	t.section("Started or waited for again:", again, 8)
	for _, c := range p.Copied {
		copied = append(copied, clean.Line(c.Call, 80))
	}
	if len(copied) > 0 {
		t.line("\nCopied with their results, not executed: %s.", enumerated(copied))
	}
	t.codeLines(out.Code)
	var changed []string
	for _, u := range out.Unprotected {
		changed = append(changed, clean.Line(u.Call, 80)+": "+u.Why)
	}
	t.section("Safe in a retry, not in this rerun:", changed, 8)
	t.closing(&out.Answer)
}

// readings are the distinct reasons, each with its calls.
func (out *previewRerunOut) readings() []string {
	var order []string
	calls := map[string][]string{}
	for _, c := range out.Rerun.Again {
		if len(calls[c.Reading]) == 0 {
			order = append(order, c.Reading)
		}
		calls[c.Reading] = append(calls[c.Reading], clean.Line(c.Call, 80))
	}
	lines := make([]string, len(order))
	for i, r := range order {
		lines[i] = enumerated(slices.Compact(calls[r])) + ": " + r
	}
	return lines
}

func quotedName(s string) string {
	if s == "" {
		return "without a name"
	}
	return quoted(s, 80)
}
