package review

import (
	"slices"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// lookedUp judges get_or_create and update_or_create of a model: the look and
// the write are two statements, and only a unique key of what is looked up by
// makes the database refuse the second row. Without one the call is an insert
// after a look. A model that is not in the repository has the benefit of the
// doubt.
func (t *tracer) lookedUp(eff *Effect, c *callee, e *Expr, s *scope) {
	switch c.norm {
	case "getorcreate", "updateorcreate", "agetorcreate", "aupdateorcreate":
	default:
		return
	}
	if e.X == nil || e.X.X == nil || e.X.X.Op != OpMember || e.X.X.Name != "objects" {
		return
	}
	model := t.repo.typeNamed(s.file, text(e.X.X.X))
	if model == nil || !djangoModel(t.repo, model) {
		return
	}
	var by []string
	for _, a := range e.Args {
		if a.Spread {
			return // what is looked up by is not written here
		}
		if a.Name != "defaults" && a.Name != "create_defaults" && a.Name != "" {
			by = append(by, a.Name)
		}
	}
	if uniqueLookup(model, by) {
		return
	}
	look := &Effect{Class: knowledge.Read, Callee: eff.Callee, Resource: model.Name, Site: eff.Site, Path: eff.Path, order: len(t.effects)}
	eff.Class, eff.Conditional, eff.Resource, eff.Key = knowledge.Insert, "", model.Name, nil
	eff.Conds = append(slices.Clone(eff.Conds), &Cond{Value: &Value{Origin: FromOutside, Reads: []*Effect{look}}, Text: c.name, Site: eff.Site})
}

func djangoModel(r *repo, t *Type) bool {
	for range 4 {
		if t == nil {
			return false
		}
		var next *Type
		for _, b := range t.Bases {
			if lastSegment(b) == "Model" {
				return true
			}
			if bt := r.typeNamed(t.File, b); bt != nil && bt != t {
				next = bt
			}
		}
		t = next
	}
	return false
}

// uniqueLookup reports whether the columns contain a unique key of the model:
// its primary key, a unique column, or a constraint over several.
func uniqueLookup(m *Type, by []string) bool {
	covers := func(cols []string) bool {
		for _, c := range cols {
			if !slices.Contains(by, c) && !slices.Contains(by, c+"_id") {
				return false
			}
		}
		return len(cols) > 0
	}
	if covers([]string{"pk"}) || covers([]string{"id"}) {
		return true
	}
	for _, f := range m.Fields {
		if f.Value == nil || f.Value.Op != OpCall {
			continue
		}
		unique := calleeName(f.Value.X) == "OneToOneField"
		for _, a := range f.Value.Args {
			unique = unique || (a.Name == "unique" || a.Name == "primary_key") && a.Value != nil && (a.Value.Name == "true" || a.Value.Name == "True")
		}
		if unique && covers([]string{f.Name}) {
			return true
		}
	}
	for _, meta := range m.File.Types {
		if meta.Name != "Meta" || meta.Line < m.Line || meta.EndLine > m.EndLine {
			continue
		}
		for _, f := range meta.Fields {
			switch f.Name {
			case "unique_together":
				sets := []*Expr{f.Value}
				if f.Value != nil && len(f.Value.Args) > 0 && f.Value.Args[0].Value != nil && f.Value.Args[0].Value.Op == OpList {
					sets = nil
					for _, a := range f.Value.Args {
						sets = append(sets, a.Value)
					}
				}
				if slices.ContainsFunc(sets, func(e *Expr) bool { return covers(literals(e)) }) {
					return true
				}
			case "constraints":
				if f.Value == nil {
					continue
				}
				for _, a := range f.Value.Args {
					if a.Value == nil || a.Value.Op != OpCall || calleeName(a.Value.X) != "UniqueConstraint" {
						continue
					}
					for _, c := range a.Value.Args {
						if c.Name == "fields" && covers(literals(c.Value)) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// literals are the texts of a list.
func literals(e *Expr) []string {
	if e == nil || e.Op != OpList {
		return nil
	}
	var out []string
	for _, a := range e.Args {
		if a.Value != nil && a.Value.Op == OpString {
			out = append(out, a.Value.Name)
		}
	}
	return out
}
