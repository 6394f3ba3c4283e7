package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// boundParam is the value of a parameter that a host fills from a declared binding
// rather than from the input: [Queue("x")] IAsyncCollector<T> q, ILogger log.
func (t *tracer) boundParam(p *Param) *Value {
	typ := lastSegment(typeName(p.Type))
	if len(p.Annotations) > 0 { // the first is the binding
		n := annotationName(p.Annotations[0])
		if n == "this" || strings.HasSuffix(n, "trigger") {
			return nil
		}
		v := &Value{Type: typ, Origin: FromConst, Shared: p.Name}
		if strings.HasSuffix(typ, "Collector") {
			v.Type = n + "Collector"
		}
		return v
	}
	switch {
	case strings.HasPrefix(typ, "ILogger"), typ == "TraceWriter", typ == "FunctionContext", typ == "ExecutionContext", typ == "CancellationToken", typ == "DurableTaskClient", typ == "IDurableClient", typ == "IDurableOrchestrationClient", strings.HasSuffix(typ, "Collector"):
		return &Value{Type: typ, Origin: FromConst, Shared: p.Name}
	}
	return nil
}

// outputs are the declared bindings that carry a function's answer away.
var outputs = map[string]knowledge.Class{
	"queue": knowledge.Publish, "queueoutput": knowledge.Publish, "servicebus": knowledge.Publish, "servicebusoutput": knowledge.Publish, "eventhub": knowledge.Publish, "eventhuboutput": knowledge.Publish,
	"eventgrid": knowledge.Publish, "eventgridoutput": knowledge.Publish, "kafka": knowledge.Publish, "kafkaoutput": knowledge.Publish, "rabbitmq": knowledge.Publish, "rabbitmqoutput": knowledge.Publish,
	"signalr": knowledge.Publish, "signalroutput": knowledge.Publish, "webpubsub": knowledge.Publish, "webpubsuboutput": knowledge.Publish,
	"sendgrid": knowledge.Message, "sendgridoutput": knowledge.Message, "twiliosms": knowledge.Message, "twiliosmsoutput": knowledge.Message,
	"cosmosdb": knowledge.Put, "cosmosdboutput": knowledge.Put, "table": knowledge.Insert, "tableoutput": knowledge.Insert,
}

// answered records what declared output bindings do with the answer, and with
// parameters that only go out.
func (t *tracer) answered(fn *Func, out *Value, s *scope) {
	for i := range fn.Params {
		p := &fn.Params[i]
		if n := len(p.Annotations); n < 2 || p.Annotations[n-1].Name != "out" || p.Annotations[n-1].Op != OpName {
			continue
		}
		for _, a := range p.Annotations {
			if class, ok := outputs[annotationName(a)]; ok {
				t.record(&Effect{Class: class, Callee: text(a), Resource: firstLiteral(a), Site: t.site(s, a.Line, a.EndLine), order: len(t.effects)})
			}
		}
	}
	for _, a := range fn.Annotations {
		class, ok := outputs[annotationName(a)]
		if !ok {
			continue
		}
		eff := &Effect{Class: class, Callee: text(a), Resource: firstLiteral(a), Value: out, Site: t.site(s, a.Line, a.EndLine), order: len(t.effects)}
		eff.Dedupe, eff.KeyName = keyIn(out, class, 5)
		if class == knowledge.Put {
			eff.Key, eff.KeyName = fieldNorm(out, "id"), "id"
		}
		t.record(eff)
	}
}
