package review

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// Config says what to review.
type Config struct {
	// Files is everything that may be read: a root that symbolic links do not
	// leave, such as (*os.Root).FS. Callees are looked for in all of it.
	Files fs.FS
	// Paths are the files and folders in Files to report on; none means all.
	Paths []string
	// Symbols are functions, methods or types to review even if no framework
	// registers them; when given, only these are reported.
	Symbols []string
	// Languages and Rules are what is built in: lang.All() and rules.All().
	Languages []*Language
	Rules     []*Rule
	// Effects are a team's own rows; they come before the built-in ones.
	Effects []knowledge.Row
	// Everything parses every file that is read, so that the syntax errors of each
	// are known. Else a review of many files parses those in which an activity or a
	// workflow can begin, and what they lead to.
	Everything bool

	many int // from how many files on that holds; 0: many
}

// Review reads the files and judges every activity in them.
func Review(ctx context.Context, c Config) (Result, error) {
	if !parse.BuiltIn {
		return Result{}, parse.ErrNotBuiltIn
	}
	if c.Files == nil {
		return Result{}, fmt.Errorf("review: no files given")
	}
	c.Paths = slices.Clone(c.Paths)
	for i, p := range c.Paths {
		c.Paths[i] = path.Clean(p)
	}
	r := newRepo(c.Files)
	var res Result
	if err := r.walk(ctx, c, &res); err != nil {
		return Result{}, err
	}
	targets := r.targets(c.Paths)
	eager := targets
	var first tellers
	if !c.Everything && mostly(targets, r, c) {
		eager, first = r.targets(nil), newTellers()
	}
	if err := r.lowerAll(ctx, eager, first); err != nil {
		return Result{}, err
	}
	for _, e := range eager {
		if !e.passed {
			r.load(e)
		}
	}
	rows := append(slices.Clone(c.Effects), knowledge.Rows()...)
	eng := &engine{repo: r, match: newMatcher(rows, len(c.Effects)), rules: c.Rules}
	eng.roster = newRoster(r, c)
	for _, cand := range eng.roster.in(targets, c.Symbols, first != nil) {
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		res.Activities = append(res.Activities, eng.judge(cand))
	}
	res.Workflows = eng.workflows(targets, c.Symbols) // before it is asked which comments silence nothing
	res.Suppressions = eng.suppressed(targets, len(c.Symbols) > 0)
	for _, e := range targets {
		if e.file != nil || e.passed && e.why == "" {
			res.Files++
		}
		if e.file != nil {
			if n := e.file.Errors; n > 0 {
				res.Skipped = append(res.Skipped, Skipped{e.path, fmt.Sprintf("%d syntax errors: what stands in them was not read", n)})
			}
		} else if e.why != "" {
			res.Skipped = append(res.Skipped, Skipped{e.path, e.why})
		}
	}
	res.Skipped = append(res.Skipped, eng.cut...)
	res.NotVisible, res.Silenced = append(eng.notVisible(), unparsed(targets)...), eng.silenced
	slices.SortFunc(res.Silenced, func(a, b Silenced) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Owner, b.Owner))
	})
	slices.SortFunc(res.Activities, func(a, b ActivityResult) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(res.Skipped, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Reason, b.Reason))
	})
	return res, nil
}

type engine struct {
	repo     *repo
	match    *matcher
	rules    []*Rule
	roster   *roster
	blinds   map[string]map[string]bool // rule → activities it could not judge
	quiet    map[string][]*Suppression  // the suppressions of each file
	silenced []Silenced
	// cut are the bodies that were not walked to their end.
	cut []Skipped
	// consumers are the effects of a topic's subscribers that repeat.
	consumers map[string][]*Effect
}

func (g *engine) tracer(fn *Func) *tracer {
	return &tracer{repo: g.repo, match: g.match, fn: fn, mods: map[*File]*scope{}, shared: map[string]*Effect{}, closures: map[*Func]*scope{}, retried: true}
}

// blind notes that a rule has no call site to look at.
func (g *engine) blind(r *Rule, a *Activity) {
	if g.blinds == nil {
		g.blinds = map[string]map[string]bool{}
	}
	k := r.ID + " " + r.Slug
	if g.blinds[k] == nil {
		g.blinds[k] = map[string]bool{}
	}
	g.blinds[k][a.Name] = true
}

// notVisible says what rules could not look at, and for which activities.
func (g *engine) notVisible() []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(g.blinds)) {
		names := slices.Sorted(maps.Keys(g.blinds[k]))
		list := strings.Join(names[:min(len(names), 5)], ", ")
		if len(names) > 5 {
			list += fmt.Sprintf(" and %d more", len(names)-5)
		}
		out = append(out, k+" looks at call sites; no workflow that schedules these was found: "+list)
	}
	return out
}

// judge walks one activity and lets every rule look at the facts.
func (g *engine) judge(c *candidate) ActivityResult {
	a := g.walk(c)
	var found []Finding
	for _, r := range g.rules {
		if r.Workflow {
			continue
		}
		if len(a.CallSites) == 0 && slices.Contains(r.Needs, "call_sites") {
			g.blind(r, a)
		}
		r.Check(&Pass{Activity: a, rule: r, out: &found, engine: g})
	}
	found = g.suppress(owner(c.name, c.symbol()), g.settle(found))
	out := ActivityResult{Bodies: a.bodies, Name: c.name, Symbol: c.symbol(), File: c.fn.File.Path, Line: c.line(), EndLine: c.endLine(), Language: c.fn.File.Language,
		Framework: c.framework, Verdict: Safe, CallSites: a.CallSites, Findings: found, InputIDs: g.inputIDs(a)}
	for _, f := range found {
		if f.Severity == Hazard || f.Severity == Verify && out.Verdict == Safe {
			out.Verdict = f.Severity
		}
	}
	if a.cut { // what was not seen may be anything
		if out.Verdict == Safe {
			out.Verdict = Verify
		}
		g.cut = append(g.cut, Skipped{out.File, fmt.Sprintf("%s is too large: what it does after %d expressions and statements was not judged", owner(c.name, c.symbol()), maxSteps)})
	}
	for _, e := range a.Effects {
		if e.Class == knowledge.None || e.Class == "" {
			continue
		}
		er := EffectResult{Class: string(e.Class), Callee: e.Callee, Resource: clip(e.Resource, 120), File: e.Site.File, Line: e.Site.Line, Quote: e.Site.Quote, Path: e.Path}
		if e.Acts() {
			er.Acts, er.KeyGiven, er.Keyed, er.Provider = !e.Memory, e.Dedupe != nil, e.Keyed(), e.Provider()
			er.Guard, _ = e.Guarded()
			if k := either2(e.Dedupe, e.Key); k != nil {
				er.Key = k.Origin.String()
				out.Keys = append(out.Keys, KeyResult{Name: either(e.KeyName, clip(k.Sym, 80)), Origin: k.Origin.Names(), Stable: !k.Origin.Fresh(), Line: e.Site.Line, Note: execNote(a, k)})
			}
		}
		out.Effects = append(out.Effects, er)
	}
	return out
}

func execNote(a *Activity, k *Value) string {
	if a.ExecID == nil || k.Origin&FromExecID == 0 {
		return ""
	}
	return a.ExecID.Note
}

// walk traces the body of a candidate.
func (g *engine) walk(c *candidate) *Activity {
	t := g.tracer(c.fn)
	sites := g.roster.sites(c)
	t.sdk = knowledge.ExecutionIDFor(c.framework, c.fn.File.Language)
	t.retried = len(sites) == 0 || slices.ContainsFunc(sites, func(s CallSite) bool { return s.Retries })
	a := &Activity{Name: c.name, Symbol: c.symbol(), Method: c.fn.Name, Framework: c.framework, Language: c.fn.File.Language, Func: c.fn, CallSites: sites, ExecID: t.sdk}
	root := t.closed(c)
	var self *Value
	if around := enclosing(c.fn); around.Owner != nil && !around.Static { // a lambda has the object of the method around it
		self = t.instance(around.Owner)
		if c.owner != nil {
			self = t.instance(c.owner)
		}
	}
	bound := t.inputs(c)
	a.Result = t.enterWith(c.fn, trimSelf(c.fn), bound, self, root, c.fn.Line, root)
	if h := a.Result; h != nil && h.Fn != nil && (h.Fn.Name == "" || h.Fn.Parent == c.fn) && len(t.effects) == 0 { // a factory by hand: the handler it makes
		in := &candidate{name: c.name, framework: c.framework, fn: h.Fn}
		if h.Fn.File == nil {
			h.Fn.File = c.fn.File
		}
		a.Result = t.enterWith(h.Fn, h.Fn.Params, t.inputs(in), nil, h.scope, h.Fn.Line, root)
	}
	t.answered(c.fn, a.Result, root)
	a.bodies, a.cut = t.bodies(c.owner), t.steps > maxSteps
	a.Effects, a.Exits, a.Logged, a.Parsed = t.ownCounters(a.Result), t.exits, t.logged, t.parsed
	intents(a.Effects)
	for _, e := range a.Effects { // the first element of every path is the activity itself
		if len(e.Path) > 0 && c.fn.Name != "" {
			e.Path = e.Path[1:]
		}
	}
	return a
}

func trimSelf(fn *Func) []Param {
	if len(fn.Params) > 0 && fn.Receiver != "" && fn.Owner != nil && !fn.Static && fn.Params[0].Name == fn.Receiver {
		return fn.Params[1:]
	}
	return fn.Params
}

// inputs gives the parameters of an activity what the engine will pass: the
// context, and the input.
func (t *tracer) inputs(c *candidate) []*Value {
	params := trimSelf(c.fn)
	out := make([]*Value, len(params))
	for i, p := range params {
		if v := t.boundParam(&p); v != nil {
			out[i] = v
			continue
		}
		switch {
		case i == 0 && c.hasContext(params):
			v := &Value{Type: either(typeName(p.Type), "ActivityContext"), Lib: c.framework, Origin: FromUnknown}
			t.ctx = v
			out[i] = v
		default:
			out[i] = &Value{Origin: FromInput, Sym: "input"}
			if len(params) > 1 && !strings.HasPrefix(p.Name, "{") {
				out[i].Sym = "input." + p.Name
			}
		}
	}
	return out
}

// settle orders the findings, drops those that another says better, and keeps
// one of each rule and line.
func (g *engine) settle(found []Finding) []Finding {
	over := map[string][]string{}
	for _, r := range g.rules {
		over[r.Slug] = r.Supersedes
	}
	var out []Finding
	for i, f := range found {
		drop := false
		for j, o := range found {
			if i != j && o.File == f.File && o.Line == f.Line {
				drop = drop || slices.Contains(over[o.Slug], f.Slug) || (o.Rule == f.Rule && o.Kind == f.Kind && j < i)
			}
		}
		if !drop {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }
