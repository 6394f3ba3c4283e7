package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/review"
)

// pulled is a pull request whose base and head are reviewed and compared.
type pulled struct {
	*github.PullRequest
	compared   compared
	base, head github.Commit
	renamed    map[string]string // path at head → path at base
	changed    map[string]bool   // paths of the change, at head and at base
	cut        []string          // what a limit left out
}

// renames are the earlier paths of renamed files, by their path now.
func renames(pr *github.PullRequest) map[string]string {
	out := map[string]string{}
	for _, f := range pr.Files {
		if f.Status == "renamed" && f.Previous != "" {
			out[f.Path] = f.Previous
		}
	}
	return out
}

// pulled compares the two trees of a pull request.
func (d Deps) pulled(ctx context.Context, pr *github.PullRequest, base, head *github.Snapshot) (*pulled, error) {
	p := &pulled{PullRequest: pr, base: base.Commit, head: head.Commit, renamed: renames(pr), changed: map[string]bool{}}
	for _, f := range pr.Files {
		p.changed[f.Path] = true
		if f.Previous != "" {
			p.changed[f.Previous] = true
		}
	}
	for _, x := range slices.Concat(base.Skipped, head.Skipped) {
		if x.File == "*" {
			p.cut = append(p.cut, x.Reason)
		}
	}
	var err error
	p.compared, err = d.compareReviews(ctx, state{base.FS(), base.Skipped}, state{head.FS(), head.Skipped}, p.renamed, nil, nil)
	return p, err
}

// unread are the files of the head that were not read, or not to their end, with the
// reason; beside is what no language here reads.
func (p *pulled) unread() (files map[string]string, beside []string) {
	files = map[string]string{}
	for _, x := range p.compared.Head.Skipped {
		switch {
		case x.File != "*":
			files[strings.TrimSuffix(x.File, "/")] = x.Reason
		case !slices.Contains(p.cut, x.Reason):
			beside = append(beside, x.Reason)
		}
	}
	slices.Sort(beside)
	return files, beside
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

func reached(u *review.Unit) reach {
	r := reach{Why: strings.Join(u.Why, "; "), Worse: u.Worse}
	if u.Site != nil {
		r.File, r.Line, r.Quote = u.Site.File, u.Site.Line, u.Site.Quote
	}
	return r
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

// findings are those of activities that the change reaches; the others are
// counted.
func (p *pulled) findings() (shown []changedFinding, activities []reachedActivity, elsewhere int) {
	for i := range p.compared.Units {
		u := &p.compared.Units[i]
		r := reached(u)
		for _, c := range u.Changes {
			if !u.Touched() {
				elsewhere++
				continue
			}
			f := changedFinding{Change: c, Reached: r}
			if !c.Worse {
				f.Reached.Worse = ""
			}
			switch c.Status {
			case review.Hushed:
				f.Reached.Why = "a comment of this change silences it: " + quoted(c.Reason, 160)
			case review.Unread:
				f.Reached.Why = "it was not looked for again: " + clean.Line(c.Reason, 300)
			}
			f.Worse, f.Reason = false, "" // Reached says it
			shown = append(shown, f)
		}
		if u.Touched() && !u.Workflow && u.Verdict != review.Gone {
			activities = append(activities, reachedActivity{u.Name, u.File, u.Line, u.Language, u.Verdict, r})
		}
	}
	slices.SortStableFunc(shown, func(a, b changedFinding) int {
		return cmp.Or(a.order()-b.order(), cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	slices.SortStableFunc(activities, func(a, b reachedActivity) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return shown, activities, elsewhere
}

// order puts first what has to be looked at.
func (f *changedFinding) order() int {
	switch {
	case f.Status == review.New:
		return 0
	case f.Reached.Worse != "":
		return 1
	case f.Status == review.Hushed || f.Status == review.Unread:
		return 2
	case f.Status == review.Fixed:
		return 3
	}
	return 4
}
