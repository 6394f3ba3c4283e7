package keys

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Verdicts of a window.
const (
	TooShort     = "too_short"
	NotSeen      = "longer_than_anything_seen"
	NoKey        = "no_key"
	NotPublished = "not_published"
	Kept         = "kept_with_the_data"
	NoProvider   = "provider_not_known"
)

// Window is how long a provider remembers a key, held against everything that
// can come between two runs of one body.
type Window struct {
	Provider     string    `json:"provider"`
	Key          string    `json:"key,omitempty"`
	Window       string    `json:"window"`
	Condition    string    `json:"condition"`
	Scope        string    `json:"scope,omitempty"`
	Changed      string    `json:"changed_parameters,omitempty"`
	InFlight     string    `json:"in_flight,omitempty"`
	AfterFailure string    `json:"after_failure,omitempty"`
	Source       string    `json:"source"`
	Checked      string    `json:"checked"`
	Verified     bool      `json:"verified"`
	Keyed        bool      `json:"key_in_the_code"`
	Against      []Against `json:"against"`
	Verdict      string    `json:"verdict"`
	Says         string    `json:"says"`
}

// Against is one thing that a window has to outlast.
type Against struct {
	What   string `json:"what"`
	Span   string `json:"span"`
	Longer bool   `json:"longer_than_the_window"`
}

// windows checks every provider of the body, or the one that was named.
func (q *Question) windows(effects []EffectKey) []Window {
	out := []Window{}
	seen := map[string]bool{}
	add := func(p *knowledge.Provider, keyed bool) {
		if p != nil && !seen[p.ID] && len(out) < 4 {
			seen[p.ID] = true
			out = append(out, q.Check(p, keyed))
		}
	}
	for _, e := range effects {
		add(e.provider, e.keyed)
	}
	keyed := false
	for _, e := range effects {
		keyed = keyed || e.keyed && e.provider == nil
	}
	add(q.Provider, keyed)
	return out
}

// Check holds the window of p against what is known of this activity.
func (q *Question) Check(p *knowledge.Provider, keyed bool) Window {
	w := Window{Provider: p.Name, Key: p.Key, Condition: p.Condition, Scope: p.Scope, Changed: p.Changed, InFlight: p.InFlight, AfterFailure: p.AfterFailure,
		Source: cmp.Or(p.Source, "none: from memory"), Checked: knowledge.ProvidersChecked, Verified: p.Verified && !p.WindowUnverified, Keyed: keyed && p.Key != "", Against: []Against{}}
	w.Window = windowText(p)
	if p.Window > 0 {
		w.Against = q.against(p.Window)
	}
	longest := ""
	for _, a := range w.Against {
		if a.Longer && longest == "" {
			longest = a.What + " is " + a.Span
		}
	}
	switch {
	case p.Key == "":
		w.Verdict, w.Says = NoKey, p.Name+" takes no key: keep a record of your own and reconcile"
	case p.Forever:
		w.Verdict, w.Says = Kept, "the write is conditional on what is stored: nothing expires while the data is there"
	case p.Window == 0:
		w.Verdict, w.Says = NotPublished, "how long "+p.Name+" remembers a key is not stated as one figure ("+p.Condition+"): without a record of your own nothing is known of a late repeat"
	case longest != "":
		w.Verdict, w.Says = TooShort, fmt.Sprintf("%s remembers it for %s; %s", p.Name, w.Window, longest)
	default:
		w.Verdict, w.Says = NotSeen, fmt.Sprintf("%s remembers it for %s, longer than anything seen here. An outage or a rerun can come later than that", p.Name, w.Window)
	}
	return w
}

func windowText(p *knowledge.Provider) string {
	s := "not stated"
	switch {
	case p.Key == "":
		return "no key"
	case p.Forever:
		return "as long as the data is kept"
	case p.Window > 0:
		s = Span(p.Window)
		if p.AtLeast {
			s += " or longer"
		}
	}
	if !p.Verified || p.WindowUnverified {
		s += " (unverified)"
	}
	return s
}

// against lists what can outlast a window, the policy first.
func (q *Question) against(window time.Duration) []Against {
	var out []Against
	add := func(what string, d time.Duration, unknown string) {
		if d > 0 {
			out = append(out, Against{what, Span(d), d > window})
		} else if unknown != "" {
			out = append(out, Against{what, unknown, false})
		}
	}
	h, at := q.horizon()
	if at != "" {
		at = " at " + at
	}
	add("the retry policy's horizon"+at, h, "not known: no policy with stated parameters was found")
	if q.Measure == nil || !q.Own {
		out = append(out, Against{"the longest gap between attempts", "not measured", false})
	} else {
		var longest, open, later time.Duration
		for _, m := range q.own() {
			longest, open, later = max(longest, m.longest), max(open, m.open), max(later, m.later)
		}
		add("the longest gap between the first and the last attempt of a call", longest, "no call with several attempts was read")
		add("the longest attempt, in which a redelivery leaves no event", open, "")
		add("the longest suspension of a run", q.Measure.suspended, "")
		if q.Measure.pauses > 0 && q.Measure.suspended == 0 {
			out = append(out, Against{"a suspension that has not ended", "open", false})
		}
		add("the longest time until a rerun made a call again", later, "")
	}
	return append(out, Against{"a rerun by hand, an outage, a suspended run", "at any time: no window is long enough", false})
}

// Span spells a duration the way people say it.
func Span(d time.Duration) string {
	number := func(unit time.Duration) string {
		return strconv.FormatFloat(math.Round(float64(d)/float64(unit)*10)/10, 'f', -1, 64)
	}
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	case d < 3*time.Hour:
		return number(time.Minute) + " min"
	case d < 48*time.Hour:
		return number(time.Hour) + " h"
	}
	return number(24*time.Hour) + " days"
}
