package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/intents"
)

// idem_reconcile answers: what is to be done with each key of an intent table,
// given what the provider shows? It changes neither, and it cannot see what a
// list does not reach: a pending record without the provider's word is a
// question for a person, never a guess.

func reconcile() Capability {
	return define(definition[reconcileIn, *reconcileOut]{
		Name: "idem_reconcile", Command: "reconcile", Title: "Intent records against the provider's word",
		Purpose: "For each key of an intent (dedupe) table, given what the provider shows: proceed, reconcile, return the stored id, or ask a person. Never guesses a pending one.",
		Example: `{"intents":"intents.csv","provider":"charges.json"}`,
		Run:     runReconcile,
	})
}

type reconcileIn struct {
	Intents  string   `json:"intents" max:"4096" doc:"CSV or JSON, or database (as configured)"`
	Provider string   `json:"provider" max:"4096" doc:"the provider's list, received webhooks"`
	Key      []string `json:"key" doc:"only these, with or without a record"`
	Page
}

type reconcileOut struct {
	Answer
	Decisions []outside.Decision `json:"decisions" jsonschema:"what needs a person first"`
	Totals    map[string]int     `json:"totals" jsonschema:"keys by action, also those not listed"`
	Sources   []outsideSource    `json:"sources"`

	all      []outside.Decision
	detailed bool
}

// maxDecisions bounds the decisions kept; all are counted.
const maxDecisions = 20_000

func runReconcile(ctx context.Context, d Deps, in reconcileIn) (*reconcileOut, error) {
	if in.Intents == "" && len(in.Key) == 0 {
		return nil, &badArgument{what: "neither an intent table nor a key was named", do: "Give intents (a file, or database), and provider, the list exported from the provider"}
	}
	first, err := decisionPosition(in.Cursor)
	if err != nil {
		return nil, err
	}
	out := &reconcileOut{Decisions: []outside.Decision{}, Totals: map[string]int{}, Sources: []outsideSource{}, detailed: in.detailed()}
	x, provider := &outside.Index{}, &outsideAnswer{}
	if err := d.readProvider(ctx, in.Provider, x, provider, &out.Coverage); err != nil {
		return nil, err
	}
	for _, s := range provider.Sources {
		if s.Read == 0 {
			out.Coverage.miss("the provider's list is empty: it says nothing of any key")
		}
		out.Sources = append(out.Sources, s)
	}
	if err := out.decideAll(ctx, d, in, x); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.all, func(a, b outside.Decision) int { return urgency(a.Action) - urgency(b.Action) })
	out.page(d, in, first)
	out.conclude(d, in)
	return out, nil
}

func decisionPosition(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	return cursorAt("decision:", cursor)
}

// decideAll decides every record, then the provider's operations without one.
func (out *reconcileOut) decideAll(ctx context.Context, d Deps, in reconcileIn, x *outside.Index) error {
	claimed := map[string]claim{}
	wanted := func(key string) bool { return len(in.Key) == 0 || slices.Contains(in.Key, key) }
	var res intents.Result
	if in.Intents != "" {
		err := d.eachIntent(ctx, in.Intents, &res, func(i outside.Intent) error {
			before, again := claimed[i.Key]
			if !again {
				claimed[i.Key] = claim{len(out.all), i.State, i.ID}
			}
			if !wanted(i.Key) {
				return nil
			}
			out.decide(d, x, &i)
			if again && (before.state != i.State || before.id != i.ID) {
				out.contradict(before.at)
				out.contradict(len(out.all) - 1)
			}
			return nil
		})
		if err != nil {
			return err
		}
		broken(&out.Coverage, res.Broken)
		if res.Unkeyed > 0 {
			out.Coverage.miss(plural(res.Unkeyed, "intent record has", "intent records have") + " no key: nothing was decided for what they are about")
		}
		out.Sources = append(out.Sources, outsideSource{Kind: "intents", Files: res.Files, Read: int64(res.Records), Matched: int64(res.Records - res.Unkeyed)})
	}
	state := outside.Absent
	if in.Intents == "" {
		state = outside.NotRead
	}
	for _, key := range in.Key {
		if _, ok := claimed[key]; !ok {
			claimed[key] = claim{}
			out.decide(d, x, &outside.Intent{Key: key, State: state})
		}
	}
	if len(in.Key) > 0 {
		return nil
	}
	for i := range x.Unclaimed(func(key string) bool { _, ok := claimed[key]; return ok }) {
		out.decide(d, x, &i)
	}
	return nil
}

// claim is the first record of a key.
type claim struct {
	at    int // in all
	state outside.State
	id    string
}

// contradict asks a person about a decision whose key has other records.
func (out *reconcileOut) contradict(at int) {
	if at >= len(out.all) || out.all[at].Action == outside.Ask {
		return
	}
	out.Totals[string(out.all[at].Action)]--
	out.all[at] = out.all[at].Contradicted()
	out.Totals[string(outside.Ask)]++
}

func (out *reconcileOut) decide(d Deps, x *outside.Index, in *outside.Intent) {
	shows, op := x.Shows(in)
	dec := outside.Decide(in, shows, op, d.full())
	dec.Row, dec.At = in.Row, stamp(in.At)
	if d.full() {
		dec.Key, dec.ID = clean.Line(in.Key, 200), clean.Line(dec.ID, 120)
	} else {
		if dec.ID != "" {
			out.Payloads.Withheld++
		}
		dec.Key, dec.ID = "", ""
		out.Payloads.Withheld++
		out.Payloads.Level, out.Payloads.HowKnown = d.Reading.Sharing.Level.String(), d.Reading.Sharing.How
	}
	out.Totals[string(dec.Action)]++
	if len(out.all) < maxDecisions {
		out.all = append(out.all, dec)
	}
}

// urgency orders actions: what needs a person first.
func urgency(a outside.Action) int {
	return slices.Index([]outside.Action{outside.Ask, outside.Reconcile, outside.Proceed, outside.Return}, a)
}

// page lists what fits.
func (out *reconcileOut) page(d Deps, in reconcileIn, first int) {
	first = min(first, len(out.all))
	list := out.all[first:]
	if in.Limit > 0 {
		list = list[:min(in.Limit, len(list))]
	}
	budget := d.budget() * 3 / 4
	n := fitting(len(list), budget, func(i int) int { return size(list[i]) })
	out.Decisions = append(out.Decisions, list[:n]...)
	if next := first + n; next < len(out.all) {
		out.Truncated, out.Cursor = true, "decision:"+strconv.Itoa(next)
		out.Narrow = fmt.Sprintf("%d of %d keys are listed, those for a person first; pass cursor for the rest, or key for one.", next, out.keys())
	} else if out.keys() > len(out.all) {
		out.Truncated = true
		out.Narrow = "The first 20,000 keys are kept; all are counted."
	}
}

func (out *reconcileOut) keys() int {
	n := 0
	for _, c := range out.Totals {
		n += c
	}
	return n
}

func (out *reconcileOut) conclude(d Deps, in reconcileIn) {
	out.found = out.Totals[string(outside.Ask)] > 0
	out.Summary = fmt.Sprintf("%s: %d to ask a person about, %d to reconcile, %d to proceed with, %d to return as stored", count(out.keys(), "key"),
		out.Totals[string(outside.Ask)], out.Totals[string(outside.Reconcile)], out.Totals[string(outside.Proceed)], out.Totals[string(outside.Return)])
	if in.Provider == "" {
		out.NotVisible = append(out.NotVisible, "what the provider did: no list and no webhooks were given (provider)")
	} else {
		out.NotVisible = append(out.NotVisible, "operations that the provider's list does not reach or does not have yet, and those sent under another key")
	}
	if out.keys() == 0 {
		out.Coverage.State = "none"
		out.Summary = "no key was found to decide on"
		out.Next = []Next{{Tool: "idem_explain", Arguments: map[string]string{"topic": "intent record"}, Why: "what such a table holds"}}
	}
	if !d.full() {
		out.NotVisible = append(out.NotVisible, "keys, references and provider ids: they are shown at data-sharing level full; row is the record's place in the table")
	}
}

// decisionName is the key where it may be shown, else the record's place.
func decisionName(d *outside.Decision) string {
	switch {
	case d.Key != "":
		return clean.Line(d.Key, 60)
	case d.Row > 0:
		return "row " + strconv.Itoa(d.Row)
	case d.Intent == outside.NotRead.String():
		return "as asked"
	case d.At != "":
		return "no record, " + d.At
	}
	return "no record"
}

func (out *reconcileOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	var rows [][]string
	for i := range out.Decisions {
		if !out.detailed && i == conciseRows {
			break
		}
		dec := &out.Decisions[i]
		rows = append(rows, []string{decisionName(dec), dec.Intent, dec.Provider, string(dec.Action), dec.ID, dec.Failure})
	}
	if len(rows) > 0 {
		t.line("")
		t.table([]string{"KEY", "RECORD", "PROVIDER", "ACTION", "ID", "FAILURE"}, rows)
		if rest := len(out.Decisions) - len(rows); rest > 0 {
			t.line("and %s (%s)", plural(rest, "more key", "more keys"), t.detail())
		}
	}
	told := map[string]bool{}
	for i := range out.Decisions {
		dec := &out.Decisions[i]
		if told[dec.Why] || !out.detailed && t.lines() > conciseLines {
			continue
		}
		told[dec.Why] = true
		t.line("\n%s: %s", dec.Action, sentence(dec.Why))
		if q := dec.Question; q != nil {
			t.line("  %s", q.Asks)
			t.line("  Doing it again, if that is wrong: %s. Not doing it, if that is wrong: %s.", q.IfRepeat, q.IfNot)
		}
	}
	t.closing(&out.Answer)
}
