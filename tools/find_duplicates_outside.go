package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
)

// Positions of a run that has no row in Runs.
const (
	noRow    = -1 // it has no repeat
	unlisted = -2 // its row did not fit
)

// outsideBytes is what the joined part may take of an assistant's answer.
const outsideBytes = 9000

// examineOutside adds to the findings of one run what the outside says.
func (out *findDuplicatesOut) examineOutside(ctx context.Context, d Deps, in findDuplicatesIn, a *history.Analysis) error {
	if !in.given() {
		return nil
	}
	out.index.AddRun(a)
	o, e, err := d.readOutside(ctx, in.Beside, out.index, &out.Coverage)
	if err != nil {
		return err
	}
	found := withoutRepeats(e.Findings(0), e.OnOperations(d.full()))
	a.Findings = append(found, a.Findings...)
	if !d.Shell || !in.detailed() { // of one run the findings say the rest
		o.Duplicates = slices.DeleteFunc(o.Duplicates, func(x outside.Duplicate) bool { return len(x.Operations) == 0 && radiusText(&x) == "" })
	}
	out.Outside = o
	o.fit(outsideShare(d), in.detailed())
	return nil
}

// withoutRepeats joins two lists of verdicts: the provider's word on a call
// replaces the log's of the same kind.
func withoutRepeats(byLog, byProvider []history.Finding) []history.Finding {
	out := slices.Clone(byProvider)
	for _, f := range byLog {
		same := func(p history.Finding) bool {
			return p.Kind == f.Kind && p.Run == f.Run && p.Call != nil && f.Call != nil && *p.Call == *f.Call
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Message += "; " + f.Message
			continue
		}
		out = append(out, f)
	}
	return out
}

func outsideShare(d Deps) int {
	if d.Shell {
		return 0
	}
	return outsideBytes
}

// joinOutside adds to a scan what the outside says of its runs.
func (out *findDuplicatesOut) joinOutside(ctx context.Context, d Deps, in findDuplicatesIn) error {
	if out.index == nil || out.index.Runs() == 0 {
		return nil
	}
	o, e, err := d.readOutside(ctx, in.Beside, out.index, &out.Coverage)
	if err != nil {
		return err
	}
	out.Outside = o
	byProvider := e.OnOperations(d.full())
	var found []history.Finding
	for n := range out.row {
		more := e.Findings(n)
		out.outsideRow(d, n, more)
		found = append(found, more...)
	}
	found = withoutRepeats(found, byProvider)
	slices.SortStableFunc(found, func(x, y history.Finding) int { return gravity(x.Kind) - gravity(y.Kind) })
	for i := range found {
		cleanFinding(&found[i])
		out.Totals[string(found[i].Kind)]++
	}
	out.found = out.found || anyRepeat(found)
	slices.SortStableFunc(out.Runs, func(x, y repeatsOf) int { return rowGravity(x) - rowGravity(y) })
	o.fit(outsideShare(d), in.detailed())
	out.Findings = out.share(d, found)
	return nil
}

// share joins the findings from outside with those from histories. What the
// outside says is graver than what a history alone can say: it comes first, and
// the rest makes room.
func (out *findDuplicatesOut) share(d Deps, found []history.Finding) []history.Finding {
	before := out.Findings
	if b := d.budget(); b > 0 {
		room := b*9/10 - size(out) + size(before)
		n := fitted(found, room*2/3)
		if n < len(found) {
			out.Coverage.miss(fmt.Sprintf("%d of %d outside findings are listed, all are counted in totals: narrow the runs to see the rest", n, len(found)))
		}
		found = found[:n]
		if n = fitted(before, room-size(found)); n < len(before) {
			before = before[:n]
			out.Coverage.miss("findings from histories alone that did not fit beside those from outside: ask without log for them")
		}
	}
	return append(found, before...)
}

// fitted is how many findings fit; none may.
func fitted(list []history.Finding, room int) int {
	for i := range list {
		if room -= size(list[i]) + 1; room < 0 {
			return i
		}
	}
	return len(list)
}

// rowGravity puts runs first of which the outside tells more than the history.
func rowGravity(r repeatsOf) int {
	kind, _, _ := strings.Cut(r.Repeats[0], " ")
	return min(gravity(history.FindingKind(kind)), 2)
}

// outsideRow adds a run's outside repeats to its line in the list of runs.
func (out *findDuplicatesOut) outsideRow(d Deps, n int, found []history.Finding) {
	var names []string
	for i := range found {
		if f := &found[i]; f.Repeat && f.Kind != history.Overlapped {
			names = append(names, strings.TrimSpace(string(f.Kind)+" "+subject(f)))
		}
	}
	if len(names) == 0 {
		return
	}
	if len(names) > 4 {
		names = append(names[:4], fmt.Sprintf("and %d more", len(names)-4))
	}
	switch at := out.row[n]; at {
	case unlisted:
	case noRow:
		f := &found[0]
		row := repeatsOf{Run: f.Run, App: f.App, Location: f.Location, Repeats: names}
		out.repeats++
		if out.rows -= size(row); out.rows > 0 || d.Shell {
			out.Runs = append(out.Runs, row)
		}
	default:
		out.Runs[at].Repeats = append(names, out.Runs[at].Repeats...)
	}
}
