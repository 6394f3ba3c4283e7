package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// naturalKey sees that a row is added under a primary or unique key made of what
// every run repeats, after a look whether it is there: then the database refuses
// what the look did not see, and the attempt after that finds the row.
func (t *tracer) naturalKey(eff *Effect, s *scope) {
	v := eff.Value
	if v == nil || eff.Class != knowledge.Insert {
		return
	}
	for name, f := range v.Fields {
		if !f.Origin.Stable() || !f.Origin.Distinct() || !t.uniqueField(v, name, s) {
			continue
		}
		eff.Key, eff.KeyName = f, name
		if r := eff.CheckedFirst(); r != nil && !r.Memory && eff.Conditional == "" {
			eff.Conditional = "unique " + name + ", looked up first"
		}
		return
	}
}

// uniqueField reports whether the model says that a property is a key: by name,
// by attribute, or in the configuration of the model.
func (t *tracer) uniqueField(v *Value, name string, s *scope) bool {
	typ := lastSegment(v.Type)
	if name == "Id" && typ != "" || name == typ+"Id" {
		return true
	}
	if v.Class != nil {
		if f, ok := t.repo.field(v.Class, name); ok {
			for _, a := range f.Annotations {
				if annotationName(a) == "key" {
					return true
				}
			}
		}
	}
	return t.repo.modelKeys(t.repo.family(s.file))[name]
}

// modelKeys are the properties that the repository's models declare as key or as
// unique on their own: HasKey(x => x.OrderId), HasIndex(x => x.Sku).IsUnique().
func (r *repo) modelKeys(family string) map[string]bool {
	if r.keys != nil {
		return r.keys
	}
	r.keys = map[string]bool{}
	r.mention(family, "HasKey")
	r.mention(family, "IsUnique")
	visit := func(e *Expr, _ *Func, _ bool) {
		if e.Op != OpCall {
			return
		}
		switch calleeName(e.X) {
		case "HasKey":
		case "IsUnique":
			if e.X.Op != OpMember || calleeOf(e.X.X) != "HasIndex" {
				return
			}
			e = e.X.X
		default:
			return
		}
		for _, a := range e.Args {
			if a.Value == nil || a.Value.Op != OpLambda || len(a.Value.Func.Body) != 1 {
				continue
			}
			if m := a.Value.Func.Body[0].Value; m != nil && m.Op == OpMember {
				r.keys[m.Name] = true
			}
		}
	}
	for _, e := range r.entries {
		if e.file == nil || e.lang.Family != family || strings.Contains(e.path, "Migrations/") {
			continue
		}
		for _, fn := range e.file.Funcs {
			if fn.Parent == nil {
				eachExpr(fn.Body, visit)
			}
		}
	}
	return r.keys
}

func calleeOf(e *Expr) string {
	if e == nil || e.Op != OpCall {
		return ""
	}
	return calleeName(e.X)
}
