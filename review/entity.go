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
	keys := t.repo.modelKeys(t.repo.family(s.file))
	return keys[typ+"."+name] || keys["."+name]
}

// modelKeys are the properties that the repository's models declare as key or as
// unique on their own: HasKey(x => x.OrderId), HasIndex(x => x.Sku).IsUnique().
// They are kept with the entity they are of, "" where the code does not say it.
func (r *repo) modelKeys(family string) map[string]bool {
	if r.keys != nil {
		return r.keys
	}
	r.keys = map[string]bool{}
	r.mention(family, "HasKey")
	r.mention(family, "IsUnique")
	var entity string
	of := map[*Expr]string{}
	visit := func(e *Expr, _ *Func, _ bool) {
		if e.Op != OpCall {
			return
		}
		owner := entityOf(e)
		if owner == "" {
			owner = either(of[e], entity)
		}
		switch calleeName(e.X) {
		case "Entity": // Entity<Order>(o => { o.HasKey(…) })
			for _, a := range e.Args {
				if a.Value != nil && a.Value.Op == OpLambda {
					eachExpr(a.Value.Func.Body, func(in *Expr, _ *Func, _ bool) { of[in] = owner })
				}
			}
			return
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
				r.keys[owner+"."+m.Name] = true
			}
		}
	}
	for _, e := range r.entries {
		if e.file == nil || e.lang.Family != family || strings.Contains(e.path, "Migrations/") {
			continue
		}
		for _, fn := range e.file.Funcs {
			if fn.Parent == nil {
				entity = configured(fn.Owner)
				eachExpr(fn.Body, visit)
			}
		}
	}
	return r.keys
}

// entityOf is the type in Entity<Order>() that a chain of calls begins with.
func entityOf(e *Expr) string {
	for range 24 {
		if e == nil {
			break
		}
		if e.Op == OpCall && calleeName(e.X) == "Entity" && len(e.Types) > 0 {
			return lastSegment(typeName(e.Types[0]))
		}
		if e.Op != OpCall && e.Op != OpMember {
			break
		}
		e = e.X
	}
	return ""
}

// configured is the entity that a type configures: IEntityTypeConfiguration<Order>.
func configured(ty *Type) string {
	if ty == nil {
		return ""
	}
	for _, b := range ty.Bases {
		if head, rest, ok := strings.Cut(b, "<"); ok && lastSegment(head) == "IEntityTypeConfiguration" {
			return lastSegment(typeName(strings.TrimSuffix(rest, ">")))
		}
	}
	return ""
}

func calleeOf(e *Expr) string {
	if e == nil || e.Op != OpCall {
		return ""
	}
	return calleeName(e.X)
}
