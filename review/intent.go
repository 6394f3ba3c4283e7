package review

import (
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// intents recognises the pending-row protocol: the body looks at an intent
// record, writes one that says "pending" under a stable key and refuses a
// second, acts, and then writes the outcome to the same record. A repeat finds
// the pending row and reconciles, so there is no window between act and record.
func intents(effects []*Effect) {
	for i, e := range effects {
		if !external(e) {
			continue
		}
		for _, w := range effects[:i] {
			if pendingRow(w) && sameStore(w, e.looked(w)) && recorded(effects[i+1:], w) {
				e.Intent = w
			}
		}
	}
}

func external(e *Effect) bool {
	switch e.Class {
	case knowledge.Create, knowledge.Charge, knowledge.Message, knowledge.Publish, knowledge.Start, knowledge.Act:
		return !e.Memory
	}
	return false
}

var pendingWords = []string{"pending", "started", "in_progress", "inprogress", "in-progress", "intent", "requested"}

func pendingRow(w *Effect) bool {
	if w.Class != knowledge.Insert && w.Class != knowledge.Put || w.Conditional == "" && w.Caught == "" || w.Key != nil && w.Key.Origin.Fresh() {
		return false
	}
	words := strings.ToLower(w.Statement + " " + w.Resource)
	for _, a := range w.Args {
		words += " " + strings.ToLower(deepText(a, 3))
	}
	for _, p := range pendingWords {
		if strings.Contains(words, p) {
			return true
		}
	}
	return false
}

func deepText(v *Value, depth int) string {
	if v == nil || depth == 0 {
		return ""
	}
	s := v.Text
	for _, f := range v.Fields {
		s += " " + deepText(f, depth-1)
	}
	for _, f := range v.Elems {
		s += " " + deepText(f, depth-1)
	}
	return s
}

// looked is the read of w's record whose answer decides whether e is reached.
func (e *Effect) looked(w *Effect) *Effect {
	for _, c := range e.Conds {
		if c.Value == nil {
			continue
		}
		for _, r := range c.Value.Reads {
			if r.Class == knowledge.Read && sameStore(w, r) {
				return r
			}
		}
	}
	return nil
}

// sameStore compares tables; state stores are compared by key.
func sameStore(a, b *Effect) bool {
	if a == nil || b == nil {
		return false
	}
	return a.Resource != "" && a.Resource == b.Resource
}

// recorded reports whether a later write changes the record of w.
func recorded(later []*Effect, w *Effect) bool {
	for _, e := range later {
		if (e.Class == knowledge.Put || e.Class == knowledge.Insert) && sameStore(e, w) {
			return true
		}
	}
	return false
}

// RecordedAfter is the later write to the thing whose read decided that e is
// reached: it records that e was done, and a crash before it loses that.
func (a *Activity) RecordedAfter(e *Effect) *Effect {
	seen := false
	for _, w := range a.Effects {
		if w == e {
			seen = true
			continue
		}
		if !seen || w.Class != knowledge.Put && w.Class != knowledge.Insert || w.Memory {
			continue
		}
		if e.looked(w) != nil {
			return w
		}
	}
	return nil
}
