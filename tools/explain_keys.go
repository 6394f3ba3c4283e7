package tools

import (
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/keys"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// sdkLanguages are the SDKs in the order in which topics list them.
var sdkLanguages = [...]string{"go", "python", "java", "csharp", "javascript"}

// keyTopics explain where a key can come from, in the order of preference, and
// what goes with a key.
func keyTopics() []topic {
	return []topic{
		{kind: "key", names: []string{"natural key"}, title: "a key already in the input: order id, invoice number. The best one: the other side understands it, and it survives a rerun",
			make: shownBy("natural", section{"Use", "pass it in the input and send it with every effect, one key per effect"}, section{"Check", "stable for one operation, different for every other; two charges on purpose for one order need a step name too"})},
		{kind: "key", names: []string{"task execution id", "taskexecutionid"}, title: "the activity context's task execution id, where the SDK keeps it over retries", make: shownBy("execution_id", executionSections()...)},
		{kind: "key", names: []string{"instance id", "instance id and step name"}, title: "the run's instance id with a step name, for a call made once per run",
			make: shownBy("step", section{"Use", "build it in the workflow, a different step name for every call site and every turn of a loop, and pass it in the input"},
				section{"Limits", "a rerun has a new instance id, but the target's input is copied with the key in it; in Java the context likely gives the source's id. Continue-as-new keeps the id over generations"})},
		{kind: "key", names: []string{"parent's key", "passed down key"}, title: "a key from the parent, passed down in a child's input: a retried child has a new instance id and new execution ids",
			make: shownBy("parent", section{"Use", "derive it in the parent and pass it in the child's input"})},
		{kind: "key", names: []string{"generated key", "uuid in the body"}, title: "not a key: a value made inside the body (uuid, time, random) is new in every run of it", make: fixed(section{"Instead", "a natural key, or the context's id where it is stable"})},
		{kind: "key", names: []string{"per attempt id", "task scheduled id"}, title: "not a key: the scheduling id is another one for every attempt", make: fixed(section{"Names", "task_scheduled_id, eventId, Go GetTaskID(), Python task_id, JavaScript getWorkflowActivityId()"})},
		{kind: "key", names: []string{"intent record", "pending row", "dedupe table"}, title: "a record of your own, for providers without a key or whose window is too short", make: recordTopic},
		{kind: "key", names: []string{"log line", "idem line"}, title: "the log line that makes bodies countable: start, effect and end of every body, with its key", make: logTopic},
		{kind: "key", names: []string{"direct call test", "testing"}, title: "a unit test that calls a body itself proves nothing about repeats: the engine is not there, so nothing is retried",
			make: fixed(section{"Assert instead", "the classification of failures: every activity that can raise a permanent rejection is called with no retry policy, or returns the rejection as a value"},
				section{"Why", "such a test passes however the call site is configured; the repeat is made there"})},
	}
}

// shownBy adds the snippet of a part to fixed sections: in the language asked for,
// or where none was, not at all.
func shownBy(part string, sections ...section) func(explainIn) ([]section, []example, error) {
	return func(in explainIn) ([]section, []example, error) {
		return sections, snippets(in.Language, part), nil
	}
}

func snippets(language string, parts ...string) []example {
	var out []example
	for _, p := range parts {
		if s := keys.Code(language, p); s != nil {
			out = append(out, example{Language: s.Language, What: s.What, Good: s.Code})
		}
	}
	return out
}

// executionSections say of every SDK what becomes of its execution id.
func executionSections() []section {
	var out []section
	for _, language := range sdkLanguages {
		id := knowledge.ExecutionIDFor("dapr", language)
		for _, k := range knowledge.KeySources("dapr", language) {
			if k.ID != knowledge.ExecutionKey || id == nil {
				continue
			}
			if id.Accessor == "" {
				out = append(out, section{language, "none: " + k.Caveat})
				continue
			}
			out = append(out, section{language, fmt.Sprintf("%s; %s.\nretry %s, redelivery %s, lost commit %s, rerun %s, continue-as-new %s, child retry %s",
				id.Accessor, k.Versions, holds(k.Retry), holds(k.Redelivery), holds(k.LostCommit), holds(k.Rerun), holds(k.ContinueAsNew), holds(k.ChildRetry))})
		}
	}
	return append(out, section{"Use", "as it is: it is opaque, and parts of it may repeat. One per side effect: the id and :charge, the id and :receipt"}, section{"Part", "of a rerun the target and unfinished siblings keep it, later steps get new ones. A rerun with a new input keeps the target's id too: the same key with other parameters"},
		section{"Measure it", "published texts disagree about this id: the protocol page says that it changes on every retry, the .NET page that it does not. idem_choose_key measures it on your own runs"})
}

func holds(h knowledge.Hold) string { return fmt.Sprintf("%s (%s)", h.Is, h.Basis) }

// recordTopic is the record of your own: protocol, shape and conditional write.
func recordTopic(in explainIn) ([]section, []example, error) {
	r := keys.Protocol()
	var repeat []string
	for _, s := range r.OnRepeat {
		repeat = append(repeat, fmt.Sprintf("%s (%s): %s", s.Record, s.Meaning, s.Do))
	}
	sections := []section{
		{"Protocol", "1. " + strings.Join([]string{r.Protocol[0], "2. " + r.Protocol[1], "3. " + r.Protocol[2]}, "\n")},
		{"On a repeat", strings.Join(repeat, "\n")},
		{"If nothing can be asked", r.Ask},
		{"Keep", r.Keep},
		{"Cost", r.Cost},
		{"On Catalyst's managed KV store", strings.Join(r.KVStore, "\n")},
	}
	if in.Language == "" {
		return append(sections, section{"Code", "with language: the table and the conditional write in SQL and in that language's mapping (gorm, SQLAlchemy, JPA, EF Core, Prisma)"}), nil, nil
	}
	var ex []example
	for _, s := range keys.RecordCode(in.Language) {
		ex = append(ex, example{Language: s.Language, What: s.What, Good: s.Code})
	}
	return sections, ex, nil
}

// logTopic is the line that idem-mcp reads as it is.
func logTopic(in explainIn) ([]section, []example, error) {
	sections := []section{
		{"The line", "idem event=start activity=ChargeCard body=7f3a9c02 instance=order-42 execution_id=88d4… key=order-42:charge"},
		{"Words", "event is start, effect or end (end with outcome=ok or outcome=error). body is a random id made at the start of each body: it tells two bodies of one call apart and is no key. instance, execution_id and key are left out where there is none. A value with a space, a quote or = is double-quoted with backslash escapes"},
		{"Where", "in the message of any log line, behind any prefix. The time is the logger's"},
		{"Why", "a history holds attempts, not bodies. This line is what tells how often a body ran"},
	}
	if in.Language == "" {
		return append(sections, section{"Code", "with language: the code that writes it"}), nil, nil
	}
	return sections, snippets(in.Language, "log", "logged"), nil
}
