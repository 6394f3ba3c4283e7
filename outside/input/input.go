// Package input opens what an operator names: files, directories and standard
// input, plain or compressed, as streams. Which compression is read from the
// content. Nothing is held in memory but a decompressor's window.
package input

import (
	"bufio"
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Stdin is the path of standard input.
const Stdin = "-"

// Bounds of what is opened.
const (
	maxFiles  = 100_000
	maxDepth  = 16
	maxWindow = 64 << 20 // of a zstd stream
)

// Files names what is to be read. Directories are read whole, without hidden
// files and without following symbolic links in them.
type Files struct {
	Paths []string
	Stdin io.Reader
}

// Repeatable reports whether the files can be read a second time.
func (f Files) Repeatable() bool {
	for _, p := range f.Paths {
		if p == Stdin {
			return false
		}
	}
	return true
}

// Each calls read with every stream, in the order of the paths and of the names
// in a directory. An error of read ends the walk unless it is a *Broken.
func (f Files) Each(ctx context.Context, read func(name string, r io.Reader) error) (broken []Broken, err error) {
	w := walker{ctx: ctx, read: read}
	for _, p := range f.Paths {
		switch {
		case p == Stdin && f.Stdin == nil:
			err = &fault.Error{Kind: fault.BadInput, What: "standard input cannot be read here", Do: "Name a file"}
		case p == Stdin:
			err = w.stream("standard input", f.Stdin)
		default:
			err = w.path(p)
		}
		if err != nil {
			return w.broken, err
		}
	}
	return w.broken, nil
}

// Broken is a file that could be read only in part, or not at all.
type Broken struct{ Name, Why string }

func (b *Broken) Error() string { return b.Name + ": " + b.Why }

type walker struct {
	ctx    context.Context
	read   func(string, io.Reader) error
	files  int
	broken []Broken
}

func (w *walker) path(p string) error {
	info, err := os.Stat(p)
	if err != nil {
		return &fault.Error{Kind: fault.NotFound, What: "read " + clean.Line(p, 200), Cause: reason(err), Means: "nothing was read from it"}
	}
	if info.IsDir() {
		root, err := os.OpenRoot(p)
		if err != nil {
			return &fault.Error{Kind: fault.Forbidden, What: "open " + clean.Line(p, 200), Cause: reason(err)}
		}
		defer root.Close()
		return w.dir(root.FS(), ".", filepath.ToSlash(p), 0)
	}
	file, err := os.Open(p)
	if err != nil {
		return &fault.Error{Kind: fault.Forbidden, What: "open " + clean.Line(p, 200), Cause: reason(err)}
	}
	defer file.Close()
	return w.stream(filepath.ToSlash(p), file)
}

func (w *walker) dir(fsys fs.FS, name, base string, depth int) error {
	entries, err := fs.ReadDir(fsys, name)
	if err != nil || depth > maxDepth {
		w.fail(path.Join(base, name), "it cannot be listed, or is nested too deep")
		return nil
	}
	for _, e := range entries {
		full := path.Join(name, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			err = w.dir(fsys, full, base, depth+1)
		case e.Type().IsRegular():
			err = w.file(fsys, full, path.Join(base, full))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) file(fsys fs.FS, name, shown string) error {
	if w.files++; w.files > maxFiles {
		return &fault.Error{Kind: fault.TooLarge, What: "more than 100,000 files", Do: "Name a narrower directory"}
	}
	f, err := fsys.Open(name)
	if err != nil {
		w.fail(shown, reason(err).Error())
		return nil
	}
	defer f.Close()
	return w.stream(shown, f)
}

func (w *walker) fail(name, why string) {
	if len(w.broken) < 100 {
		w.broken = append(w.broken, Broken{Name: clean.Line(name, 200), Why: clean.Line(why, 160)})
	}
}

// stream hands a stream on, decompressed. One that breaks off is noted and does
// not end the walk: a rotated part may be cut.
func (w *walker) stream(name string, r io.Reader) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	plain, done, err := Plain(r)
	if err == nil {
		err = w.read(name, plain)
		done()
	}
	var broken *Broken
	var damaged *damage
	switch {
	case errors.As(err, &broken):
		w.fail(name, broken.Why)
	case errors.As(err, &damaged) || errors.Is(err, io.ErrUnexpectedEOF):
		w.fail(name, "it breaks off or is damaged: "+err.Error())
	default:
		return err
	}
	return nil
}

// damage marks an error of a decompressor.
type damage struct{ error }

type guarded struct{ r io.Reader }

func (g guarded) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &damage{err}
	}
	return n, err
}

// Plain decompresses gzip, zstd and bzip2 by their first bytes. The second value
// releases what the decompressor holds.
func Plain(r io.Reader) (io.Reader, func(), error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch {
	case strings.HasPrefix(string(head), "\xef\xbb\xbf"): // a byte order mark is no part of the first line
		_, err := b.Discard(3)
		return b, func() {}, err
	case strings.HasPrefix(string(head), "\xff\xfe"), strings.HasPrefix(string(head), "\xfe\xff"):
		return nil, nil, &Broken{Why: "it is UTF-16 text, of which nothing was read: convert it to UTF-8"}
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b:
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, nil, &damage{err}
		}
		return guarded{z}, func() { z.Close() }, nil //nolint:errcheck // read to its end or given up
	case string(head) == "\x28\xb5\x2f\xfd":
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, nil, &damage{err}
		}
		return guarded{z}, z.Close, nil
	case len(head) >= 3 && string(head[:3]) == "BZh":
		return guarded{bzip2.NewReader(b)}, func() {}, nil
	}
	return b, func() {}, nil
}

// reason is an error without the path that it repeats.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
