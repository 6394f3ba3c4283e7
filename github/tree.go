package github

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v62/github"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review"
)

// maxDepth bounds how deep folders may lie; maxFolders how many requests a
// truncated tree may take.
const (
	maxDepth   = 64
	maxFolders = 2_000
)

// entry is a file of a tree.
type entry struct {
	path, sha string
	size      int64
}

// listing is the tree of a commit: its files, and what is in it but is none.
type listing struct {
	entries []entry
	skipped []review.Skipped
	seen    map[string]bool
	total   int64 // the size of all files
	folders int
	full    bool // a limit was met
}

func (l *listing) skip(p, why string) {
	l.skipped = append(l.skipped, review.Skipped{File: p, Reason: why})
}

// list reads the tree of a commit.
func (c *Client) list(ctx context.Context, at Commit) (*listing, error) {
	l := &listing{seen: map[string]bool{}}
	if !at.valid() || !object(at.SHA) {
		return nil, &fault.Error{Kind: fault.BadInput, What: "read the files of " + clean.Line(at.String(), 120) + ": that is no commit"}
	}
	return l, c.listInto(ctx, l, at.Repo, at.SHA, "", nil)
}

// listInto adds what stands below one folder. above are the trees that hold it: a
// tree inside of itself cannot be, and would never end.
func (c *Client) listInto(ctx context.Context, l *listing, r Repo, sha, dir string, above []string) error {
	l.folders++
	t, err := c.tree(ctx, r, sha, true)
	if err != nil {
		return err
	}
	if !t.GetTruncated() {
		for _, e := range t.Entries {
			c.take(l, dir, e)
		}
		return nil
	}
	if t, err = c.tree(ctx, r, sha, false); err != nil {
		return err
	}
	if t.GetTruncated() {
		l.full = true
		l.skip(dir+"/", "GitHub lists only a part of this folder")
	}
	above = append(above, sha)
	for _, e := range t.Entries {
		p := path.Join(dir, e.GetPath())
		switch {
		case e.GetType() != "tree":
			c.take(l, dir, e)
		case badPath(p) != "" || !object(e.GetSHA()):
			c.take(l, dir, e)
		case review.SkipsFolder(path.Base(p)):
			l.skip(p+"/", "vendored or generated folder")
		case contains(above, e.GetSHA()) || len(above) >= maxDepth:
			l.full = true
			l.skip(p+"/", "a folder inside of itself, or more than 64 deep")
		case l.folders >= maxFolders:
			l.full = true
			l.skip(p+"/", fmt.Sprintf("more than %d folders to ask for", maxFolders))
		default:
			if err := c.listInto(ctx, l, r, e.GetSHA(), p, above); err != nil {
				return err
			}
		}
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (c *Client) tree(ctx context.Context, r Repo, sha string, recursive bool) (*gh.Tree, error) {
	t, _, err := c.api.Git.GetTree(ctx, r.Owner, r.Name, sha, recursive)
	if err != nil {
		return nil, c.problem("list the files of "+r.String()+" at "+short(sha), err)
	}
	return t, nil
}

// take adds one entry, or says why not.
func (c *Client) take(l *listing, dir string, e *gh.TreeEntry) {
	if e.GetType() == "tree" && badPath(e.GetPath()) == "" {
		return // its files are listed themselves
	}
	p := e.GetPath()
	if dir != "" {
		p = dir + "/" + p
	}
	switch why := badPath(p); {
	case why != "":
		l.full = true
		l.skip(clean.Line(p, 200), "a path that "+why)
	case l.seen[p]:
		l.full = true
		l.skip(p, "listed twice")
	case e.GetMode() == "120000":
		l.skip(p, "a symbolic link")
	case e.GetType() == "commit" || e.GetMode() == "160000":
		l.skip(p, "a submodule: another repository")
	case e.GetType() != "blob" || !object(e.GetSHA()) || e.GetSize() < 0:
		l.full = true
		l.skip(p, "no file")
	case len(l.entries) >= c.limits.Entries:
		if !l.full {
			l.skip("*", fmt.Sprintf("more than %d files in the repository", c.limits.Entries))
		}
		l.full = true
	default:
		l.seen[p] = true
		l.total += int64(e.GetSize())
		l.entries = append(l.entries, entry{p, e.GetSHA(), int64(e.GetSize())})
	}
}

// badPath says what is wrong with a path of a tree, or nothing. Git itself admits
// none of these, so only a hostile server has them.
func badPath(p string) string {
	switch {
	case len(p) > 4096:
		return "is too long"
	case !utf8.ValidString(p):
		return "is not UTF-8"
	case !fs.ValidPath(p) || p == ".":
		return "leads elsewhere"
	case strings.ContainsRune(p, 0):
		return "holds a NUL"
	case strings.Count(p, "/") > maxDepth:
		return "is too deep"
	}
	return ""
}

// plainPath reports a path that a link can hold.
func plainPath(p string) bool {
	return badPath(p) == "" && !strings.ContainsRune(p, '\\') && !strings.ContainsFunc(p, clean.Hidden)
}

func short(sha string) string { return sha[:min(len(sha), 12)] }
