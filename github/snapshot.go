package github

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

// Snapshot is the tree of a commit with the text of the files that were wanted.
type Snapshot struct {
	Commit
	// Skipped are the entries that are not in FS, or not with their text, though
	// they were wanted or stand for more files; the reason beside each.
	Skipped []review.Skipped
	// Cut: something was left out because of a limit or a failure, so what the
	// tree does not show may be there.
	Cut bool

	fs *files
}

// FS is the tree as the reviewer reads it.
func (s *Snapshot) FS() fs.FS { return s.fs }

// Want says which files a caller reads. First says which of them matter most, for
// when there are too many; nil treats all alike.
type Want struct {
	Path  func(path string) bool
	First func(path string) bool
}

// Snapshots reads trees together: the same files of each, and each content once. A
// file that cannot be had of one is left out of all, since its absence would look
// like a change.
func (c *Client) Snapshots(ctx context.Context, want Want, at ...Commit) ([]*Snapshot, error) {
	lists := make([]*listing, len(at))
	for i, commit := range at {
		var err error
		if lists[i], err = c.list(ctx, commit); err != nil {
			return nil, err
		}
	}
	chosen, left := c.choose(want, lists)
	texts, failed, err := c.fetch(ctx, at, lists, chosen)
	if err != nil {
		return nil, err
	}
	lost := c.lost(lists, chosen, texts, failed)
	out := make([]*Snapshot, len(at))
	for i, l := range lists {
		s := &Snapshot{Commit: at[i], Skipped: l.skipped, Cut: l.full || left > 0, fs: newFiles()}
		for _, e := range l.entries {
			switch why := lost[e.path]; {
			case why != "":
				s.Skipped = append(s.Skipped, review.Skipped{File: e.path, Reason: why})
				s.Cut = s.Cut || why != lfsPointer
			case chosen[e.path]:
				s.fs.add(e.path, e.size, texts[e.sha])
			case !want.Path(e.path) || underSkipped(e.path):
				s.fs.add(e.path, e.size, nil)
			}
		}
		if left > 0 {
			s.Skipped = append(s.Skipped, review.Skipped{File: "*", Reason: fmt.Sprintf("%d source files beyond the limits of one review (%d files, %d MB)", left, c.limits.Files, c.limits.Bytes>>20)})
		}
		s.fs.sorted()
		out[i] = s
	}
	return out, nil
}

// choose takes the wanted paths that fit into the limits: those that matter most,
// then their neighbours, then the rest by name.
func (c *Client) choose(want Want, lists []*listing) (chosen map[string]bool, left int) {
	sizes := map[string]int64{}
	seen := map[string]bool{}
	near := map[string]bool{}
	for _, l := range lists {
		for _, e := range l.entries {
			if !want.Path(e.path) || underSkipped(e.path) {
				continue
			}
			if _, ok := sizes[e.path]; !ok {
				sizes[e.path] = 0
			}
			if !seen[e.sha] {
				seen[e.sha] = true
				sizes[e.path] += e.size
			}
			if want.First != nil && want.First(e.path) {
				near[path.Dir(e.path)] = true
			}
		}
	}
	rank := func(p string) int {
		switch {
		case want.First != nil && want.First(p):
			return 0
		case near[path.Dir(p)]:
			return 1
		}
		return 2
	}
	paths := make([]string, 0, len(sizes))
	for p := range sizes {
		paths = append(paths, p)
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	chosen = map[string]bool{}
	var bytes int64
	for i, p := range paths {
		if bytes += sizes[p]; bytes > c.limits.Bytes || len(chosen) >= c.limits.Files {
			return chosen, len(paths) - i
		}
		chosen[p] = true
	}
	return chosen, 0
}

// underSkipped reports a file below a folder that the reviewer does not enter.
func underSkipped(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if review.SkipsFolder(path.Base(dir)) {
			return true
		}
	}
	return false
}

const lfsPointer = "a Git LFS pointer: its text is not in the repository"

// lost says of the paths that cannot be reviewed in every tree why not.
func (c *Client) lost(lists []*listing, chosen map[string]bool, texts map[string][]byte, failed map[string]string) map[string]string {
	lost := map[string]string{}
	for _, l := range lists {
		for _, e := range l.entries {
			if !chosen[e.path] {
				continue
			}
			text, ok := texts[e.sha]
			switch {
			case e.size > c.limits.File:
				lost[e.path] = fmt.Sprintf("larger than %d MB", c.limits.File>>20)
			case !ok:
				lost[e.path] = orElse(failed[e.sha], "could not be fetched")
			case bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")) && len(text) < 1024:
				lost[e.path] = lfsPointer
			}
		}
	}
	return lost
}
