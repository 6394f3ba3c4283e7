// Package logs reads application logs: which bodies began, acted and ended, by
// the ids of runs in their lines. A log is streamed. Raw bytes are searched for
// ids first; only a line that holds one is parsed.
//
// Read as it is: the idem line ("idem event=start activity=… body=…") anywhere in
// a line. Else JSON lines and logfmt by usual field names and by content, plain
// text by the configured pattern or its words; each bare, or in the wrapping of
// Docker, of a Kubernetes container runtime (CRI) or of a collector. Gzip, zstd
// and bzip2 are unpacked.
package logs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
)

// Result is what was read.
type Result struct {
	Files   int   `json:"files"`
	Bytes   int64 `json:"bytes"` // unpacked
	Lines   int64 `json:"lines"`
	Matched int64 `json:"matched"` // lines with an id of an indexed run
	// TooLong lines were passed over unread.
	TooLong int64            `json:"too_long,omitempty"`
	Classes map[string]int64 `json:"classes"` // of the matched lines
	// Fields says which fields were taken for what.
	Fields  map[string][]string `json:"fields"`
	Broken  []input.Broken      `json:"-"`
	SlowIDs bool                `json:"-"` // some ids force every line to be parsed
}

// sample is how many matching lines of a stream are held back until it is known
// which fields hold the ids.
const sample = 256

// Read feeds the index with what the files say.
func Read(ctx context.Context, files input.Files, m Mapping, x *outside.Index) (Result, error) {
	return read(ctx, files, m, x, false)
}

// ReadKeys reads the files again for lines that carry a wanted key (Index.Want)
// and no id of an indexed run: other runs, and other callers.
func ReadKeys(ctx context.Context, files input.Files, m Mapping, x *outside.Index) (Result, error) {
	return read(ctx, files, m, x, true)
}

func read(ctx context.Context, files input.Files, m Mapping, x *outside.Index, keys bool) (Result, error) {
	res := Result{Classes: map[string]int64{}, Fields: map[string][]string{}}
	ids, known := x.IDs, func(b []byte) bool { return x.KnowsInstance(string(b)) || x.KnowsExecution(string(b)) }
	if keys {
		ids, known = x.Wanted, func(b []byte) bool { return x.KnowsKey(string(b)) }
	}
	f := newFinder(ids, known)
	if !f.any {
		return res, nil
	}
	res.SlowIDs = f.odd
	p := newMapper(m, x)
	buf := make([]byte, blockSize)
	broken, err := files.Each(ctx, func(name string, r io.Reader) error {
		res.Files++
		s := stream{p: p, x: x, res: &res, keys: keys}
		st, err := f.scan(ctx, r, buf, s.line)
		s.flush()
		res.Bytes, res.Lines, res.TooLong = res.Bytes+st.bytes, res.Lines+st.lines, res.TooLong+st.tooLong
		if err != nil && ctx.Err() == nil && st.bytes > 0 {
			return &input.Broken{Name: name, Why: "it breaks off after " + fmt.Sprint(st.bytes) + " bytes"}
		}
		return err
	})
	res.Broken = broken
	for ro, paths := range p.used {
		for path := range paths {
			if ro != int(noRole) && len(res.Fields[roleNames[ro]]) < 6 {
				res.Fields[roleNames[ro]] = append(res.Fields[roleNames[ro]], clean.Line(path, 80))
			}
		}
		slices.Sort(res.Fields[roleNames[ro]])
	}
	delete(res.Fields, "")
	return res, err
}

// stream is the state of one file.
type stream struct {
	p    *mapper
	x    *outside.Index
	res  *Result
	keys bool
	held [][]byte
	done bool // the sample was read
}

func (s *stream) line(b []byte) {
	if s.done {
		s.use(string(b))
		return
	}
	s.held = append(s.held, bytes.Clone(b))
	if len(s.held) == sample {
		s.flush()
	}
}

// flush learns from the lines held back and then reads them.
func (s *stream) flush() {
	for _, b := range s.held {
		var r record
		r.parse(string(b), 0)
		s.p.learn(&r)
	}
	for _, b := range s.held {
		s.use(string(b))
	}
	s.held, s.done = nil, true
}

func (s *stream) use(line string) {
	var r record
	r.parse(strings.ToValidUTF8(line, "\uFFFD"), 0)
	sight := s.p.sighting(&r)
	sight.Shape = r.shape()
	if s.keys && (s.x.KnowsInstance(sight.Instance) || s.x.KnowsExecution(sight.Execution) && sight.Instance == "") {
		return // counted in the first reading
	}
	if s.x.Add(&sight) {
		s.res.Matched++
		s.res.Classes[sight.Class.String()]++
	}
}
