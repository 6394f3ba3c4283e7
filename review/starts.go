package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// startedID finds the instance id of a run that a Durable Functions or Durable
// Task client starts. SDKs differ in where it stands: after the name, after the
// input, or in options; what stands elsewhere is the input.
func (t *tracer) startedID(eff *Effect, c *callee, e *Expr, args []*Value, s *scope) {
	if eff.Row == nil || eff.Row.Lib != "durable" {
		return
	}
	pos := plain(e, args, s.file)
	for _, n := range []string{"instanceid", "instance_id"} {
		if v := named(e, args, n); v != nil {
			eff.Key = v
			return
		}
	}
	eff.Key = nil
	for _, p := range pos {
		if v := fieldNorm(p, "instanceid"); v != nil {
			eff.Key = v
			return
		}
	}
	lang := s.file.Language
	switch {
	case c.norm == "startnew" && lang == "csharp":
		// (name, id), (name, input), (name, id, input)
		if len(pos) > 2 || len(pos) == 2 && len(e.Types) == 0 && (isText(pos[1]) || pos[1].Type == "" && idNamed(e.Args[len(e.Args)-1].Value)) {
			eff.Key = pos[1]
		}
	case c.norm == "startnew" || c.norm == "startnewinstance":
		if len(pos) > 1 && len(pos[1].Fields) == 0 {
			eff.Key = pos[1]
		}
	case len(pos) > 2: // (name, input, id)
		if len(pos[2].Fields) == 0 && pos[2].Class == nil {
			eff.Key = pos[2]
		}
	}
}

// idNamed reports a variable whose name says that it is an id.
func idNamed(e *Expr) bool {
	return e != nil && strings.HasSuffix(knowledge.Norm(lastSegment(text(e))), "id")
}
