package history

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// words is an expression that is looked for only in a text that holds one of the
// strings without which it cannot match. Most expressions match few failures, and
// looking for strings costs a tenth of what the expression does.
type words struct {
	re    *regexp.Regexp
	needs []string // nil: nothing is known
}

// lazily compiles an expression when it is first used: most processes never
// meet a failure, and compiling all of them costs milliseconds at every start.
func lazily(expr string) func() *words {
	return sync.OnceValue(func() *words {
		w := &words{re: regexp.MustCompile(expr)}
		if parsed, err := syntax.Parse(expr, syntax.Perl); err == nil {
			w.needs = needs(parsed.Simplify())
		}
		return w
	})
}

func (w *words) may(text string) bool {
	for _, s := range w.needs {
		if strings.Contains(text, s) {
			return true
		}
	}
	return w.needs == nil
}

func (w *words) match(text string) bool { return w.may(text) && w.re.MatchString(text) }

func (w *words) find(text string) string {
	if !w.may(text) {
		return ""
	}
	return w.re.FindString(text)
}

func (w *words) index(text string) []int {
	if !w.may(text) {
		return nil
	}
	return w.re.FindStringIndex(text)
}

func (w *words) submatch(text string) []string {
	if !w.may(text) {
		return nil
	}
	return w.re.FindStringSubmatch(text)
}

// blank replaces each match by a space.
func (w *words) blank(text string) string {
	if !w.may(text) {
		return text
	}
	return w.re.ReplaceAllString(text, " ")
}

// maxNeeds bounds the strings that are told of one expression.
const maxNeeds = 128

// needs returns strings of which every match holds at least one; nil where it
// cannot be told.
func needs(re *syntax.Regexp) []string {
	if all, ok := exactly(re); ok && !slices.Contains(all, "") {
		return all
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			part := needs(sub)
			if part == nil || len(out)+len(part) > maxNeeds {
				return nil
			}
			out = append(out, part...)
		}
		return out
	case syntax.OpConcat:
		var best []string
		consider := func(set []string) {
			if len(set) > 0 && !slices.Contains(set, "") && shortest(set) > shortest(best) {
				best = set
			}
		}
		row := []string{""} // what the pieces since the last unknown one can be
		for _, sub := range re.Sub {
			all, ok := exactly(sub)
			if ok && len(row)*len(all) <= maxNeeds {
				row = product(row, all)
				continue
			}
			consider(row)
			consider(needs(sub))
			row = []string{""}
		}
		consider(row)
		return best
	}
	return nil
}

// exactly returns all strings that an expression can match, if they are few.
func exactly(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		var out []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if out = append(out, string(r)); len(out) > 4 {
					return nil, false
				}
			}
		}
		return out, true
	case syntax.OpCapture:
		return exactly(re.Sub[0])
	case syntax.OpQuest:
		all, ok := exactly(re.Sub[0])
		return append([]string{""}, all...), ok
	case syntax.OpConcat, syntax.OpAlternate:
		out := []string{""}
		if re.Op == syntax.OpAlternate {
			out = nil
		}
		for _, sub := range re.Sub {
			all, ok := exactly(sub)
			switch {
			case !ok || len(all)*max(len(out), 1) > maxNeeds:
				return nil, false
			case re.Op == syntax.OpConcat:
				out = product(out, all)
			default:
				out = append(out, all...)
			}
		}
		return out, len(out) <= maxNeeds
	}
	return nil, false
}

func product(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

// shortest is the length of the shortest string; 0 when there is none.
func shortest(set []string) int {
	n := 0
	for i, s := range set {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}
