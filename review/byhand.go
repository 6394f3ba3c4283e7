package review

import "slices"

// byHand finds functions, methods and types that no framework registers.
func (ro *roster) byHand(targets []*entry, symbols []string, have []*candidate) []*candidate {
	var out []*candidate
	known := func(fn *Func) bool {
		return slices.ContainsFunc(have, func(c *candidate) bool { return c.fn == fn })
	}
	for _, e := range targets {
		if e.file == nil {
			continue
		}
		found := len(out)
		for _, fn := range e.file.Funcs {
			c := &candidate{name: fn.Name, fn: fn}
			if !fn.Abstract && c.matches(symbols) && !known(fn) {
				if fn.Owner != nil && slices.Contains(symbols, fn.Owner.Name) && !slices.Contains(symbols, fn.Name) && !fn.Exported {
					continue
				}
				out = append(out, c)
			}
		}
		lambdas(e.file, func(fn *Func) {
			c := &candidate{name: fn.Name, fn: fn}
			if c.matches(symbols) && !known(fn) {
				out = append(out, c)
			}
		})
		if c := ro.folderNamed(e.file, symbols); c != nil && len(out) == found && !known(c.fn) {
			out = append(out, c)
		}
	}
	return out
}

// lambdas yields the functions of object literals that have a name by their
// key.
func lambdas(f *File, yield func(*Func)) {
	seen := map[*Func]bool{}
	visit := func(e *Expr, _ *Func, _ bool) {
		if e.Op == OpLambda && e.Func.Name != "" && !seen[e.Func] {
			seen[e.Func] = true
			if e.Func.File == nil {
				e.Func.File = f
			}
			yield(e.Func)
		}
	}
	for _, fn := range f.Funcs {
		eachExpr(fn.Body, visit)
	}
	if f.Top != nil {
		eachExpr(f.Top.Body, visit)
	}
}
