package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/idem-mcp/idem-mcp/review"
)

const (
	schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sourceDir = "%SRCROOT%" // the top of the project, wherever it is checked out
)

// The library leaves an empty list of suppressions out. SARIF wants it: a list
// that is empty says "not suppressed", one that is absent "nobody looked".
type (
	sarifLog struct {
		*sarif.Report
		Runs []sarifRun `json:"runs"`
	}
	sarifRun struct {
		*sarif.Run
		Results []sarifResult `json:"results"`
	}
	sarifResult struct {
		*sarif.Result
		Suppressions []*sarif.Suppression `json:"suppressions"`
	}
)

// SARIF writes version 2.1.0: all rules, every finding with a fingerprint that
// survives moved lines, those that are silenced in place as suppressed, and what
// could not be read as notifications of the run.
func SARIF(r *Report) ([]byte, error) {
	run := sarif.NewRunWithInformationURI("idem-mcp", website)
	run.Tool.Driver.Version = &r.Version
	run.AutomationDetails = sarif.NewRunAutomationDetails().WithID("idem-mcp/")
	run.OriginalUriBaseIds = map[string]sarif.ArtifactLocation{sourceDir: *sarif.NewArtifactLocation().WithDescription(sarif.NewTextMessage("the top of the reviewed project"))}
	index, err := describe(run, r.Rules)
	if err != nil {
		return nil, err
	}
	run.Invocations = []*sarif.Invocation{invocation(r)}
	log := sarifLog{Report: sarif.NewReport(), Runs: []sarifRun{{Run: run, Results: []sarifResult{}}}}
	log.Schema = schemaURI
	results := &log.Runs[0].Results
	for i := range r.Units {
		for j := range r.Units[i].Changes {
			c := &r.Units[i].Changes[j]
			if c.Status == review.Hushed {
				continue // among the silenced, where it stands now
			}
			res := result(&c.Identified, index)
			res.BaselineState = state(c)
			*results = append(*results, sarifResult{res, []*sarif.Suppression{}})
		}
	}
	for i := range r.Silenced {
		s := sarif.NewSuppression().WithKind("inSource").WithStatus("accepted").WithJustification(r.Silenced[i].Reason)
		*results = append(*results, sarifResult{result(&r.Silenced[i].Identified, index), []*sarif.Suppression{s}})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(log); err != nil {
		return nil, fmt.Errorf("encode SARIF: %w", err)
	}
	return b.Bytes(), nil
}

// describe enters the rules, by id, and returns where each stands.
func describe(run *sarif.Run, rules []*review.Rule) (map[string]int, error) {
	all := slices.Clone(rules)
	slices.SortFunc(all, func(a, b *review.Rule) int { return strings.Compare(a.ID, b.ID) })
	index := map[string]int{}
	for i, r := range all {
		doc, err := r.Doc()
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Slug, err)
		}
		index[r.ID] = i
		bag := sarif.NewPropertyBag()
		bag.Add("precision", string(r.Confidence))
		bag.Add("problem.severity", strings.NewReplacer("note", "recommendation").Replace(level(r.Severity)))
		bag.Tags = []string{"idempotency", "reliability", r.Kind}
		plain, markdown := help(&doc, r)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarif.NewRule(r.ID).WithName(pascal(r.Slug)).
			WithShortDescription(words(doc.Summary, "")).WithFullDescription(words(doc.What, "")).
			WithHelp(words(plain, markdown)).WithHelpURI(helpURI(r)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level(r.Severity))).WithProperties(bag))
	}
	return index, nil
}

func help(doc *review.Doc, r *review.Rule) (plain, markdown string) {
	var p, m strings.Builder
	for i, text := range []string{doc.What, doc.Why, doc.Fine, doc.Instead} {
		fmt.Fprintf(&p, "%s: %s\n", review.Headings[i], strings.Join(strings.Fields(text), " "))
		fmt.Fprintf(&m, "**%s.** %s\n\n", review.Headings[i], text)
	}
	fmt.Fprintf(&p, "Silence it in place with a reason: idem:ignore %s REASON", r.ID)
	fmt.Fprintf(&m, "Silence it in place with a reason: `idem:ignore %s REASON`. [More](%s)\n", r.ID, helpURI(r))
	return p.String(), m.String()
}

func words(text, markdown string) *sarif.MultiformatMessageString {
	w := sarif.NewMultiformatMessageString().WithText(strings.Join(strings.Fields(text), " "))
	if markdown != "" {
		w = sarif.NewMultiformatMessageString().WithText(text).WithMarkdown(markdown)
	}
	return w
}

// result is a finding: where it stands, and the way from the activity to there.
func result(f *review.Identified, index map[string]int) *sarif.Result {
	bag := sarif.NewPropertyBag()
	bag.Add("activity", f.Activity)
	bag.Add("kind", f.Kind)
	bag.Add("confidence", string(f.Confidence))
	res := sarif.NewRuleResult(f.Rule).WithRuleIndex(index[f.Rule]).WithLevel(level(f.Severity)).WithMessage(message(says(&f.Finding))).
		WithPartialFingerprints(map[string]string{"idemFinding/v1": f.Fingerprint}).WithProperties(bag)
	here := location(review.Site{File: f.File, Line: f.Line, EndLine: f.EndLine, Quote: f.Quote})
	here.LogicalLocations = []*sarif.LogicalLocation{sarif.NewLogicalLocation().WithName(f.Activity).WithKind("function")}
	res.Locations = []*sarif.Location{here}
	if len(f.Path) == 0 {
		return res
	}
	flow := sarif.NewThreadFlow()
	for i, s := range f.Path {
		at := location(s)
		at.ID = i + 1
		at.Message = message(fmt.Sprintf("%s reaches it through this call", f.Activity))
		res.RelatedLocations = append(res.RelatedLocations, at)
		step := location(s)
		step.Message = message("calls on")
		flow.Locations = append(flow.Locations, sarif.NewThreadFlowLocation().WithLocation(step))
	}
	end := location(review.Site{File: f.File, Line: f.Line, EndLine: f.EndLine, Quote: f.Quote})
	end.Message = message(f.Message)
	flow.Locations = append(flow.Locations, sarif.NewThreadFlowLocation().WithLocation(end))
	res.CodeFlows = []*sarif.CodeFlow{sarif.NewCodeFlow().WithThreadFlows([]*sarif.ThreadFlow{flow})}
	return res
}

func location(s review.Site) *sarif.Location {
	region := sarif.NewRegion().WithStartLine(max(s.Line, 1)).WithEndLine(max(s.EndLine, s.Line, 1))
	if s.Quote != "" && s.EndLine <= s.Line { // a quote is one line
		region.Snippet = sarif.NewArtifactContent().WithText(s.Quote)
	}
	return sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(artifact(s.File)).WithRegion(region))
}

func artifact(file string) *sarif.ArtifactLocation {
	return sarif.NewArtifactLocation().WithURI((&url.URL{Path: file}).String()).WithURIBaseID(sourceDir)
}

// message is plain text. "[a](b)" would be a link in it, and what is quoted there
// was written by whoever wrote the source.
func message(text string) *sarif.Message {
	return sarif.NewTextMessage(strings.ReplaceAll(text, "](", "] ("))
}

// invocation tells what was not read.
func invocation(r *Report) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccessful(true)
	for _, g := range r.Gaps {
		n := sarif.NewNotification().WithLevel("warning").WithMessage(message("Not reviewed, so nothing is known of it: " + g.File + ": " + g.Reason + "."))
		if g.File != "*" {
			n.Locations = []*sarif.Location{sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(artifact(g.File)))}
		}
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, n)
	}
	coverage := "complete"
	if len(r.Gaps) > 0 {
		coverage = "partial"
	}
	inv.Properties = sarif.NewPropertyBag()
	inv.Properties.Add("coverage", coverage)
	return inv
}

func level(s review.Severity) string {
	switch s {
	case review.Hazard:
		return "error"
	case review.Verify:
		return "warning"
	}
	return "note"
}

// state is SARIF's word for a status. What could not be looked for again has
// none.
func state(c *review.Change) *string {
	word, ok := map[review.Status]string{review.New: "new", review.Existing: "unchanged", review.Fixed: "absent"}[c.Status]
	if c.Worse {
		word = "updated"
	}
	if !ok {
		return nil
	}
	return &word
}

func pascal(slug string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(slug, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
