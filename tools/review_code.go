package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

// idem_review_code answers: if the body of this activity runs twice with the
// same input, is the outside world the same as after one run? It reads source
// text. What a callee outside the repository does, and how often a body truly
// ran, it cannot see.

func reviewCode() Capability {
	return define(definition[reviewCodeIn, *reviewCodeOut]{
		Name: "idem_review_code", Command: "review", Title: "Would a second run change the world?", Positional: "paths",
		Purpose: "Reviews activity source (Python, C#, Java, Go, JavaScript, TypeScript): what a second run would change, keys, guards, with file and line. Use it on files, folders or pasted code; not for workflow determinism.",
		Example: `{"paths":["src/activities"]}`,
		Run:     runReviewCode,
	})
}

type reviewCodeIn struct {
	Paths    []string `json:"paths" doc:"files or folders, under the allowed roots"`
	Symbols  []string `json:"symbol" doc:"only these functions, methods or classes, registered or not" brief:"only these functions or classes"`
	Code     Inline   `json:"code" max:"1000000" doc:"source text, instead of paths"`
	Language string   `json:"language" enum:"python,csharp,java,go,javascript,typescript" doc:"of code"`
	withRuns
	Page
}

type reviewCodeOut struct {
	Answer
	// Findings of activities stand with the activities; this one hides the
	// answer's list of history findings.
	Findings   []review.Finding        `json:"findings,omitempty"`
	Activities []review.ActivityResult `json:"activities" jsonschema:"hazards first; in concise form those without a finding are only counted"`
	Safe       int                     `json:"safe" jsonschema:"activities without a finding that counts, listed or not"`
	Total      int                     `json:"total"`
	Workflows  []review.WorkflowResult `json:"workflows" jsonschema:"workflows in whose own body something was found: they are replayed"`
	Silenced   []review.Suppression    `json:"suppressions" jsonschema:"idem:ignore comments, and whether they silence anything"`
	Skipped    []review.Skipped        `json:"skipped" jsonschema:"files that were not reviewed, with the reason"`
	Files      int                     `json:"files"`
	Joined     *joinedOut              `json:"joined,omitempty" jsonschema:"with_runs: what runs show of the activities"`

	detailed, verify bool
}

func runReviewCode(ctx context.Context, d Deps, in reviewCodeIn) (*reviewCodeOut, error) {
	res, err := reviewWhat(ctx, d, in)
	if err != nil {
		return nil, err
	}
	first := 0
	if in.Cursor != "" {
		if first, err = cursorAt("activity:", in.Cursor); err != nil {
			return nil, err
		}
	}
	out := &reviewCodeOut{Files: res.Files, Skipped: list(res.Skipped), Workflows: list(res.Workflows), Silenced: list(res.Suppressions), Total: len(res.Activities), detailed: in.detailed()}
	slices.SortStableFunc(res.Activities, func(a, b review.ActivityResult) int { return rank(a.Verdict) - rank(b.Verdict) })
	hazards, verify := 0, 0
	for i := range res.Activities {
		switch a := &res.Activities[i]; a.Verdict {
		case review.Hazard:
			hazards++
		case review.Verify:
			verify++
		default:
			out.Safe++
		}
		cleanActivity(&res.Activities[i])
	}
	out.found, out.verify = hazards > 0, verify > 0
	for i := range out.Workflows {
		w := &out.Workflows[i]
		w.Name, w.File = clean.Line(w.Name, 240), clean.Line(w.File, 240)
		for j := range w.Findings {
			out.found = out.found || w.Findings[j].Severity == review.Hazard
			out.verify = out.verify || w.Findings[j].Severity == review.Verify
			cleanCodeFinding(&w.Findings[j])
		}
	}
	for i := range out.Silenced {
		s := &out.Silenced[i]
		s.File, s.Reason = clean.Line(s.File, 240), clean.Line(s.Reason, 240)
	}
	for _, s := range res.Skipped {
		if !review.OnPurpose(s.Reason) {
			out.Coverage.miss(s.File + ": " + s.Reason)
		}
	}
	out.Summary = reviewSummary(out, hazards, verify)
	if in.WithRuns {
		if err := out.join(ctx, d, in.withRuns, res.Activities, len(in.Symbols) == 0); err != nil {
			return nil, err
		}
		out.Summary += out.Joined.summary()
		out.Joined.fit(d, first)
	}
	out.NotVisible = append(append(out.NotVisible, res.NotVisible...),
		"what a call does that leaves this repository is known only for the libraries in the catalogue; the others are questions (verify)",
		"whether a body did run twice is not in the code: idem_find_duplicates reads histories")
	out.take(d, in, res.Activities, first)
	out.suggest(in)
	return out, nil
}

// suggest says what to ask next; of an empty review also why it may be empty.
func (out *reviewCodeOut) suggest(in reviewCodeIn) {
	if out.Total == 0 && len(out.Workflows) == 0 {
		out.Hints = []string{
			"An activity is found by its registration or base class in a framework that is known; a plain function is reviewed when symbol names it.",
			"Only Python, C#, Java, Go, JavaScript and TypeScript are read; vendored and generated files are left out.",
		}
		if len(in.Symbols) > 0 {
			out.Hints[0] = "No function, method or class is called so in the files that were read: names are compared whole, upper and lower case too."
			out.Coverage.State = "none" // nothing that was asked for was looked at
		}
		args := map[string]string{"symbol": "<name of a function>"}
		if len(in.Paths) > 0 {
			args["paths"] = clean.Line(in.Paths[0], 300)
		} else {
			args["code"], args["language"] = "<the same code>", in.Language
		}
		out.Next = []Next{{Tool: "idem_review_code", Arguments: args, Why: "review a function that no known framework registers"}}
		return
	}
	if len(out.Activities) > 0 && out.Activities[0].Verdict == review.Hazard { // the gravest stands first
		out.Next = append(out.Next, Next{Tool: "idem_choose_key", Arguments: map[string]string{"activity": cmp.Or(out.Activities[0].Name, out.Activities[0].Symbol)}, Why: "what key, then: with the same source, measured on its runs"})
	}
	rule, language := "", ""
	for i := range out.Workflows {
		if w := &out.Workflows[i]; len(w.Findings) > 0 {
			rule, language = w.Findings[0].Rule, w.Language
		}
	}
	if len(out.Activities) > 0 && len(out.Activities[0].Findings) > 0 {
		rule, language = out.Activities[0].Findings[0].Rule, out.Activities[0].Language
	}
	if rule != "" {
		out.Next = append(out.Next, Next{Tool: "idem_explain", Arguments: map[string]string{"topic": rule, "language": language}, Why: "why that is a fault, when it is fine, and the cure in code"})
	}
	out.Next = append(out.Next, Next{Tool: "idem_find_duplicates", Arguments: map[string]string{}, Why: "whether runs show that these activities were executed more than once"})
}

func reviewWhat(ctx context.Context, d Deps, in reviewCodeIn) (review.Result, error) {
	switch {
	case in.Code != "" && len(in.Paths) > 0:
		return review.Result{}, &badArgument{what: "both paths and code are given", do: "Give one of them"}
	case in.Code != "" && in.Language == "":
		return review.Result{}, &badArgument{what: "the language of code is not said", do: "Give language: python, csharp, java, go, javascript or typescript"}
	case in.Code != "":
		return d.reviewText(ctx, string(in.Code), in.Language, in.Symbols)
	case len(in.Paths) == 0 && in.WithRuns && d.Shell:
		return review.Result{}, &badArgument{what: "nothing to review is named", do: "Name it before --with-runs, which takes the word after it as the path of exported runs"}
	case len(in.Paths) == 0:
		return review.Result{}, &badArgument{what: "nothing to review is named", do: "Give paths (files or folders), or code with its language"}
	}
	return d.reviewPaths(ctx, in.Paths, in.Symbols)
}

// rank orders verdicts, the gravest first.
func rank(s review.Severity) int {
	return slices.Index([]review.Severity{review.Hazard, review.Verify, review.Advice, review.Safe}, s)
}

func reviewSummary(out *reviewCodeOut, hazards, verify int) string {
	if out.Total == 0 {
		return fmt.Sprintf("no activity was found in %s", count(out.Files, "file"))
	}
	var parts []string
	if hazards > 0 {
		parts = append(parts, count(hazards, "hazard"))
	}
	if verify > 0 {
		parts = append(parts, fmt.Sprintf("%d to verify", verify))
	}
	if out.Safe > 0 {
		parts = append(parts, fmt.Sprintf("%d safe as far as the code shows", out.Safe))
	}
	n := fmt.Sprintf("%d activities", out.Total)
	if out.Total == 1 {
		n = "1 activity"
	}
	return fmt.Sprintf("%s in %s: %s", n, count(out.Files, "file"), strings.Join(parts, ", "))
}

// take lists the activities from first on that fit.
func (out *reviewCodeOut) take(d Deps, in reviewCodeIn, all []review.ActivityResult, first int) {
	if !d.Shell && !out.detailed && len(in.Symbols) == 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(a review.ActivityResult) bool { return a.Verdict == review.Safe && len(a.Findings) == 0 })
		for i := range all {
			trimActivity(&all[i])
		}
	}
	budget := d.budget()
	if budget > 0 {
		if n := len(out.Skipped); n > 10 {
			out.Skipped = out.Skipped[:10]
			out.NotVisible = append(out.NotVisible, fmt.Sprintf("%d more skipped files are not listed", n-10))
		}
		budget -= size(out) + 400
	}
	all = all[min(first, len(all)):]
	listed := all
	if in.Limit > 0 {
		listed = listed[:min(in.Limit, len(listed))]
	}
	n := fitting(len(listed), budget, func(i int) int { return size(listed[i]) })
	out.Activities = list(slices.Clone(listed[:n]))
	if budget > 0 && n == 1 && size(listed[0]) > budget {
		a := shrunk(listed[0], budget)
		out.NotVisible = append(out.NotVisible, fmt.Sprintf("%d of %d findings and %d of %d effects of %s are listed; the command idem-mcp review lists all",
			len(a.Findings), len(listed[0].Findings), len(a.Effects), len(listed[0].Effects), clean.Line(cmp.Or(a.Name, a.Symbol), 120)))
		out.Activities[0] = a
	}
	if n < len(all) {
		out.Truncated, out.Cursor = true, fmt.Sprintf("activity:%d", first+n)
		out.Narrow = fmt.Sprintf("%d of %d activities are listed, the gravest first; pass cursor for the rest, or narrow by paths or symbol.", first+n, first+len(all))
	}
}

// shrunk is as much as fits of an activity that alone is more than an answer may
// hold, the gravest findings first.
func shrunk(a review.ActivityResult, budget int) review.ActivityResult {
	a.Findings = slices.SortedStableFunc(slices.Values(a.Findings), func(x, y review.Finding) int { return rank(x.Severity) - rank(y.Severity) })
	half := func(n int) int { return (n + 1) / 2 }
	for size(a) > budget && len(a.Findings)+len(a.Effects)+len(a.CallSites) > 3 {
		a.Findings, a.Effects, a.CallSites = a.Findings[:half(len(a.Findings))], a.Effects[:half(len(a.Effects))], a.CallSites[:half(len(a.CallSites))]
	}
	return a
}

// trimActivity keeps what the concise form shows.
func trimActivity(a *review.ActivityResult) {
	a.Effects = slices.DeleteFunc(slices.Clone(a.Effects), func(e review.EffectResult) bool { return e.Class == "read" })
	a.CallSites = a.CallSites[:min(len(a.CallSites), 3)]
}

// cleanActivity makes what the source's author wrote safe to show.
func cleanActivity(a *review.ActivityResult) {
	line := func(s *string) { *s = clean.Line(*s, 240) }
	line(&a.Name)
	line(&a.Symbol)
	line(&a.File)
	a.Effects, a.Keys, a.CallSites, a.Findings = list(a.Effects), list(a.Keys), list(a.CallSites), list(a.Findings)
	for i := range a.Effects {
		e := &a.Effects[i]
		for _, s := range []*string{&e.Callee, &e.Resource, &e.File, &e.Quote, &e.Guard, &e.Key} {
			line(s)
		}
	}
	for i := range a.CallSites {
		s := &a.CallSites[i]
		for _, s := range []*string{&s.Workflow, &s.File, &s.Quote, &s.Policy} {
			line(s)
		}
	}
	for i := range a.Keys {
		line(&a.Keys[i].Name)
	}
	for i := range a.Findings {
		cleanCodeFinding(&a.Findings[i])
	}
}

func cleanCodeFinding(f *review.Finding) {
	f.File, f.Quote = clean.Line(f.File, 240), clean.Line(f.Quote, 240)
	f.Message, f.Fix = clean.Line(f.Message, 600), clean.Line(f.Fix, 900)
}

func (out *reviewCodeOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	if out.Joined != nil {
		out.Joined.render(t)
	}
	var safe []string
	for i := range out.Activities {
		a := &out.Activities[i]
		if a.Verdict == review.Safe && len(a.Findings) == 0 && !out.detailed {
			safe = append(safe, fmt.Sprintf("%s (%s:%d)%s", cmp.Or(a.Name, a.Symbol), a.File, a.Line, whySafe(a)))
			continue
		}
		t.activity(a, out.detailed)
	}
	for i := range out.Workflows {
		w := &out.Workflows[i]
		t.line("\nworkflow %s (%s) %s:%d", w.Name, w.Language, w.File, w.Line)
		for j := range w.Findings {
			t.codeFinding(&w.Findings[j])
		}
	}
	t.section("Safe as far as the code shows:", safe, 40)
	var silenced []string
	for _, s := range out.Silenced {
		switch {
		case s.Problem != "":
			silenced = append(silenced, fmt.Sprintf("%s:%d %s: %s", s.File, s.Line, s.Rule, s.Problem))
		case !s.Used:
			silenced = append(silenced, fmt.Sprintf("%s:%d %s silences nothing any more", s.File, s.Line, s.Rule))
		case out.detailed:
			silenced = append(silenced, fmt.Sprintf("%s:%d %s: %s", s.File, s.Line, s.Rule, quoted(s.Reason, 120)))
		}
	}
	t.section("Silenced in place:", silenced, 20)
	var skipped []string
	for _, s := range out.Skipped {
		skipped = append(skipped, clean.Line(s.File, 200)+": "+s.Reason)
	}
	limit := 5
	if out.detailed {
		limit = 1000
	}
	t.section("Not reviewed:", skipped, limit)
	t.closing(&out.Answer)
}

// whySafe names the effects of a safe activity, so that a reader can disagree.
func whySafe(a *review.ActivityResult) string {
	var parts []string
	for _, e := range a.Effects {
		if e.Guard != "" {
			parts = append(parts, e.Class+" guarded by "+e.Guard)
		} else if e.Class != "read" {
			parts = append(parts, e.Class)
		}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	switch {
	case len(parts) > 0:
		return ": " + strings.Join(parts[:min(len(parts), 3)], ", ")
	case len(a.Effects) > 0:
		return ": it only reads"
	}
	return ": no effect outside was found"
}

// activity writes one activity: verdict, effects in order, findings, call sites.
func (t *text) activity(a *review.ActivityResult, detailed bool) {
	where := a.Language
	if a.Framework != "" {
		where += ", " + a.Framework
	}
	t.line("\n%s: %s (%s) %s:%d", a.Verdict, cmp.Or(a.Name, a.Symbol), where, a.File, a.Line)
	for i := range a.Findings {
		t.codeFinding(&a.Findings[i])
	}
	for i := range a.Effects {
		e := &a.Effects[i]
		if e.Class == "read" && !detailed {
			continue
		}
		line := fmt.Sprintf("  effect: %s by %s, line %d", e.Class, e.Callee, e.Line)
		if e.File != a.File {
			line = fmt.Sprintf("  effect: %s by %s, %s:%d", e.Class, e.Callee, e.File, e.Line)
		}
		if e.Key != "" {
			line += "; key from " + e.Key
		}
		if e.Guard != "" {
			line += "; guarded by " + e.Guard
		}
		t.line("%s", line)
	}
	for i, s := range a.CallSites {
		if i == 3 && !detailed {
			t.line("  and %d more call sites", len(a.CallSites)-3)
			break
		}
		policy := "no retry policy"
		if s.Policy != "" {
			policy = "policy " + clean.Line(s.Policy, 80)
		}
		t.line("  called by %s, %s:%d, %s", cmp.Or(s.Workflow, "a workflow"), s.File, s.Line, policy)
	}
}

// codeFinding writes one finding with its line and what to write instead.
func (t *text) codeFinding(f *review.Finding) {
	t.line("  %s %s, %s confidence: %s", f.Rule, f.Severity, f.Confidence, sentence(f.Message))
	t.line("    %s:%d  %s", f.File, f.Line, quoted(f.Quote, 160))
	if f.Fix != "" {
		t.line("    Instead: %s", sentence(f.Fix))
	}
}
