package file

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// walk is one pass over the source's paths. Its methods return false when the
// pass is over: the consumer has enough, or an error ended it.
type walk struct {
	ctx   context.Context
	s     *Source
	after string // files up to and including this location are passed over unread; "" once it was met
	want  string // folders whose files do not mention it are passed over; "" wants all
	emit  func(*history.Run, error) bool
}

func (w *walk) paths() bool {
	for _, p := range w.s.paths {
		if !w.path(p) {
			return false
		}
	}
	return true
}

// fail ends the pass.
func (w *walk) fail(err error) bool {
	w.emit(nil, err)
	return false
}

func (w *walk) path(p string) bool {
	if err := w.ctx.Err(); err != nil {
		return w.fail(err)
	}
	if p == Stdin {
		if w.passed("standard input") {
			return true
		}
		data, err := w.s.stdin()
		return w.named("standard input", data, err, nil)
	}
	info, err := os.Stat(p)
	if err != nil {
		return w.fail(pathError(p, err))
	}
	if info.IsDir() {
		return w.tree(p, func(t tree) bool { return t.dir(".", 0) })
	}
	if w.passed(filepath.ToSlash(p)) {
		return true
	}
	data, err := readFile(os.DirFS(filepath.Dir(p)), filepath.Base(p))
	var beside fs.FS
	if info.Mode().IsRegular() {
		beside = os.DirFS(filepath.Dir(p))
	}
	return w.named(filepath.ToSlash(p), data, err, beside)
}

// tree opens the directory p and walks it with f.
func (w *walk) tree(p string, f func(tree) bool) bool {
	root, err := os.OpenRoot(p)
	if err != nil {
		return w.fail(pathError(p, err))
	}
	defer root.Close()
	return f(tree{walk: w, base: filepath.ToSlash(p), fsys: root.FS()})
}

// folder reads one folder inside the directory p, without those below it.
func (w *walk) folder(p, name string) bool {
	return w.tree(p, func(t tree) bool {
		entries, err := fs.ReadDir(t.fsys, name)
		return err != nil || t.files(name, entries)
	})
}

// named emits a file the caller named; beside is the directory it stands in.
// What cannot be read there is an error, never something passed over.
func (w *walk) named(location string, data []byte, err error, beside fs.FS) bool {
	if err != nil {
		return w.emit(nil, skipped(location, err, true))
	}
	run, err := w.s.decode(location, data)
	if err != nil {
		return w.emit(nil, skipped(location, err, true))
	}
	if beside != nil && w.s.alone(beside, path.Base(location)) {
		raw, err := readFile(beside, metadataName)
		w.s.describe(run, raw, err)
	}
	return w.emit(run, nil)
}

// passed reports whether location stands before the cursor.
func (w *walk) passed(location string) bool {
	if w.after == "" {
		return false
	}
	if w.after == location {
		w.after = ""
	}
	return true
}

// skipped says what was passed over, and whether a run was lost by it.
func skipped(location string, err error, named bool) *history.Skipped {
	s := &history.Skipped{What: clean.Line(location, 200), Why: clean.Line(err.Error(), 300), NoRun: !named && fault.KindOf(err) == fault.BadInput}
	var f *fault.Error
	if errors.As(err, &f) && f.Kind == fault.BadInput && !named {
		s.Why = clean.Line(f.What, 300) // the list of known shapes is not repeated for every file
	}
	return s
}

// alone reports whether metadata.json stands beside name and can only mean it:
// no other file there is a history.
func (s *Source) alone(dir fs.FS, name string) bool {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil || len(entries) > 16 || name == metadataName {
		return false
	}
	described := false
	for _, e := range entries {
		switch {
		case e.Name() == metadataName:
			described = e.Type().IsRegular()
		case e.Name() == name || !e.Type().IsRegular():
		default:
			data, err := readFile(dir, e.Name())
			if err != nil {
				return false
			}
			if _, err := history.Read(data, s.o); err == nil {
				return false
			}
		}
	}
	return described
}

// readFile reads a bounded file. The size is looked at before a byte is read.
func readFile(dir fs.FS, name string) ([]byte, error) {
	if info, err := fs.Stat(dir, name); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
		// Opening a pipe waits for its writer, for ever if there is none.
		return nil, &fault.Error{Kind: fault.BadInput, What: "it is no regular file", Do: "Give - and redirect it to standard input"}
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, pathError(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, pathError(name, err)
	}
	if !info.Mode().IsRegular() {
		return readBounded(f)
	}
	if info.Size() > history.MaxBytes {
		return nil, tooLarge("more than")
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, pathError(name, err)
	}
	return data[:n], nil
}

// tree walks one directory. fsys comes from an os.Root, which cannot be left.
type tree struct {
	*walk
	base string
	fsys fs.FS
}

func (t tree) location(name string) string { return path.Join(t.base, name) }

func (t tree) skip(name, why string, damaged bool) bool {
	if t.after != "" {
		return true
	}
	return t.emit(nil, &history.Skipped{What: clean.Line(t.location(name), 200), Why: why, NoRun: !damaged})
}

func (t tree) dir(name string, depth int) bool {
	if err := t.ctx.Err(); err != nil {
		return t.fail(err)
	}
	if depth > maxDepth {
		return t.skip(name, "nested too deep", true)
	}
	entries, err := fs.ReadDir(t.fsys, name)
	if err != nil {
		return t.skip(name, clean.Line(cause(err).Error(), 160), true)
	}
	for _, e := range entries {
		full := path.Join(name, e.Name())
		ok := true
		switch {
		case strings.HasPrefix(e.Name(), "."):
			ok = t.skip(full, "hidden", false)
		case e.IsDir():
			ok = t.dir(full, depth+1)
		case e.Type()&fs.ModeSymlink != 0:
			ok = t.skip(full, "a symbolic link, which is not followed inside a directory", false)
		case !e.Type().IsRegular():
			ok = t.skip(full, "not a regular file", false)
		}
		if !ok {
			return false
		}
	}
	return t.files(name, entries)
}

// files reads the regular files of a folder.
func (t tree) files(name string, entries []fs.DirEntry) bool {
	f := folder{tree: t, name: name, whole: t.after == ""}
	var names []string
	for _, e := range entries {
		switch {
		case !e.Type().IsRegular() || strings.HasPrefix(e.Name(), "."):
		case e.Name() == metadataName:
			f.described = true
		default:
			names = append(names, path.Join(name, e.Name()))
		}
	}
	if t.want != "" && !f.mentions(names) {
		return true
	}
	for _, n := range names {
		if !f.file(n) {
			return false
		}
	}
	return f.finish()
}

// mentions reports whether a file of the folder may be about the wanted run.
// What cannot be searched as text (a base64 archive, UTF-16, an id that JSON
// would escape) may always be.
func (f *folder) mentions(names []string) bool {
	if strings.Contains(f.location(f.name), f.want) || strings.Trim(f.want, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") != "" {
		return true
	}
	if f.described {
		names = append(slices.Clip(names), path.Join(f.name, metadataName))
	}
	for _, n := range names {
		if strings.Contains(n, f.want) {
			return true
		}
		data, err := readFile(f.fsys, n)
		if err != nil || bytes.Contains(data, []byte(f.want)) || bytes.Contains(data, []byte("rawBase64")) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
			return true
		}
	}
	return false
}

// folder is the state of one directory while it is read. Where metadata.json
// stands beside exactly one history it describes that run, so the first run is
// held back until the directory is known to hold no second.
type folder struct {
	tree
	name      string
	described bool
	whole     bool // no file of it was passed over for the cursor
	held      *history.Run
	runs      int
}

func (f *folder) file(name string) bool {
	location := f.location(name)
	if f.passed(location) {
		f.runs++
		return true
	}
	if err := f.ctx.Err(); err != nil {
		return f.fail(err)
	}
	data, err := readFile(f.fsys, name)
	var run *history.Run
	if err == nil {
		run, err = f.s.decode(location, data)
	}
	if err != nil {
		return f.emit(nil, skipped(location, err, false))
	}
	f.runs++
	if f.described && f.whole && f.runs == 1 {
		f.held = run
		return true
	}
	if held := f.held; held != nil {
		f.held = nil
		held.Coverage.Missing = append(held.Coverage.Missing, metadataName+" stands beside several histories, so it was not used")
		if !f.emit(held, nil) {
			return false
		}
	}
	return f.emit(run, nil)
}

func (f *folder) finish() bool {
	switch {
	case f.held != nil:
		raw, err := readFile(f.fsys, path.Join(f.name, metadataName))
		f.s.describe(f.held, raw, err)
		return f.emit(f.held, nil)
	case f.described && f.runs == 0:
		return f.skip(path.Join(f.name, metadataName), "it describes a run whose history is not beside it", true)
	}
	return true
}
