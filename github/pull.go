package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// PullRequest is what a pull request compares. Its title and text are not read.
type PullRequest struct {
	Ref
	// Base is where the change starts from: the commit that head and the target
	// branch have in common.
	Base, Head Commit
	// Fork is where the head branch lives, when that is another repository.
	Fork  Repo
	Files []File
	// Missing says what could not be learnt of the change.
	Missing []string
	// Linked: pages of this repository can be linked to, because the server names
	// the address that is known to be its own.
	Linked bool
}

// Commit is a commit of a repository.
type Commit struct {
	Repo
	SHA string
}

// File is a file that a pull request changes.
type File struct {
	Path     string
	Previous string // the path before, of a renamed file
	Status   string // added, removed, modified, renamed, copied, changed
}

// maxPages bounds the list of changed files; GitHub itself lists 3,000.
const maxPages = 30

// PullRequest reads the commits and the changed files of a pull request.
func (c *Client) PullRequest(ctx context.Context, ref Ref) (*PullRequest, error) {
	what := "read pull request " + ref.String()
	got, _, err := c.api.PullRequests.Get(ctx, ref.Owner, ref.Name, ref.Number)
	if err != nil {
		return nil, c.problem(what, err)
	}
	repo := got.GetBase().GetRepo()
	p := &PullRequest{Ref: Ref{Repo{repo.GetOwner().GetLogin(), repo.GetName()}, ref.Number}}
	base, head := got.GetBase().GetSHA(), got.GetHead().GetSHA()
	if !p.valid() || !object(base) || !object(head) {
		return nil, &fault.Error{Kind: fault.Damaged, What: what + ": the answer names no commits", Means: "nothing was reviewed", Do: "Check that github.url is a GitHub"}
	}
	p.Linked = strings.EqualFold(got.GetHTMLURL(), fmt.Sprintf("%s/%s/pull/%d", c.host.web, p.Repo, ref.Number))
	p.Head = Commit{p.Repo, head} // GitHub keeps the head of every pull request in the target repository
	if from := got.GetHead().GetRepo(); from != nil {
		if fork := (Repo{from.GetOwner().GetLogin(), from.GetName()}); fork.valid() && !strings.EqualFold(fork.String(), p.Repo.String()) {
			p.Fork = fork
		}
	}
	if p.Base, err = c.mergeBase(ctx, p, base, head); err != nil {
		return nil, err
	}
	return p, c.changed(ctx, p, got.GetChangedFiles())
}

// String is OWNER/NAME#NUMBER.
func (p *PullRequest) String() string { return p.Ref.String() }

func (c *Client) mergeBase(ctx context.Context, p *PullRequest, base, head string) (Commit, error) {
	cmp, _, err := c.api.Repositories.CompareCommits(ctx, p.Owner, p.Name, base, head, &gh.ListOptions{PerPage: 1})
	var refused *gh.ErrorResponse
	switch {
	case err == nil && object(cmp.GetMergeBaseCommit().GetSHA()):
		return Commit{p.Repo, cmp.GetMergeBaseCommit().GetSHA()}, nil
	case err == nil || errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode == http.StatusNotFound:
		p.Missing = append(p.Missing, "the commit that base and head have in common is not known; the head is compared with the present base, so changes made there meanwhile may show as this change's")
		return Commit{p.Repo, base}, nil
	}
	return Commit{}, c.problem("compare the commits of pull request "+p.String(), err)
}

// changed lists the changed files.
func (c *Client) changed(ctx context.Context, p *PullRequest, total int) error {
	o := &gh.ListOptions{PerPage: 100}
	for range maxPages {
		files, resp, err := c.api.PullRequests.ListFiles(ctx, p.Owner, p.Name, p.Number, o)
		if err != nil {
			return c.problem("list the files of pull request "+p.String(), err)
		}
		for _, f := range files {
			file := File{Path: f.GetFilename(), Previous: f.GetPreviousFilename(), Status: f.GetStatus()}
			if why := badPath(file.Path); why != "" {
				p.Missing = append(p.Missing, "a changed file whose path "+why)
				continue
			}
			if file.Status != "renamed" && file.Status != "copied" || badPath(file.Previous) != "" {
				file.Previous = ""
			}
			p.Files = append(p.Files, file)
		}
		if o.Page = resp.NextPage; o.Page == 0 {
			break
		}
	}
	if len(p.Files) < total {
		p.Missing = append(p.Missing, fmt.Sprintf("GitHub lists %d of the %d changed files; activities count as touched by what their code says", len(p.Files), total))
	}
	return nil
}

// Trees are the snapshots of base and head. GitHub keeps the head of every pull
// request in the target repository; should one not be there, it is read from the
// fork.
func (c *Client) Trees(ctx context.Context, want Want, p *PullRequest) ([]*Snapshot, error) {
	got, err := c.Snapshots(ctx, want, p.Base, p.Head)
	if fault.KindOf(err) == fault.NotFound && p.Fork.valid() {
		p.Head.Repo = p.Fork
		return c.Snapshots(ctx, want, p.Base, p.Head)
	}
	return got, err
}

// Resolve is the commit that a branch, tag or commit id means.
func (c *Client) Resolve(ctx context.Context, r Repo, ref string) (Commit, error) {
	if object(ref) {
		return Commit{r, ref}, nil
	}
	if !r.valid() || ref == "" || len(ref) > 250 || badPath(ref) != "" {
		return Commit{}, &fault.Error{Kind: fault.BadInput, What: "that names no branch, tag or commit", Do: "Write OWNER/REPO and a branch"}
	}
	sha, _, err := c.api.Repositories.GetCommitSHA1(ctx, r.Owner, r.Name, ref, "")
	if err != nil {
		return Commit{}, c.problem("find "+r.String()+"@"+ref, err)
	}
	if !object(sha) {
		return Commit{}, &fault.Error{Kind: fault.Damaged, What: "find " + r.String() + "@" + ref + ": the answer is no commit"}
	}
	return Commit{r, sha}, nil
}
