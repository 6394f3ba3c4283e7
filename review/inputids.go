package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// inputIDs are the fields of an activity's input that look like the id of one
// operation: what a natural key can be. Fields that the body uses come first,
// then those of the declared input type. Ids of who takes part (a customer, an
// account) are left out: one of them has many operations.
func (g *engine) inputIDs(a *Activity) []string {
	var out []string
	add := func(sym string) {
		if len(out) < 8 && operationID(sym) && !slices.Contains(out, sym) {
			out = append(out, sym)
		}
	}
	seen := map[*Value]bool{}
	var walk func(v *Value, depth int)
	walk = func(v *Value, depth int) {
		if v == nil || depth == 0 || seen[v] {
			return
		}
		seen[v] = true
		if v.Origin == FromInput && strings.HasPrefix(v.Sym, "input.") {
			add(v.Sym)
		}
		for _, n := range sortedFields(v.Fields) {
			walk(v.Fields[n], depth-1)
		}
		for _, list := range [][]*Value{v.Elems, v.Parts} {
			for _, e := range list {
				walk(e, depth-1)
			}
		}
	}
	for _, e := range a.Effects {
		for _, v := range append([]*Value{e.Dedupe, e.Key, e.Value}, e.Args...) {
			walk(v, 4)
		}
	}
	for _, v := range a.Logged {
		walk(v, 4)
	}
	params := trimSelf(a.Func)
	if n := len(params); n > 0 {
		if t := g.repo.typeNamed(a.Func.File, typeName(params[n-1].Type)); t != nil {
			for _, f := range t.Fields {
				add("input." + f.Name)
			}
		}
	}
	return out
}

func sortedFields(m map[string]*Value) []string {
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

var (
	idEndings = []string{"id", "number", "no", "ref", "reference", "uuid", "key"}
	// parties take part in operations and are none themselves.
	parties = []string{"customer", "user", "account", "tenant", "product", "item", "card", "merchant", "store", "warehouse", "session", "trace", "correlation", "client", "group", "device", "employee", "owner", "parent", "phone", "apikey", "api", "sku"}
)

// operationID reports whether the last part of a path such as input.order_id
// names one operation.
func operationID(sym string) bool {
	path := strings.TrimPrefix(sym, "input.")
	if strings.ContainsAny(path, "[]()") {
		return false
	}
	last := knowledge.Norm(lastSegment(path))
	for _, end := range idEndings {
		if rest, ok := strings.CutSuffix(last, end); ok && len(last) <= 40 {
			if rest == "" {
				return end == "id" || end == "uuid" || end == "key" || end == "reference"
			}
			return !slices.ContainsFunc(parties, func(p string) bool { return strings.HasSuffix(rest, p) }) && !strings.HasSuffix(last, "paid") && last != "valid" && last != "grid"
		}
	}
	return false
}
