package review

import (
	"bytes"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// Consumers are the unprotected effects of the functions of this repository
// that subscribe to the topic of a publish.
func (p *Pass) Consumers(e *Effect) []*Effect {
	if p.engine == nil {
		return nil
	}
	topic := topicOf(e)
	if topic == "" {
		return nil
	}
	out, known := p.engine.consumers[topic]
	if known { // what subscribes does not depend on who publishes
		return out
	}
	if p.engine.consumers == nil {
		p.engine.consumers = map[string][]*Effect{}
	}
	defer func() { p.engine.consumers[topic] = out }()
	for _, fn := range p.engine.subscribers(topic) {
		t := p.engine.tracer(fn)
		params := trimSelf(fn)
		bound := make([]*Value, len(params))
		for i := range bound {
			bound[i] = &Value{Origin: FromInput, Sym: "event"}
		}
		var self *Value
		if fn.Owner != nil {
			self = t.instance(fn.Owner)
		}
		root := t.module(fn.File)
		t.enterWith(fn, params, bound, self, root, fn.Line, root)
		intents(t.effects)
		for _, x := range t.effects {
			if repeats(x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// repeats reports an effect that a second run makes again.
func repeats(e *Effect) bool {
	switch e.Class {
	case knowledge.Insert, knowledge.Create, knowledge.Charge, knowledge.Message, knowledge.Increment, knowledge.Append, knowledge.Start:
		return !e.Protected() && !e.Memory && !e.Guess && !e.Reader
	case knowledge.Put:
		return e.Relative && e.Claim() == nil && !e.Memory
	}
	return false
}

// topicOf is the literal topic of a publish: the second text among its
// arguments, after the pub/sub component.
func topicOf(e *Effect) string {
	n, topic := 0, ""
	for _, a := range e.Args {
		if a.HasTxt && len(a.Parts) == 0 && a.Text != "" && len(a.Text) < 100 {
			if n++; n <= 2 {
				topic = a.Text
			}
		}
		for _, k := range []string{"topic_name", "topicName", "topic", "Topic"} {
			if f := a.Fields[k]; f != nil && f.HasTxt {
				return f.Text
			}
		}
	}
	if n < 2 {
		return ""
	}
	return topic
}

var subscribeNames = map[string]bool{"subscribe": true, "topic": true, "addtopiceventhandler": true, "addtopichandler": true, "subscribewithoptions": true, "withtopic": true, "maptopic": true}

// subscribers are the functions of the repository that take events of a topic.
func (g *engine) subscribers(topic string) []*Func {
	for _, e := range slices.Clone(g.repo.entries) { // a topic is often a common word: only files that also subscribe
		if e.done {
			continue
		}
		if src := g.repo.read(e); bytes.Contains(src, []byte(topic)) && (bytes.Contains(src, []byte("ubscribe")) || bytes.Contains(src, []byte("Topic"))) {
			g.repo.load(e)
		}
	}
	var out []*Func
	for _, e := range g.repo.entries {
		if e.file == nil || isTest(e.path) || !strings.Contains(string(e.file.src), topic) {
			continue
		}
		for _, fn := range e.file.Funcs {
			for _, a := range fn.Annotations {
				if subscribeNames[annotationName(a)] && mentions(a, topic) {
					out = append(out, fn)
				}
			}
		}
		out = append(out, g.subscribeCalls(e.file, topic)...)
	}
	return out
}

func mentions(e *Expr, topic string) bool {
	hit := false
	(&visitor{visit: func(x *Expr, _ *Func, _ bool) { hit = hit || x.Op == OpString && x.Name == topic }}).expr(e, false)
	return hit
}

// subscribeCalls finds subscribe("pubsub", "topic", handler).
func (g *engine) subscribeCalls(f *File, topic string) []*Func {
	var out []*Func
	visit := func(e *Expr, in *Func, _ bool) {
		if e.Op != OpCall || !subscribeNames[knowledge.Norm(calleeName(e.X))] || len(e.Args) < 2 {
			return
		}
		hit := false
		for _, a := range e.Args {
			hit = hit || mentions(a.Value, topic)
			if d := g.roster.definition(f, peel(a.Value), in); d != nil {
				hit = hit || mentions(d, topic)
			}
		}
		if !hit {
			return
		}
		for _, a := range e.Args {
			if a.Value == nil {
				continue
			}
			if a.Value.Op == OpLambda {
				a.Value.Func.File = f
				out = append(out, a.Value.Func)
			} else if fn := g.roster.function(f, a.Value, in); fn != nil && !fn.Abstract {
				out = append(out, fn)
			}
		}
	}
	for _, fn := range f.Funcs {
		if fn.Parent == nil {
			eachExpr(fn.Body, func(e *Expr, in *Func, loop bool) {
				if in == nil {
					in = fn
				}
				visit(e, in, loop)
			})
		}
	}
	if f.Top != nil {
		eachExpr(f.Top.Body, visit)
	}
	return out
}

func peel(e *Expr) *Expr {
	for e != nil && (e.Op == OpUnary || e.Op == OpAwait || e.Op == OpCast) {
		e = e.X
	}
	if e == nil {
		return &Expr{}
	}
	return e
}
