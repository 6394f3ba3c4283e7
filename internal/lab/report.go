package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
)

// Report is the lab's table: what was reported beside what is true. It holds no
// times, so that the same plans give the same text.
func Report(results []Result, verdicts []Verdict) string {
	type row struct {
		shape Shape
		fault FaultKind
	}
	sums, runs := map[row]Verdict{}, map[row]int{}
	var all Verdict
	struck := 0
	for i, r := range results {
		k := row{r.Plan.Script.Shape, r.Plan.Fault}
		sums[k] = sums[k].plus(verdicts[i])
		all = all.plus(verdicts[i])
		runs[k]++
		if r.Struck {
			struck++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, reportHead, len(results), struck, all.Calls, all.Attempts, all.Bodies, all.Repeats, all.Reported, all.False, all.Marks, all.MarksTold,
		all.MarksFalse, all.Hidden, all.InLostTurn, all.Hidden-all.InLostTurn, all.Unrecorded, len(all.Problems))
	b.WriteString(stabilityHead)
	for _, s := range MeasureStability(results) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", s.Where, s.Same, s.New, s.Mixed)
	}
	b.WriteString(rowsHead)
	for _, s := range shapes {
		for _, k := range faultKinds {
			r := row{s.name, k}
			if runs[r] > 0 {
				v := sums[r]
				fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d/%d | %d | %d/%d | %d | %d | %d | %s |\n", s.name, k, runs[r], v.Calls, v.Attempts, v.Bodies,
					v.Reported, v.Repeats, v.False, v.MarksTold, v.Marks, v.Hidden, v.InLostTurn, v.Unrecorded, findingsText(v.Findings))
			}
		}
	}
	return b.String()
}

const reportHead = `| figure | value |
|---|---|
| runs | %d |
| of these struck by their fault | %d |
| calls in their histories | %d |
| recorded attempts | %d |
| bodies that began, by the ledger | %d |
| calls and children with more than one recorded attempt | %d |
| of these reported, with exactly their attempts | %d |
| other repeats reported as recorded or inferred | %d |
| marks of a lost commit in the histories | %d |
| of these reported | %d |
| other marks reported | %d |
| calls that ran more bodies than recorded attempts (hidden) | %d |
| of these in a turn reported as commit_lost | %d |
| of these visible in no way: only "not visible" covers them | %d |
| calls that ran and are not in the history (earlier generations) | %d |
| answers that claim more than the ledger bears out, or miss what is recorded | %d |
`

const stabilityHead = `
## Task execution ids of the Go SDK

Of calls or attempts whose body ran more than once: how often all bodies had the same id.

| over | same | every one its own | mixed |
|---|---|---|---|
`

const rowsHead = `
## Scenarios

Repeats and marks: reported/true. Hidden: calls that ran more bodies than recorded attempts. turn_lag is left out: it
depends on the machine.

| workflow | fault | runs | calls | attempts | bodies | repeats | false | marks | hidden | in a lost turn | not in history | findings |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

// plus adds two verdicts.
func (v Verdict) plus(w Verdict) Verdict {
	sum := Verdict{
		Calls: v.Calls + w.Calls, Attempts: v.Attempts + w.Attempts, Bodies: v.Bodies + w.Bodies, Repeats: v.Repeats + w.Repeats,
		Reported: v.Reported + w.Reported, False: v.False + w.False, Marks: v.Marks + w.Marks, MarksTold: v.MarksTold + w.MarksTold,
		MarksFalse: v.MarksFalse + w.MarksFalse, Hidden: v.Hidden + w.Hidden, InLostTurn: v.InLostTurn + w.InLostTurn,
		Unrecorded: v.Unrecorded + w.Unrecorded, Findings: map[history.FindingKind]int{}, Problems: slices.Concat(v.Problems, w.Problems),
	}
	for _, m := range []map[history.FindingKind]int{v.Findings, w.Findings} {
		for k, n := range m {
			sum.Findings[k] += n
		}
	}
	return sum
}

func findingsText(m map[history.FindingKind]int) string {
	var parts []string
	for k, n := range m {
		if k != history.TurnLag {
			parts = append(parts, fmt.Sprintf("%s ×%d", k, n))
		}
	}
	slices.SortFunc(parts, cmp.Compare)
	if len(parts) == 0 {
		return "nothing visible"
	}
	return strings.Join(parts, ", ")
}

// JudgeAll judges every result and lists what must not be, each with its plan.
func JudgeAll(results []Result, sharing history.Sharing) (verdicts []Verdict, problems []string, err error) {
	for _, r := range results {
		v, err := Judge(r, sharing)
		if err != nil {
			return verdicts, problems, err
		}
		verdicts = append(verdicts, v)
		for _, p := range v.Problems {
			problems = append(problems, fmt.Sprintf("%s, %s (at %d, %s): %s", r.Plan.Script.Shape, r.Plan.Fault, r.Plan.At, sharing.Level, p))
		}
	}
	return verdicts, problems, nil
}
