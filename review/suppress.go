package review

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Suppression is a comment that silences a rule in place:
//
//	idem:ignore IDEM004 the ledger rejects a second entry
//
// on the finding's line or alone on the line above it. The rule is its id or
// slug, the reason is required.
type Suppression struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Reason  string `json:"reason"`
	Used    bool   `json:"used"`
	Problem string `json:"problem,omitempty"` // why it silences nothing

	target int // the line whose findings it silences
}

var (
	ignoreMark = regexp.MustCompile(`^\s*idem:ignore\b(.*)$`)
	ruleName   = regexp.MustCompile(`^(IDEM\d{3}|[a-z]+(?:-[a-z]+)+)[:,]?(?:\s+|$)`)
)

// suppressions reads the comments of a file.
func (g *engine) suppressions(f *File, marker string) []*Suppression {
	if !strings.Contains(string(f.src), "idem:ignore") {
		return nil
	}
	lines := strings.Split(string(f.src), "\n")
	var out []*Suppression
	for i, line := range lines {
		before, after, ok := strings.Cut(line, marker)
		m := ignoreMark.FindStringSubmatch(after)
		for ok && m == nil { // the marker may stand in a string before the comment
			var head string
			head, after, ok = strings.Cut(after, marker)
			before += marker + head
			m = ignoreMark.FindStringSubmatch(after)
		}
		if m == nil {
			continue
		}
		s := &Suppression{File: f.Path, Line: i + 1, target: i + 1}
		rest := strings.TrimSpace(m[1])
		if r := ruleName.FindStringSubmatch(rest); r != nil {
			s.Rule, s.Reason = r[1], strings.TrimSpace(rest[len(r[0]):])
		}
		if strings.TrimSpace(before) == "" { // alone: the next line of code
			for j := i + 1; j < len(lines); j++ {
				if t := strings.TrimSpace(lines[j]); t != "" && !strings.HasPrefix(t, marker) {
					s.target = j + 1
					break
				}
			}
		}
		switch {
		case s.Rule == "":
			s.Problem = "name the rule: idem:ignore IDEM004 reason"
		case !slices.ContainsFunc(g.rules, func(r *Rule) bool { return r.ID == s.Rule || r.Slug == s.Rule }):
			s.Problem = "no rule is called " + s.Rule
		case s.Reason == "":
			s.Problem = "a reason is required"
		}
		out = append(out, s)
	}
	return out
}

// suppress drops the findings of an activity or workflow that a comment
// silences, and keeps them apart.
func (g *engine) suppress(owner string, found []Finding) []Finding {
	return slices.DeleteFunc(found, func(f Finding) bool {
		s := g.silencer(&f)
		if s != nil {
			s.Used = true
			g.silenced = append(g.silenced, Silenced{Owner: owner, Finding: f, Reason: s.Reason})
		}
		return s != nil
	})
}

// silencer is the comment that silences a finding, nil if there is none.
func (g *engine) silencer(f *Finding) *Suppression {
	for _, s := range g.silences(f.File) {
		if s.Problem == "" && (s.Rule == f.Rule || s.Rule == f.Slug) && (s.target == f.Line || s.Line >= f.Line && s.Line <= f.EndLine) {
			return s
		}
	}
	return nil
}

// silences are the suppressions of a file, read once.
func (g *engine) silences(file string) []*Suppression {
	if all, ok := g.quiet[file]; ok {
		return all
	}
	if g.quiet == nil {
		g.quiet = map[string][]*Suppression{}
	}
	var all []*Suppression
	if e := g.repo.byPath[file]; e != nil && e.file != nil {
		all = g.suppressions(e.file, e.lang.Comment)
	}
	g.quiet[file] = all
	return all
}

// suppressed lists the suppressions of the targets and of the files whose
// findings they silenced. One that silenced nothing is told, unless only some
// bodies were looked at.
func (g *engine) suppressed(targets []*entry, partial bool) []Suppression {
	for _, e := range targets {
		if e.file != nil {
			g.silences(e.path)
		}
	}
	out := []Suppression{}
	for file, all := range g.quiet {
		target := slices.ContainsFunc(targets, func(e *entry) bool { return e.path == file })
		for _, s := range all {
			if !s.Used && !target || !s.Used && s.Problem == "" && partial {
				continue
			}
			if !s.Used && s.Problem == "" {
				s.Problem = "unused: " + s.Rule + " finds nothing here"
			}
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b Suppression) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out
}
