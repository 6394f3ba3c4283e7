package history

import (
	"fmt"
	"slices"
	"sort"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Join says what several runs show together: what the earlier children of a
// retried child ran, which calls of its source a rerun repeated, execution ids
// that different runs share, instance ids that lived more than once. It keeps a
// digest of every run it is given (ids and names, about 150 bytes a call), never
// events or payloads. The zero value is ready to use.
type Join struct {
	runs  []digest
	byID  map[string][]int // instance id -> runs
	execs map[string][]execRef
}

type digest struct {
	ref    Ref
	calls  []TurnCall
	rerun  rerunInfo
	copies bool
	parent string
}

type execRef struct {
	run  int
	call int
}

// Lineage is a relation between two runs.
type Lineage struct {
	Kind     string `json:"kind"` // rerun, child, instance_id_reused, snapshot
	Run      string `json:"run"`
	Of       string `json:"of"`
	Location string `json:"location,omitempty"`
	Note     string `json:"note,omitempty"`
}

// Add takes a run into account.
func (j *Join) Add(a *Analysis) {
	if j.byID == nil {
		j.byID, j.execs = map[string][]int{}, map[string][]execRef{}
	}
	n := len(j.runs)
	d := digest{ref: a.Run.Ref, rerun: findRerun(a.Run), parent: a.Run.Parent}
	for i := range a.Calls {
		call := &a.Calls[i]
		last := &call.Attempts[len(call.Attempts)-1]
		s := &a.Run.Events[call.Attempts[0].Scheduled]
		reading := count(len(call.Attempts), "recorded attempt")
		if last.Result < 0 {
			reading += ", no result"
		}
		if call.Copy() {
			d.copies = true
			continue // a copy ran in the source, not here
		}
		d.calls = append(d.calls, TurnCall{Activity: call.Activity, Call: call.Key, TaskScheduledID: s.ID, TaskExecutionID: strPtr(s.TaskExecutionID), Marks: []Mark{}, Reading: reading})
		if s.TaskExecutionID != "" {
			j.execs[s.TaskExecutionID] = append(j.execs[s.TaskExecutionID], execRef{n, len(d.calls) - 1})
		}
	}
	j.runs = append(j.runs, d)
	if id := a.Run.Ref.Instance; id != "" {
		j.byID[id] = append(j.byID[id], n)
	}
}

// find returns the run with the given instance id in the same app; the last one
// added wins, -1 when none was read.
func (j *Join) find(app, instance string) int {
	for _, n := range slices.Backward(j.byID[instance]) {
		if app == "" || j.runs[n].ref.App == "" || j.runs[n].ref.App == app {
			return n
		}
	}
	return -1
}

// Complete fills into findings what only other runs know. It changes f in place.
func (j *Join) Complete(f *Finding) {
	switch f.Kind {
	case ChildRetried:
		j.completeChildren(f)
	case Rerun:
		j.completeRerun(f)
	}
}

func (j *Join) completeChildren(f *Finding) {
	for i := range f.Children {
		ch := &f.Children[i]
		overwritten := i+1 < len(f.Children) && f.Children[i+1].Run == ch.Run
		if ch.Run == "" || overwritten {
			continue
		}
		n := j.find(f.App, ch.Run)
		if n < 0 {
			continue
		}
		ch.Calls = j.runs[n].calls
		ch.Reading = fmt.Sprintf("its history was read: %s", count(len(ch.Calls), "call"))
		if i == len(f.Children)-1 {
			ch.Reading = "the last child; " + ch.Reading
		}
	}
}

func (j *Join) completeRerun(f *Finding) {
	n := j.find(f.App, f.RerunOf)
	if n < 0 {
		return
	}
	source := map[int32]*TurnCall{}
	for i := range j.runs[n].calls {
		source[j.runs[n].calls[i].TaskScheduledID] = &j.runs[n].calls[i]
	}
	matched := 0
	for i := range f.Calls {
		c := &f.Calls[i]
		s := source[c.TaskScheduledID]
		if s == nil || s.Activity != c.Activity {
			continue
		}
		matched++
		id := "another execution id"
		if s.TaskExecutionID != nil && c.TaskExecutionID != nil && *s.TaskExecutionID == *c.TaskExecutionID {
			id = "the same execution id"
		}
		c.Reading += fmt.Sprintf("; the source ran it too (%s), with %s", s.Reading, id)
	}
	f.Message += fmt.Sprintf("; the source was read and ran %d of them itself", matched)
}

// Findings returns what no single run shows: execution ids that different runs
// share although neither is a rerun or a snapshot of the other.
func (j *Join) Findings() []Finding {
	ids := make([]string, 0)
	for id, refs := range j.execs {
		if len(refs) > 1 {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	var out []Finding
	for _, id := range ids {
		refs := j.execs[id]
		first := refs[0]
		for _, other := range refs[1:] {
			if j.related(first.run, other.run) {
				continue
			}
			a, b := &j.runs[first.run].calls[first.call], &j.runs[other.run].calls[other.call]
			d := &j.runs[other.run]
			out = append(out, Finding{
				Kind: IDReused, Certainty: Recorded, App: d.ref.App, Run: d.ref.Instance, Location: d.ref.Location, Activity: &b.Activity, Call: &b.Call,
				Evidence: []Evidence{}, Message: fmt.Sprintf("%s of this run and %s of run %s carry the same task execution id", clean80(b.Call), clean80(a.Call), clean.Line(j.runs[first.run].ref.Instance, 120)),
				Meaning: "a key made of the task execution id would let one of these two calls suppress the other",
			})
			break
		}
	}
	return out
}

// related reports whether two runs may share ids for a known reason: one is the
// other's rerun, both are reruns of one source, or both are the same life.
func (j *Join) related(a, b int) bool {
	x, y := &j.runs[a], &j.runs[b]
	if x.ref.Instance == y.ref.Instance && x.ref.Execution == y.ref.Execution {
		return true
	}
	root := func(d *digest) string {
		id, seen := d.ref.Instance, map[string]bool{}
		for d.rerun.is && !seen[id] {
			seen[id] = true
			id = d.rerun.of
			n := j.find(d.ref.App, id)
			if n < 0 {
				break
			}
			d = &j.runs[n]
		}
		return id
	}
	return (x.rerun.is || y.rerun.is) && root(x) == root(y)
}

// Lineage lists how the runs hang together, in the order they were added.
func (j *Join) Lineage() []Lineage {
	var out []Lineage
	for n := range j.runs {
		d := &j.runs[n]
		if d.rerun.is {
			out = append(out, Lineage{Kind: "rerun", Run: d.ref.Instance, Of: d.rerun.of, Location: d.ref.Location})
		}
		if d.parent != "" {
			out = append(out, Lineage{Kind: "child", Run: d.ref.Instance, Of: d.parent, Location: d.ref.Location})
		}
		for _, m := range j.byID[d.ref.Instance] {
			if m >= n {
				break
			}
			l := Lineage{Kind: "snapshot", Run: d.ref.Instance, Of: d.ref.Instance, Location: d.ref.Location, Note: "the same life of the run, read more than once"}
			if d.ref.Execution != j.runs[m].ref.Execution {
				l.Kind, l.Note = "instance_id_reused", "two lives of one instance id: the execution ids differ"
			}
			out = append(out, l)
			break
		}
	}
	return out
}
