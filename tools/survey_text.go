package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/survey"
)

// The words of a survey's answer.

func (out *surveyOut) summary(d Deps, s survey.Survey, rows []survey.Row, repeated int) string {
	lead := ""
	switch {
	case s.State != survey.Done:
		lead = "partial: the survey " + out.state(d, s) + "; "
	case out.Survey.Unread > 0:
		lead = fmt.Sprintf("partial: %s could not be read; ", count(out.Survey.Unread, "run"))
	case s.Partly > 0:
		lead = fmt.Sprintf("partial: %s read only in part; ", plural(int(s.Partly), "run was", "runs were"))
	}
	of := count(int(s.Seen), "run")
	switch {
	case s.Seen == 0 && s.State == survey.Done:
		return lead + "no run matches, so nothing was examined"
	case len(rows) == 0 && out.activity != "":
		return lead + fmt.Sprintf("no call of %s was found in %s", out.activity, of)
	case len(rows) == 0:
		return lead + "no call was found in " + of
	case repeated == 0:
		return lead + fmt.Sprintf("no repeat is visible in %s", of)
	case out.by != survey.ByActivity:
		return lead + fmt.Sprintf("%d of %d rows by %s have repeats, in %s", repeated, len(rows), out.by, of)
	}
	if out.activity != "" {
		return lead + fmt.Sprintf("%s in %s", rowSays(together(rows)), of)
	}
	name := shown(rows[0].Activity)
	if rows[0].App != "" {
		name += " of " + shown(rows[0].App)
	}
	return lead + fmt.Sprintf("%d of %d activities have calls with repeats, in %s; protect %s first: %s", repeated, len(rows), of, name, rowSays(&rows[0]))
}

// together adds up what rowSays tells of an activity that several apps have.
func together(rows []survey.Row) *survey.Row {
	var all survey.Row
	for i := range rows {
		r := &rows[i]
		all.Calls += r.Calls
		all.Retried += r.Retried
		all.AfterUnknown += r.AfterUnknown
		all.LostTurns += r.LostTurns
		all.Reexecuted += r.Reexecuted
		all.SecondResult += r.SecondResult
		all.Pending += r.Pending
	}
	return &all
}

// rowSays says what a row's calls show.
func rowSays(r *survey.Row) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(r.Retried, "retried")
	if r.AfterUnknown > 0 {
		parts[0] += fmt.Sprintf(" (%d after an unknown outcome)", r.AfterUnknown)
	}
	add(r.LostTurns, "in lost turns")
	add(r.Reexecuted, "executed again by a rerun")
	add(r.SecondResult, "with a second result")
	add(r.Pending, "with a retry to come")
	if len(parts) == 0 {
		return fmt.Sprintf("no repeat is visible in %s", count(r.Calls, "call"))
	}
	return fmt.Sprintf("of %s %s", count(r.Calls, "call"), strings.Join(parts, ", "))
}

func (out *surveyOut) next(d Deps, in surveyIn, s survey.Survey) {
	add := func(tool, why string, args ...string) {
		n := Next{Tool: tool, Arguments: map[string]string{}, Why: why, path: out.path}
		for i := 0; i+1 < len(args); i += 2 {
			n.Arguments[args[i]] = args[i+1]
		}
		out.Next = append(out.Next, n)
	}
	switch {
	case s.State == survey.Running && d.Now().Sub(s.Moved) > stalled:
		add("idem_survey", "go on with it", "action", "start")
	case s.State == survey.Running && in.Action != "answer":
		add("idem_survey", "how far it is", "action", "poll", "id", s.ID)
		add("idem_survey", "what it has found so far", "action", "answer", "id", s.ID)
	case in.Action != "answer":
		add("idem_survey", "what it found", "action", "answer", "id", s.ID)
	case len(out.Calls) > 0:
		c := out.Calls[0]
		run := c.Run
		if c.Location != "" {
			run = c.Location
		}
		add("idem_explain_call", "one of these calls, attempt by attempt", "run", run, "call", c.Call)
		if out.path != "" {
			out.Next[len(out.Next)-1].path = c.Location
		}
	case len(out.Rows) > 0 && out.by == survey.ByActivity && out.found:
		r := out.Rows[0]
		add("idem_survey", "its calls, run by run", "action", "answer", "activity", r.Activity, "app", r.App)
		if !out.code && !d.Shell {
			add("idem_review_code", "what a second run of it would do", "paths", "<folder of the activities>", "symbol", r.Activity)
		}
	}
}

// maxTextRows keeps the text form short; the detailed form of a shell lists all.
const maxTextRows = 18

func (out *surveyOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	if v := &out.Survey; out.answers {
		t.line("Survey %s of %s%s, begun %s: %s%s.", v.ID, v.Source, v.scope(), v.Started, readNote(*v), goneNote(v.Gone))
	}
	switch {
	case len(out.Calls) > 0:
		out.renderCalls(t)
	case len(out.Rows) > 0:
		out.renderRows(t)
	}
	t.closing(&out.Answer)
}

// scope says what the survey was narrowed to.
func (v *surveyView) scope() string {
	var parts []string
	for _, p := range [...]struct{ name, value string }{{"app", v.App}, {"workflow", v.Workflow}, {"since", v.Since}} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (only " + strings.Join(parts, ", ") + ")"
}

func readNote(v surveyView) string {
	if v.Read >= v.Runs {
		return fmt.Sprintf("%s read", plural(int(v.Runs), "run was", "runs were"))
	}
	return fmt.Sprintf("%d of %s read, the others had not changed", v.Read, plural(int(v.Runs), "run was", "runs were"))
}

func goneNote(gone int64) string {
	if gone == 0 {
		return ""
	}
	return fmt.Sprintf("; %s since gone from the source and still counted", plural(int(gone), "run is", "runs are"))
}

func (out *surveyOut) renderRows(t *text) {
	var rows [][]string
	clean := 0
	for i := range out.Rows {
		r := &out.Rows[i]
		if !out.detailed && (len(rows) == maxTextRows || out.by == survey.ByActivity && repeats(&r.Row) == 0 && r.Unfinished == 0) {
			clean++
			continue
		}
		gap, last := "", ""
		if r.LongestGap > 0 {
			gap = span(r.LongestGap)
		}
		if !r.LastRepeat.IsZero() {
			last = r.LastRepeat.Format("2006-01-02 15:04")
		}
		rows = append(rows, []string{
			r.Activity, r.App, r.Workflow, r.Day, positive(r.Runs), positive(r.Calls), positive(r.Retried), positive(r.AfterUnknown), positive(r.LostTurns), positive(r.Reexecuted),
			positive(r.Unfinished), attemptsSay(r.Row.Histogram), idsSay(&r.Row), gap, last, r.Verdict, retriedBefore(r.Before),
		})
	}
	t.line("")
	t.table([]string{"ACTIVITY", "APP", "WORKFLOW", "DAY", "RUNS", "CALLS", "RETRIED", "UNKNOWN", "LOST", "RERUN", "UNFINISHED", "ATTEMPTS", "IDS", "GAP", "LAST REPEAT", "CODE", "BEFORE"}, rows)
	if clean > 0 {
		t.line("%d more rows, without a repeat or below these; %s.", clean, t.detail())
	}
	t.line("\nCalls: RETRIED with several attempts, UNKNOWN of them after an unknown outcome, LOST in turns whose commit was lost, RERUN executed again by a rerun.")
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// attemptsSay writes calls by their attempts, of those with several: 2×12 is twelve
// calls with two attempts.
func attemptsSay(h map[int]int) string {
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(h)) {
		if n > 1 {
			parts = append(parts, fmt.Sprintf("%d×%d", n, h[n]))
		}
	}
	return strings.Join(parts, " ")
}

// idsSay says whether the task execution id held over the attempts of retried calls.
func idsSay(r *survey.Row) string {
	var parts []string
	for _, p := range [...]struct {
		n    int
		what string
	}{{r.IDs.Same, "same"}, {r.IDs.Changed, "changed"}, {r.IDs.Missing, "missing"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

func retriedBefore(b *survey.Before) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d", b.Retried, b.Calls)
}

func (out *surveyOut) renderCalls(t *text) {
	var rows [][]string
	for i := range out.Calls {
		if i == maxTextRows && !out.detailed {
			t.line("\nThe first %d of %d:", maxTextRows, len(out.Calls))
			break
		}
		c := &out.Calls[i]
		kinds := make([]string, len(c.Findings))
		for j, k := range c.Findings {
			kinds[j] = string(k)
		}
		gone := ""
		if c.Gone {
			gone = "gone"
		}
		rows = append(rows, []string{c.Run, c.App, c.Call, fmt.Sprint(c.Attempts), c.Status, gone, stamp(c.Last), strings.Join(kinds, ", ")})
	}
	t.line("")
	t.table([]string{"RUN", "APP", "CALL", "ATTEMPTS", "RUN IS", "", "LAST SCHEDULED", "FINDINGS"}, rows)
}
