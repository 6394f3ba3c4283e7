package tools

import "github.com/idem-mcp/idem-mcp/history"

// findingDoc explains one kind of history finding.
type findingDoc struct{ says, certainty, means string }

var findingDocs = map[history.FindingKind]findingDoc{
	history.Retried: {"more than one recorded attempt of a call", "recorded; inferred where only the pattern (failure, timer, same call) links them",
		"the body was scheduled again; what the earlier attempts did outside hangs on their failures"},
	history.RetriedUnknownOutcome: {"more than one recorded attempt, and an earlier failure may have been applied outside: a time-out, reset, cancellation, 5xx, lost worker", "recorded; inferred by pattern",
		"the effect may have happened twice. Without a key that the other side checks, nothing prevented it"},
	history.RejectionRetried: {"more than one recorded attempt, and an earlier failure could never succeed: validation, a business rejection, a permanent 4xx", "recorded; inferred by pattern",
		"the repeats used up the retry budget and delayed the real failure; return the rejection as a value instead"},
	history.RetryPending: {"a retry timer is set and has not fired: a further attempt is to come at a known time", "recorded; inferred where only the timer's name tells",
		"the body will run again. There is still time to add a key on the other side"},
	history.SecondResult: {"two results for one schedule (runtimes before 1.17.7 keep the second)", "recorded", "the body ended more than once; the workflow used the first result"},
	history.ChildRetried: {"a child run was retried as a whole", "recorded; inferred where the timer names no child",
		"everything that the earlier child ran may have run again, under new ids. A key must come from the parent"},
	history.Rerun: {"this run re-executes another's calls: every call at or after the target, unfinished siblings too", "recorded; inferred where only the recorded instance id differs",
		"the effects were applied again, with the same execution id for the target and new ones after it"},
	history.CommitLost: {"a turn was run again because its commit was lost: its marked calls, and the unmarked calls of the same turn", "recorded for the commit, possible for the bodies",
		"an unmarked sibling was probably dispatched twice; a marked one usually not"},
	history.AttemptsMayOverlap: {"a time-out or cancellation on the caller's side, or a lost commit", "possible", "two bodies may have been alive together: checking before acting does not protect"},
	history.TurnLag:            {"a turn began long after the newest event that it consumed", "possible: a hint", "a commit may have been lost, or the store or scheduler was slow"},
	history.OrphanResult:       {"a result without a schedule", "recorded", "an activity ran that the history does not name: a lost commit, or a straggler of an earlier generation"},
	history.Stuck:              {"a result was consumed before its schedule was stored, and nothing else is outstanding", "recorded", "the run hangs for ever; rerunning it runs its activities again"},
	history.Unfinished:         {"a schedule without a result", "recorded", "the body may not have begun, be running, or have ended without a record"},
	history.IDUnstable:         {"the task execution id differs between the attempts of one call", "recorded", "a key made of it does not survive a retry in this app"},
	history.IDMissing:          {"the schedules carry no task execution id", "recorded", "there is no execution id to make a key of: older SDKs and runtimes, and JavaScript"},
	history.IDReused:           {"different calls or runs carry one task execution id", "recorded", "a key made of it would let one call suppress the other"},
	history.ExecutedMore: {"a log or spans show more bodies of a call than the engine recorded attempts", "outside: the lines are counted and joined by a named rule; at least so many where the log lacks lines",
		"the body ran again without a record: a redelivery, or a turn whose commit was lost"},
	history.EffectTwice: {"the log shows an effect twice for one call, or the provider lists two operations for one key or reference", "outside",
		"the outside world was changed more than once. Undo one, and give the other side a key it checks"},
	history.EffectMissing: {"a completed call whose key the provider's list does not have, though it has those of other calls of the activity", "outside",
		"the effect may never have happened, or under another key; the list can lag"},
	history.Overlapped: {"the times of two bodies of one call cover each other, by one clock or beyond the allowed skew", "outside",
		"a check before the effect cannot protect; only a write that itself refuses the duplicate can"},
	history.SameInputTwice: {"different calls of one activity have the same input", "question", "a loop or a fan-out may do this on purpose; only the workflow's code tells"},
}

// termTopics are the words of the field as the answers use them.
func termTopics() []topic {
	var out []topic
	for _, t := range [...]struct{ name, text string }{
		{"run", "one execution of a workflow, a workflow instance. Its id is chosen by the caller or the engine and can live more than once"},
		{"call", "one logical invocation of an activity by a workflow, however often it is attempted"},
		{"attempt", "one scheduled execution of a call, as recorded. An attempt is not proof that a body ran, and one attempt can run several bodies"},
		{"body", "one true execution of the activity's code. A history does not hold how many there were"},
		{"retry timer", "the durable timer between two attempts; from Dapr 1.18 its origin names the first attempt"},
		{"redelivery", "the engine hands a committed schedule to a worker again, after a crash or a lost stream. It leaves no event"},
		{"lost commit", "a turn's results were dispatched and its commit failed, so the turn was run again and dispatched again"},
		{"turn", "one run of the workflow's code: it consumes events and takes actions. Turns are numbered from 0"},
		{"rerun", "a new run made from a recorded one: earlier events are copied, from the target on everything is executed again"},
		{"child run", "a run started by another run"},
		{"generation", "how often a run continued as new, or its id was used again without a purge; earlier ones are deleted"},
		{"data-sharing level", "what an organization lets tools see. metadata: names, times, ids and failure texts. full: payloads too. Only an administrator raises it"},
		{"payload", "an input, output, result or custom status. It is shared, empty, withheld or not recorded, and these are four different things"},
		{"hazard", "an effect that a second run of the same body with the same input repeats or changes"},
		{"guard", "a write that itself refuses the duplicate: a unique constraint, an upsert, a compare-and-swap, a conditional put"},
		{"key", "what tells two executions of one operation from two operations: the same over every retry, different for every other operation"},
		{"key origin", "where a key's value comes from: input, execution id, per-attempt id, instance id, constant, generated, clock, read from outside"},
		{"certainty", "recorded: events say it. inferred: linked by a named rule. possible: the events fit more executions than are recorded. outside: a log or provider says it. question: the evidence cannot settle it"},
		{"evidence", "the events, or the lines of code, that a finding rests on"},
	} {
		out = append(out, topic{kind: "term", names: []string{t.name}, title: t.name + ": " + t.text, make: fixed(section{"Meaning", t.text})})
	}
	return out
}
