package survey

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// OwnApp is the app id under which surveys themselves run on a shared engine. No
// answer counts its runs.
const OwnApp = "idem-mcp-survey"

// reader is the version of what is made of a run. A higher one reads every run
// again, so that an index never mixes two readings.
const reader = 1

// record is what one run leaves in the index.
type record struct {
	known
	mark       string
	stretch    int64 // to which it is linked; 0: none
	ended      bool
	ref        history.Ref
	generation int64
	length     int
	workflow   string
	status     string
	created    int64
	repeats    int
	shape      history.Shape
	missing    string
	tallies    []history.ActivityTally
	calls      []callRecord
}

// known names one life of a run in the index: where it stands, and which life.
type known struct{ place, life string }

type callRecord struct {
	call, activity string
	attempts       int
	kinds          string
	first, last    int64
}

const (
	maxKept    = 300 // bytes of what could not be read of a run
	placeBytes = 12
	lifeBytes  = 6
)

// placeOf names where a run stands, whatever life it is in.
func placeOf(source string, ref history.Ref) string {
	return digest(placeBytes, source, ref.Location, ref.App, ref.Instance)
}

// lifeOf tells the lives of one place apart.
func lifeOf(run *history.Run) string {
	return digest(lifeBytes, run.Ref.Execution, strconv.FormatInt(run.Generation, 10))
}

// digest is n bytes of a hash over parts, none of which can run into the next.
func digest(n int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:n])
}

// recordOf makes a record of a run. Its payloads are not looked at.
func recordOf(source string, m *met) record {
	run := m.run
	a := history.Analyze(run)
	var t history.Tally
	t.Add(&a)
	r := record{
		known: known{placeOf(source, run.Ref), lifeOf(run)}, mark: m.mark, stretch: m.stretch, ended: run.Status.Ended(), ref: run.Ref, generation: run.Generation, length: len(run.Events),
		workflow: clean.Line(run.Workflow, 200), status: run.Status.String(), created: millis(run.Created), repeats: a.Repeats(),
		shape: run.Shape, missing: clean.Line(strings.Join(run.Coverage.Missing, "; "), maxKept), tallies: t.Activities(), calls: callsOf(&a),
	}
	return r
}

// callsOf lists the calls that were retried or of which a finding speaks. A
// question about several calls, or a hint, is none of a single one.
func callsOf(a *history.Analysis) []callRecord {
	kinds := map[string][]string{}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Kind == history.TurnLag || f.Kind == history.SameInputTwice {
			continue
		}
		if f.Call != nil {
			kinds[*f.Call] = append(kinds[*f.Call], string(f.Kind))
		}
		for j := range f.Calls {
			kinds[f.Calls[j].Call] = append(kinds[f.Calls[j].Call], string(f.Kind))
		}
	}
	var out []callRecord
	for i := range a.Calls {
		c := &a.Calls[i]
		of := kinds[c.Key]
		if c.Copy() || len(of) == 0 && len(c.Attempts) < 2 {
			continue
		}
		slices.Sort(of)
		last := &a.Run.Events[c.Attempts[len(c.Attempts)-1].Scheduled]
		out = append(out, callRecord{
			call: clean.Line(c.Key, 240), activity: c.Activity, attempts: len(c.Attempts), kinds: strings.Join(slices.Compact(of), ","),
			first: millis(a.Run.Events[c.Attempts[0].Scheduled].At), last: millis(last.At),
		})
	}
	slices.SortFunc(out, func(x, y callRecord) int { return cmp.Compare(x.call, y.call) })
	return slices.CompactFunc(out, func(x, y callRecord) bool { return x.call == y.call })
}

// tallyColumns are the counts of a tally in the order of tallyCounts; tallyPeaks
// are of which the greatest counts.
func tallyColumns() []string {
	return []string{"calls", "attempts", "retried", "after_unknown", "rejections", "inferred", "pending", "second_result", "unfinished", "lost", "marked",
		"reexecuted", "id_same", "id_changed", "id_missing", "id_lost", "id_with", "id_without", "id_origin"}
}

func tallyCounts(t *history.ActivityTally) []*int {
	return []*int{&t.Calls, &t.Attempts, &t.Retried, &t.AfterUnknown, &t.Rejections, &t.Inferred, &t.Pending, &t.SecondResult, &t.Unfinished, &t.LostTurns, &t.Marked,
		&t.Reexecuted, &t.IDs.Same, &t.IDs.Changed, &t.IDs.Missing, &t.IDs.LostChanged, &t.IDs.With, &t.IDs.Without, &t.IDs.Origins}
}

func tallyPeaks() []string { return []string{"gap", "last_seen", "last_repeat"} }
