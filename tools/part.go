package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
)

// part is the part of an answer that a caller asked for with fields. A member
// that was not asked for is absent, never empty: empty would say something.
type part struct {
	members []string // of the answer, in order
	keep    []string
}

// always are the members without which the others could be misread: how much was
// read, and whether there is more.
var always = [...]string{"summary", "coverage", "truncated", "narrow", "cursor"}

// knows refuses fields that the answer does not have.
func (c Capability) knows(fields []string) error {
	known := c.Members()
	for _, f := range fields {
		if slices.Contains(known, f) {
			continue
		}
		e := &badArgument{what: fmt.Sprintf("the answer has no member %q", clean.Line(f, 60)), allowed: known, do: "fields can be " + strings.Join(known, ", ")}
		if n := nearest.Of(f, known); n != "" {
			e.do = fmt.Sprintf("Did you mean %q? %s", n, e.do)
		}
		return e
	}
	return nil
}

// part is nil for the whole answer.
func (c Capability) part(fields []string) *part {
	if len(fields) == 0 {
		return nil
	}
	return &part{members: c.Members(), keep: fields}
}

func (p *part) has(member string) bool {
	return p == nil || slices.Contains(always[:], member) || slices.Contains(p.keep, member)
}

// own are the members that the closing of a text does not write.
func (p *part) own(member string) bool {
	return p.has(member) && !slices.Contains(closes[:], member)
}

// cut leaves the members that were asked for in the JSON body and writes the
// text: what other texts tell in prose stands there as JSON.
func (p *part) cut(body json.RawMessage, t *text, a *Answer) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	t.line("%s", sentence(a.Summary))
	var b bytes.Buffer
	for _, m := range p.members {
		v, ok := whole[m]
		if !ok || !p.has(m) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", quote(m), v)
		if p.own(m) {
			t.line("\n%s: %s", m, v)
		}
	}
	t.closing(a)
	return slices.Concat(json.RawMessage("{"), b.Bytes(), json.RawMessage("}")), nil
}
