package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/outside"
)

// outside writes what was joined, by what, and what it came to.
func (t *text) outside(o *outsideAnswer, detailed bool) {
	if o == nil {
		return
	}
	t.line("\nOutside:")
	for _, s := range o.Sources {
		note := ""
		if s.Note != "" {
			note = " (" + s.Note + ")"
		}
		unit := map[string]string{"log": "lines", "spans": "spans"}[s.Kind]
		if unit == "" {
			unit = "records"
		}
		t.line("- %s: %d of %d %s matched, %d not%s", s.Kind, s.Matched, s.Read, unit, s.Read-s.Matched, note)
	}
	joins := make([]string, 0, 4)
	for _, r := range [...]outside.JoinRule{outside.ByExecution, outside.ByTask, outside.ByTime, outside.ByKey} {
		if n := o.JoinedBy[r]; n > 0 {
			joins = append(joins, fmt.Sprintf("%d by %s", n, strings.ReplaceAll(string(r), "_", " ")))
		}
	}
	if len(joins) > 0 {
		offset := ""
		if o.Offset != "" {
			offset = "; the log's clock is " + o.Offset
		}
		t.line("- bodies joined: %s; clock skew allowed: %s%s", strings.Join(joins, ", "), o.Skew, offset)
	}
	reasons := make([]string, 0, len(o.Unplaced))
	for why, n := range o.Unplaced {
		reasons = append(reasons, fmt.Sprintf("%d (%s)", n, why))
	}
	slices.Sort(reasons)
	if len(reasons) > 0 {
		t.line("- bodies of these runs' ids that were counted for no call: %s", strings.Join(reasons, ", "))
	}
	if o.Incomplete {
		t.line("- the log lacks lines (a body ends or acts that never began), so every count is “at least”")
	}
	if detailed {
		t.fields(o.as)
	}
	t.duplicates(o, detailed)
	if n := o.More; n > 0 {
		t.line("- and %s", plural(n, "more duplicate", "more duplicates"))
	}
}

// fields says which fields of the log were taken for what.
func (t *text) fields(as map[string][]string) {
	roles := make([]string, 0, len(as))
	for role, paths := range as {
		roles = append(roles, role+" = "+strings.Join(paths, " or "))
	}
	slices.Sort(roles)
	if len(roles) > 0 {
		t.line("- fields: %s", strings.Join(roles, "; "))
	}
}

// duplicates writes each duplicate with its cause and what it reached.
func (t *text) duplicates(o *outsideAnswer, detailed bool) {
	for i := range o.Duplicates {
		if !detailed && (i == 6 || t.lines() > conciseLines+6) {
			t.line("- and %s (%s)", plural(len(o.Duplicates)-i, "more duplicate", "more duplicates"), t.detail())
			return
		}
		d := &o.Duplicates[i]
		t.line("- %s: %s. %s", duplicateName(d), d.Cause, sentence(d.Why))
		if s := radiusText(d); s != "" {
			t.line("  %s", sentence(s))
		}
	}
}

// duplicateName says what happened twice.
func duplicateName(d *outside.Duplicate) string {
	var parts []string
	if d.Key != "" {
		parts = append(parts, quoted(d.Key, 80))
	}
	for i, c := range d.Calls {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d more calls", len(d.Calls)-3))
			break
		}
		s := strings.TrimSpace(clean.Line(c.Call, 80) + " of run " + clean.Line(c.Run, 80))
		if c.Bodies != nil {
			least := ""
			if c.AtLeast {
				least = "at least "
			}
			s += fmt.Sprintf(" (%s%s, %s, %s)", least, plural(*c.Bodies, "body", "bodies"), count(c.Attempts, "recorded attempt"), count(c.Effects, "effect"))
		}
		parts = append(parts, s)
	}
	if n := len(d.Operations); n > 0 {
		parts = append(parts, plural(n, "operation at the provider", "operations at the provider"))
	}
	if len(parts) == 0 {
		return "a key"
	}
	return strings.Join(parts, ", ")
}

// radiusText says what else the key or the cause reached.
func radiusText(d *outside.Duplicate) string {
	r := &d.Radius
	var parts []string
	if r.SameKeyRuns > 1 {
		parts = append(parts, fmt.Sprintf("%d runs carry the key", r.SameKeyRuns))
	}
	if n := len(d.Others); n > 0 {
		parts = append(parts, "also in runs that were not read: "+strings.Join(d.Others[:min(n, 3)], ", "))
	}
	if n := len(r.Reruns); n > 0 {
		parts = append(parts, "reruns: "+strings.Join(r.Reruns[:min(n, 3)], ", "))
	}
	if n := len(r.Children); n > 0 {
		parts = append(parts, plural(n, "child run", "child runs")+": "+strings.Join(r.Children[:min(n, 3)], ", "))
	}
	if r.SameCauseCalls > 1 && r.From != nil && r.To != nil {
		parts = append(parts, fmt.Sprintf("the same outage, %s to %s, had %s of %s executed again", clock(*r.From, *r.To), clock(*r.To, *r.From), count(r.SameCauseCalls, "call"), count(r.SameCauseRuns, "run")))
	}
	return strings.Join(parts, "; ")
}

// bodyCount is a cell of the table of calls.
func bodyCount(c *outside.CallEvidence) string {
	if c.AtLeast {
		return fmt.Sprintf("≥ %d", *c.Bodies)
	}
	return fmt.Sprint(*c.Bodies)
}

// bodiesOf is the number of bodies of a call; empty when no line tells.
func (o *outsideAnswer) bodiesOf(c *history.CallView) string {
	if o == nil {
		return ""
	}
	return o.counts[callOf{c.Run, c.Location, c.Call}]
}

// bodies lists the bodies of one call with their times.
func (t *text) bodies(c *outside.CallEvidence) {
	if c == nil {
		t.line("\nNo line of the outside sources was joined with this call.")
		return
	}
	if c.Bodies == nil {
		t.line("\nOutside: %s of this call, none of which says that a body began or ended.", plural(c.Mentions, "line", "lines"))
		return
	}
	least := ""
	if c.AtLeast {
		least = "at least "
	}
	t.line("\nBodies, by the outside: %s%d for %s", least, *c.Bodies, count(c.Attempts, "recorded attempt"))
	for i, b := range c.Seen {
		end := "no end"
		if b.End != nil {
			end = "to " + b.End.UTC().Format("15:04:05.000")
		}
		start := "(its start is not there)"
		if b.Start != nil {
			start = clock(*b.Start, b.Start.UTC())
			if i == 0 {
				start = b.Start.UTC().Format("2006-01-02 15:04:05.000")
			}
		}
		effects := ""
		if b.Effects > 0 {
			effects = ", " + count(b.Effects, "effect")
		}
		if b.Outcome != "" {
			effects += ", " + b.Outcome
		}
		t.line("  %2d %s %s%s (by %s)", i+1, start, end, effects, strings.ReplaceAll(string(b.JoinedBy), "_", " "))
	}
}
