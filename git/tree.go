package git

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

const (
	longest       = 10 * time.Minute // from Open to Close
	maxSubmodules = 50
	maxNested     = 3 // submodules in submodules
)

// Tree is the files of a commit, below the folder it was opened for. It is an
// fs.FS; blobs are read when they are asked for. Symbolic links are listed and
// not followed.
type Tree struct {
	Commit string // its object id
	// Shallow: the repository holds only the newest part of its history.
	Shallow bool
	// Gaps are the submodules whose state at that commit is not here.
	Gaps []Gap

	nodes  map[string]*node
	stores []*store
	cancel context.CancelFunc
}

// Gap is a folder that could not be read.
type Gap struct{ Path, Why string }

// node is a file or folder.
type node struct {
	name     string
	mode     fs.FileMode
	size     int64
	object   string
	store    *store
	children []fs.DirEntry // of a folder, by name
}

// Open reads the list of files of the commit that ref names, as seen from dir,
// which may be any folder of a work tree. Close ends what it started.
func Open(ctx context.Context, dir, ref string) (*Tree, error) {
	commit, shallow, err := resolve(ctx, dir, ref)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	t := &Tree{Commit: commit, Shallow: shallow, nodes: map[string]*node{".": {name: ".", mode: fs.ModeDir | 0o555}}, cancel: cancel}
	if err := t.list(ctx, dir, ".", commit, 0); err != nil {
		t.Close()
		return nil, err
	}
	for _, n := range t.nodes {
		slices.SortFunc(n.children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return t, nil
}

// Close ends the processes behind the tree.
func (t *Tree) Close() {
	t.cancel()
	for _, s := range t.stores {
		s.close()
	}
}

// list enters the files of a commit in dir below the path at.
func (t *Tree) list(ctx context.Context, dir, at, commit string, depth int) error {
	out, err := run(ctx, maxListing, dir, "ls-tree", "-r", "-z", "-l", commit)
	if err != nil {
		return err
	}
	s := &store{ctx: ctx, dir: dir}
	t.stores = append(t.stores, s)
	for record := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		head, name, ok := strings.Cut(string(record), "\t")
		fields := strings.Fields(head) // mode, type, object, size
		if !ok && len(record) == 0 {
			continue // an empty tree
		}
		p := path.Join(at, name)
		if !ok || len(fields) != 4 || !fs.ValidPath(p) {
			return &fault.Error{Kind: fault.Damaged, What: "git lists a file that cannot be understood", Means: "nothing was compared"}
		}
		if fields[1] == "commit" {
			if err := t.submodule(ctx, filepath.Join(dir, filepath.FromSlash(name)), p, fields[2], depth); err != nil {
				return err
			}
			continue
		}
		n := &node{mode: 0o444, object: fields[2], store: s}
		n.size, _ = strconv.ParseInt(fields[3], 10, 64) // "-" has none
		if fields[0] == "120000" {
			n.mode |= fs.ModeSymlink
		}
		t.enter(p, n)
	}
	return nil
}

// enter puts a node and the folders above it into the tree.
func (t *Tree) enter(p string, n *node) {
	if t.nodes[p] != nil {
		return
	}
	n.name = path.Base(p)
	t.nodes[p] = n
	up := path.Dir(p)
	if t.nodes[up] == nil {
		t.enter(up, &node{mode: fs.ModeDir | 0o555})
	}
	t.nodes[up].children = append(t.nodes[up].children, fs.FileInfoToDirEntry(info{n}))
}

// submodule mounts the commit that a submodule stood at, where its repository is
// checked out and still has it. One that is not checked out has no files on the
// other side of a comparison either.
func (t *Tree) submodule(ctx context.Context, dir, p, commit string, depth int) error {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return nil //nolint:nilerr // not checked out
	}
	if folder, err := os.Lstat(dir); err != nil || !folder.IsDir() {
		return nil //nolint:nilerr // a link to elsewhere is no submodule
	}
	switch _, err := run(ctx, 100, dir, "cat-file", "-e", commit+"^{commit}"); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		t.Gaps = append(t.Gaps, Gap{p, "a submodule whose earlier commit " + commit[:min(len(commit), 12)] + " is not here, so it was not compared (git fetch in it brings it)"})
		return nil
	case depth >= maxNested || len(t.stores) > maxSubmodules:
		t.Gaps = append(t.Gaps, Gap{p, "one submodule too many or too deep, so it was not compared"})
		return nil
	}
	return t.list(ctx, dir, p, commit, depth+1)
}
