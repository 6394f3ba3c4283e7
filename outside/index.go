package outside

import (
	"hash/maphash"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// DefaultSkew is how far the clocks of a log and a history may differ where
// nobody says otherwise.
const DefaultSkew = 5 * time.Second

// Index holds the ids of runs, and the bodies that outside sources say ran for
// them. Build it with AddRun, feed it with Add, then call Settle. It is used by
// one goroutine at a time.
type Index struct {
	Skew time.Duration // DefaultSkew when 0

	runs       []*runDigest
	instances  map[string]*instance
	execs      map[string][]callAt
	activities map[string]string // in lower case -> as the history has it
	floating   map[bodyID]*body  // known by an execution id that several instances share
	keys       map[string][]foreign
	keyOrder   []string
	seed       maphash.Seed
	seen       counts
	ops        *operations
}

// counts is what was fed.
type counts struct {
	unknown int // sightings with no id of an indexed run
	dropped int // sightings beyond a bound
}

// instance is everything with one instance id: several lives, or one life read
// at several moments.
type instance struct {
	id     string
	runs   []int32
	bodies map[bodyID]*body
}

type callAt struct{ run, call int32 }

// runDigest is what is kept of a run: ids, names and times, never payloads.
type runDigest struct {
	ref        history.Ref
	workflow   string
	start, end time.Time // end is zero while the run may still go on
	generation int64     // 0: not known
	parent     string
	rerunOf    string
	input      inputMark
	calls      []callDigest
}

// inputMark tells whether two runs had the same input, without keeping it.
type inputMark struct {
	hash  uint64          // of a shared value, by the process's own seed
	other history.Payload // withheld, empty or not recorded: no value in it
}

func markInput(p history.Payload, seed maphash.Seed) inputMark {
	if v, ok := p.Value(); ok && !p.Cut() {
		return inputMark{hash: maphash.String(seed, v) | 1}
	} else if ok {
		return inputMark{} // only its beginning is known
	}
	return inputMark{other: p}
}

func (m inputMark) compare(n inputMark) history.Equality {
	switch {
	case m.hash != 0 && m.hash == n.hash:
		return history.Equal
	case m.hash != 0 && n.hash != 0:
		return history.Different
	case m.hash != 0 || n.hash != 0:
		return history.EqualityUnknown
	}
	return m.other.Compare(n.other)
}

type callDigest struct {
	key, activity string
	attempts      int
	copy          bool
	completed     bool
	answered      int // attempts with a result
	ids           []int32
	execs         []string
	first, last   time.Time // first schedule, last result
	marked        bool
	turnLost      bool // it stands in a turn with a marked attempt
}

// Runs is how many runs are indexed.
func (x *Index) Runs() int { return len(x.runs) }

// AddRun takes a run's ids and times.
func (x *Index) AddRun(a *history.Analysis) {
	if x.instances == nil {
		x.instances, x.execs = map[string]*instance{}, map[string][]callAt{}
		x.seed = maphash.MakeSeed()
		x.activities, x.floating, x.keys = map[string]string{}, map[bodyID]*body{}, map[string][]foreign{}
	}
	run := a.Run
	n := int32(len(x.runs))
	d := &runDigest{ref: run.Ref, workflow: run.Workflow, generation: run.Generation, parent: run.Parent, input: markInput(run.Input, x.seed)}
	d.span(run)
	d.related(a)
	lost := map[int32]bool{}
	for i := range a.Calls {
		for j := range a.Calls[i].Attempts {
			if at := &a.Calls[i].Attempts[j]; len(at.Marks) > 0 {
				lost[at.Turn] = true
			}
		}
	}
	var firstOwn time.Time
	copies := false
	for i := range a.Calls {
		c := digestCall(run, &a.Calls[i], lost)
		if c.copy {
			copies = true
		} else if firstOwn.IsZero() || !c.first.IsZero() && c.first.Before(firstOwn) {
			firstOwn = c.first
		}
		for _, id := range c.execs {
			x.execs[id] = append(x.execs[id], callAt{n, int32(len(d.calls))})
		}
		x.activities[strings.ToLower(c.activity)] = c.activity
		d.calls = append(d.calls, c)
	}
	if copies && !firstOwn.IsZero() {
		d.start = firstOwn // copied events carry the source's times
	}
	x.runs = append(x.runs, d)
	if id := run.Ref.Instance; id != "" {
		in := x.instances[id]
		if in == nil {
			in = &instance{id: id}
			x.instances[id] = in
		}
		in.runs = append(in.runs, n)
	}
}

// span finds when the run lived.
func (d *runDigest) span(run *history.Run) {
	ended := run.Status.Ended()
	var last time.Time
	for i := range run.Events {
		ev := &run.Events[i]
		if ev.Kind == history.ExecutionCompleted || ev.Kind == history.ExecutionTerminated {
			ended = true
		}
		if ev.Kind == history.ExecutionStarted && d.start.IsZero() {
			d.start = ev.At
		}
		if ev.At.After(last) {
			last = ev.At
		}
	}
	if d.start.IsZero() && len(run.Events) > 0 {
		d.start = run.Events[0].At
	}
	if ended {
		d.end = last
	}
}

// related takes what the findings and events say about other runs.
func (d *runDigest) related(a *history.Analysis) {
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Kind == history.Rerun {
			d.rerunOf = f.RerunOf
		}
	}
	for i := range a.Run.Events {
		ev := &a.Run.Events[i]
		if ev.Kind == history.ExecutionStarted && ev.Parent != nil && d.parent == "" {
			d.parent = ev.Parent.Instance
		}
	}
}

func digestCall(run *history.Run, call *history.Call, lost map[int32]bool) callDigest {
	c := callDigest{key: call.Key, activity: call.Activity, attempts: len(call.Attempts), copy: call.Copy()}
	for i := range call.Attempts {
		at := &call.Attempts[i]
		s := &run.Events[at.Scheduled]
		c.ids = append(c.ids, s.ID)
		c.exec(s.TaskExecutionID)
		if i == 0 {
			c.first = s.At
		}
		c.marked = c.marked || len(at.Marks) > 0
		c.turnLost = c.turnLost || at.Turn >= 0 && lost[at.Turn]
		if at.Result >= 0 {
			c.answered++
			res := &run.Events[at.Result]
			c.exec(res.TaskExecutionID)
			c.completed = res.Kind == history.TaskCompleted
			if res.At.After(c.last) {
				c.last = res.At
			}
		}
	}
	return c
}

func (c *callDigest) exec(id string) {
	if id == "" {
		return
	}
	for _, have := range c.execs {
		if have == id {
			return
		}
	}
	c.execs = append(c.execs, id)
}

// KnowsInstance reports whether an indexed run has this instance id.
func (x *Index) KnowsInstance(id string) bool { _, ok := x.instances[id]; return ok }

// KnowsExecution reports whether an indexed call has this task execution id.
func (x *Index) KnowsExecution(id string) bool { _, ok := x.execs[id]; return ok }

// KnowsKey reports whether the key was asked for with Want.
func (x *Index) KnowsKey(key string) bool { _, ok := x.keys[key]; return ok }

// Activity returns an indexed activity's name as the history writes it, however
// the source writes it.
func (x *Index) Activity(name string) (string, bool) {
	if a, ok := x.activities[name]; ok {
		return a, true
	}
	a, ok := x.activities[strings.ToLower(name)]
	return a, ok
}

// Want makes a key worth finding in lines that carry no id of an indexed run.
func (x *Index) Want(key string) {
	if key == "" || len(x.keys) >= maxKeys {
		return
	}
	if _, ok := x.keys[key]; !ok {
		x.keys[key] = nil
		x.keyOrder = append(x.keyOrder, key)
	}
}

// IDs yields every id that a reader should look for: instance ids, execution
// ids and wanted keys.
func (x *Index) IDs(yield func(id string) bool) {
	for id := range x.instances {
		if !yield(id) {
			return
		}
	}
	for id := range x.execs {
		if !yield(id) {
			return
		}
	}
}

// Wanted yields the keys of Want.
func (x *Index) Wanted(yield func(key string) bool) {
	for _, k := range x.keyOrder {
		if !yield(k) {
			return
		}
	}
}
