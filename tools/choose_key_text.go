package tools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/keys"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// basisMark is how the table shortens a basis.
var basisMark = map[knowledge.Basis]string{knowledge.Observed: "o", knowledge.InCode: "c", knowledge.Construction: "b", knowledge.Likely: "l"}

func (out *chooseKeyOut) render(t *text) {
	t.line("%s\n", ended(out.Summary))
	var rows [][]string
	for _, c := range out.Candidates {
		s := c.Stability
		row := []string{rankOf(c), c.Key, strings.ReplaceAll(c.Usable, "_", " ")}
		for _, h := range []knowledge.Hold{s.Retry, s.Redelivery, s.LostCommit, s.Rerun, s.ContinueAsNew, s.ChildRetry} {
			cell := h.Is
			if m := basisMark[h.Basis]; m != "" {
				cell += " " + m
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	t.table([]string{"", "KEY", "USABLE", "RETRY", "REDELIVERY", "LOST COMMIT", "RERUN", "CONTINUE-AS-NEW", "CHILD RETRY"}, rows)
	t.line("(o observed on a real engine, c read in code, b by construction, l likely)\n")
	for _, c := range out.Candidates {
		t.line("%s %s: %s", rankOf(c), strings.ReplaceAll(c.Source, "_", " "), ended(c.Why))
		if c.Source == knowledge.ExecutionKey {
			t.line("  %s. Versions: %s", sentenceStart(measuredText(c.Measured)), ended(c.Versions))
		}
		if c.Conflict != "" {
			t.line("  CONFLICT: %s", ended(c.Conflict))
		}
		if out.detailed {
			t.candidate(c)
		}
	}
	t.measured(out)
	t.effectKeys(out)
	t.windows(out)
	t.ownRecord(out)
	for _, s := range out.Code {
		t.line("\n%s (%s):\n%s", sentenceStart(s.What), s.Language, indent(s.Code))
	}
	t.line("\nTest: %s\n  Assert %s. %s %s", sentence(out.Test.DirectCall), out.Test.Assert, sentence(out.Test.CallSites), sentence(out.Test.Predicate))
	t.closing(&out.Answer)
}

func measuredText(s string) string {
	if strings.HasPrefix(s, "not measured") {
		return s
	}
	return "measured: " + s
}

func rankOf(c keys.Candidate) string {
	if c.Rank == 0 {
		return "-"
	}
	return fmt.Sprint(c.Rank)
}

func sentenceStart(s string) string { return strings.TrimSuffix(sentence(s), ".") }

// candidate writes the notes of a candidate's row.
func (t *text) candidate(c keys.Candidate) {
	s := c.Stability
	for _, x := range [...]struct {
		name string
		h    knowledge.Hold
	}{{"retry", s.Retry}, {"redelivery", s.Redelivery}, {"lost commit", s.LostCommit}, {"rerun", s.Rerun}, {"continue-as-new", s.ContinueAsNew}, {"child retry", s.ChildRetry}, {"distinct", s.Distinct}} {
		if x.h.Note != "" {
			t.line("    %s: %s", x.name, ended(x.h.Note))
		}
	}
	if c.Caveat != "" {
		t.line("    %s", sentence(c.Caveat))
	}
}

func (t *text) measured(out *chooseKeyOut) {
	var lines []string
	for _, m := range out.Measured {
		lines = append(lines, ended(m.Says)+" Fits "+ended(m.Matches))
	}
	limit := 3
	if out.detailed {
		limit = 40
	}
	t.section("Measured on the runs read:", lines, limit)
}

func (t *text) effectKeys(out *chooseKeyOut) {
	var lines []string
	for _, e := range out.Effects {
		lines = append(lines, fmt.Sprintf("%s, %s:%d: its own key, ending in :%s (now: %s)", e.Effect, e.File, e.Line, e.Suffix, e.Now))
	}
	heading := "Side effects:"
	if len(lines) > 1 {
		heading = "One key per side effect (two activities are usually cleaner):"
	}
	t.section(heading, lines, 6)
	lines = lines[:0]
	for _, s := range out.Steps {
		policy := "no retry policy"
		if s.Retries {
			policy = "retried"
			if s.Horizon != "" {
				policy += " for " + s.Horizon
			}
		}
		lines = append(lines, fmt.Sprintf("%s, %s:%d: step %s (%s)", cmp.Or(s.Workflow, "a workflow"), s.File, s.Line, s.Step, policy))
	}
	t.section("A step name for every call site:", lines, 5)
	lines = lines[:0]
	for _, p := range out.Problems {
		lines = append(lines, ended(p.Says)+" "+sentence(p.Fix))
	}
	t.section("Problems:", lines, 6)
}

func (t *text) windows(out *chooseKeyOut) {
	for _, w := range out.Windows {
		state := ""
		if !w.Verified {
			state = "UNVERIFIED; "
		}
		t.line("\n%s: %s (%schecked %s, source %s)", w.Provider, w.Condition, state, w.Checked, w.Source)
		if v := verdictOf(w); v != "" {
			t.line("  %s", v)
		}
		var parts []string
		for _, a := range w.Against {
			s := a.What + ": " + a.Span
			if a.Longer {
				s += " (LONGER)"
			}
			parts = append(parts, s)
		}
		if len(parts) > 0 {
			t.line("  held against: %s.", strings.Join(parts, "; "))
		}
	}
}

func verdictOf(w keys.Window) string {
	switch w.Verdict {
	case keys.TooShort:
		if w.Keyed {
			return "" // it stands with the problems
		}
		return "Too short: " + ended(w.Says)
	case keys.NotPublished, keys.NotSeen:
		return sentence(w.Says)
	}
	return ""
}

func (t *text) ownRecord(out *chooseKeyOut) {
	r := &out.Record
	if !r.Needed && !out.detailed {
		t.line("\nA record of your own: %s", sentence(r.Why))
		return
	}
	t.line("\nA record of your own: %s", sentence(r.Why))
	for i, p := range r.Protocol {
		if out.detailed {
			t.line("  %d. %s", i+1, sentence(p))
		}
	}
	for _, s := range r.OnRepeat {
		if out.detailed {
			t.line("  on a repeat, %s: %s; %s", s.Record, s.Meaning, ended(s.Do))
		}
	}
	if !out.detailed {
		t.line("  On a repeat: absent: begin. pending: the outcome is unknown, reconcile, do not call again. succeeded: return the stored id. failed: return it, or retry if it was transient.")
	}
	t.line("  Keep %s", ended(r.Keep))
	t.line("  Ask: %s", ended(r.Ask))
	if out.catalyst || out.detailed {
		for _, k := range r.KVStore {
			t.line("  %s", sentence(k))
		}
	}
}
