package github

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// files is a tree in memory as a read-only file system. Files that were not
// fetched are listed, with their size, and cannot be opened.
type files struct {
	nodes map[string]*node
}

type node struct {
	name string
	size int64
	dir  bool
	text []byte // nil when not fetched
	kids []fs.DirEntry
}

func newFiles() *files {
	return &files{nodes: map[string]*node{".": {name: ".", dir: true}}}
}

// add enters a file; its path is a valid one. A file where a folder is, or the
// other way round, cannot be in a tree: the first one stays.
func (f *files) add(p string, size int64, text []byte) {
	if f.nodes[p] != nil {
		return
	}
	dir := f.folder(path.Dir(p))
	if dir == nil {
		return
	}
	n := &node{name: path.Base(p), size: size, text: text}
	f.nodes[p] = n
	dir.kids = append(dir.kids, n)
}

func (f *files) folder(p string) *node {
	if n := f.nodes[p]; n != nil {
		if !n.dir {
			return nil
		}
		return n
	}
	up := f.folder(path.Dir(p))
	if up == nil {
		return nil
	}
	n := &node{name: path.Base(p), dir: true}
	f.nodes[p] = n
	up.kids = append(up.kids, n)
	return n
}

// sorted puts every folder in order, as fs.FS promises.
func (f *files) sorted() *files {
	for _, n := range f.nodes {
		slices.SortFunc(n.kids, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return f
}

func (f *files) find(op, p string) (*node, error) {
	if !fs.ValidPath(p) {
		return nil, &fs.PathError{Op: op, Path: p, Err: fs.ErrInvalid}
	}
	n := f.nodes[p]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: p, Err: fs.ErrNotExist}
	}
	return n, nil
}

// Open implements fs.FS.
func (f *files) Open(p string) (fs.File, error) {
	n, err := f.find("open", p)
	if err != nil {
		return nil, err
	}
	if !n.dir && n.text == nil {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrPermission}
	}
	return &handle{node: n, Reader: bytes.NewReader(n.text)}, nil
}

// ReadFile implements fs.ReadFileFS.
func (f *files) ReadFile(p string) ([]byte, error) {
	n, err := f.find("read", p)
	switch {
	case err != nil:
		return nil, err
	case n.dir:
		return nil, &fs.PathError{Op: "read", Path: p, Err: fs.ErrInvalid}
	case n.text == nil:
		return nil, &fs.PathError{Op: "read", Path: p, Err: fs.ErrPermission}
	}
	return slices.Clone(n.text), nil
}

// ReadDir implements fs.ReadDirFS.
func (f *files) ReadDir(p string) ([]fs.DirEntry, error) {
	n, err := f.find("readdir", p)
	switch {
	case err != nil:
		return nil, err
	case !n.dir:
		return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrInvalid}
	}
	return slices.Clone(n.kids), nil
}

// Stat implements fs.StatFS.
func (f *files) Stat(p string) (fs.FileInfo, error) { return f.find("stat", p) }

// Name, IsDir, Type, Info, Size, Mode, ModTime and Sys make a node an entry of its
// folder and the description of itself.
func (n *node) Name() string               { return n.name }
func (n *node) IsDir() bool                { return n.dir }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) Size() int64                { return n.size }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) Sys() any                   { return nil }

// Mode is read-only, of a file or a folder.
func (n *node) Mode() fs.FileMode {
	if n.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// handle is an open file or folder.
type handle struct {
	*bytes.Reader
	node *node
	read int // how many members of a folder were handed out
}

// Stat implements fs.File.
func (h *handle) Stat() (fs.FileInfo, error) { return h.node, nil }

// Close implements fs.File.
func (h *handle) Close() error { return nil }

// Read implements fs.File.
func (h *handle) Read(b []byte) (int, error) {
	if h.node.dir {
		return 0, &fs.PathError{Op: "read", Path: h.node.name, Err: fs.ErrInvalid}
	}
	return h.Reader.Read(b)
}

// ReadDir implements fs.ReadDirFile.
func (h *handle) ReadDir(n int) ([]fs.DirEntry, error) {
	if !h.node.dir {
		return nil, &fs.PathError{Op: "readdir", Path: h.node.name, Err: fs.ErrInvalid}
	}
	left := h.node.kids[h.read:]
	if n > 0 {
		if len(left) == 0 {
			return nil, io.EOF
		}
		left = left[:min(n, len(left))]
	}
	h.read += len(left)
	return slices.Clone(left), nil
}
