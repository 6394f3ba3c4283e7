package review

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
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
	// Worse is what the change makes worse about what was there before.
	Worse   string   `json:"worse,omitempty"`
	Site    *Site    `json:"call_site,omitempty"` // the call site that changed
	Changes []Change `json:"findings"`
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

// Worse is how many existing hazards the change makes worse.
func (c *Comparison) Worse() int {
	n := 0
	for _, x := range c.Changes() {
		if x.Worse {
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
	symbol   string
	findings int // how many of the result's, in its order
	bodies   []Body
	sites    []CallSite
	facts    string
}

func sides(res *Result) []side {
	out := make([]side, 0, len(res.Activities)+len(res.Workflows))
	for i := range res.Activities {
		a := &res.Activities[i]
		u := side{Unit: Unit{Name: a.owner(), File: a.File, Line: a.Line, Language: a.Language, Verdict: a.Verdict}, symbol: a.Symbol, findings: len(a.Findings), bodies: a.Bodies, sites: a.CallSites}
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

var lineNumber = regexp.MustCompile(`(\bat \S+ )?\blines? \d+( of \S+)?`)

// digest is what a call site says about how the activity is run.
func (c *CallSite) digest() string {
	p := c.RetryPolicy()
	return fmt.Sprint(c.Workflow, "\x00", strings.Join(strings.Fields(c.Quote), ""), "\x00", c.Policy, c.Retries, c.InLoop, p.Names, p.Horizon)
}

// CompareResults sets two reviews of a whole project side by side. It reports on
// the units that stand within or call into it (nil: everywhere), by their place
// in the later review, or in the earlier one for what is gone. Renamed names the
// earlier path of a file, where it is known to be another.
func CompareResults(before, after *Result, renamed map[string]string, within func(file string) bool) Comparison {
	old, now := sides(before), sides(after)
	pairs := pair(old, now, renamed)
	for i := range now {
		if pairs[i] < 0 {
			now[i].Why = []string{"it is new"}
			if now[i].Workflow {
				now[i].Why = []string{"something is found in its body"}
			}
			continue
		}
		now[i].Why = differences(&old[pairs[i]], &now[i])
		if from := renamed[now[i].File]; from != "" {
			now[i].Why = append(now[i].Why, "its file was renamed from "+clean.Name(from))
		}
	}
	gone := map[int]*side{} // by their place in old
	for i := range old {
		if !slices.Contains(pairs, i) {
			gone[i] = &old[i]
			old[i].Verdict, old[i].Why = Gone, []string{"it is not there any more"}
			if old[i].Workflow {
				old[i].Why = []string{"nothing is found in its body any more"}
			}
		}
	}
	m := align(before, after, pairs)
	home := map[string]int{} // fingerprint of an earlier finding → its unit in old
	was := Identify(m.before)
	rest := was
	for _, i := range m.old {
		for _, f := range rest[:old[i].findings] {
			home[f.Fingerprint] = i
		}
		rest = rest[old[i].findings:]
	}
	all := changes(was, m.after, newGaps(before, after), renamed)
	for _, i := range m.now {
		now[i].Changes = slices.Clone(all[:now[i].findings])
		all = all[now[i].findings:]
	}
	for _, c := range all { // what is in the earlier review only
		at := home[c.Fingerprint]
		u := gone[at]
		if j := slices.Index(pairs, at); j >= 0 {
			u = &now[j]
		}
		u.Changes = append(u.Changes, c)
	}
	fingerprints(now, Identify(after))
	for i := range old {
		if u := gone[i]; u != nil {
			now = append(now, *u)
		}
	}
	for i := range now {
		now[i].judge()
	}
	return gather(now, within)
}

// judge marks the hazards that are worse now, and says so much of a unit of which
// nothing is known but that its findings differ.
func (s *side) judge() {
	for i := range s.Changes {
		c := &s.Changes[i]
		c.Worse = s.Worse != "" && c.Status == Existing && c.Severity == Hazard
		if c.Status != Existing && len(s.Why) == 0 {
			s.Why = []string{elsewhere}
		}
	}
}

const elsewhere = "something that its body refers to changed"

// aligned are two reviews with the units that are each other's first and in the
// same order. Findings that are equal in all that a fingerprint is made of are told
// apart by their order, so else an activity of the same name elsewhere could take
// another one's place.
type aligned struct {
	before, after *Result
	old, now      []int // the places in the reviews as they were
}

func align(before, after *Result, pairs []int) aligned {
	var m aligned
	for i, j := range pairs {
		if j >= 0 {
			m.now, m.old = append(m.now, i), append(m.old, j)
		}
	}
	for i, j := range pairs {
		if j < 0 {
			m.now = append(m.now, i)
		}
	}
	for j := range len(before.Activities) + len(before.Workflows) {
		if !slices.Contains(pairs, j) {
			m.old = append(m.old, j)
		}
	}
	m.before, m.old = reordered(before, m.old)
	m.after, m.now = reordered(after, m.now)
	return m
}

// reordered puts the units in an order, activities before workflows as ever.
func reordered(res *Result, order []int) (*Result, []int) {
	out, n := *res, len(res.Activities)
	out.Activities, out.Workflows = nil, nil
	workflow := func(i int) bool { return i >= n }
	order = slices.Concat(slices.DeleteFunc(slices.Clone(order), workflow), slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !workflow(i) }))
	for _, i := range order {
		if i < n {
			out.Activities = append(out.Activities, res.Activities[i])
		} else {
			out.Workflows = append(out.Workflows, res.Workflows[i-n])
		}
	}
	return &out, order
}

// fingerprints gives the findings those that they have in a review of its own.
func fingerprints(now []side, all []Identified) {
	for i := range now {
		for k := range now[i].findings {
			now[i].Changes[k].Fingerprint = all[k].Fingerprint
		}
		all = all[now[i].findings:]
	}
}

// CompareBaseline sets a review of a whole project beside the findings of an
// earlier one. What else changed is not known, so an activity is touched if it
// has a new finding or lost one.
func CompareBaseline(was []Identified, after *Result, within func(file string) bool) Comparison {
	now := sides(after)
	for _, c := range distribute(now, changes(was, after, after.Skipped, nil)) {
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
func changes(was []Identified, after *Result, gaps []Skipped, renamed map[string]string) []Change {
	out := Compare(was, Identify(after))
	hushed := map[string]string{}
	for i, s := range IdentifySilenced(after) {
		hushed[s.Fingerprint] = after.Silenced[i].Reason
	}
	there := map[string]bool{}
	for _, u := range sides(after) {
		there[u.Name] = true
	}
	gaps = slices.DeleteFunc(slices.Clone(gaps), func(s Skipped) bool { return OnPurpose(s.Reason) })
	for i := range out {
		c := &out[i]
		if c.Status != Fixed {
			continue
		}
		if reason, ok := hushed[c.Fingerprint]; ok {
			c.Status, c.Reason = Hushed, reason
			continue
		}
		at := slices.IndexFunc(gaps, func(s Skipped) bool { return s.holds(c.File) || renamed[s.File] == c.File })
		if at < 0 && !there[c.Activity] && len(gaps) > 0 {
			at = 0 // it may stand there now
		}
		if at >= 0 {
			c.Status, c.Reason = Unread, clean.Name(gaps[at].File)+": "+gaps[at].Reason
		}
	}
	return out
}

// holds reports whether the file, or a folder that it lies in, was skipped.
func (s *Skipped) holds(file string) bool {
	dir := strings.TrimSuffix(s.File, "/")
	return file == dir || strings.HasPrefix(file, dir+"/")
}

// newGaps are the files that only the later review could not read.
func newGaps(before, after *Result) []Skipped {
	return slices.DeleteFunc(slices.Clone(after.Skipped), func(s Skipped) bool { return slices.Contains(before.Skipped, s) })
}

// pair finds for every unit of now its earlier self, -1 if there is none: the
// same name in the same file, renamed or not, and there rather the same function;
// else the same name elsewhere in the same language.
func pair(old, now []side, renamed map[string]string) []int {
	out := slices.Repeat([]int{-1}, len(now))
	taken := map[int]bool{}
	byName := map[string][]int{}
	for i := range old {
		byName[old[i].Name] = append(byName[old[i].Name], i)
	}
	sameFile := func(a, b *side) bool { return a.File == cmp.Or(renamed[b.File], b.File) }
	for _, same := range []func(a, b *side) bool{
		func(a, b *side) bool { return sameFile(a, b) && a.symbol == b.symbol },
		sameFile,
		func(a, b *side) bool { return a.Language == b.Language },
	} {
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

// some names the first of what can be many.
func some(names []string) string {
	if more := len(names) - 3; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), more)
	}
	return strings.Join(names, ", ")
}

// differences says what changed in a unit and around it. Nothing: its text, the
// text of all it calls in the repository, and its call sites are the same.
func differences(a, b *side) []string {
	var out []string
	digests, names := map[string]bool{}, map[string]bool{}
	for _, x := range a.bodies {
		digests[x.Digest], names[x.Name] = true, true
	}
	var changed, more []string
	for i, x := range b.bodies {
		name := "a function in " + clean.Name(x.File)
		if x.Name != "" {
			name = clean.Name(x.Name) + " in " + clean.Name(x.File)
		}
		switch {
		case digests[x.Digest]:
		case i == 0:
			out = append(out, "its body changed")
		case names[x.Name]:
			changed = append(changed, name)
		default:
			more = append(more, name)
		}
	}
	if len(changed) > 0 {
		out = append(out, "code that it calls changed: "+some(changed))
	}
	if len(more) > 0 {
		out = append(out, "it calls more now: "+some(more))
	}
	out = append(out, b.called(a)...)
	if len(out) == 0 && a.facts != b.facts {
		out = append(out, elsewhere)
	}
	return out
}

// called says how the call sites of a unit differ from those it had. A retry policy
// where there was none makes every hazard of the body happen more often.
func (s *side) called(was *side) []string {
	left, known, retried := map[string]int{}, map[string]bool{}, map[string]bool{}
	for i := range was.sites {
		c := &was.sites[i]
		left[c.digest()]++
		known[c.Workflow] = true
		retried[c.Workflow] = retried[c.Workflow] || c.Retries
	}
	var out, where []string
	for i := range s.sites {
		c := &s.sites[i]
		d := c.digest()
		if left[d] > 0 {
			left[d]--
			continue
		}
		at := &Site{File: c.File, Line: c.Line, EndLine: c.Line, Quote: c.Quote}
		if c.Retries && !retried[c.Workflow] {
			if s.Worse == "" {
				s.Site, s.Worse, out = at, "a failure is now run again at this call site", []string{"its call site gained a retry policy"}
				if !known[c.Workflow] {
					out = []string{"it has a new call site, with a retry policy"}
				}
			}
			continue
		}
		s.Site = cmp.Or(s.Site, at)
		if c.Workflow == "" {
			where = append(where, "a workflow")
		} else {
			where = append(where, clean.Name(c.Workflow))
		}
	}
	if len(where) > 0 {
		out = append(out, "how "+strings.Join(slices.Compact(sorted(where)), ", ")+" calls it changed")
	}
	if len(out) == 0 && slices.ContainsFunc(slices.Collect(maps.Values(left)), func(n int) bool { return n > 0 }) {
		out = append(out, "a call of it was removed")
	}
	return out
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }
