package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/outside"
)

// idem_explain_call answers: what happened to this one call? Its recorded
// attempts on a timeline, what each failure says about the outside world,
// whether attempts can have overlapped, and which ids stayed the same. How often
// a body ran is not in a history.

func explainCall() Capability {
	return define(definition[explainCallIn, *explainCallOut]{
		Name: "idem_explain_call", Command: "explain-call", Title: "One call, attempt by attempt", Paths: true,
		Purpose: "Explains one call of a run: attempts on a timeline, what each failure says about the outside world, overlaps, ids that stayed the same. Use it when idem_find_duplicates has named a call, not to look for one.",
		Example: `{"run":"order-42","call":"ChargeCard#1"}`,
		Run:     runExplainCall,
	})
}

type explainCallIn struct {
	Which
	Call string `json:"call" doc:"call as idem_find_duplicates names it (ChargeCard#1), or an activity name or task_scheduled_id that only one call has" brief:"ChargeCard#1, or an activity or task_scheduled_id of only one call"`
	Beside
	Page
}

type explainCallOut struct {
	Answer
	Call    history.Story         `json:"call"`
	Outside *outsideAnswer        `json:"outside,omitempty" jsonschema:"what logs, spans and provider lists say"`
	Bodies  *outside.CallEvidence `json:"bodies,omitempty" jsonschema:"the bodies of this call, by the outside"`

	detailed bool
}

func runExplainCall(ctx context.Context, d Deps, in explainCallIn) (*explainCallOut, error) {
	if in.Call == "" {
		return nil, &badArgument{what: "which call is not said", do: "Give call, as idem_find_duplicates names it"}
	}
	run, err := d.resolve(ctx, in.Which)
	if err != nil {
		return nil, err
	}
	first, err := attemptPosition(in.Cursor)
	if err != nil {
		return nil, err
	}
	a := history.Analyze(run)
	story, err := a.Explain(callNamed(&a, in.Call))
	if err != nil {
		return nil, err
	}
	out := &explainCallOut{Call: story, detailed: in.detailed()}
	if err := out.outside(ctx, d, in, &a); err != nil {
		return nil, err
	}
	cleanStory(&out.Call)
	out.Coverage.read(run)
	out.NotVisible = a.NotVisible
	out.countPayloads(run, story)
	if l := d.link(run.Ref, run.Shape); isCatalyst(run.Shape) {
		out.Links = []Link{l}
	}
	out.Findings = findingsOf(a, story)
	out.found = anyRepeat(out.Findings)
	out.Summary = storySummary(run, &story)
	out.page(d, in, first)
	n := Next{Tool: "idem_read_history", Why: "the events themselves"}
	n.run(run)
	out.Next = []Next{n}
	again(out.Next, in.Which)
	return out, nil
}

// outside adds what logs, spans and lists say of the call.
func (out *explainCallOut) outside(ctx context.Context, d Deps, in explainCallIn, a *history.Analysis) error {
	if !in.given() {
		return nil
	}
	x := &outside.Index{}
	x.AddRun(a)
	o, e, err := d.readOutside(ctx, in.Beside, x, &out.Coverage)
	if err != nil {
		return err
	}
	a.Findings = append(withoutRepeats(e.Findings(0), e.OnOperations(d.full())), a.Findings...)
	out.Bodies = e.Of(0, out.Call.Call)
	o.only(shown(out.Call.Call))
	o.fit(outsideShare(d), in.detailed())
	out.Outside = o
	return nil
}

// callNamed undoes the cleaning that a call's name went through in an answer.
func callNamed(a *history.Analysis, name string) string {
	for i := range a.Calls {
		if shown(a.Calls[i].Key) == name {
			return a.Calls[i].Key
		}
	}
	return name
}

func attemptPosition(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	return cursorAt("attempt:", cursor)
}

// page keeps the attempts that were asked for and fit.
func (out *explainCallOut) page(d Deps, in explainCallIn, first int) {
	s := &out.Call
	all := len(s.Attempts)
	first = min(first, all)
	attempts := s.Attempts[first:]
	gaps := s.GapsMS[min(first, len(s.GapsMS)):]
	evidence := s.Evidence
	s.Attempts, s.GapsMS, s.Evidence = nil, nil, nil
	for i := range out.Findings {
		// The attempts and events stand in the call; they are not repeated.
		out.Findings[i].Attempts, out.Findings[i].Evidence = nil, nil
	}
	budget := d.budget()
	if budget > 0 {
		budget -= size(out) + 600
	}
	if in.Limit > 0 {
		attempts = attempts[:min(in.Limit, len(attempts))]
	}
	n := fitting(len(attempts), budget*2/3, func(i int) int { return size(attempts[i]) + 8 })
	s.Attempts, s.GapsMS = attempts[:n], list(gaps[:min(n, len(gaps))])
	if next := first + n; next < all {
		out.Truncated, out.Cursor = true, fmt.Sprintf("attempt:%d", next)
		out.Narrow = fmt.Sprintf("%d of %d attempts are listed; pass cursor for the rest.", next, all)
	}
	n = fitting(len(evidence), budget/3, func(i int) int { return size(evidence[i]) })
	if !out.detailed {
		n = min(n, 12)
	}
	if budget <= 0 {
		n = len(evidence)
	}
	s.Evidence = list(evidence[:n])
}

// countPayloads counts those of the call's own events.
func (out *explainCallOut) countPayloads(run *history.Run, s history.Story) {
	for _, e := range s.Evidence {
		if ev := &run.Events[e.Event]; ev.Kind == history.TaskScheduled || ev.Kind == history.TaskCompleted {
			out.Payloads.count(ev.Payload)
		}
	}
}

// findingsOf are the findings about the story's call.
func findingsOf(a history.Analysis, s history.Story) []history.Finding {
	var out []history.Finding
	for i := range a.Findings {
		f := a.Findings[i]
		for _, key := range callsOf(&f) {
			if key == s.Call {
				cleanFinding(&f)
				out = append(out, f)
				break
			}
		}
	}
	return out
}

func anyRepeat(findings []history.Finding) bool {
	for i := range findings {
		if findings[i].Repeat {
			return true
		}
	}
	return false
}

func storySummary(run *history.Run, s *history.Story) string {
	out := fmt.Sprintf("%s of run %s has %s", clean.Line(s.Call, 120), name(run.Ref), count(len(s.Attempts), "recorded attempt"))
	if len(s.LinkedBy) > 0 {
		out += " (linked by " + joined(s.LinkedBy) + ")"
	}
	if len(s.Attempts) == 1 {
		return out + ", which does not say how often its body ran"
	}
	return out
}

func (out *explainCallOut) render(t *text) {
	s := &out.Call
	t.line("%s\n", ended(out.Summary))
	t.timeline(s.Attempts)
	if out.Outside != nil {
		t.bodies(out.Bodies)
	}
	t.line("")
	if len(s.Attempts) > 1 {
		t.line("inputs: %s; gaps between attempts: %s", s.Inputs, gapsOf(s.GapsMS))
	}
	t.line("task execution id: %s. %s", s.IDs, sentence(s.IDsNote))
	if s.MayOverlap {
		t.line("attempts may overlap: %s", ended(s.OverlapWhy))
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		t.line("\n%s, %s\n  %s", f.Kind, f.Certainty, ended(f.Message))
		if f.Meaning != "" {
			t.line("  %s", sentence(f.Meaning))
		}
		if f.Settles != "" {
			t.line("  What settles it: %s", sentence(f.Settles))
		}
	}
	shownEvents := s.Evidence
	if !out.detailed && len(shownEvents) > 8 {
		shownEvents = shownEvents[:8]
	}
	t.line("\nEvents:")
	for _, e := range shownEvents {
		t.line("- %d %s %s", e.Event, e.Type, clean.Line(e.Says, 200))
	}
	if rest := len(s.Evidence) - len(shownEvents); rest > 0 {
		t.line("and %d more (%s)", rest, t.detail())
	}
	t.outside(out.Outside, out.detailed)
	t.closing(&out.Answer)
}

func gapsOf(gaps []*int64) string {
	parts := make([]string, 0, 6)
	for i, g := range gaps {
		switch {
		case i == 6:
			return strings.Join(parts, ", ") + ", …"
		case g == nil:
			parts = append(parts, "not known")
		default:
			parts = append(parts, span(millis(*g)))
		}
	}
	if len(parts) == 0 {
		return "none listed"
	}
	return strings.Join(parts, ", ")
}
