package tools

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/review"
)

// This file sets the reviews of a pull request's base and head side by side: which
// activities the change reaches, and what became of each finding.

// The statuses that a comparison of findings alone does not know.
const (
	silenced  review.Status = "silenced"  // an idem:ignore comment of this change hides it
	unsettled review.Status = "unsettled" // its file could not be read on the other side
)

// side is one of the two trees, reviewed.
type side struct {
	commit github.Commit
	files  fs.FS
	res    review.Result
	lines  map[string][]string
	unread map[string]string // files that were not read, or not to their end, with the reason
	cut    []string          // what a limit left out
	beside []string          // what no language here reads
}

func newSide(s *github.Snapshot, res review.Result) *side {
	out := &side{commit: s.Commit, files: s.FS(), res: res, lines: map[string][]string{}, unread: map[string]string{}}
	for _, x := range s.Skipped {
		if x.File == "*" {
			out.cut = append(out.cut, x.Reason)
			continue
		}
		out.unread[strings.TrimSuffix(x.File, "/")] = x.Reason
	}
	for _, x := range res.Skipped {
		if x.File == "*" {
			out.beside = append(out.beside, x.Reason)
			continue
		}
		out.unread[strings.TrimSuffix(x.File, "/")] = x.Reason
	}
	return out
}

// source is the lines of a file, none if it is not there.
func (s *side) source(file string) []string {
	if have, ok := s.lines[file]; ok {
		return have
	}
	var out []string
	if b, err := fs.ReadFile(s.files, file); err == nil {
		out = strings.Split(string(b), "\n")
	}
	s.lines[file] = out
	return out
}

// body is the text of an activity.
func (s *side) body(a *review.ActivityResult) string {
	all := s.source(a.File)
	if a.Line < 1 || a.Line > len(all) {
		return ""
	}
	return strings.Join(all[a.Line-1:min(max(a.EndLine, a.Line), len(all))], "\n")
}

// missing is why a file or a folder above it was not read.
func (s *side) missing(file string) string {
	for p := file; p != "." && p != ""; p = path.Dir(p) {
		if why := s.unread[p]; why != "" {
			return why
		}
	}
	return ""
}

// comparison is both sides, and which activity of one is which of the other.
type comparison struct {
	before, after *side
	was           map[string]string // path at head → path at base, of renamed files
	is            map[string]string
	changed       map[string]bool // paths of the change, at head and at base
	pairs         map[int]int     // activity at head → at base
	back          map[int]int
}

func compare(pr *github.PullRequest, before, after *side) *comparison {
	c := &comparison{before: before, after: after, was: map[string]string{}, is: map[string]string{}, changed: map[string]bool{}, pairs: map[int]int{}, back: map[int]int{}}
	for _, f := range pr.Files {
		c.changed[f.Path] = true
		if f.Status == "renamed" && f.Previous != "" {
			c.was[f.Path], c.is[f.Previous], c.changed[f.Previous] = f.Previous, f.Path, true
		}
	}
	c.pair()
	c.align()
	return c
}

func (c *comparison) atBase(file string) string { return cmp.Or(c.was[file], file) }
func (c *comparison) atHead(file string) string { return cmp.Or(c.is[file], file) }

func called(a *review.ActivityResult) string { return cmp.Or(a.Name, a.Symbol) }

// pair finds for every activity at head the one at base: of the same name in the
// same file, renamed or not; then of the same name and language anywhere.
func (c *comparison) pair() {
	now, then := c.after.res.Activities, c.before.res.Activities
	for _, same := range []func(a, b *review.ActivityResult) bool{
		func(a, b *review.ActivityResult) bool { return c.atBase(a.File) == b.File && a.Symbol == b.Symbol },
		func(a, b *review.ActivityResult) bool { return c.atBase(a.File) == b.File },
		func(a, b *review.ActivityResult) bool { return a.Language == b.Language },
	} {
		byName := map[string][]int{}
		for j := range then {
			if _, taken := c.back[j]; !taken {
				byName[called(&then[j])] = append(byName[called(&then[j])], j)
			}
		}
		for i := range now {
			if _, done := c.pairs[i]; done {
				continue
			}
			for _, j := range byName[called(&now[i])] {
				if _, taken := c.back[j]; !taken && same(&now[i], &then[j]) {
					c.pairs[i], c.back[j] = j, i
					break
				}
			}
		}
	}
}

// align puts paired activities first and in the same order on both sides. Findings
// that are equal in all that a fingerprint is made of are told apart by their order,
// so an activity of the same name elsewhere cannot take another one's place.
func (c *comparison) align() {
	var now, then []review.ActivityResult
	for j := range c.before.res.Activities {
		if i, ok := c.back[j]; ok {
			now, then = append(now, c.after.res.Activities[i]), append(then, c.before.res.Activities[j])
		}
	}
	n := len(now)
	for i := range c.after.res.Activities {
		if _, ok := c.pairs[i]; !ok {
			now = append(now, c.after.res.Activities[i])
		}
	}
	for j := range c.before.res.Activities {
		if _, ok := c.back[j]; !ok {
			then = append(then, c.before.res.Activities[j])
		}
	}
	c.after.res.Activities, c.before.res.Activities = now, then
	clear(c.pairs)
	clear(c.back)
	for k := range n {
		c.pairs[k], c.back[k] = k, k
	}
}

// textChanged reports whether a file at head reads differently at base.
func (c *comparison) textChanged(file string) bool {
	return !slices.Equal(c.after.source(file), c.before.source(c.atBase(file)))
}

// reach is how a change reaches an activity or a workflow; the zero value: it does
// not.
type reach struct {
	Why   string `json:"why"`
	Worse string `json:"worse,omitempty" jsonschema:"what this change makes worse about what was there before"`
	File  string `json:"file,omitempty" jsonschema:"the call site that changed"`
	Line  int    `json:"line,omitempty"`
	Quote string `json:"quote,omitempty"`
	URL   string `json:"url,omitempty"`
}

// reaches says how the change reaches the activity at head.
func (c *comparison) reaches(i int) reach {
	a := &c.after.res.Activities[i]
	j, ok := c.pairs[i]
	if !ok {
		return reach{Why: "the activity is new"}
	}
	b := &c.before.res.Activities[j]
	var r reach
	var why []string
	if c.after.body(a) != c.before.body(b) {
		why = append(why, "its body changed")
	}
	if site := c.callSites(a, b, &r); site != "" {
		why = append(why, site)
	}
	if files := c.calledFiles(a); len(files) > 0 {
		more := ""
		if len(files) > 3 {
			more = fmt.Sprintf(" and %d more", len(files)-3)
		}
		why = append(why, "code that it calls changed: "+strings.Join(files[:min(len(files), 3)], ", ")+more)
	}
	if old := c.was[a.File]; old != "" {
		why = append(why, "its file was renamed from "+foreign(old))
	}
	if len(why) == 0 && facts(a) != facts(b) {
		why = append(why, "what it does reads differently, because of code elsewhere")
	}
	r.Why = strings.Join(why, "; ")
	return r
}

// calledFiles are the changed files that the activity's effects pass through.
func (c *comparison) calledFiles(a *review.ActivityResult) []string {
	var out []string
	add := func(file string) {
		if file != a.File && file != "" && !slices.Contains(out, foreign(file)) && c.textChanged(file) {
			out = append(out, foreign(file))
		}
	}
	for i := range a.Effects {
		add(a.Effects[i].File)
		for _, s := range a.Effects[i].Path {
			add(s.File)
		}
	}
	return out
}

// callSites compares where the activity is scheduled. A retry policy where there
// was none makes every hazard of the body happen more often.
func (c *comparison) callSites(a, b *review.ActivityResult, r *reach) string {
	var retried, once = map[string]bool{}, map[string]bool{}
	text := func(s *review.CallSite) string {
		return strings.Join([]string{s.Workflow, strings.Join(strings.Fields(s.Quote), ""), s.Policy, fmt.Sprint(s.Retries, s.InLoop)}, "\x00")
	}
	left := map[string]int{}
	for i := range b.CallSites {
		s := &b.CallSites[i]
		left[text(s)]++
		retried[s.Workflow] = retried[s.Workflow] || s.Retries
		once[s.Workflow] = true
	}
	why := ""
	for i := range a.CallSites {
		s := &a.CallSites[i]
		if left[text(s)]--; left[text(s)] >= 0 {
			continue
		}
		gained := s.Retries && !retried[s.Workflow]
		if why != "" && !gained || r.Worse != "" {
			continue
		}
		why, r.File, r.Line, r.Quote = "its call site changed", s.File, s.Line, s.Quote
		if gained {
			if why = "its call site gained a retry policy"; !once[s.Workflow] {
				why = "it has a new call site, with a retry policy"
			}
			r.Worse = "a failure is now run again at this call site"
		}
	}
	if why == "" && len(a.CallSites) < len(b.CallSites) {
		why = "a call site of it is gone"
	}
	return why
}

// facts is what a second run of the activity would do, without files and lines.
func facts(a *review.ActivityResult) string {
	var b strings.Builder
	for i := range a.Effects {
		e := &a.Effects[i]
		fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00%s\x00%s\n", e.Class, e.Callee, e.Resource, e.Guard, e.Key, e.Quote)
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		fmt.Fprintf(&b, "%s\x00%s\x00%s\n", f.Rule, f.Severity, f.Quote)
	}
	return b.String()
}

// changedFinding is a finding with what became of it, and how the change reaches
// the activity it belongs to.
type changedFinding struct {
	review.Change
	URL     string `json:"url,omitempty" jsonschema:"its lines on GitHub, at the head commit; of a fixed one at the base commit"`
	Reached reach  `json:"reached"`
}

// reachedActivity is an activity that the change touches or affects.
type reachedActivity struct {
	Name     string          `json:"name"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Language string          `json:"language"`
	Verdict  review.Severity `json:"verdict"`
	Reached  reach           `json:"reached"`
}

// owner is the activity (or else the workflow) that a finding stands with.
type owner struct {
	activity int // -1: a workflow
	file     string
}

// owners are those of the findings, in the order in which review.Identify lists
// them.
func owners(res *review.Result) []owner {
	var out []owner
	for i := range res.Activities {
		for range res.Activities[i].Findings {
			out = append(out, owner{i, res.Activities[i].File})
		}
	}
	for i := range res.Workflows {
		for range res.Workflows[i].Findings {
			out = append(out, owner{-1, res.Workflows[i].File})
		}
	}
	return out
}

// findings are those of activities that the change reaches; the others are
// counted.
func (c *comparison) findings() (shown []changedFinding, reached []reachedActivity, elsewhere int) {
	then, now := review.Identify(&c.before.res), review.Identify(&c.after.res)
	ownersThen, ownersNow := owners(&c.before.res), owners(&c.after.res)
	gone := map[string]owner{}
	for i := range then {
		gone[then[i].Fingerprint] = ownersThen[i]
	}
	at := make([]reach, len(c.after.res.Activities))
	for i := range at {
		at[i] = c.reaches(i)
	}
	for i, ch := range review.Compare(then, now) {
		f := changedFinding{Change: ch}
		if i < len(now) {
			f.Reached = c.reachedBy(ownersNow[i], at)
			if f.Status != review.Existing && f.Reached.Why == "" {
				f.Reached.Why = "what it calls, or what calls it, changed"
			}
		} else {
			c.judgeGone(&f, gone[ch.Fingerprint], at)
		}
		if f.Status != review.Existing || f.Severity != review.Hazard {
			f.Reached.Worse = ""
		}
		if f.Status == review.Existing && f.Reached.Why == "" {
			elsewhere++
			continue
		}
		shown = append(shown, f)
	}
	for i := range at {
		if a := &c.after.res.Activities[i]; at[i].Why != "" {
			reached = append(reached, reachedActivity{called(a), a.File, a.Line, a.Language, a.Verdict, at[i]})
		}
	}
	slices.SortStableFunc(shown, func(a, b changedFinding) int {
		return cmp.Or(a.order()-b.order(), cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	slices.SortStableFunc(reached, func(a, b reachedActivity) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return shown, reached, elsewhere
}

// order puts first what has to be looked at.
func (f *changedFinding) order() int {
	switch {
	case f.Status == review.New:
		return 0
	case f.Reached.Worse != "":
		return 1
	case f.Status == silenced || f.Status == unsettled:
		return 2
	case f.Status == review.Fixed:
		return 3
	}
	return 4
}

func (c *comparison) reachedBy(o owner, at []reach) reach {
	switch {
	case o.activity >= 0:
		return at[o.activity]
	case c.changed[o.file]:
		return reach{Why: "the workflow's file changed"}
	}
	return reach{}
}

// judgeGone says whether a finding that is no longer there was fixed: a comment can
// hide it, and a file that cannot be read shows nothing.
func (c *comparison) judgeGone(f *changedFinding, o owner, at []reach) {
	i, there := c.back[o.activity]
	switch {
	case o.activity < 0:
		f.Reached.Why = "the workflow changed"
	case !there:
		f.Reached.Why = "the activity is gone"
	default:
		f.Reached = at[i]
		f.Reached.Why = cmp.Or(f.Reached.Why, "what it calls, or what calls it, changed")
	}
	for _, file := range []string{o.file, f.File} {
		if why := c.after.missing(c.atHead(file)); why != "" {
			f.Status, f.Reached.Why = unsettled, foreign(c.atHead(file))+" was not read at the head: "+why
			return
		}
	}
	for _, s := range c.after.res.Suppressions {
		if s.Used && (s.Rule == f.Rule || s.Rule == f.Slug) && s.File == c.atHead(f.File) && !c.silencedBefore(s) {
			f.Status, f.Reached.Why = silenced, "a comment of this change silences it: "+quoted(s.Reason, 160)
			return
		}
	}
}

func (c *comparison) silencedBefore(s review.Suppression) bool {
	return slices.ContainsFunc(c.before.res.Suppressions, func(b review.Suppression) bool {
		return b.Used && b.Rule == s.Rule && b.Reason == s.Reason && b.File == c.atBase(s.File)
	})
}

// foreign is a name or path that the pull request chose: as it is when it is plainly
// one, else marked as somebody's words.
func foreign(s string) string {
	if s != "" && len(s) <= 200 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./$<>@+") == "" {
		return s
	}
	return quoted(s, 200)
}
