package review

import (
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// matcher finds the catalogue row of a call. Rows are indexed by method name;
// those with a wildcard are tried for every name. Order in the tables is
// preference; a team's own rows come first.
type matcher struct {
	exact map[string][]*knowledge.Row
	wild  []*knowledge.Row
	rank  map[*knowledge.Row]int
	team  int // the first rows are a team's own
}

// own reports a row of the team's configuration.
func (m *matcher) own(r *knowledge.Row) bool { return m.rank[r] < m.team }

func newMatcher(rows []knowledge.Row, team int) *matcher {
	m := &matcher{team: team, exact: map[string][]*knowledge.Row{}, rank: map[*knowledge.Row]int{}}
	for i := range rows {
		r := &rows[i]
		m.rank[r] = i
		wild := false
		for alt := range strings.SplitSeq(r.Name, "|") {
			if strings.Contains(alt, "*") {
				wild = true
				continue
			}
			m.exact[alt] = append(m.exact[alt], r)
		}
		if wild {
			m.wild = append(m.wild, r)
		}
	}
	return m
}

// callee is what is known of the function a call names.
type callee struct {
	name  string   // as written
	norm  string   // in normal form
	chain []string // normal names before it: client, table, insert
	recv  *Value   // nil for a plain function
	lib   string   // import path the chain starts at
	text  string
	fn    *Value // the callee's own value
}

// shaped is the row of a call that is known by the parts of its argument,
// wherever its receiver came from: create({ data }), update({ where, data }).
func (m *matcher) shaped(c *callee, args []*Value) *knowledge.Row {
	if c.recv == nil {
		return nil
	}
	for i := range knowledge.Shapes {
		sh := &knowledge.Shapes[i]
		if !knowledge.Match(sh.Name, c.norm) || sh.Arg >= len(args) {
			continue
		}
		has := len(args[sh.Arg].Fields) > 0
		for f := range strings.SplitSeq(sh.Fields, " ") {
			has = has && args[sh.Arg].Fields[f] != nil
		}
		if !has {
			continue
		}
		for _, r := range m.exact[c.norm] {
			if r.Lib == sh.Lib {
				if c.recv.Lib == "" && sh.Lib == "sequelize" { // a model, however it was come by
					c.recv.Lib = sh.Lib
				}
				return r
			}
		}
	}
	return nil
}

// find is the best row for the call, and whether the match is strong: by
// library or by the receiver's type rather than by a name.
func (m *matcher) find(c *callee, f *File) (*knowledge.Row, bool) {
	var best *knowledge.Row
	strong := false
	try := func(r *knowledge.Row) {
		if best != nil && m.rank[best] < m.rank[r] {
			return
		}
		if s, ok := fitsRow(r, c, f); ok {
			best, strong = r, s
		}
	}
	for _, r := range m.exact[c.norm] {
		try(r)
	}
	for _, r := range m.wild {
		if knowledge.Match(r.Name, c.norm) {
			try(r)
		}
	}
	return best, strong
}

// messagePart are parts of a request or answer: their get and set are no
// requests.
var messagePart = map[string]bool{"header": true, "headers": true, "query": true, "cookies": true, "cookie": true, "form": true, "postform": true, "values": true, "params": true, "searchparams": true, "trailer": true, "defaultrequestheaders": true}

func fitsRow(r *knowledge.Row, c *callee, f *File) (strong, ok bool) {
	if (r.Class == knowledge.HTTP || r.Class == knowledge.Create) && len(c.chain) > 0 && messagePart[c.chain[0]] {
		return false, false
	}
	if r.Lib != "" {
		if !libHit(r.Lib, c, f) || r.Recv == "" && c.lib == "" && !couldBeOf(r.Lib, c, f) {
			return false, false
		}
		strong = true
		if c.recv != nil && c.lib != "" && knowledge.Match(r.Recv, "client") {
			return true, true // the library's client, whatever it is called
		}
	}
	switch {
	case r.Recv == "":
		return strong, true
	case r.Recv == "-":
		return strong, c.recv == nil
	}
	if c.recv != nil && c.recv.Type != "" {
		if knowledge.Match(r.Recv, knowledge.Norm(lastSegment(c.recv.Type))) {
			return true, true
		}
	}
	if c.recv != nil && c.recv.Class != nil {
		for _, b := range c.recv.Class.Bases {
			if knowledge.Match(r.Recv, knowledge.Norm(lastSegment(typeName(b)))) {
				return true, true
			}
		}
	}
	for _, n := range c.chain {
		if knowledge.Match(r.Recv, n) {
			return strong, true
		}
	}
	return false, false
}

// libHit reports whether one of the libraries is where the callee comes from.
// A receiver that is known to come from one import is not taken for another's.
func libHit(lib string, c *callee, f *File) bool {
	for alt := range strings.SplitSeq(lib, "|") {
		if c.lib != "" {
			if strings.Contains(strings.ToLower(c.lib), alt) {
				return true
			}
			continue
		}
		for i := range f.Imports {
			if strings.Contains(strings.ToLower(f.Imports[i].Path), alt) {
				return true
			}
		}
	}
	return false
}

// couldBeOf reports whether a call that only the file's imports tie to a library
// can be the library's: lists, dictionaries and what came in as data are not its
// clients, whatever their methods are called, nor is a function that was not
// imported.
func couldBeOf(lib string, c *callee, f *File) bool {
	if c.recv == nil {
		return f.Language == "csharp" || f.Language == "java" || slices.ContainsFunc(f.Imports, func(im Import) bool { return im.Member == "*" && im.Name == "" })
	}
	v := c.recv
	data := v.Lib == "" && v.Shared == "" && (v.Local && v.Type == "" && v.Fn == nil || collection(v.Type) || v.Type == "" && v.Origin != 0 && v.Origin&^(FromInput|FromOutside|FromConst|FromHash) == 0)
	if !data || len(c.chain) == 0 {
		return true
	}
	for alt := range strings.SplitSeq(lib, "|") {
		if strings.Contains(c.chain[0], knowledge.Norm(alt)) {
			return true
		}
	}
	return false
}
