// Package rootfs reads files under a root that symbolic links do not leave, many of
// them from the same folders. [os.Root] opens every folder on the way for every
// file; this keeps the folders that were opened last.
package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

// kept is how many folders stay open.
const kept = 32

// FS is the files under a root. It is safe for use by several goroutines.
type FS struct {
	root *os.Root

	mu    sync.Mutex
	open  map[string]*os.Root
	order []string // of open, the oldest first
}

// New reads under root, which the caller closes after [FS.Close].
func New(root *os.Root) *FS { return &FS{root: root, open: map[string]*os.Root{}} }

// Close closes the folders.
func (f *FS) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, dir := range f.open {
		_ = dir.Close() // opened for reading
	}
	f.open, f.order = map[string]*os.Root{}, nil
}

// Open implements [fs.FS].
func (f *FS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if dir, err := f.folder(path.Dir(name)); err == nil {
		file, err := dir.Open(path.Base(name))
		switch {
		case err == nil:
			return file, nil
		case errors.Is(err, fs.ErrNotExist):
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
	}
	return f.root.Open(name) // a link to elsewhere under the root, or the error of that
}

// ReadDir implements [fs.ReadDirFS].
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	entries, err := file.(*os.File).ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, file.Close())
}

// folder is an open folder; f.mu is held.
func (f *FS) folder(name string) (*os.Root, error) {
	if name == "." {
		return f.root, nil
	}
	if dir := f.open[name]; dir != nil {
		return dir, nil
	}
	parent, err := f.folder(path.Dir(name))
	if err != nil {
		return nil, err
	}
	dir, err := parent.OpenRoot(path.Base(name))
	if err != nil {
		return nil, err
	}
	if len(f.order) == kept {
		_ = f.open[f.order[0]].Close() // opened for reading
		delete(f.open, f.order[0])
		f.order = f.order[1:]
	}
	f.open[name], f.order = dir, append(f.order, name)
	return dir, nil
}
