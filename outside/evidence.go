package outside

import (
	"slices"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// maxShown bounds the bodies listed of one call; all are counted.
const maxShown = 12

// CallEvidence is what the outside says of one call.
type CallEvidence struct {
	App      string `json:"app,omitempty"`
	Run      string `json:"run"`
	Location string `json:"location,omitempty"`
	Call     string `json:"call"`
	Activity string `json:"activity"`
	Attempts int    `json:"attempts"` // recorded
	// Bodies is how many bodies the log or the spans show; null when no line said
	// that one began or ended.
	Bodies *int `json:"bodies"`
	// AtLeast: lines are known to be missing, so there may have been more.
	AtLeast  bool             `json:"at_least,omitempty"`
	Effects  int              `json:"effects"`            // effects that the log shows
	Mentions int              `json:"mentions,omitempty"` // lines with its ids that say neither
	Lines    int              `json:"lines"`
	JoinedBy map[JoinRule]int `json:"joined_by"` // bodies by rule
	Seen     []BodyView       `json:"seen,omitempty"`
	Provider int              `json:"provider_operations,omitempty"`

	run, call int
	bodies    []placed
	keys      []string
}

// BodyView is one body with its times, by the log's clock.
type BodyView struct {
	Start    *time.Time `json:"start"`
	End      *time.Time `json:"end"` // null: no line says that it ended
	Effects  int        `json:"effects,omitempty"`
	Outcome  string     `json:"outcome,omitempty"` // ok, failed
	JoinedBy JoinRule   `json:"joined_by"`

	first, last time.Time
	host, exec  string
	single      bool // the times are of this body alone
}

// Evidence is everything that the outside says of the indexed runs.
type Evidence struct {
	Calls []CallEvidence
	// Incomplete: bodies ended or acted that never began, so the log lacks lines
	// and every count is "at least".
	Incomplete bool
	Skew       time.Duration
	// JoinedBy counts bodies and lines by rule; Unplaced counts bodies that carry
	// a run's id and belong to no call, by reason.
	JoinedBy map[JoinRule]int
	Lines    Lines
	Unplaced map[string]int
	// Doubts counts the unplaced bodies that could be of a call of these runs;
	// Operations the provider's operations that belong to one of them.
	Doubts, Operations int
	// Offsets are measured clock differences beyond a tenth of a second: at most.
	Ahead, Behind time.Duration

	x       *Index
	settled []settledRun
	byCall  map[callAt]int
	byKey   map[string][]callAt // business key -> calls whose bodies carry it
	// served are the activities that the provider's list knows calls of, and how.
	served map[string]link
	// atProvider are the calls that an operation is of, whatever joined it; call -1
	// is some call of the run.
	atProvider map[callAt]bool
	keyOrder   []string
	ops        *operations
	hits       []hit

	rerunsOf, childrenOf map[string][]string // once made
}

// Lines counts what was fed.
type Lines struct {
	Joined   int `json:"joined"`   // of bodies that were placed
	Unplaced int `json:"unplaced"` // with an id of a run, placed nowhere
	Unknown  int `json:"unknown"`  // with no id of a run that was read
	Dropped  int `json:"dropped,omitempty"`
}

// Settle decides whose every body is. It can be called again after more was
// added.
func (x *Index) Settle() *Evidence {
	e := &Evidence{x: x, Skew: x.skew(), JoinedBy: map[JoinRule]int{}, Unplaced: map[string]int{}, byCall: map[callAt]int{}, byKey: map[string][]callAt{}, served: map[string]link{}, atProvider: map[callAt]bool{}}
	e.settled = x.settle()
	e.Incomplete = x.incomplete()
	for i := range e.settled {
		s := &e.settled[i]
		joined := 0
		for c := range s.calls {
			joined += e.call(s, c)
		}
		for why, n := range s.unplaced {
			e.Unplaced[why] += n
		}
		e.Doubts += s.doubts
		e.Lines.Joined += joined
		e.Lines.Unplaced += s.lines - joined
		if s.offset.known {
			e.Ahead, e.Behind = max(e.Ahead, s.offset.lo), max(e.Behind, -s.offset.hi)
		}
	}
	e.ops = x.ops
	e.serve()
	e.Lines.Unknown, e.Lines.Dropped = x.seen.unknown, x.seen.dropped
	return e
}

// hold notes that a call's bodies carry a key.
func (e *Evidence) hold(key string, at callAt) {
	if _, known := e.byKey[key]; !known {
		e.keyOrder = append(e.keyOrder, key)
	}
	e.byKey[key] = append(e.byKey[key], at)
}

// serve finds which activities the provider's list is about: those with a call
// that one of its keys names.
func (e *Evidence) serve() {
	if e.ops == nil {
		return
	}
	joined := map[*Operation]bool{}
	for _, name := range e.ops.order {
		refs, kind := e.holders(name)
		if len(refs) > 0 {
			for _, o := range e.ops.byKey[name] {
				joined[o] = true
			}
		}
		for _, r := range refs {
			e.atProvider[r] = e.atProvider[r] || len(e.ops.live(name)) > 0
			if i, ok := e.byCall[r]; ok {
				e.Calls[i].Provider += len(e.ops.live(name))
			}
			if d := e.callAt(r); d != nil && (kind == byExecID || kind == byLogKey) {
				e.served[d.activity] = kind
			}
		}
	}
	e.Operations = len(joined)
}

// incomplete reports whether the source is known to lack lines: somewhere a
// body acts or ends that never began. One that never says that bodies begin
// cannot show those that died early, so its counts are lower bounds too.
func (x *Index) incomplete() bool {
	if x.seen.dropped > 0 {
		return true
	}
	for _, in := range x.instances {
		for _, b := range in.bodies {
			if b.startless() {
				return true
			}
		}
	}
	for _, b := range x.floating {
		if b.startless() {
			return true
		}
	}
	return false
}

// call sums up one call and returns how many lines were joined to it.
func (e *Evidence) call(s *settledRun, c int) int {
	d := &s.run.calls[c]
	list := s.calls[c]
	if len(list) == 0 && (!s.doubtful[c] || d.copy) {
		return 0
	}
	ref := &s.run.ref
	v := CallEvidence{
		App: clean.Line(ref.App, 200), Run: clean.Line(ref.Instance, 200), Location: clean.Line(ref.Location, 300), Call: clean.Line(d.key, 200), Activity: clean.Line(d.activity, 200), Attempts: d.attempts,
		JoinedBy: map[JoinRule]int{}, run: int(s.n), call: c, bodies: list, AtLeast: e.Incomplete || s.doubtful[c],
	}
	t := newTally()
	for _, p := range list {
		t.add(p.b)
		v.Mentions += p.b.mentions
		v.Lines += p.b.lines
		v.AtLeast = v.AtLeast || p.b.overflow
		if p.b.key != "" && !slices.Contains(v.keys, p.b.key) {
			v.keys = append(v.keys, p.b.key)
			e.hold(p.b.key, callAt{s.n, int32(c)})
		}
	}
	total := t.bodies()
	v.Effects = t.effect()
	e.show(&v, &t)
	if total > 0 || v.Mentions == 0 {
		v.Bodies = &total
		v.AtLeast = v.AtLeast || total < d.answered && !d.copy
	}
	slices.SortStableFunc(v.Seen, func(a, b BodyView) int { return a.first.Compare(b.first) })
	v.Seen = v.Seen[:min(len(v.Seen), maxShown)]
	e.byCall[callAt{s.n, int32(c)}] = len(e.Calls)
	e.Calls = append(e.Calls, v)
	return v.Lines
}

// show lists the bodies of a call by whichever of its records give the count.
func (e *Evidence) show(v *CallEvidence, t *tally) {
	loose, shape := t.loose()
	total := t.bodies()
	if total == 0 {
		return
	}
	for _, p := range v.bodies {
		n := 0
		switch {
		case t.own == total && p.b.own && !p.b.span, t.own < total && loose < total && p.b.own && p.b.span:
			v.Seen = append(v.Seen, p.view())
			n = p.b.count()
			v.AtLeast = v.AtLeast || p.b.span // traces are sampled, and a body that dies leaves none
		case t.own < total && loose == total && !p.b.own:
			seen := p.views(shape)
			v.Seen = append(v.Seen, seen...)
			n = len(seen)
		}
		if n > 0 {
			v.JoinedBy[p.rule] += n
			e.JoinedBy[p.rule] += n
		}
	}
}

// view shows a body that has an id of its own.
func (p placed) view() BodyView {
	b := p.b
	v := BodyView{JoinedBy: p.rule, host: b.host, exec: b.exec, Start: earliest(b.starts), End: latest(b.ends), first: b.first, last: b.last, single: true, Effects: min(1, len(b.effects))}
	switch {
	case b.ok > 0 && b.failed == 0:
		v.Outcome = "ok"
	case b.failed > 0 && b.ok == 0:
		v.Outcome = "failed"
	}
	return v
}

// views shows the bodies of a record without ids of bodies, by the start lines
// of one shape (0: by the ends). Starts and ends are paired only where each start
// has its end after it.
func (p placed) views(shape uint32) []BodyView {
	starts, ends := times(p.b.starts, shape), times(p.b.ends, 0)
	if shape == 0 {
		starts = nil
	}
	paired := len(starts) == len(ends)
	for i := range starts {
		paired = paired && !ends[i].Before(starts[i])
	}
	base := BodyView{JoinedBy: p.rule, host: p.b.host, exec: p.b.exec}
	var out []BodyView
	for i := range starts {
		v := base
		v.Start, v.first, v.last = &starts[i], starts[i], starts[i]
		if paired {
			v.End, v.last, v.single = &ends[i], ends[i], true
		}
		out = append(out, v)
	}
	if shape != 0 {
		return out
	}
	for i := range ends {
		v := base
		v.End, v.first, v.last = &ends[i], ends[i], ends[i]
		out = append(out, v)
	}
	return out
}

// times are the stamps of a shape (0: of any), in order.
func times(list []stamp, shape uint32) []time.Time {
	var out []time.Time
	for _, s := range list {
		if shape == 0 || s.shape == shape {
			out = append(out, s.at)
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

func earliest(list []stamp) *time.Time {
	var out *time.Time
	for i := range list {
		if at := list[i].at; !at.IsZero() && (out == nil || at.Before(*out)) {
			out = &at
		}
	}
	return out
}

func latest(list []stamp) *time.Time {
	var out *time.Time
	for i := range list {
		if at := list[i].at; out == nil && !at.IsZero() || out != nil && at.After(*out) {
			out = &at
		}
	}
	return out
}

// Of returns the evidence on a call of a run, nil when there is none. run is the
// position in which the run was added.
func (e *Evidence) Of(run int, call string) *CallEvidence {
	if run < 0 || run >= len(e.x.runs) {
		return nil
	}
	for c := range e.x.runs[run].calls {
		if e.x.runs[run].calls[c].key != call {
			continue
		}
		if i, ok := e.byCall[callAt{int32(run), int32(c)}]; ok {
			return &e.Calls[i]
		}
	}
	return nil
}

// LearnKeys asks for the business keys of the bodies that were placed, so that a
// second reading finds lines of other runs and callers with the same key.
func (e *Evidence) LearnKeys() int {
	n := 0
	for i := range e.Calls {
		for _, k := range e.Calls[i].keys {
			e.x.Want(k)
			n++
		}
	}
	return n
}

// digest is the indexed form of a call.
func (e *Evidence) digest(c *CallEvidence) *callDigest {
	return &e.x.runs[c.run].calls[c.call]
}

// Knows reports whether a key is one of a call's, by the log, or of the
// provider's list.
func (e *Evidence) Knows(key string) bool {
	if _, ok := e.byKey[key]; ok || e.x.KnowsExecution(key) {
		return true
	}
	return e.ops != nil && len(e.ops.byKey[key]) > 0
}
