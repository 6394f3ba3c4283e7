package outside

import (
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// JoinRule names how a body was joined to a call. The rules are tried in this
// order and the first that holds wins.
type JoinRule string

// The rules.
const (
	ByExecution JoinRule = "task_execution_id"
	ByTask      JoinRule = "instance_activity_scheduled_id" // within the run's life
	ByTime      JoinRule = "instance_activity_time"         // within the run's life, and one call only fits
	ByKey       JoinRule = "business_key"                   // the key of a body joined by another rule, same instance id
)

// Why a body that carries a run's id is counted for none of its calls.
const (
	notOurs    = "another life or generation of the instance id"
	outOfLife  = "before the run began or after it ended"
	severalFit = "more than one call fits"
	noneFits   = "no recorded call fits"
	untimed    = "no time in the line"
)

// placed is a body with the call it belongs to.
type placed struct {
	b    *body
	rule JoinRule
}

// settledRun is what the bodies of one run came to.
type settledRun struct {
	run      *runDigest
	n        int32
	calls    [][]placed
	unplaced map[string]int // why -> bodies
	doubtful []bool         // by call: an unplaced body could be its
	doubts   int            // unplaced bodies that could be of a call
	lines    int
	offset   offset
}

// offset is how far the log's clock is ahead of the history's: between lo and
// hi, when known.
type offset struct {
	lo, hi time.Duration
	known  bool
}

// settle places the bodies of every run.
func (x *Index) settle() []settledRun {
	byRun := map[int32][]*body{}
	for _, b := range x.floating { // one that several runs could have run is nobody's
		if n, ok := x.land(b); ok {
			byRun[n] = append(byRun[n], b)
		}
	}
	out := make([]settledRun, 0, len(x.runs))
	for i, r := range x.runs {
		n := int32(i)
		bodies := byRun[n]
		lives := 1
		if in := x.instances[r.ref.Instance]; in != nil {
			for _, b := range in.bodies {
				bodies = append(bodies, b)
			}
			lives = x.lives(in)
		}
		out = append(out, x.settleRun(r, n, bodies, lives))
	}
	return out
}

// lives counts the different lives among the runs with one instance id.
func (x *Index) lives(in *instance) int {
	seen := map[string]bool{}
	for _, n := range in.runs {
		seen[x.runs[n].ref.Execution] = true
	}
	return len(seen)
}

// land decides whose a body is that is known only by an execution id which
// several runs share: the run in whose life it began, if that is one.
func (x *Index) land(b *body) (int32, bool) {
	found, hits := int32(-1), 0
	seen := map[int32]bool{}
	for _, ref := range x.execs[b.exec] {
		r := x.runs[ref.run]
		if seen[ref.run] || r.calls[ref.call].copy {
			continue
		}
		seen[ref.run] = true
		if len(x.execs[b.exec]) == 1 || !b.first.IsZero() && !b.first.Before(r.start) && (r.end.IsZero() || !b.first.After(r.end)) {
			found = ref.run
			hits++
		}
	}
	return found, hits == 1
}

func (x *Index) settleRun(r *runDigest, n int32, bodies []*body, lives int) settledRun {
	s := settledRun{run: r, n: n, calls: make([][]placed, len(r.calls)), doubtful: make([]bool, len(r.calls)), unplaced: map[string]int{}}
	var rest []*body
	for _, b := range bodies {
		s.lines += b.lines
		call, ours, why := x.byExecution(n, b)
		switch {
		case call >= 0:
			s.calls[call] = append(s.calls[call], placed{b, ByExecution})
		case ours:
			s.leave(b, why)
		default:
			rest = append(rest, b)
		}
	}
	s.offset = s.measure()
	var loose []*body
	why := map[*body]string{}
	for _, b := range rest {
		call, rule, reason := s.byWindow(b, lives, x.skew())
		if call >= 0 {
			s.calls[call] = append(s.calls[call], placed{b, rule})
			continue
		}
		why[b] = reason
		loose = append(loose, b)
	}
	keys := s.keyed()
	for _, b := range loose {
		if call, ok := keys[b.key]; ok && b.key != "" && call >= 0 {
			s.calls[call] = append(s.calls[call], placed{b, ByKey})
			continue
		}
		s.leave(b, why[b])
	}
	for _, list := range s.calls {
		slices.SortFunc(list, func(p, q placed) int {
			if c := p.b.first.Compare(q.b.first); c != 0 {
				return c
			}
			return strings.Compare(p.b.exec+p.b.host, q.b.exec+q.b.host)
		})
	}
	return s
}

func (x *Index) skew() time.Duration {
	if x.Skew <= 0 {
		return DefaultSkew
	}
	return x.Skew
}

// leave counts a body for no call, and doubts the counts of those it could be of.
func (s *settledRun) leave(b *body, why string) {
	n := b.count()
	if n == 0 {
		return // mentions say nothing of bodies
	}
	s.unplaced[why] += n
	doubt := false
	for i := range s.run.calls {
		if c := &s.run.calls[i]; why != notOurs && c.fits(b) {
			s.doubtful[i], doubt = true, true
		}
	}
	if doubt {
		s.doubts += n
	}
}

// fits reports whether a body could be of the call, by what both say.
func (c *callDigest) fits(b *body) bool {
	if b.activity != "" && !strings.EqualFold(b.activity, c.activity) {
		return false
	}
	return b.task == history.NoID || slices.Contains(c.ids, b.task)
}

// byExecution joins on the task execution id. ours is false when the id says
// nothing about this run.
func (x *Index) byExecution(n int32, b *body) (call int, ours bool, why string) {
	if b.exec == "" {
		return -1, false, ""
	}
	var mine []int
	other := false
	for _, ref := range x.execs[b.exec] {
		switch {
		case ref.run == n:
			mine = append(mine, int(ref.call))
		case x.runs[ref.run].ref.Instance == x.runs[n].ref.Instance && x.runs[ref.run].ref.Execution != x.runs[n].ref.Execution:
			other = true
		}
	}
	if len(mine) > 1 { // one id on several calls of a run
		r := x.runs[n]
		mine = slices.DeleteFunc(mine, func(c int) bool { return !r.calls[c].fits(b) })
	}
	switch {
	case len(mine) == 1:
		return mine[0], true, ""
	case len(mine) > 1:
		return -1, true, severalFit
	case other:
		return -1, true, notOurs
	}
	return -1, false, ""
}

// byWindow joins on the instance id with the activity, and the scheduled id
// where the line has one, for a body that began within the run's life. Its
// execution id, if any, is in no event: a lost commit leaves such, and so do
// other generations.
func (s *settledRun) byWindow(b *body, lives int, skew time.Duration) (call int, rule JoinRule, why string) {
	if b.first.IsZero() {
		return -1, "", untimed
	}
	if !s.inLife(b.first, lives, skew) {
		return -1, "", outOfLife
	}
	if b.exec != "" && s.run.generation > 1 && !s.offset.known {
		return -1, "", notOurs // nothing tells a lost commit from an earlier generation
	}
	var fit []int
	for i := range s.run.calls {
		if c := &s.run.calls[i]; !c.copy && c.fits(b) && (b.activity != "" || b.task != history.NoID) {
			fit = append(fit, i)
		}
	}
	rule = ByTime
	if b.task != history.NoID {
		rule = ByTask
	} else if len(fit) > 1 {
		fit = slices.DeleteFunc(fit, func(i int) bool { return !s.during(&s.run.calls[i], b, skew) })
	}
	switch len(fit) {
	case 0:
		return -1, "", noneFits
	case 1:
		return fit[0], rule, ""
	}
	return -1, "", severalFit
}

// during reports whether a body began between a call's first schedule and last
// result, give or take the clocks.
func (s *settledRun) during(c *callDigest, b *body, skew time.Duration) bool {
	lo, hi := -skew, skew
	if s.offset.known {
		lo, hi = s.offset.lo, s.offset.hi
	}
	return !b.first.Add(-lo).Before(c.first) && (c.last.IsZero() || !b.first.Add(-hi).After(c.last))
}

// inLife reports whether a body that the log dates at began while the run lived.
// Where the clock's offset was measured, it must have. Where it was not, the
// allowed skew is granted only if the instance id is known to have lived once.
func (s *settledRun) inLife(at time.Time, lives int, skew time.Duration) bool {
	early, late := at, at
	switch {
	case s.offset.known:
		early, late = at.Add(-s.offset.hi), at.Add(-s.offset.lo)
	case s.run.generation == 1 && lives == 1:
		early, late = at.Add(skew), at.Add(-skew)
	}
	if s.run.start.IsZero() || early.Before(s.run.start) {
		return false
	}
	return s.run.end.IsZero() || !late.After(s.run.end)
}

// measure bounds the offset of the log's clock by the bodies that an execution
// id joined: a body begins after its call is scheduled, and the first to end
// ends before the call's last result. Contradicting bounds mean several clocks.
func (s *settledRun) measure() offset {
	var o offset
	haveLo, haveHi := false, false
	for i, list := range s.calls {
		c := &s.run.calls[i]
		if c.copy || c.marked || c.first.IsZero() {
			continue
		}
		var ended time.Time
		for _, p := range list {
			if at := earliest(p.b.starts); at != nil {
				if d := at.Sub(c.first); !haveHi || d < o.hi {
					o.hi, haveHi = d, true
				}
			}
			if e := earliest(p.b.ends); e != nil && (ended.IsZero() || e.Before(ended)) {
				ended = *e
			}
		}
		if !ended.IsZero() && !c.last.IsZero() {
			if d := ended.Sub(c.last); !haveLo || d > o.lo {
				o.lo, haveLo = d, true
			}
		}
	}
	o.known = haveLo && haveHi && o.lo <= o.hi
	return o
}

// keyed maps the business keys of placed bodies to their call; -1 for a key
// that several calls use.
func (s *settledRun) keyed() map[string]int {
	keys := map[string]int{}
	for i, list := range s.calls {
		for _, p := range list {
			if p.b.key == "" {
				continue
			}
			if have, ok := keys[p.b.key]; ok && have != i {
				keys[p.b.key] = -1
			} else {
				keys[p.b.key] = i
			}
		}
	}
	return keys
}
