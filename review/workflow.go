package review

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Workflow is what a rule about workflows reads: the body that the engine
// replays, and the activities it schedules.
type Workflow struct {
	Name      string
	Language  string
	Framework string
	Func      *Func
	Effects   []*Effect // outside calls of the body itself, activities left out
	Calls     []CallSite
	Targets   []string // the activity of each call

	bodies []Body
}

// workflows lets the rules about workflows look at every workflow of the
// targets, and returns those with findings.
func (g *engine) workflows(targets []*entry, symbols []string) []WorkflowResult {
	var own []*Rule
	for _, r := range g.rules {
		if r.Workflow {
			own = append(own, r)
		}
	}
	if len(own) == 0 || len(symbols) > 0 {
		return nil
	}
	want := map[*File]bool{}
	for _, e := range targets {
		if e.file != nil {
			want[e.file] = true
		}
	}
	var out []WorkflowResult
	for fn := range g.roster.workflows {
		if fn.File == nil || !want[fn.File] || isTest(fn.File.Path) || g.roster.acts[fn] != nil {
			continue
		}
		w := g.workflow(fn)
		var found []Finding
		for _, r := range own {
			r.Check(&Pass{Workflow: w, rule: r, out: &found, engine: g})
		}
		if found = g.suppress(w.Name, g.settle(found)); len(found) > 0 {
			out = append(out, WorkflowResult{Name: w.Name, File: fn.File.Path, Line: fn.Line, Language: w.Language, Findings: found, Bodies: w.bodies})
		}
	}
	slices.SortFunc(out, func(a, b WorkflowResult) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// workflow walks the body of a workflow. Calls of its context, and of what is
// scheduled through it, are the engine's.
func (g *engine) workflow(fn *Func) *Workflow {
	w := &Workflow{Language: fn.File.Language, Framework: frameworkOf(fn.File, ""), Func: fn}
	around := enclosing(fn)
	if w.Name = around.Name; around.Owner != nil {
		w.Name = around.Owner.Name
	}
	for i := range g.roster.calls {
		c := &g.roster.calls[i]
		if c.site.in == fn {
			w.Calls = append(w.Calls, c.site)
			name := c.name
			if c.fn != nil {
				name = c.fn.Name
				if c.fn.Owner != nil {
					name = c.fn.Owner.Name + "." + name
				}
			}
			w.Targets = append(w.Targets, name)
		}
	}
	t := g.tracer(fn)
	t.stop = g.roster.acts
	params := trimSelf(fn)
	bound := make([]*Value, len(params))
	for i := range params {
		bound[i] = &Value{Origin: FromInput, Sym: "input"}
		if i == 0 && (w.Framework != "temporal" || fn.File.Language == "go") {
			bound[i] = &Value{Type: "WorkflowContext", Origin: FromUnknown}
			t.ctx = bound[i]
		}
	}
	t.onCall = func(t *tracer, e *Expr, s *scope, c *callee, args []*Value) (*Value, bool) {
		if t.ctx != nil && (c.recv == t.ctx || slices.Contains(args, t.ctx) || len(params) > 0 && strings.HasPrefix(c.text, params[0].Name+".")) {
			return &Value{Origin: FromOutside}, true
		}
		if len(g.roster.registers[c.norm]) > 0 {
			return &Value{Origin: FromOutside}, true
		}
		return nil, false
	}
	var self *Value
	if around.Owner != nil && !around.Static { // a lambda has the object of the method around it
		self = t.instance(around.Owner)
	}
	root := t.closure(fn, fn.File)
	t.enterWith(fn, params, bound, self, root, fn.Line, root)
	w.bodies = t.bodies(nil)
	for _, e := range t.effects {
		if len(e.Path) > 0 && fn.Name != "" { // the first element is the workflow itself
			e.Path = e.Path[1:]
		}
		if e.Acts() && !e.Memory && !e.Guess && e.Class != knowledge.Act && !ofEngine(e) {
			w.Effects = append(w.Effects, e)
		}
	}
	return w
}

// ofEngine reports a call of the engine's own library: it is replayed safely.
func ofEngine(e *Effect) bool {
	return e.Row != nil && (strings.Contains(e.Row.Lib, "temporal") || strings.Contains(e.Row.Lib, "durable"))
}

// parents are the places that schedule a workflow as a child.
func (ro *roster) parents(fn *Func) []CallSite {
	var out []CallSite
	for i := range ro.children {
		c := &ro.children[i]
		if c.fn == fn || c.fn == nil && (c.name == fn.Name || fn.Owner != nil && c.name == fn.Owner.Name) {
			out = append(out, c.site)
		}
	}
	return out
}

// RetriedAsChild is the place that schedules the workflow of a call site as a
// child with a retry policy, nil if there is none.
func (p *Pass) RetriedAsChild(c CallSite) *CallSite {
	if c.in == nil || p.engine == nil {
		return nil
	}
	for _, parent := range p.engine.roster.parents(c.in) {
		if parent.RetryPolicy().Text != "" {
			return &parent
		}
	}
	return nil
}
