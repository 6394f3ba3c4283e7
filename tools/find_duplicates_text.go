package tools

import (
	"fmt"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// How much of an answer the concise text shows: at most some forty lines.
const (
	conciseRows  = 24
	conciseLines = 32
)

func (out *findDuplicatesOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	if out.single {
		out.renderRun(t)
	} else {
		out.renderScan(t)
	}
	t.codeLines(out.Code)
	t.outside(out.Outside, out.detailed)
	t.closing(&out.Answer)
}

// renderScan is one line a run with a repeat; in detailed form each finding too.
func (out *findDuplicatesOut) renderScan(t *text) {
	var rows [][]string
	lives := map[string]int{}
	for _, r := range out.Runs {
		lives[r.Run]++
	}
	for i, r := range out.Runs {
		if !out.detailed && i == conciseRows {
			break
		}
		id := r.Run
		if id == "" || lives[id] > 1 { // only the location tells them apart
			id = strings.TrimSpace(id + " (" + r.Location + ")")
		}
		rows = append(rows, []string{id, strings.Join(r.Repeats, ", ")})
	}
	if len(rows) > 0 {
		t.line("")
		t.table([]string{"RUN", "REPEATS"}, rows)
	}
	if rest := out.repeats - len(rows); rest > 0 {
		t.line("and %s (%s)", plural(rest, "more run", "more runs"), t.detail())
	}
	if len(out.Totals) > 0 {
		t.line("\nIn all: %s.", totals(out.Totals))
	}
	if !out.detailed {
		return
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		t.line("\nrun %s", orNone(f.Run+caveat(f.Location)))
		t.finding(f, true, true)
	}
	for _, l := range out.Lineage {
		t.line("%s", strings.TrimSpace(fmt.Sprintf("%s: %s of %s %s", l.Kind, shown(l.Run), shown(l.Of), l.Note)))
	}
}

// totals lists counts by kind, the gravest first.
func totals(m map[string]int) string {
	var parts []string
	for _, k := range kinds() {
		if n := m[string(k)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(parts, ", ")
}

// renderRun is the table of calls, then each finding.
func (out *findDuplicatesOut) renderRun(t *text) {
	rows := make([][]string, 0, len(out.Calls))
	for i := range out.Calls {
		c := &out.Calls[i]
		if !out.detailed && i == 12 {
			break
		}
		names := make([]string, len(c.Findings))
		for j, k := range c.Findings {
			names[j] = string(k)
		}
		result := "none recorded"
		if c.Result != nil {
			result = *c.Result
		}
		if c.Copy {
			result += " (copied by the rerun)"
		}
		rows = append(rows, []string{c.Call, fmt.Sprint(c.Attempts), out.Outside.bodiesOf(c), result, strings.Join(names, ", ")})
	}
	if len(rows) > 0 {
		t.line("")
		t.table([]string{"CALL", "ATTEMPTS", "BODIES", "RESULT", "FINDINGS"}, rows)
		if n := len(out.Calls) - len(rows) + out.Others; n > 0 {
			t.line("and %s", plural(n, "further call", "further calls"))
		}
	}
	drawn := map[string]bool{}
	for i := range out.Findings {
		f := &out.Findings[i]
		if !out.detailed && t.lines() >= conciseLines {
			t.line("\n%s, %s: %s", f.Kind, f.Certainty, subject(f))
			if rest := len(out.Findings) - i - 1; rest > 0 {
				t.line("and %s (%s)", plural(rest, "more finding", "more findings"), t.detail())
			}
			break
		}
		about := subject(f)
		t.finding(f, !drawn[about], out.detailed)
		drawn[about] = drawn[about] || len(f.Attempts)+len(f.Calls) > 0
	}
	for _, p := range out.Patterns {
		about := p.Kind
		if p.Activity != "" {
			about += " of " + clean.Line(p.Activity, 80)
		}
		if p.Calls > 0 {
			about += fmt.Sprintf(" (%d calls)", p.Calls)
		}
		t.line("\nOn purpose: %s. %s", about, sentence(p.Note))
	}
}

// finding writes one finding, with its attempts on a timeline if draw.
func (t *text) finding(f *history.Finding, draw, detailed bool) {
	head := fmt.Sprintf("%s, %s", f.Kind, f.Certainty)
	if s := subject(f); s != "" {
		head += ": " + s
	}
	if len(f.LinkedBy) > 0 {
		rules := make([]string, len(f.LinkedBy))
		for i, r := range f.LinkedBy {
			rules[i] = string(r)
		}
		head += " (linked by " + strings.Join(rules, ", ") + ")"
	}
	t.line("\n%s", head)
	t.line("  %s", ended(f.Message))
	if draw {
		t.timeline(f.Attempts)
		t.turnCalls(f.Calls)
	}
	for _, c := range f.Children {
		t.line("  - child run %s: %s. %s", shown(c.Run), resultOf(c.Result, c.Outcome), sentence(c.Reading))
	}
	if f.Meaning != "" {
		t.line("  %s", sentence(f.Meaning))
	}
	if f.Settles != "" {
		t.line("  What settles it: %s", sentence(f.Settles))
	}
	if detailed {
		for _, e := range f.Evidence {
			t.line("    event %d %s %s", e.Event, e.Type, clean.Line(e.Says, 300))
		}
	}
}

// turnCalls lists the calls of a turn or a rerun.
func (t *text) turnCalls(calls []history.TurnCall) {
	for _, c := range calls {
		marks := "no mark"
		if len(c.Marks) > 0 {
			marks = "marks " + joined(c.Marks)
		}
		t.line("  - %s id %d, %s: %s", clean.Line(c.Activity, 80), c.TaskScheduledID, marks, c.Reading)
	}
}

func joined[T ~string](list []T) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = string(x)
	}
	return strings.Join(parts, ", ")
}

func resultOf(result *string, outcome *history.Outcome) string {
	switch {
	case result == nil:
		return "no result recorded"
	case outcome != nil:
		return *result + ", outside: " + string(*outcome)
	}
	return *result
}

// barWidth is the width of a timeline in characters.
const barWidth = 24

// timeline draws attempts over the time that all of them took. A bar is from
// schedule to recorded result: not how long a body ran.
func (t *text) timeline(attempts []history.AttemptView) {
	if len(attempts) == 0 {
		return
	}
	var first, last time.Time
	for _, a := range attempts {
		for _, at := range [...]*time.Time{a.ScheduledAt, a.EndedAt} {
			if at == nil {
				continue
			}
			if first.IsZero() || at.Before(first) {
				first = *at
			}
			if at.After(last) {
				last = *at
			}
		}
	}
	for i, a := range attempts {
		began := "(no time)"
		if a.ScheduledAt != nil {
			began = clock(*a.ScheduledAt, first)
			if i == 0 {
				began = clock(*a.ScheduledAt, time.Time{})
			}
		}
		line := fmt.Sprintf("  %2d %s %-23s id %-3d %s", i+1, bar(a, first, last), began, a.TaskScheduledID, resultOf(a.Result, a.Outcome))
		if a.ScheduledAt != nil && a.EndedAt != nil {
			line += " after " + span(a.EndedAt.Sub(*a.ScheduledAt))
		}
		if a.Error != "" {
			line += " " + quoted(a.Error, 80)
		}
		if len(a.Marks) > 0 {
			line += " marks " + joined(a.Marks)
		}
		t.line("%s", line)
	}
}

// bar places one attempt; an attempt without a result ends in dots.
func bar(a history.AttemptView, first, last time.Time) string {
	total := last.Sub(first)
	if a.ScheduledAt == nil || total <= 0 {
		return strings.Repeat("·", barWidth)
	}
	place := func(at time.Time) int {
		return max(0, min(barWidth-1, int(float64(at.Sub(first))/float64(total)*barWidth)))
	}
	from, to, end := place(*a.ScheduledAt), barWidth-1, "·"
	if a.EndedAt != nil {
		to, end = place(*a.EndedAt), "█"
	}
	if to < from {
		from, to = to, from
	}
	return strings.Repeat("·", from) + "█" + strings.Repeat(end, to-from) + strings.Repeat("·", barWidth-1-to)
}
