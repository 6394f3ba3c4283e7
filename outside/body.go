package outside

import (
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// Bounds. What is beyond them is counted, and makes every count "at least".
const (
	maxBodies  = 10_000    // bodies kept per instance id
	maxTimes   = 256       // times kept per class of one body record
	maxKeys    = 2_000_000 // business keys
	maxForeign = 64        // bodies of other runs kept per key
)

// bodyID tells bodies apart: by the application's own id where there is one, else
// everything else that was said about it, and then one record may stand for
// several bodies.
type bodyID struct {
	body, exec, activity, key, host string
	task                            int32
}

// body is what was seen of one body, or of several that cannot be told apart
// while lines are read.
type body struct {
	own                         bool // the application gave it an id of its own
	exec, activity, key, host   string
	task                        int32
	starts, ends, effects       []stamp
	mentions, lines, failed, ok int
	span                        bool // a tracer saw it
	first, last                 time.Time
	overflow                    bool
}

// stamp is when a line said something, and the shape of that line. One event may
// be logged by several statements; lines of one shape are of one statement.
type stamp struct {
	at    time.Time // zero: the line has no time
	shape uint32
}

// foreign is a body with a wanted key that carries no id of an indexed run.
type foreign struct {
	instance, body, activity string
	at                       time.Time
	class                    Class
	lines                    int
}

// Add folds a sighting in. It reports whether the sighting carries an id of an
// indexed run or a wanted key.
func (x *Index) Add(s *Sighting) bool {
	in, known := x.instances[s.Instance]
	refs := x.execs[s.Execution]
	switch {
	case s.Instance != "" && known:
		return x.keep(in, s)
	case s.Instance == "" && len(refs) > 0:
		if one := x.oneInstance(refs); one != nil {
			return x.keep(one, s)
		}
		x.fold(x.floating, s)
		return true
	}
	// An instance id that no indexed run has: a rerun, another run, another
	// system. Its execution id may still be one of ours (a rerun keeps it), but
	// the body is not of a run that was read.
	if s.Key != "" {
		if list, ok := x.keys[s.Key]; ok {
			x.keys[s.Key] = addForeign(list, s)
			return true
		}
	}
	x.seen.unknown++
	return false
}

func (x *Index) keep(in *instance, s *Sighting) bool {
	if in.bodies == nil {
		in.bodies = map[bodyID]*body{}
	}
	x.fold(in.bodies, s)
	return true
}

// oneInstance returns the instance that all refs are of, nil when they differ.
func (x *Index) oneInstance(refs []callAt) *instance {
	id := x.runs[refs[0].run].ref.Instance
	for _, r := range refs[1:] {
		if x.runs[r.run].ref.Instance != id {
			return nil
		}
	}
	return x.instances[id] // nil for runs without an id: they float
}

func (x *Index) fold(bodies map[bodyID]*body, s *Sighting) {
	id := bodyID{body: s.Body}
	if s.Body == "" {
		id = bodyID{exec: s.Execution, activity: s.Activity, key: s.Key, host: s.Host, task: s.Task}
	}
	b := bodies[id]
	if b == nil {
		if len(bodies) >= maxBodies {
			x.seen.dropped++
			return
		}
		id = bodyID{body: strings.Clone(id.body), exec: strings.Clone(id.exec), activity: strings.Clone(id.activity), key: strings.Clone(id.key), host: strings.Clone(id.host), task: id.task}
		b = &body{own: s.Body != "", task: history.NoID}
		bodies[id] = b
	}
	b.take(s)
}

// take adds one sighting to a body. The fields of several lines complete each
// other.
func (b *body) take(s *Sighting) {
	fill(&b.exec, s.Execution)
	fill(&b.activity, s.Activity)
	fill(&b.key, s.Key)
	fill(&b.host, s.Host)
	if b.task == history.NoID {
		b.task = s.Task
	}
	b.lines++
	if s.Failed {
		b.failed++
	}
	if s.Succeeded {
		b.ok++
	}
	if !s.At.IsZero() && s.Class != Mention {
		if b.first.IsZero() || s.At.Before(b.first) {
			b.first = s.At
		}
		if s.At.After(b.last) {
			b.last = s.At
		}
	}
	switch s.Class {
	case Mention:
		b.mentions++
	case Start:
		b.mark(&b.starts, s.At, s.Shape)
	case Effect:
		b.mark(&b.effects, s.At, s.Shape)
	case End:
		b.mark(&b.ends, s.At, s.Shape)
	case Whole:
		b.span = true
		b.mark(&b.starts, s.At, s.Shape)
		b.mark(&b.ends, s.Until, s.Shape)
		if s.Until.After(b.last) {
			b.last = s.Until
		}
	}
}

func fill(field *string, value string) {
	if *field == "" && value != "" {
		*field = strings.Clone(value)
	}
}

// mark notes a time. The same time twice is one line that was shipped or kept
// twice: rotated files overlap and log shippers repeat themselves.
func (b *body) mark(list *[]stamp, at time.Time, shape uint32) {
	switch {
	case !at.IsZero() && slices.ContainsFunc(*list, func(have stamp) bool { return have.at.Equal(at) }):
	case len(*list) >= maxTimes:
		b.overflow = true
	default:
		*list = append(*list, stamp{at, shape})
	}
}

func addForeign(list []foreign, s *Sighting) []foreign {
	for i := range list {
		if f := &list[i]; f.instance == s.Instance && f.body == s.Body && (s.Body != "" || s.Class == Mention) {
			f.lines++
			if s.Class > f.class {
				f.class = s.Class
			}
			return list
		}
	}
	if len(list) >= maxForeign {
		return list
	}
	return append(list, foreign{instance: strings.Clone(s.Instance), body: strings.Clone(s.Body), activity: strings.Clone(s.Activity), at: s.At, class: s.Class, lines: 1})
}

// count is how many bodies the record stands for at least. Without an id of its
// own, a body is a start, or an end whose start was not seen.
func (b *body) count() int {
	if b.own {
		if len(b.starts)+len(b.ends)+len(b.effects) == 0 {
			return 0 // mentions only
		}
		return 1
	}
	return max(most(b.starts), most(b.ends))
}

// most is the number of stamps of the shape that has most.
func most(list []stamp) int {
	n, top := map[uint32]int{}, 0
	for _, s := range list {
		n[s.shape]++
		top = max(top, n[s.shape])
	}
	return top
}

// startless reports a body that acted or ended and never began: the source lacks
// a line, or never says that bodies begin.
func (b *body) startless() bool {
	return len(b.starts) < most(b.ends) || len(b.starts) == 0 && len(b.effects) > 0
}

// tally counts the bodies of one call. Those that the application told apart,
// those of statements without such an id, and those of a tracer may be the same
// ones seen thrice, so the largest of the three numbers is the count.
type tally struct {
	own, spans            int
	acted                 int // own bodies with an effect
	starts, ends, effects map[uint32]int
}

func newTally() tally {
	return tally{starts: map[uint32]int{}, ends: map[uint32]int{}, effects: map[uint32]int{}}
}

func (t *tally) add(b *body) {
	switch {
	case b.span && b.own:
		t.spans += b.count()
	case b.own:
		t.own += b.count()
		t.acted += min(1, len(b.effects)) // several effects in one body are different ones
	default:
		for _, x := range [...]struct {
			in   map[uint32]int
			list []stamp
		}{{t.starts, b.starts}, {t.ends, b.ends}, {t.effects, b.effects}} {
			for _, s := range x.list {
				x.in[s.shape]++
			}
		}
	}
}

// loose is the number of bodies by the statements without an id of a body, and
// which shape of start lines says so (0: the ends do).
func (t *tally) loose() (n int, shape uint32) {
	for s, c := range t.starts {
		if c > n || c == n && s < shape {
			n, shape = c, s
		}
	}
	for _, c := range t.ends {
		if c > n {
			n, shape = c, 0
		}
	}
	return n, shape
}

func (t *tally) bodies() int {
	loose, _ := t.loose()
	return max(t.own, loose, t.spans)
}

func (t *tally) effect() int {
	n := t.acted
	for _, c := range t.effects {
		n = max(n, c)
	}
	return n
}
