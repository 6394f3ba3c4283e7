package tools

import (
	"cmp"
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
	Unread     int `json:"unread,omitempty" jsonschema:"not looked for again: a file could not be read"`
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
	p, err := d.readPullRequest(ctx, ref)
	if err != nil {
		return nil, err
	}
	first, err := pullCursor(in.Cursor, p.Head.SHA)
	if err != nil {
		return nil, err
	}
	pr := p.PullRequest
	out := &reviewPullRequestOut{Compared: comparedCommits{PullRequest: pr.String(), Base: pr.Base.SHA, Head: pr.Head.SHA}, detailed: in.detailed()}
	out.Counts.Files, out.Counts.Activities = len(pr.Files), len(p.compared.Head.Activities)
	if pr.Fork.Name != "" {
		out.Compared.Fork = pr.Fork.String()
	}
	var all []changedFinding
	all, out.Activities, out.Counts.Elsewhere = p.findings()
	out.count(all)
	out.link(d.GitHub, p, all)
	out.gaps(p)
	out.Summary = out.summarize()
	out.advise(all)
	out.take(d, in, all, first)
	return out, nil
}

// readPullRequest reads both trees and reviews each as a whole, since what a change
// affects can stand in any file.
func (d Deps) readPullRequest(ctx context.Context, ref github.Ref) (*pulled, error) {
	reading, cancel := context.WithTimeoutCause(ctx, readingTime, &fault.Error{Kind: fault.Unreachable, What: "read pull request " + ref.String() + ": it took more than 90 seconds", Means: "nothing is answered",
		Do: "Try again: what was read is kept. Or check the branch out and review it with idem_review_code"})
	defer cancel()
	pr, err := d.GitHub.PullRequest(reading, ref)
	if err != nil {
		return nil, timedOut(reading, ctx, err)
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
		return nil, timedOut(reading, ctx, err)
	}
	return d.pulled(ctx, pr, trees[0], trees[1])
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
		case f.Status == review.Hushed:
			n.Silenced++
		case f.Status == review.Unread:
			n.Unread++
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
func (out *reviewPullRequestOut) link(hub *github.Client, p *pulled, all []changedFinding) {
	page := func(at github.Commit, file string, line, end int) string {
		if !p.Linked {
			return ""
		}
		return hub.BlobURL(at.Repo, at.SHA, file, line, end)
	}
	site := func(r *reach) {
		if r.File != "" {
			r.URL = page(p.head, r.File, r.Line, r.Line)
		}
		r.File, r.Quote = clean.Line(r.File, 240), clean.Line(r.Quote, 240)
	}
	for i := range all {
		f := &all[i]
		at := p.head
		if f.Status != review.New && f.Status != review.Existing {
			at = p.base
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
	if p.Linked {
		out.Compared.URL = fmt.Sprintf("%s/%s/pull/%d", hub.Web(), p.Repo, p.Number)
	}
}

// unscheduled names the activities of the change without a call site: what rules
// about call sites would say of them is not known.
func (out *reviewPullRequestOut) unscheduled(p *pulled) {
	var names []string
	for i := range p.compared.Head.Activities {
		a := &p.compared.Head.Activities[i]
		if len(a.CallSites) == 0 && slices.ContainsFunc(out.Activities, func(r reachedActivity) bool { return r.File == clean.Line(a.File, 240) && r.Line == a.Line }) {
			names = append(names, clean.Name(cmp.Or(a.Name, a.Symbol)))
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
func (out *reviewPullRequestOut) gaps(p *pulled) {
	for _, m := range slices.Concat(p.Missing, p.cut) {
		out.Coverage.miss(m)
	}
	elsewhere := 0
	unread, beside := p.unread()
	for file, why := range unread {
		switch {
		case p.changed[file]:
		case review.OnPurpose(why):
			continue
		case leadsElsewhere(why):
			elsewhere++
			continue
		}
		out.Skipped = append(out.Skipped, review.Skipped{File: clean.Line(file, 240), Reason: why})
		if !review.OnPurpose(why) {
			out.Coverage.miss(clean.Name(file) + ": " + why)
		}
	}
	now := map[string]string{} // path at base → path at head
	for path, was := range p.renamed {
		now[was] = path
	}
	for _, x := range p.compared.Lost {
		if file := strings.TrimSuffix(x.File, "/"); unread[cmp.Or(now[file], file)] == "" && !leadsElsewhere(x.Reason) {
			out.Skipped = append(out.Skipped, review.Skipped{File: clean.Line(file, 240), Reason: "before the change: " + x.Reason})
			out.Coverage.miss(clean.Name(file) + ", before the change: " + x.Reason + "; what was there already may show as new")
		}
	}
	for _, f := range p.Files {
		if base := path.Base(f.Path); base == ".gitignore" || base == ".idemignore" {
			out.NotVisible = append(out.NotVisible, clean.Name(f.Path)+" changed: what it ignores now is left out on both sides")
		}
		if name := review.UnreadLanguage(f.Path, lang.All()); name != "" && f.Status != "removed" {
			out.Skipped = append(out.Skipped, review.Skipped{File: clean.Line(f.Path, 240), Reason: name + " is not read"})
			out.Coverage.miss(clean.Name(f.Path) + " changed, and " + name + " is not read")
		}
	}
	slices.SortFunc(out.Skipped, func(a, b review.Skipped) int { return strings.Compare(a.File, b.File) })
	slices.Sort(out.Coverage.Missing)
	out.unscheduled(p)
	if len(beside) > 0 {
		out.NotVisible = append(out.NotVisible, strings.Join(beside, "; "))
	}
	if elsewhere > 0 {
		out.NotVisible = append(out.NotVisible, count(elsewhere, "symbolic link or submodule")+" in the repository: what is behind them is not read")
	}
	if !p.Linked {
		out.NotVisible = append(out.NotVisible, "no links are given: the server's own address of this pull request is not the configured one")
	}
}

// leadsElsewhere: what stands there is no file of this repository.
func leadsElsewhere(why string) bool {
	return why == "a symbolic link" || strings.HasPrefix(why, "a submodule")
}
