package review

import (
	"regexp"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// command is client.send(new PutItemCommand({…})): the row of the method of the
// same name in the older SDK says what it does.
func (t *tracer) command(eff *Effect, args []*Value) {
	eff.Class = knowledge.Act
	if len(args) == 0 {
		return
	}
	name := strings.TrimSuffix(strings.ToLower(lastSegment(args[0].Type)), "command")
	switch name {
	case "put": // document client
		name = "putitem"
	case "update", "get", "delete":
		name += "item"
	case "transactwrite":
		name = "transactwriteitems"
	case "invokemodel", "invokemodelwithresponsestream", "converse", "conversestream":
		eff.Class = knowledge.LLM
		return
	}
	c := &callee{name: name, norm: name, recv: &Value{}, lib: "boto3", chain: []string{"client"}, fn: &Value{}}
	row, _ := t.match.find(c, &File{})
	if row == nil {
		if g := knowledge.Guess(words(lastSegment(args[0].Type)), nil); strings.HasPrefix(name, "get") || strings.HasPrefix(name, "list") || strings.HasPrefix(name, "describe") || strings.HasPrefix(name, "head") || strings.HasPrefix(name, "query") || strings.HasPrefix(name, "scan") || g == "" {
			eff.Class = knowledge.Read
		}
		return
	}
	eff.Class, eff.Row = row.Class, row
	for sel := range strings.SplitSeq(row.Key, ",") {
		if k := fieldNorm(args[0], sel); k != nil && eff.Key == nil {
			eff.Key = k
		}
	}
	if row.Class == "dynamo" {
		t.dynamo(eff, &Expr{Op: OpCall, Args: []Arg{{}}}, args)
	}
}

// output is context.extraOutputs.set(binding, value): what the binding was
// defined as decides.
func (t *tracer) output(eff *Effect, args []*Value) {
	eff.Class = knowledge.Act
	if len(args) == 0 {
		return
	}
	s := strings.ToLower(args[0].Sym + " " + args[0].Shared)
	for _, f := range args[0].Fields {
		s += " " + strings.ToLower(f.Text)
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(s, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("twilio", "sms", "sendgrid", "mail"):
		eff.Class = knowledge.Message
	case has("queue", "servicebus", "eventhub", "eventgrid", "kafka", "rabbit", "topic"):
		eff.Class = knowledge.Publish
	case has("blob", "cosmos", "sql", "table"):
		eff.Class = knowledge.Put
	}
}

var relativeText = regexp.MustCompile(`^[\s("'\x60]*(?:[\w"'\x60\[\]]+\.)*["'\x60\[]?(\w+|\{\})["'\x60\]]?\s*[-+*/]\s*\S`)

// columns decides whether a write of columns changes one by its own value:
// {left: () => "left - 1"}, {left: sql`${t.left} - 1`}, {left: db.raw("left - 1")}.
func (t *tracer) columns(eff *Effect, v *Value, s *scope) bool {
	if v == nil {
		return false
	}
	for name, f := range v.Fields {
		txt := ""
		switch {
		case f.Fn != nil && len(f.Fn.Body) == 1 && f.Fn.Body[0].Op == Return:
			t.silently(func() { txt = t.eval(f.Fn.Body[0].Value, t.child(f.scope, f.Fn, s.file)).Text })
		case f.where != "":
			txt = f.where
		}
		m := relativeText.FindStringSubmatch(txt)
		if m == nil || m[1] != "{}" && !strings.EqualFold(knowledge.Norm(m[1]), knowledge.Norm(name)) {
			continue
		}
		eff.Class, eff.Relative = knowledge.Increment, true
		return true
	}
	return false
}

// link completes the statement that an earlier link of the chain started:
// update(t).set({…}), insert(t).values({…}), insert().into(t).
func (t *tracer) link(c *callee, args []*Value, s *scope) bool {
	if c.recv == nil || len(args) == 0 {
		return false
	}
	switch c.norm {
	case "set", "values", "into", "update", "increment":
	default:
		return false
	}
	for _, eff := range c.recv.From {
		if eff.Row == nil || eff.Row.Class != knowledge.Builder && !strings.Contains(eff.Row.Lib, "drizzle") {
			continue
		}
		if eff.Value == nil && c.norm != "into" {
			eff.Value = args[0]
		}
		if c.norm == "set" && eff.Class == knowledge.Put {
			t.columns(eff, args[0], s)
		}
		return true
	}
	return false
}
