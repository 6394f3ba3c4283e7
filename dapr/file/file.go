// Package file is a history.Source over exported runs: files, directories of
// them, standard input, and text pasted into a tool call. A file's shape is
// recognised from its content; what is no run is passed over with a reason.
//
// Memory is bounded by one file at a time. Nothing outside the given paths is
// opened: symbolic links inside a directory are not followed.
package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Stdin as a path means standard input.
const Stdin = "-"

// maxDepth bounds how deep a directory is walked.
const maxDepth = 32

// metadataName is the file that describes the history beside it.
const metadataName = "metadata.json"

// Config is what New needs. Paths are files, directories or Stdin.
type Config struct {
	Paths   []string
	Stdin   io.Reader // read once, when a path is Stdin
	Options history.Options
}

// Source reads runs from files. It is safe for concurrent use.
type Source struct {
	paths []string
	o     history.Options
	stdin func() ([]byte, error) // nil when no path is Stdin
}

// Named are the files and directories it reads.
func (s *Source) Named() []string { return slices.Clone(s.paths) }

// New checks that every path can be looked at.
func New(c Config) (*Source, error) {
	if len(c.Paths) == 0 {
		return nil, &fault.Error{Kind: fault.Config, What: "no file or directory was named", Do: "Name a history file, a directory of them, or - for standard input"}
	}
	s := &Source{o: c.Options}
	for _, p := range c.Paths {
		if p == Stdin {
			if s.stdin == nil {
				s.stdin = sync.OnceValues(func() ([]byte, error) { return readBounded(c.Stdin) })
			}
			s.paths = append(s.paths, p)
			continue
		}
		if _, err := os.Stat(p); err != nil {
			return nil, pathError(p, err)
		}
		if p = filepath.Clean(p); !slices.Contains(s.paths, p) {
			s.paths = append(s.paths, p)
		}
	}
	return s, nil
}

func pathError(p string, err error) error {
	e := &fault.Error{Kind: fault.Unknown, What: "read " + clean.Line(p, 200), Means: "nothing was read", Cause: cause(err)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Kind, e.Do = fault.NotFound, "Check the path"
	case errors.Is(err, fs.ErrPermission):
		e.Kind, e.Do = fault.Forbidden, "Make it readable for this user"
	}
	return e
}

// cause drops the path that os repeats in its errors.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Describe says what is read. It opens nothing.
func (s *Source) Describe(context.Context) history.Description {
	shownPaths := make([]string, len(s.paths))
	for i, p := range s.paths {
		shownPaths[i] = p
		if p == Stdin {
			shownPaths[i] = "standard input"
		}
	}
	return history.Description{
		Name: "file", Where: strings.Join(shownPaths, ", "), Sharing: s.o.Sharing, Ordered: true,
		Carries: history.Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true, Generation: true},
		NotVisible: []string{
			"What a file carries depends on its shape: the Dapr CLI's export has neither the stored order nor times finer than a second.",
			"A file is a copy of one moment: what happened after it was written is not in it.",
			"The run's generation is known only where metadata.json stands beside the history.",
		},
	}
}

// Runs iterates over the runs in the order of the paths, directories in lexical
// order, a folder's subfolders before its files. What is no run comes as a *history.Skipped.
func (s *Source) Runs(ctx context.Context, f history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) {
		for run, err := range s.Histories(ctx, f) {
			if err != nil {
				if !yield(history.Header{}, err) {
					return
				}
				continue
			}
			h := run.Header
			if h.HistoryLen < 0 {
				h.HistoryLen = len(run.Events)
			}
			if !yield(h, nil) {
				return
			}
		}
	}
}

// Histories iterates over whole runs: a file has no header cheaper than itself.
func (s *Source) Histories(ctx context.Context, f history.Filter) iter.Seq2[*history.Run, error] {
	return func(yield func(*history.Run, error) bool) {
		w := &walk{ctx: ctx, s: s, after: f.Cursor, emit: func(run *history.Run, err error) bool {
			if err == nil && !f.Match(run.Header) {
				return true
			}
			return yield(run, err)
		}}
		if w.paths() && w.after != "" {
			yield(nil, &fault.Error{Kind: fault.BadInput, What: "the cursor names a file that is not there any more", Do: "Leave the cursor out to start again"})
		}
	}
}

// Run reads the run that ref names by its instance id, or by its location. An
// id that stands in several places is an error that lists them.
func (s *Source) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	if run, err := s.at(ctx, cmp.Or(ref.Location, ref.Instance)); run != nil || err != nil || ref.Location != "" {
		if run == nil && err == nil {
			err = absent(ref, nil)
		}
		return run, err
	}
	m, damaged, err := s.search(ctx, ref, ref.Instance)
	if err == nil && m.none() {
		m, damaged, err = s.search(ctx, ref, "") // an id that was cleaned for an answer stands nowhere as it was shown
	}
	if err != nil {
		return nil, err
	}
	return m.pick(ref, damaged)
}

// search looks for ref in the folders that mention want.
func (s *Source) search(ctx context.Context, ref history.Ref, want string) (m matches, damaged []string, failure error) {
	w := &walk{ctx: ctx, s: s, want: want}
	w.emit = func(run *history.Run, err error) bool {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			if !skipped.NoRun {
				damaged = append(damaged, skipped.What)
			}
		case err != nil:
			failure = err
			return false
		case ref.App != "" && ref.App != run.Ref.App, ref.Execution != "" && ref.Execution != run.Ref.Execution:
		default:
			m.add(run, ref.Instance)
		}
		return true
	}
	w.paths()
	return m, damaged, failure
}

// at reads the run at a location without looking elsewhere; nil when none of
// the source's paths leads there.
func (s *Source) at(ctx context.Context, location string) (*history.Run, error) {
	var found *history.Run
	var failure error
	w := &walk{ctx: ctx, s: s}
	w.emit = func(run *history.Run, err error) bool {
		var skipped *history.Skipped
		switch {
		case err == nil && run.Ref.Location == location:
			found = run
		case errors.As(err, &skipped) && skipped.What == clean.Line(location, 200):
			failure = &fault.Error{Kind: fault.Damaged, What: "read " + skipped.What + ": " + skipped.Why, Means: "nothing is known about this run"}
		}
		return found == nil && failure == nil
	}
	for _, p := range s.paths {
		if filepath.ToSlash(p) == location {
			if info, err := os.Stat(p); err == nil && !info.IsDir() {
				w.path(p)
			}
			continue
		}
		if rel, ok := strings.CutPrefix(location, strings.TrimSuffix(filepath.ToSlash(p), "/")+"/"); ok && fs.ValidPath(rel) {
			w.folder(p, path.Dir(rel))
		}
	}
	return found, failure
}

// recorded is the instance id in the run's own events: its id, or its source's
// if the run is a rerun. So it finds a run but does not name it.
func recorded(run *history.Run) string {
	for i := range run.Events {
		if e := &run.Events[i]; e.Kind == history.ExecutionStarted {
			return e.Instance
		}
	}
	return ""
}

// matches are the runs that a reference may mean, by how it matched.
type matches struct{ byID, byPlace, byEvent []*history.Run }

func (m *matches) none() bool { return len(m.byID)+len(m.byPlace)+len(m.byEvent) == 0 }

func (m *matches) add(run *history.Run, id string) {
	same := func(s string) bool { return s == id || clean.Line(s, 0) == id }
	if same(run.Ref.Instance) {
		m.byID = append(m.byID, run)
	}
	if l := run.Ref.Location; path.Base(l) == id || path.Base(path.Dir(l)) == id {
		m.byPlace = append(m.byPlace, run)
	}
	if same(recorded(run)) {
		m.byEvent = append(m.byEvent, run)
	}
}

func (m *matches) pick(ref history.Ref, damaged []string) (*history.Run, error) {
	found := m.byID
	if len(found) == 0 {
		found = m.byPlace
	}
	if len(found) == 0 {
		found = m.byEvent
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, absent(ref, damaged)
	}
	places := make([]string, 0, len(found))
	for _, r := range found[:min(len(found), 8)] {
		places = append(places, r.Ref.Location)
	}
	return nil, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("run %s stands in %d places", clean.Line(ref.Instance, 200), len(found)), Do: "Name one by its location: " + strings.Join(places, ", ")}
}

func absent(ref history.Ref, damaged []string) error {
	e := &fault.Error{Kind: fault.NotFound, What: "find run " + clean.Line(cmp.Or(ref.Instance, ref.Location), 200),
		Means: "it is not among the runs here, which says nothing about runs elsewhere", Do: "idem_list_runs lists what is here"}
	if n := len(damaged); n > 0 {
		e.Means += fmt.Sprintf("; %d of the files that mention it could not be read", n)
	}
	return e
}

// decode turns a file's bytes into a run.
func (s *Source) decode(location string, data []byte) (*history.Run, error) {
	run, err := history.Read(data, s.o)
	if err != nil {
		return nil, err
	}
	run.Ref.Location = location
	return run, nil
}

// describe completes run with the metadata document beside it.
func (s *Source) describe(run *history.Run, raw []byte, err error) {
	if err == nil {
		var h history.Header
		if h, err = history.ParseHeader(raw, s.o); err == nil {
			run.Adopt(h)
			if run.Generation > 1 {
				run.Coverage.Missing = append(run.Coverage.Missing, fmt.Sprintf("this is generation %d: the events of earlier ones (continued as new, or the id used again) are not kept", run.Generation))
			}
			return
		}
	}
	run.Coverage.Missing = append(run.Coverage.Missing, metadataName+" beside it cannot be read: "+clean.Line(cause(err).Error(), 160))
}

// readBounded reads at most what history.Read accepts.
func readBounded(r io.Reader) ([]byte, error) {
	if r == nil {
		return nil, &fault.Error{Kind: fault.Config, What: "standard input is not there to read"}
	}
	data, err := io.ReadAll(io.LimitReader(r, history.MaxBytes+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(data) > history.MaxBytes {
		return nil, tooLarge("more than")
	}
	return data, nil
}

func tooLarge(size string) error {
	return &fault.Error{Kind: fault.TooLarge, What: fmt.Sprintf("the file has %s %d MB", size, history.MaxBytes>>20), Means: "it was not read", Do: "Export one run per file"}
}
