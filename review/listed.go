package review

import (
	"slices"
	"strings"
)

// listed enters the functions that a Go program gathers in a list before it
// registers them in a loop: activities = append(activities, a.Charge, a.Ship),
// Worker{Activities: []any{a.Charge}}. The list is known by its name, since what
// runs over it may stand in another package.
func (ro *roster) listed(f *File, e *Expr, in *Func) {
	if f.Language != "go" || !imports(f, "temporal|durabletask|dapr") {
		return
	}
	switch {
	case e.Op == OpList && len(e.Args) > 1 && e.Args[0].Spread && listName(calleeName(e.Args[0].Value)):
		ro.enterListed(f, e.Args[1:], in)
	case e.Op == OpObject:
		for _, a := range e.Args {
			if a.Value != nil && a.Value.Op == OpList && listName(a.Name) {
				ro.enterListed(f, a.Value.Args, in)
			}
			if a.Name == "Func" && slices.ContainsFunc(e.Args, func(b Arg) bool { return b.Name == "Name" }) {
				ro.enterListed(f, []Arg{a}, in) // Definition{Name: "Charge", Func: a.Charge}
			}
		}
	}
}

func listName(n string) bool { return strings.Contains(strings.ToLower(n), "activities") }

func (ro *roster) enterListed(f *File, list []Arg, in *Func) {
	for _, a := range list {
		if a.Value == nil || a.Value.Op != OpMember && a.Value.Op != OpName {
			continue
		}
		if fn := ro.function(f, a.Value, in); fn != nil && takesContext(fn) {
			ro.enter(&candidate{name: fn.Name, framework: frameworkOf(f, "temporal"), fn: fn})
		}
	}
}

// requires reports a Go file of a module that needs one of the libraries: a worker
// may be known to it by an interface of its own.
func (ro *roster) requires(f *File, lib string) bool {
	if f.Language != "go" {
		return false
	}
	for _, m := range ro.repo.goModules() {
		for _, r := range m.requires {
			for alt := range strings.SplitSeq(lib, "|") {
				if strings.Contains(r, alt) {
					return true
				}
			}
		}
	}
	return false
}

// takesContext reports a function whose first parameter is a context, as that of
// nearly every activity is; a workflow takes workflow.Context.
func takesContext(fn *Func) bool {
	return len(fn.Params) > 0 && strings.HasSuffix(typeName(fn.Params[0].Type), "Context") && !strings.Contains(fn.Params[0].Type, "workflow.")
}
