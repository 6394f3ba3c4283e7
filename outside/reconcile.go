package outside

import (
	"fmt"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// State is what an intent record says of a key.
type State uint8

// The states.
const (
	Absent State = iota // there is no record
	Pending
	Succeeded
	Failed
	StateUnknown // a word that nobody mapped
	NotRead      // no table was read
)

// String is the stable name.
func (s State) String() string {
	return [...]string{"absent", "pending", "succeeded", "failed", "unknown", "not_read"}[s]
}

// Intent is one record of an intent or dedupe table.
type Intent struct {
	Key   string
	Row   int // its place in the table, from 1
	State State
	ID    string // the provider's id that was stored
	Error string // of a failed one
	At    time.Time
	// Webhook is what the provider itself reported for the key, stored beside the
	// record. HasWebhook says that there is one.
	Webhook    OpStatus
	HasWebhook bool
}

// Shown is what the provider shows for a key.
type Shown uint8

// What a provider can show.
const (
	NotAsked  Shown = iota // no list and no webhook
	OutOfList              // a list, but not of the record's time
	None                   // the list covers the time and has nothing
	OneSucceeded
	OnePending
	OnlyFailed
	Several // more than one that had or may have its effect
)

// String is the stable name.
func (s Shown) String() string {
	return [...]string{"not_asked", "not_covered", "none", "succeeded", "pending", "failed", "several"}[s]
}

// Action is what to do with a key.
type Action string

// The actions.
const (
	Proceed   Action = "proceed"          // claim the key, then do it
	Reconcile Action = "reconcile"        // write the provider's word into the record; do not do it again
	Return    Action = "return_stored_id" // answer what is stored, id or failure
	Ask       Action = "ask_a_person"
)

// Decision is what follows for one key.
type Decision struct {
	Key      string  `json:"key,omitempty"` // at data-sharing level full only
	Row      int     `json:"row,omitempty"` // of the intent table, from 1; none: no record
	At       string  `json:"at,omitempty"`  // of the record, else of the provider's operation
	Intent   string  `json:"intent"`
	Provider string  `json:"provider"`
	Action   Action  `json:"action"`
	Why      string  `json:"why"`
	Failure  string  `json:"failure,omitempty"` // terminal, transient, outcome unknown
	ID       string  `json:"id,omitempty"`      // at level full only
	Question *Choice `json:"question,omitempty"`
}

// Choice is a question for a person, with what each answer costs if it is wrong.
type Choice struct {
	Asks     string `json:"asks"`
	IfRepeat string `json:"cost_of_doing_it_again"`
	IfNot    string `json:"cost_of_not_doing_it"`
}

// Shows is what the operations and the record's webhook say for a key. at is
// the record's time; a list that does not reach it says nothing by silence.
func (x *Index) Shows(in *Intent) (shown Shown, op *Operation) {
	live, failed := 0, 0
	var alive, dead *Operation
	if x.ops != nil {
		for _, o := range x.ops.live(in.Key) {
			live++
			alive = o
		}
		for _, o := range x.ops.byKey[in.Key] {
			if !o.live() {
				failed++
				dead = o
			}
		}
	}
	if in.HasWebhook { // the provider's word, about the one operation of this key
		w := &Operation{ID: in.ID, Key: in.Key, Status: in.Webhook, Webhook: true}
		switch {
		case live == 0 && w.live():
			live, alive = 1, w
		case live == 0 && !w.live():
			failed, dead = failed+1, w
		case live == 1 && alive.Status != OpSucceeded:
			alive.Status = w.Status
			if !w.live() {
				live, failed, dead = 0, failed+1, alive
			}
		}
	}
	switch {
	case live > 1:
		return Several, alive
	case live == 1 && alive.Status == OpPending:
		return OnePending, alive
	case live == 1:
		return OneSucceeded, alive
	case failed > 0:
		return OnlyFailed, dead
	case x.ops == nil:
		return NotAsked, nil
	case x.ops.n == 0, in.State != Absent && (in.At.IsZero() || in.At.Before(x.ops.from) || in.At.After(x.ops.to)):
		return OutOfList, nil
	}
	return None, nil
}

// Decide says what to do with a key. It never resolves a pending record, or one
// whose outcome is unknown, by guessing. full says that words of a stored error
// may be quoted.
func Decide(in *Intent, shown Shown, op *Operation, full bool) Decision {
	d := Decision{Intent: in.State.String(), Provider: shown.String()}
	if shown == Several {
		return d.ask("the provider has several operations for one key that had, or may have, their effect",
			"Which of the operations is the one that was meant, and are the others to be undone?",
			"one more on top of those that are there", "none: it was done, more than once; what is left is to undo the rest")
	}
	switch in.State {
	case Absent:
		return d.absent(shown, op)
	case Pending:
		return d.pending(shown, op, "the record is pending: somebody claimed the key and did not write how it ended")
	case Succeeded:
		return d.succeeded(in, shown, op)
	case Failed:
		return d.failed(in, shown, op, full)
	case NotRead:
		d = d.pending(shown, op, "no intent table was read, so whether the key has a record is not known")
		if d.Question != nil {
			d.Question.Asks = "Is there a record of this key, and what does it say? Give the table too."
		}
		return d
	case StateUnknown:
	}
	d = d.pending(shown, op, "the record's state is a word that is not mapped, so its outcome is unknown")
	return d
}

// Contradicted is the decision where the table has other records for the key.
func (d Decision) Contradicted() Decision {
	return d.ask("the table has several records for this key, and they do not say the same",
		"Which record holds? A key has one: find out who wrote the others.",
		"it happens twice if one of them was done", "it never happens if none of them was")
}

func (d Decision) do(a Action, why string) Decision {
	d.Action, d.Why = a, why
	return d
}

func (d Decision) ask(why, question, repeat, not string) Decision {
	d.Action, d.Why = Ask, why
	d.Question = &Choice{Asks: question, IfRepeat: repeat, IfNot: not}
	return d
}

func (d Decision) absent(shown Shown, op *Operation) Decision {
	switch shown {
	case OneSucceeded:
		d.ID = op.ID
		return d.do(Reconcile, "the provider has done it and there is no record: write one with its id, and do not do it again")
	case OnePending:
		d.ID = op.ID
		return d.do(Reconcile, "the provider is at it and there is no record: write a pending one with its id, and ask the provider again later")
	case OnlyFailed:
		return d.do(Proceed, "no record, and what the provider has for the key failed. Claim the key first; use a new idempotency key if the provider replays failures")
	case NotAsked:
		return d.do(Proceed, "no record. Claim the key first, in the same table, so that a second body finds it")
	case OutOfList, None, Several:
	}
	return d.do(Proceed, "no record, and the provider's list has nothing for the key. Claim the key first")
}

// pending is for everything whose outcome is not known.
func (d Decision) pending(shown Shown, op *Operation, what string) Decision {
	switch shown {
	case OneSucceeded:
		d.ID = op.ID
		return d.do(Reconcile, what+"; the provider has done it: write succeeded with its id and return that")
	case OnePending:
		d.ID = op.ID
		return d.do(Reconcile, what+"; the provider is at it: store its id, leave the record pending, ask again later")
	case OnlyFailed:
		return d.do(Reconcile, what+"; the provider says that it failed: write failed with its reason")
	case None:
		return d.ask(what+", and the provider's list has nothing for the key. A list can lag and a request can be on its way",
			"Was it sent? Ask the provider for this key and the one who claimed it; is it to be sent again?",
			"it happens twice if the first request arrives after all", "it never happens if the first request was never sent")
	case NotAsked, OutOfList, Several:
	}
	return d.ask(what+", and nothing here says what the provider did",
		"What does the provider show for this key? Get its list or its answer first.",
		"it happens twice if it was done", "it never happens if it was not")
}

func (d Decision) succeeded(in *Intent, shown Shown, op *Operation) Decision {
	d.ID = in.ID
	switch shown {
	case OneSucceeded:
		if in.ID != "" && op.ID != "" && in.ID != op.ID {
			return d.ask("the record and the provider name different operations for one key",
				"Which operation is the one that was meant, and did the other happen too?", "a third operation", "none: at least one of them happened")
		}
		if in.ID == "" {
			d.ID = op.ID
			return d.do(Reconcile, "the record says succeeded without an id and the provider has one: store it and return it")
		}
		return d.do(Return, "record and provider agree")
	case OnePending:
		return d.do(Return, "the record says succeeded; the provider still shows it as under way")
	case OnlyFailed:
		return d.ask("the record says succeeded and the provider says failed",
			"Which is right: was the success undone later, or was it written too early?",
			"it happens twice if the record is right", "it never happened if the provider is right")
	case None:
		return d.ask("the record says succeeded and the provider's list has nothing for the key",
			"Was it sent under another key or account, or was success written before it was sent?",
			"it happens twice if the record is right", "it never happened if the list is right")
	case NotAsked, OutOfList, Several:
	}
	return d.do(Return, "the record says succeeded, and nothing here contradicts it")
}

func (d Decision) failed(in *Intent, shown Shown, op *Operation, full bool) Decision {
	outcome, from := history.Classify(&history.Failure{Message: in.Error})
	words := "its words do not tell"
	switch {
	case from != "" && !full:
		words = "by its words"
	case from != "":
		words = "read from “" + clean.Line(from, 60) + "”"
	}
	switch outcome {
	case history.Rejected:
		d.Failure = "terminal"
	case history.NotApplied:
		d.Failure = "transient"
	case history.Unknown, history.Unclear:
		d.Failure = "outcome unknown"
	}
	if shown == OneSucceeded || shown == OnePending {
		d.ID = op.ID
		return d.do(Reconcile, fmt.Sprintf("the record says failed (%s, %s), but the provider shows it as %s: its word counts, write that with its id", d.Failure, words, shown))
	}
	switch {
	case outcome == history.Rejected:
		return d.do(Return, "the failure is terminal ("+words+"): return it, a repeat fails the same way")
	case outcome == history.NotApplied:
		return d.do(Proceed, "the failure is transient and nothing was sent ("+words+"): try again under the same key")
	case shown == OnlyFailed:
		return d.do(Proceed, "the outcome of the failure was unknown ("+words+") and the provider says that it failed: try again under the same key")
	}
	return d.pending(shown, op, "the record says failed, but such a failure leaves the outcome unknown ("+words+")")
}
