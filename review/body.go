package review

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Body is the text of one function that a walk entered: of the activity itself,
// which comes first, or of what it calls in the repository.
type Body struct {
	Name   string
	File   string
	Digest string // the same when the text is moved or indented as a whole
}

// bodies are the functions that a walk entered, its own first. A type with one
// body counts as a whole.
func (t *tracer) bodies(owner *Type) []Body {
	type span struct {
		Body
		own         int // 0 for the activity itself
		first, last int
	}
	spans := make([]span, 0, len(t.met))
	for fn, file := range t.met {
		if file == nil {
			continue
		}
		s := span{Body: Body{Name: fn.Name, File: file.Path}, own: 1, first: fn.Line, last: fn.EndLine}
		if fn == t.fn {
			s.own = 0
			if owner != nil && owner.File == file {
				s.first, s.last = owner.Line, owner.EndLine
			}
		}
		s.Digest = file.digest(s.first, s.last)
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(a.own-b.own, cmp.Compare(a.File, b.File), cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last), cmp.Compare(a.Name, b.Name))
	})
	out := make([]Body, len(spans))
	for i := range spans {
		out[i] = spans[i].Body
	}
	return out
}

// digest tells the text of lines from any other, whatever their line endings
// and their common indentation.
func (f *File) digest(first, last int) string {
	f.index()
	first, last = max(first, 1), min(last, len(f.lines))
	if first > last {
		return ""
	}
	end := len(f.src)
	if last < len(f.lines) {
		end = f.lines[last]
	}
	lines := strings.Split(strings.TrimRight(string(f.src[f.lines[first-1]:end]), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	sum := sha256.Sum256([]byte(dedent(lines)))
	return hex.EncodeToString(sum[:8])
}
