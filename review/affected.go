package review

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Comparison is how a review stands to an earlier one.
type Comparison struct {
	// Units are the activities, and the workflows with findings, in the order of
	// the later review; then those that are gone.
	Units []Unit
	// FindingsOnly: the earlier review is known by its findings alone.
	FindingsOnly bool
}

// Unit is an activity, or a workflow with findings, beside its earlier self.
type Unit struct {
	Name     string   `json:"name"`
	Workflow bool     `json:"workflow,omitempty"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Language string   `json:"language"`
	Verdict  Severity `json:"verdict"`
	Why      []string `json:"why"` // what the change touches; nothing: the unit is as it was
	Changes  []Change `json:"findings"`
}

// Gone is the verdict on an activity that is not there any more.
const Gone Severity = "gone"

// Touched reports whether a change touches or affects the unit.
func (u *Unit) Touched() bool { return len(u.Why) > 0 }

// Count is how many findings have a status.
func (c *Comparison) Count(s Status) int {
	n := 0
	for _, x := range c.Changes() {
		if x.Status == s {
			n++
		}
	}
	return n
}

// Changes are the findings of all units.
func (c *Comparison) Changes() []Change {
	var out []Change
	for i := range c.Units {
		out = append(out, c.Units[i].Changes...)
	}
	return out
}

// side is an activity or a workflow as a comparison sees it.
type side struct {
	Unit
	findings int // how many of the result's, in its order
	bodies   []Body
	sites    []string
	facts    string
}

func sides(res *Result) []side {
	out := make([]side, 0, len(res.Activities)+len(res.Workflows))
	for i := range res.Activities {
		a := &res.Activities[i]
		u := side{Unit: Unit{Name: a.owner(), File: a.File, Line: a.Line, Language: a.Language, Verdict: a.Verdict}, findings: len(a.Findings), bodies: a.Bodies}
		for j := range a.CallSites {
			u.sites = append(u.sites, a.CallSites[j].digest())
		}
		for _, e := range a.Effects {
			u.facts += fmt.Sprintln(e.Class, e.Callee, e.Resource, e.Guard, e.Key)
		}
		u.facts += fmt.Sprintln(a.Verdict)
		for _, f := range a.Findings {
			u.facts += fmt.Sprintln(f.Rule, f.Kind, f.Severity, f.Message)
		}
		u.facts = lineNumber.ReplaceAllString(u.facts, "line") // that moves with every edit above
		out = append(out, u)
	}
	for i := range res.Workflows {
		w := &res.Workflows[i]
		u := side{Unit: Unit{Name: w.Name, Workflow: true, File: w.File, Line: w.Line, Language: w.Language, Verdict: Safe}, findings: len(w.Findings), bodies: w.Bodies}
		for _, f := range w.Findings {
			if u.Verdict == Safe && f.Severity != Advice || f.Severity == Hazard {
				u.Verdict = f.Severity
			}
			u.facts += fmt.Sprintln(f.Rule, f.Kind, f.Severity, f.Message)
		}
		u.facts = lineNumber.ReplaceAllString(u.facts, "line")
		out = append(out, u)
	}
	return out
}

var lineNumber = regexp.MustCompile(`\blines? \d+( of \S+)?`)

// digest is what a call site says about how the activity is run.
func (c *CallSite) digest() string {
	p := c.RetryPolicy()
	return fmt.Sprint(c.Workflow, "\x00", strings.Join(strings.Fields(c.Quote), ""), "\x00", c.Policy, c.Retries, c.InLoop, p.Names, p.Horizon)
}

// CompareResults sets two reviews of a whole project side by side. It reports on
// the units that stand within or call into it (nil: everywhere), by their place
// in the later review, or in the earlier one for what is gone.
func CompareResults(before, after *Result, within func(file string) bool) Comparison {
	old, now := sides(before), sides(after)
	was := Identify(before)
	pairs := pair(old, now)
	for i := range now {
		if pairs[i] < 0 {
			now[i].Why = []string{"it is new"}
			if now[i].Workflow {
				now[i].Why = []string{"something is found in its body"}
			}
			continue
		}
		now[i].Why = differences(&old[pairs[i]], &now[i])
	}
	home := map[string]int{} // fingerprint of an earlier finding → its unit in old
	n := 0
	for i := range old {
		for range old[i].findings {
			home[was[n].Fingerprint] = i
			n++
		}
	}
	var gone []side
	place := map[int]int{} // unit in old → its unit in gone
	for i := range old {
		if !slices.Contains(pairs, i) {
			place[i] = len(gone)
			u := old[i]
			u.Verdict, u.Why = Gone, []string{"it is not there any more"}
			if u.Workflow {
				u.Why = []string{"nothing is found in its body any more"}
			}
			gone = append(gone, u)
		}
	}
	for _, c := range distribute(now, changes(was, after, newGaps(before, after))) {
		at := home[c.Fingerprint]
		if j := slices.Index(pairs, at); j >= 0 {
			now[j].Changes = append(now[j].Changes, c)
		} else {
			gone[place[at]].Changes = append(gone[place[at]].Changes, c)
		}
	}
	return gather(slices.Concat(now, gone), within)
}

// CompareBaseline sets a review of a whole project beside the findings of an
// earlier one. What else changed is not known, so an activity is touched if it
// has a new finding or lost one.
func CompareBaseline(was []Identified, after *Result, within func(file string) bool) Comparison {
	now := sides(after)
	for _, c := range distribute(now, changes(was, after, after.Skipped)) {
		i := slices.IndexFunc(now, func(s side) bool { return s.Name == c.Activity })
		if i < 0 {
			i = len(now)
			now = append(now, side{Unit: Unit{Name: c.Activity, File: c.File, Line: c.Line, Verdict: Gone}})
		}
		now[i].Changes = append(now[i].Changes, c)
	}
	for i := range now {
		if slices.ContainsFunc(now[i].Changes, func(c Change) bool { return c.Status != Existing }) {
			now[i].Why = []string{"its findings differ from the baseline"}
		}
	}
	out := gather(now, within)
	out.FindingsOnly = true
	return out
}

// Uncompared is a review of a whole project with nothing to compare it with: no
// finding has a status.
func Uncompared(res *Result, within func(file string) bool) Comparison {
	now := sides(res)
	var all []Change
	for _, f := range Identify(res) {
		all = append(all, Change{Identified: f})
	}
	distribute(now, all)
	return gather(now, within)
}

// distribute gives every unit its findings and returns the others, which are in
// the earlier review only.
func distribute(now []side, all []Change) []Change {
	for i := range now {
		now[i].Changes = slices.Clone(all[:now[i].findings])
		all = all[now[i].findings:]
	}
	return all
}

func gather(all []side, within func(file string) bool) Comparison {
	var c Comparison
	for i := range all {
		if within == nil || all[i].reaches(within) {
			c.Units = append(c.Units, all[i].Unit)
		}
	}
	return c
}

// reaches reports whether the unit stands in one of the files or calls into one:
// who names a helper wants to know what depends on it.
func (s *side) reaches(within func(file string) bool) bool {
	return within(s.File) || slices.ContainsFunc(s.bodies, func(b Body) bool { return within(b.File) }) ||
		slices.ContainsFunc(s.Changes, func(c Change) bool { return within(c.File) })
}

// changes compares, and tells a finding that is fixed from one that is silenced
// and from one that was not looked for.
func changes(was []Identified, after *Result, gaps []Skipped) []Change {
	out := Compare(was, Identify(after))
	hushed := map[string]bool{}
	for _, s := range IdentifySilenced(after) {
		hushed[s.Fingerprint] = true
	}
	there := map[string]bool{}
	for _, u := range sides(after) {
		there[u.Name] = true
	}
	gaps = slices.DeleteFunc(slices.Clone(gaps), func(s Skipped) bool { return OnPurpose(s.Reason) })
	for i := range out {
		c := &out[i]
		switch {
		case c.Status != Fixed:
		case hushed[c.Fingerprint]:
			c.Status = Hushed
		case slices.ContainsFunc(gaps, func(s Skipped) bool { return s.File == c.File || !there[c.Activity] }):
			c.Status = Unread
		}
	}
	return out
}

// newGaps are the files that only the later review could not read.
func newGaps(before, after *Result) []Skipped {
	return slices.DeleteFunc(slices.Clone(after.Skipped), func(s Skipped) bool { return slices.Contains(before.Skipped, s) })
}

// pair finds for every unit of now its earlier self, -1 if there is none: the
// same name in the same file, else the same name elsewhere in the same language.
func pair(old, now []side) []int {
	out := slices.Repeat([]int{-1}, len(now))
	taken := map[int]bool{}
	for _, same := range []func(a, b *side) bool{
		func(a, b *side) bool { return a.File == b.File },
		func(a, b *side) bool { return a.Language == b.Language },
	} {
		byName := map[string][]int{}
		for i := range old {
			byName[old[i].Name] = append(byName[old[i].Name], i)
		}
		for i := range now {
			for _, j := range byName[now[i].Name] {
				if out[i] < 0 && !taken[j] && old[j].Workflow == now[i].Workflow && same(&old[j], &now[i]) {
					out[i], taken[j] = j, true
				}
			}
		}
	}
	return out
}

// differences says what changed in a unit and around it. Nothing: its text, the
// text of all it calls in the repository, and its call sites are the same.
func differences(a, b *side) []string {
	var out []string
	digests, names := map[string]bool{}, map[string]bool{}
	for _, x := range a.bodies {
		digests[x.Digest], names[x.Name] = true, true
	}
	for i, x := range b.bodies {
		switch {
		case digests[x.Digest]:
		case i == 0:
			out = append(out, "its body changed")
		case names[x.Name]:
			out = append(out, fmt.Sprintf("%s in %s, which it calls, changed", cmp.Or(x.Name, "a function"), x.File))
		default:
			out = append(out, fmt.Sprintf("it calls %s in %s now", cmp.Or(x.Name, "a function"), x.File))
		}
	}
	if !slices.Equal(sorted(a.sites), sorted(b.sites)) {
		var where []string
		for _, s := range b.sites {
			if !slices.Contains(a.sites, s) {
				w, _, _ := strings.Cut(s, "\x00")
				where = append(where, either(w, "a workflow"))
			}
		}
		if where = slices.Compact(sorted(where)); len(where) > 0 {
			out = append(out, "how "+strings.Join(where, ", ")+" calls it changed")
		} else {
			out = append(out, "a call of it was removed")
		}
	}
	if len(out) == 0 && a.facts != b.facts {
		out = append(out, "something that its body refers to changed")
	}
	return out
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
