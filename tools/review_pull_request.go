package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/lang"
)

// idem_review_pull_request answers: what does this change do to activities that
// are run twice? It reviews the code before and after and compares, so it sees an
// activity that nobody edited but that is now retried, or whose helper lost its
// key. It cannot see what other repositories do, nor how often a body ran.

func reviewPullRequest() Capability {
	return define(definition[reviewPullRequestIn, *reviewPullRequestOut]{
		Name: "idem_review_pull_request", Command: "review --pr", Title: "Does this pull request add a hazard?", Positional: "pull_request",
		Purpose: "Reviews a GitHub pull request and what it affects: new, existing and fixed hazards of a second run, with links. For files at hand: idem_review_code.",
		Example: `{"pull_request":"shop/orders#7"}`,
		Run:     runReviewPullRequest,
	})
}

type reviewPullRequestIn struct {
	PullRequest string `json:"pull_request" doc:"OWNER/REPO#NUMBER, or its address"`
	Page
}

type reviewPullRequestOut struct {
	Answer
	// Findings of code stand in Changes; this one hides the answer's list of
	// history findings.
	Findings   []changedFinding  `json:"findings" jsonschema:"new ones first; existing ones only of activities that the change touches or affects"`
	Compared   comparedCommits   `json:"compared"`
	Counts     changeCounts      `json:"counts"`
	Activities []reachedActivity `json:"activities" jsonschema:"activities that the change touches or affects"`
	Skipped    []review.Skipped  `json:"skipped" jsonschema:"files that were not reviewed, with the reason"`

	detailed bool
}

type comparedCommits struct {
	PullRequest string `json:"pull_request"`
	URL         string `json:"url,omitempty"`
	Base        string `json:"base" jsonschema:"the commit the change starts from"`
	Head        string `json:"head"`
	Fork        string `json:"fork,omitempty" jsonschema:"the repository the change comes from, if another"`
}

type changeCounts struct {
	Files      int `json:"files" jsonschema:"changed files"`
	Activities int `json:"activities" jsonschema:"at the head"`
	NewHazards int `json:"new_hazards"`
	New        int `json:"new" jsonschema:"new findings that are no hazards"`
	Worse      int `json:"worse" jsonschema:"existing hazards that this change makes be run again"`
	Fixed      int `json:"fixed"`
	Silenced   int `json:"silenced" jsonschema:"hidden by a comment of this change"`
	Existing   int `json:"existing" jsonschema:"in activities that the change touches or affects"`
	Elsewhere  int `json:"elsewhere" jsonschema:"existing, in other activities; not listed"`
}

// readingTime bounds how long a pull request is read, waits for rate limits
// included.
const readingTime = 90 * time.Second

func runReviewPullRequest(ctx context.Context, d Deps, in reviewPullRequestIn) (*reviewPullRequestOut, error) {
	if d.GitHub == nil {
		return nil, &fault.Error{Kind: fault.Unsupported, What: "review a pull request: no GitHub is set up", Means: "nothing was read"}
	}
	if in.PullRequest == "" {
		return nil, &badArgument{what: "no pull request is named", do: "Give pull_request: OWNER/REPO#NUMBER, or its address"}
	}
	ref, err := d.GitHub.ParseRef(in.PullRequest)
	if err != nil {
		return nil, err
	}
	pr, before, after, err := d.readPullRequest(ctx, ref)
	if err != nil {
		return nil, err
	}
	first, err := pullCursor(in.Cursor, pr.Head.SHA)
	if err != nil {
		return nil, err
	}
	c := compare(pr, before, after)
	out := &reviewPullRequestOut{Compared: comparedCommits{PullRequest: pr.String(), Base: pr.Base.SHA, Head: pr.Head.SHA}, detailed: in.detailed()}
	out.Counts.Files, out.Counts.Activities = len(pr.Files), len(after.res.Activities)
	if pr.Fork.Name != "" {
		out.Compared.Fork = pr.Fork.String()
	}
	var all []changedFinding
	all, out.Activities, out.Counts.Elsewhere = c.findings()
	out.count(all)
	out.link(d.GitHub, pr, c, all)
	out.gaps(pr, c)
	out.Summary = out.summarize()
	out.advise(all)
	out.take(d, in, all, first)
	return out, nil
}

// readPullRequest reads both trees and reviews each as a whole, since what a change
// affects can stand in any file.
func (d Deps) readPullRequest(ctx context.Context, ref github.Ref) (*github.PullRequest, *side, *side, error) {
	reading, cancel := context.WithTimeoutCause(ctx, readingTime, &fault.Error{Kind: fault.Unreachable, What: "read pull request " + ref.String() + ": it took more than 90 seconds", Means: "nothing is answered",
		Do: "Try again: what was read is kept. Or check the branch out and review it with idem_review_code"})
	defer cancel()
	pr, err := d.GitHub.PullRequest(reading, ref)
	if err != nil {
		return nil, nil, nil, timedOut(reading, ctx, err)
	}
	touched := map[string]bool{}
	for _, f := range pr.Files {
		touched[f.Path], touched[f.Previous] = true, true
	}
	languages := lang.All()
	trees, err := d.GitHub.Trees(reading, github.Want{
		First: func(p string) bool { return touched[p] },
		Path: func(p string) bool {
			if base := path.Base(p); base == ".gitignore" || base == ".idemignore" {
				return true
			}
			return slices.ContainsFunc(languages, func(l *review.Language) bool { return l.Reads(p) })
		},
	}, pr)
	if err != nil {
		return nil, nil, nil, timedOut(reading, ctx, err)
	}
	var sides [2]*side
	for i, s := range trees {
		res, err := d.review(ctx, s.FS(), nil, nil)
		if err != nil {
			return nil, nil, nil, err
		}
		sides[i] = newSide(s, res)
	}
	return pr, sides[0], sides[1], nil
}

// timedOut is what to say when our own time was up, and not the caller's.
func timedOut(reading, asked context.Context, err error) error {
	if reading.Err() != nil && asked.Err() == nil {
		return context.Cause(reading)
	}
	return err
}

// pullCursor reads a cursor; one of another head commit would continue another
// answer.
func pullCursor(cursor, head string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	of, n, _ := strings.Cut(cursor, ":")
	if !strings.HasPrefix(head, of) || len(of) < 12 {
		return 0, &badArgument{what: "the cursor belongs to another commit: the pull request changed since", do: "Leave cursor out to start again"}
	}
	return cursorAt(":", ":"+n)
}

func (out *reviewPullRequestOut) count(all []changedFinding) {
	n := &out.Counts
	for i := range all {
		switch f := &all[i]; {
		case f.Status == review.New && f.Severity == review.Hazard:
			n.NewHazards++
		case f.Status == review.New:
			n.New++
		case f.Status == review.Fixed:
			n.Fixed++
		case f.Status == silenced:
			n.Silenced++
		case f.Status == unsettled:
		default:
			n.Existing++
			if f.Reached.Worse != "" {
				n.Worse++
			}
		}
	}
	out.found = n.NewHazards > 0 || n.Worse > 0
}

// link gives findings their pages, where the server's address is beyond doubt, and
// makes what the author wrote safe to show.
func (out *reviewPullRequestOut) link(hub *github.Client, pr *github.PullRequest, c *comparison, all []changedFinding) {
	page := func(at github.Commit, file string, line, end int) string {
		if !pr.Linked {
			return ""
		}
		return hub.BlobURL(at.Repo, at.SHA, file, line, end)
	}
	site := func(r *reach) {
		if r.File != "" {
			r.URL = page(c.after.commit, r.File, r.Line, r.Line)
		}
		r.File, r.Quote = clean.Line(r.File, 240), clean.Line(r.Quote, 240)
	}
	for i := range all {
		f := &all[i]
		at := c.after.commit
		if f.Status != review.New && f.Status != review.Existing {
			at = c.before.commit
		}
		f.URL = page(at, f.File, f.Line, f.EndLine)
		f.Activity = clean.Line(f.Activity, 240)
		f.Path = nil // the places in between are in idem_review_code
		cleanCodeFinding(&f.Finding)
		site(&f.Reached)
	}
	for i := range out.Activities {
		a := &out.Activities[i]
		a.Name, a.File = clean.Line(a.Name, 240), clean.Line(a.File, 240)
		site(&a.Reached)
	}
	if pr.Linked {
		out.Compared.URL = fmt.Sprintf("%s/%s/pull/%d", hub.Web(), pr.Repo, pr.Number)
	}
}

// unscheduled names the activities of the change without a call site: what rules
// about call sites would say of them is not known.
func (out *reviewPullRequestOut) unscheduled(c *comparison) {
	var names []string
	for i := range c.after.res.Activities {
		a := &c.after.res.Activities[i]
		if len(a.CallSites) == 0 && slices.ContainsFunc(out.Activities, func(r reachedActivity) bool { return r.File == clean.Line(a.File, 240) && r.Line == a.Line }) {
			names = append(names, foreign(called(a)))
		}
	}
	if n := len(names); n > 0 {
		more := ""
		if n > 5 {
			more = fmt.Sprintf(" and %d more", n-5)
		}
		out.NotVisible = append(out.NotVisible, "no workflow that schedules these was found, so nothing is known of their retry policies: "+strings.Join(names[:min(n, 5)], ", ")+more)
	}
}

// gaps says what was not reviewed. What nobody changed and nobody reads anywhere
// (other languages, submodules, links) bounds the view; anything else makes the
// answer partial.
func (out *reviewPullRequestOut) gaps(pr *github.PullRequest, c *comparison) {
	for _, m := range slices.Concat(pr.Missing, c.before.cut, c.after.cut) {
		out.Coverage.miss(m)
	}
	beside := 0
	for file, why := range c.after.unread {
		switch {
		case c.changed[file]:
		case review.OnPurpose(why):
			continue
		case why == "a symbolic link" || strings.HasPrefix(why, "a submodule"):
			beside++
			continue
		}
		out.Skipped = append(out.Skipped, review.Skipped{File: clean.Line(file, 240), Reason: why})
		if !review.OnPurpose(why) {
			out.Coverage.miss(foreign(file) + ": " + why)
		}
	}
	for file, why := range c.before.unread {
		if c.after.unread[c.atHead(file)] == "" && !review.OnPurpose(why) && why != "a symbolic link" && !strings.HasPrefix(why, "a submodule") {
			out.Skipped = append(out.Skipped, review.Skipped{File: clean.Line(file, 240), Reason: "before the change: " + why})
			out.Coverage.miss(foreign(file) + ", before the change: " + why + "; what was there already may show as new")
		}
	}
	for _, f := range pr.Files {
		if name := review.UnreadLanguage(f.Path, lang.All()); name != "" && f.Status != "removed" {
			out.Skipped = append(out.Skipped, review.Skipped{File: clean.Line(f.Path, 240), Reason: name + " is not read"})
			out.Coverage.miss(foreign(f.Path) + " changed, and " + name + " is not read")
		}
	}
	slices.SortFunc(out.Skipped, func(a, b review.Skipped) int { return strings.Compare(a.File, b.File) })
	slices.Sort(out.Coverage.Missing)
	out.unscheduled(c)
	if len(c.after.beside) > 0 {
		slices.Sort(c.after.beside)
		out.NotVisible = append(out.NotVisible, strings.Join(c.after.beside, "; "))
	}
	if beside > 0 {
		out.NotVisible = append(out.NotVisible, count(beside, "symbolic link or submodule")+" in the repository: what is behind them is not read")
	}
	if !pr.Linked {
		out.NotVisible = append(out.NotVisible, "no links are given: the server's own address of this pull request is not the configured one")
	}
}
