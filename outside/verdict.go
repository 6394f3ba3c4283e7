package outside

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Findings are the verdicts on one run, by its position. They rest on outside
// sources alone, and each says which.
func (e *Evidence) Findings(run int) []history.Finding {
	var out []history.Finding
	for i := range e.Calls {
		if c := &e.Calls[i]; c.run == run {
			out = append(out, e.onCall(c)...)
		}
	}
	return append(out, e.missing(run)...)
}

func (e *Evidence) onCall(c *CallEvidence) []history.Finding {
	var out []history.Finding
	d := e.digest(c)
	if c.Bodies != nil && *c.Bodies > d.attempts {
		cause, why := e.why(c)
		f := e.finding(history.ExecutedMore, c)
		f.Message = fmt.Sprintf("%s ran %s%s where %s recorded: %s (joined by %s)", c.Activity, atLeast(c.AtLeast), counted(*c.Bodies, "body", "bodies"),
			counted(d.attempts, "attempt is", "attempts are"), bodyTimes(c.Seen), rules(c.JoinedBy))
		f.Meaning = fmt.Sprintf("why (%s): %s", cause, why)
		f.Settles = "The provider's list for the key says whether the effect happened each time (--provider)."
		out = append(out, f)
	}
	if c.Effects > 1 {
		f := e.finding(history.EffectTwice, c)
		f.Message = fmt.Sprintf("the log says %s%d times that %s had its effect", atLeast(c.AtLeast), c.Effects, c.Activity)
		f.Meaning = "the outside world was changed more than once for one call, unless the other side refused the repeat"
		if len(out) == 0 {
			cause, why := e.why(c)
			f.Meaning += fmt.Sprintf(". Why (%s): %s", cause, why)
		}
		f.Settles = "The provider's list for the key."
		out = append(out, f)
	}
	if a, b, ok := e.overlap(c); ok {
		f := e.finding(history.Overlapped, c)
		f.Message = fmt.Sprintf("two bodies of %s were under way at once: %s and %s", c.Activity, during(a, a.first), during(b, a.first))
		f.Meaning = "a check before the effect cannot protect here; only a write that itself refuses the duplicate can"
		out = append(out, f)
	}
	return out
}

func (e *Evidence) finding(kind history.FindingKind, c *CallEvidence) history.Finding {
	call, activity := c.Call, c.Activity
	return history.Finding{
		Kind: kind, Certainty: history.Outside, Repeat: kind.Repeat(), App: c.App, Run: c.Run, Location: c.Location,
		Call: &call, Activity: &activity, Evidence: []history.Evidence{},
	}
}

// overlap finds two bodies whose times cover each other. Times of different
// clocks count only beyond the allowed skew.
func (e *Evidence) overlap(c *CallEvidence) (a, b BodyView, ok bool) {
	for i := range c.Seen {
		for j := i + 1; j < len(c.Seen); j++ {
			a, b := c.Seen[i], c.Seen[j]
			if !a.single || !b.single || !a.last.After(a.first) || !b.last.After(b.first) {
				continue
			}
			from, to := a.first, a.last
			if b.first.After(from) {
				from = b.first
			}
			if b.last.Before(to) {
				to = b.last
			}
			both := to.Sub(from)
			if both > e.Skew || both > 0 && a.host != "" && a.host == b.host {
				return a, b, true
			}
		}
	}
	return a, b, false
}

// missing finds completed calls that the provider does not know, for activities
// of which it knows others.
func (e *Evidence) missing(run int) []history.Finding {
	if e.ops == nil || run >= len(e.x.runs) {
		return nil
	}
	var out []history.Finding
	r := e.x.runs[run]
	for c := range r.calls {
		d := &r.calls[c]
		kind, served := e.served[d.activity]
		at := callAt{int32(run), int32(c)}
		if !served || d.copy || e.atProvider[at] || e.atProvider[callAt{at.run, -1}] || !d.completed || d.last.Before(e.ops.from) || d.last.After(e.ops.to) {
			continue
		}
		names := d.execs
		if kind == byLogKey {
			names = nil
			if i, ok := e.byCall[at]; ok {
				names = e.Calls[i].keys
			}
		}
		if len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return len(e.ops.live(n)) > 0 }) {
			continue
		}
		v := CallEvidence{App: clean.Line(r.ref.App, 200), Run: clean.Line(r.ref.Instance, 200), Location: clean.Line(r.ref.Location, 300), Call: clean.Line(d.key, 200), Activity: clean.Line(d.activity, 200)}
		f := e.finding(history.EffectMissing, &v)
		f.Message = fmt.Sprintf("the run says that %s completed, and the provider's list from %s to %s has no operation with its %s", v.Activity, moment(e.ops.from), moment(e.ops.to), kind)
		f.Meaning = "the effect may never have happened, or may have been sent under another key; the list knows other calls of this activity"
		f.Settles = "Ask the provider for this one key; a list can lag behind."
		out = append(out, f)
	}
	return out
}

// String names what joined an operation.
func (l link) String() string {
	return [...]string{"", "task execution id", "key", "instance id"}[l]
}

func atLeast(yes bool) string {
	if yes {
		return "at least "
	}
	return ""
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func rules(by map[JoinRule]int) string {
	var parts []string
	for _, r := range [...]JoinRule{ByExecution, ByTask, ByTime, ByKey} {
		if n := by[r]; n > 0 {
			parts = append(parts, strings.ReplaceAll(string(r), "_", " ")+fmt.Sprintf(": %d", n))
		}
	}
	return strings.Join(parts, ", ")
}

// bodyTimes lists the first bodies with their times.
func bodyTimes(seen []BodyView) string {
	const most = 4
	var parts []string
	var ref time.Time
	for i, v := range seen {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(seen)-most))
			break
		}
		parts = append(parts, during(v, ref))
		ref = v.first
	}
	if len(parts) == 0 {
		return "no times in the log"
	}
	return strings.Join(parts, "; ")
}

// during writes when a body ran.
func during(v BodyView, ref time.Time) string {
	if v.first.IsZero() {
		return "(no time)"
	}
	from := clock(v.first, ref)
	if v.Start == nil {
		from += " (its start is not in the log)"
	}
	if v.End == nil {
		return from + ", no end"
	}
	return from + " to " + clock(*v.End, v.first)
}

func clock(at, ref time.Time) string {
	if !ref.IsZero() && at.UTC().Format(time.DateOnly) == ref.UTC().Format(time.DateOnly) {
		return at.UTC().Format("15:04:05.000")
	}
	return at.UTC().Format("2006-01-02 15:04:05.000")
}

func moment(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") }
