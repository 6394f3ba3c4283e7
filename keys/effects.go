package keys

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/idem-mcp/idem-mcp/review"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// EffectKey is a side effect of the body and the end of its own key: two effects
// that share a key suppress each other at a provider that looks at the key alone.
type EffectKey struct {
	Effect   string `json:"effect"` // class, by callee
	Line     int    `json:"line"`
	File     string `json:"file"`
	Suffix   string `json:"suffix"`
	Now      string `json:"now"` // how it is protected now
	Provider string `json:"provider,omitempty"`

	provider *knowledge.Provider
	keyed    bool
}

// effectKeys lists the effects that need a key. Writes by a stable id need none.
func effectKeys(code *review.ActivityResult) []EffectKey {
	out := []EffectKey{}
	if code == nil {
		return out
	}
	taken := map[string]bool{}
	for i := range code.Effects {
		e := &code.Effects[i]
		if !e.Acts || !needsKey(knowledge.Class(e.Class)) {
			continue
		}
		k := EffectKey{Effect: e.Class + " by " + e.Callee, File: e.File, Line: e.Line, Suffix: unique(suffixOf(e), taken), provider: e.Provider, keyed: e.Keyed}
		if e.Provider != nil {
			k.Provider = e.Provider.Name
		}
		switch {
		case e.Keyed:
			k.Now = "a key from " + e.Key
		case e.Guard != "":
			k.Now = "guarded by " + e.Guard
		case e.KeyGiven:
			k.Now = "a key from " + e.Key + ", which does not hold"
		default:
			k.Now = "nothing"
		}
		out = append(out, k)
	}
	return out
}

func needsKey(c knowledge.Class) bool {
	switch c {
	case knowledge.Insert, knowledge.Create, knowledge.Charge, knowledge.Message, knowledge.Publish, knowledge.Increment, knowledge.Append, knowledge.Start, knowledge.Spend, knowledge.Act:
		return true
	}
	return false
}

func unique(name string, taken map[string]bool) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	taken[out] = true
	return out
}

// deeds are words that name a side effect better than its class does.
var deeds = []string{"refund", "capture", "payout", "transfer", "receipt", "invoice", "confirmation", "reminder", "notification", "email", "sms", "charge", "payment", "booking", "reservation", "shipment", "label", "order", "ticket", "event"}

// suffixOf names an effect: by a word of its callee, then of what it touches,
// then by its class.
func suffixOf(e *review.EffectResult) string {
	for _, text := range []string{e.Callee, e.Resource} {
		for _, w := range words(text) {
			for _, d := range deeds {
				if w == d || w == d+"s" {
					return d
				}
			}
		}
	}
	return e.Class
}

// words are the parts of a name in lower case: send_receipt, SendReceipt.
func words(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	lower := false
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && lower:
			flush()
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

func kebab(s string) string {
	if i := strings.LastIndexAny(s, ".:"); i >= 0 {
		s = s[i+1:]
	}
	w := words(s)
	if n := len(w); n > 1 && w[n-1] == "activity" {
		w = w[:n-1]
	}
	if len(w) == 0 {
		return "step"
	}
	return strings.Join(w, "-")
}

// Step is a call site with a step name that no other call of its workflow has.
type Step struct {
	Workflow string `json:"workflow,omitempty"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Step     string `json:"step"` // {i} is the turn of a loop
	Policy   string `json:"policy,omitempty"`
	Retries  bool   `json:"retries"`
	Horizon  string `json:"horizon,omitempty" jsonschema:"how long the attempts go on, the bodies' own time left out"`
}

func stepName(q *Question) string {
	if q.Activity == "" {
		return "charge-card"
	}
	return kebab(q.Activity)
}

func steps(q Question) []Step {
	out := []Step{}
	if q.Code == nil {
		return out
	}
	taken := map[string]map[string]bool{}
	for i := range q.Code.CallSites {
		s := &q.Code.CallSites[i]
		if taken[s.Workflow] == nil {
			taken[s.Workflow] = map[string]bool{}
		}
		st := Step{Workflow: s.Workflow, File: s.File, Line: s.Line, Step: unique(stepName(&q), taken[s.Workflow]), Policy: s.Policy, Retries: s.Retries}
		if s.InLoop {
			st.Step += ":{i}"
		}
		if h := s.RetryPolicy().Horizon; h > 0 {
			st.Horizon = Span(h)
		}
		out = append(out, st)
	}
	return out
}

// Test is why a direct-call test proves nothing here and which assertion does.
type Test struct {
	DirectCall string `json:"direct_call"`
	Assert     string `json:"assert"`
	CallSites  string `json:"call_sites"`
	Predicate  string `json:"predicate"`
}

func testOf(q Question) Test {
	t := Test{
		DirectCall: "a unit test that calls the body itself never involves the engine: nothing is retried, so it passes however the call site is configured",
		Assert:     "the classification of failures: every activity that can raise a permanent rejection (validation, business rule, permanent 4xx) is called with no retry policy, or returns the rejection as a value that the workflow branches on. Transient ones (time-out, reset, 429, 503, deadlock) are raised",
		CallSites:  "not known: no source was given",
		Predicate:  "returning the rejection as a value works in every SDK",
	}
	if q.Code != nil {
		n := 0
		for _, s := range q.Code.CallSites {
			if s.Retries {
				n++
			}
		}
		t.CallSites = fmt.Sprintf("%s found, %d of them retried", plural(len(q.Code.CallSites), "call site"), n)
		if len(q.Code.CallSites) == 0 {
			t.CallSites = "no call site was found: what is retried is not known"
		}
	}
	switch p := knowledge.PredicateFor(cmp.Or(q.Framework, "dapr"), q.Language); {
	case p == nil:
	case len(p.Names) > 0:
		t.Predicate = "the retry policy of this SDK takes a predicate (" + p.Names[0] + "); returning the rejection as a value works too"
	default:
		t.Predicate = p.Instead
	}
	return t
}
