package git

import (
	"bytes"
	"io"
	"io/fs"
	"time"
)

// Open opens a file or folder of the commit.
func (t *Tree) Open(name string) (fs.File, error) {
	n := t.nodes[name]
	switch {
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	case n == nil || n.mode&fs.ModeSymlink != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case n.mode.IsDir():
		return &folder{info: info{n}, rest: n.children}, nil
	case n.size > maxBlob:
		return nil, &fs.PathError{Op: "read", Path: name, Err: errTooLarge}
	}
	b, err := n.store.blob(n.object)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return &file{info: info{n}, Reader: bytes.NewReader(b)}, nil
}

// Stat tells of a file or folder without reading it.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	n := t.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{n}, nil
}

type info struct{ n *node }

func (i info) Name() string       { return i.n.name }
func (i info) Size() int64        { return i.n.size }
func (i info) Mode() fs.FileMode  { return i.n.mode }
func (i info) ModTime() time.Time { return time.Time{} } // a tree has none
func (i info) IsDir() bool        { return i.n.mode.IsDir() }
func (i info) Sys() any           { return nil }

type file struct {
	info
	*bytes.Reader
}

func (f *file) Size() int64                { return f.info.Size() }
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

type folder struct {
	info
	rest []fs.DirEntry
}

func (f *folder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *folder) Close() error               { return nil }

func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.n.name, Err: fs.ErrInvalid}
}

func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := f.rest
		f.rest = nil
		return out, nil
	}
	if len(f.rest) == 0 {
		return nil, io.EOF
	}
	out := f.rest[:min(n, len(f.rest))]
	f.rest = f.rest[len(out):]
	return out, nil
}
