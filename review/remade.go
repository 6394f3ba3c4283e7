package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// begun is a file that the body opened to write it from its start.
type begun struct {
	name  *Value
	conds []*Cond
}

// remade reports whether the body itself makes the thing that eff removes or
// moves away: every run finds it there, as in writing beside a file and renaming.
// What makes it must stand behind no branch that eff does not stand behind.
func (t *tracer) remade(eff *Effect) bool {
	same := func(name *Value, conds []*Cond) bool {
		if name == nil || name.Sym == "" || name.Sym != eff.Key.Sym {
			return false
		}
		return !slices.ContainsFunc(conds, func(c *Cond) bool { return !slices.Contains(eff.Conds, c) })
	}
	if eff.Key == nil {
		return false
	}
	return slices.ContainsFunc(t.begun, func(b begun) bool { return same(b.name, b.conds) }) ||
		slices.ContainsFunc(t.effects, func(e *Effect) bool {
			return (e.Class == knowledge.Put || e.Class == knowledge.Insert) && same(e.Key, e.Conds)
		})
}

// begins notes a file that is opened to be written from its start.
func (t *tracer) begins(c *callee, file, name *Value) {
	if name == nil || file.opened == "append" {
		return
	}
	makes := c.norm == "create" || strings.Contains(file.opened, "o_create") ||
		slices.ContainsFunc([]string{"'w", "'x", "filemode.create"}, func(mode string) bool { return strings.Contains(file.opened, mode) }) ||
		slices.Contains([]string{"streamwriter", "filewriter", "fileoutputstream"}, c.norm)
	if makes && len(t.begun) < setCap {
		t.begun = append(t.begun, begun{name, t.standing()})
	}
}

// pathOf is the name that a call opens: its first argument, or what it is asked
// of where a path opens itself.
func pathOf(c *callee, pos []*Value) *Value {
	if c.recv != nil && c.recv.Type == "Path" {
		return c.recv
	}
	if len(pos) > 0 {
		return pos[0]
	}
	return nil
}

// joinedPath is a path made with the operator that joins them: Path(a) / b.
func (t *tracer) joinedPath(a, b *Value) *Value {
	out := t.concat(a, b)
	out.Sym = symOr(a) + "/" + symOr(b)
	out.Type, out.HasTxt, out.Text, out.Parts = "Path", false, "", nil
	return out
}
