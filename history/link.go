package history

import "github.com/idem-mcp/idem-mcp/internal/clean"

// The rules that link the attempts of one call, tried in the order of how much
// the events say: a shared id, a timer that names the first attempt, a repeated
// event id, and last the pattern of failure, timer and same call.

// linker links attempts of activities or of child runs into chains.
type linker struct {
	r        *reading
	attempts []Attempt
	child    bool
	next     []int // position of the following attempt of the call, -1
	prev     []int
	tailByID map[string]int // activities: id -> last attempt that carries it
	byTurn   map[int32][]int
	used     map[int]bool     // timers already used for a link
	byName   map[string][]int // timers without a recorded origin, by name
	failures map[turnName]int
}

// turnName keys what happened to one activity, or one id, in one turn.
type turnName struct {
	turn int32
	name string
}

func (r *reading) link(attempts []Attempt, child bool) []Call {
	l := &linker{r: r, attempts: attempts, child: child, byTurn: map[int32][]int{}, used: map[int]bool{}, tailByID: map[string]int{}}
	l.next, l.prev = make([]int, len(attempts)), make([]int, len(attempts))
	for i := range attempts {
		l.next[i], l.prev[i] = -1, -1
		l.byTurn[attempts[i].Turn] = append(l.byTurn[attempts[i].Turn], i)
	}
	l.byName = map[string][]int{}
	for _, t := range r.timers {
		if ev := &r.ev[t]; ev.Name != "" && ev.Origin.Kind == OriginUnknown {
			l.byName[ev.Name] = append(l.byName[ev.Name], t)
		}
	}
	if child {
		l.linkRetryParent()
	} else {
		l.linkIDs()
	}
	l.linkOrigins()
	if !child {
		l.linkEventIDs()
	}
	l.linkPattern()
	return l.chains()
}

func (l *linker) join(a, b int, rule LinkRule, timer int, ambiguous bool) {
	l.next[a], l.prev[b] = b, a
	l.attempts[b].LinkedBy, l.attempts[b].Timer, l.attempts[b].Ambiguous = rule, timer, ambiguous
}

func (l *linker) sched(i int) *Event { return &l.r.ev[l.attempts[i].Scheduled] }

// linkIDs is rule 1: attempts of one activity that share a task execution id.
// An attempt after a completed one is another call that reused the id.
func (l *linker) linkIDs() {
	for i := range l.attempts {
		a := &l.attempts[i]
		for _, id := range l.idsOf(a) {
			p, ok := l.tailByID[id]
			if ok && p != i && l.next[p] < 0 && l.prev[i] < 0 && !l.r.completed(&l.attempts[p]) && l.sched(p).Name == l.sched(i).Name && l.attempts[p].Copy == a.Copy {
				l.join(p, i, LinkExecutionID, l.r.timerNaming(a, &l.attempts[p]), false)
			}
		}
		for _, id := range l.idsOf(a) {
			l.tailByID[id] = i
		}
	}
}

func (l *linker) idsOf(a *Attempt) []string {
	var ids []string
	if id := l.r.ev[a.Scheduled].TaskExecutionID; id != "" {
		ids = append(ids, id)
	}
	if a.Result >= 0 {
		if id := l.r.ev[a.Result].TaskExecutionID; id != "" && (len(ids) == 0 || ids[0] != id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// linkRetryParent links children by retryParentInstanceInfo.
func (l *linker) linkRetryParent() {
	for i := range l.attempts {
		of := l.sched(i).RetryOf
		for p := i - 1; of != "" && p >= 0; p-- {
			if l.sched(p).Instance == of && l.next[p] < 0 {
				l.join(p, i, LinkChildOrigin, -1, false)
				break
			}
		}
	}
}

// timerNaming returns the retry timer that was set for attempt p and names it or
// the attempt that followed, -1 when none does.
func (r *reading) timerNaming(next, p *Attempt) int {
	if p.ResultTurn < 0 {
		return -1
	}
	for _, t := range r.byTurn[p.ResultTurn] {
		o := r.ev[t].Origin
		if o.Kind == OriginActivityRetry && (r.hasID(p, o.Ref) || r.hasID(next, o.Ref)) {
			return t
		}
	}
	return -1
}

// linkOrigins is rule 2 (and 5 for children): the timer's origin names the
// first attempt, which also links SDKs whose id changes with every attempt. The
// timer is created when the workflow's code awaits the failed call, which can be
// turns after the failure arrived. A child's origin without an id (some SDKs, and
// shapes that do not name the children) only counts in the failure's own turn.
func (l *linker) linkOrigins() {
	want, rule := OriginActivityRetry, LinkTimerOrigin
	if l.child {
		want, rule = OriginChildRetry, LinkChildOrigin
	}
	nameless := l.child
	for i := range l.attempts {
		nameless = nameless && l.sched(i).Instance == ""
	}
	byID, byTurn := map[string][]int{}, map[int32][]int{}
	for _, t := range l.r.timers {
		o := l.r.ev[t].Origin
		if o.Kind != want {
			continue
		}
		if id := o.Ref; id != "" && !nameless {
			byID[id] = append(byID[id], t)
		} else if l.child {
			byTurn[l.r.turn[t]] = append(byTurn[l.r.turn[t]], t)
		}
	}
	for i := range l.attempts {
		if l.next[i] >= 0 || !l.r.failed(&l.attempts[i]) {
			continue
		}
		for _, id := range l.chainIDs(i) {
			if l.linkNamed(i, byID[id], rule) {
				break
			}
		}
		if l.next[i] < 0 {
			l.linkNamed(i, byTurn[l.attempts[i].ResultTurn], rule)
		}
	}
}

func (l *linker) linkNamed(i int, candidates []int, rule LinkRule) bool {
	for _, t := range candidates {
		if l.used[t] || l.r.turn[t] < l.attempts[i].ResultTurn {
			continue
		}
		if b, ambiguous := l.followTimer(t, i, 0); b >= 0 {
			l.join(i, b, rule, t, ambiguous)
			l.used[t] = true
			return true
		}
	}
	return false
}

// chainIDs lists the ids by which a timer can name the chain that attempt i
// ends, the first attempt's first.
func (l *linker) chainIDs(i int) []string {
	first := i
	for l.prev[first] >= 0 {
		first = l.prev[first]
	}
	if l.child {
		return []string{l.sched(first).Instance, l.sched(i).Instance}
	}
	return append(l.idsOf(&l.attempts[first]), l.idsOf(&l.attempts[i])...)
}

// maxTimerHops bounds how many timers one delay may be split into (SDKs split
// delays over three days).
const maxTimerHops = 64

// followTimer returns the unlinked attempt that was scheduled in the turn in
// which timer t fired and calls what attempt i called, following a delay that
// was split over several timers.
func (l *linker) followTimer(t, i, hops int) (next int, ambiguous bool) {
	fired, ok := l.r.fired[l.r.ev[t].ID]
	if !ok || hops > maxTimerHops {
		return -1, false
	}
	turn := l.r.turn[fired]
	if b, amb := l.candidate(turn, fired, i); b >= 0 {
		return b, amb
	}
	for _, t2 := range l.r.byTurn[turn] {
		if turn >= 0 && t2 > t && l.r.ev[t2].Origin == l.r.ev[t].Origin && l.r.ev[t2].Name == l.r.ev[t].Name && !l.used[t2] {
			if b, amb := l.followTimer(t2, i, hops+1); b >= 0 {
				l.used[t2] = true
				return b, amb
			}
		}
	}
	return -1, false
}

// candidate finds the attempt of the given turn that continues attempt i. Of
// several it takes the one with an equal input, else the first.
func (l *linker) candidate(turn int32, after, i int) (best int, ambiguous bool) {
	best = -1
	pool := l.byTurn[turn]
	known := false
	for _, b := range pool {
		if b == i || l.prev[b] >= 0 || l.attempts[b].Copy != l.attempts[i].Copy || l.attempts[b].Scheduled < l.attempts[i].Scheduled {
			continue
		}
		if turn < 0 && l.attempts[b].Scheduled < after {
			continue // without turns: the next schedule after the timer fired
		}
		same, inputs := sameTarget(l.sched(i), l.sched(b))
		if !same {
			continue
		}
		if best < 0 || inputs == Equal && !known {
			ambiguous = best >= 0 && inputs != Equal
			best, known = b, inputs == Equal
		} else {
			ambiguous = true
		}
		if turn < 0 {
			break
		}
	}
	return best, ambiguous
}

// linkEventIDs is rule 4: the same event id again with a timer between.
func (l *linker) linkEventIDs() {
	last := map[int32]int{}
	for i := range l.attempts {
		id := l.sched(i).ID
		if p, ok := last[id]; ok && id != NoID && l.next[p] < 0 && l.prev[i] < 0 && l.r.failed(&l.attempts[p]) && l.sched(p).Name == l.sched(i).Name &&
			l.r.timerBetween(l.attempts[p].Scheduled, l.attempts[i].Scheduled) {
			l.join(p, i, LinkEventID, -1, false)
		}
		last[id] = i
	}
}

func (r *reading) timerBetween(a, b int) bool {
	for _, t := range r.timers {
		if t > a && t < b {
			return true
		}
	}
	return false
}

// linkPattern is rule 3 and hand_loop: a failure, a timer created in the turn
// that consumed it, and the same call in the turn that the timer woke. Without
// a timer only an input known to be equal makes it a loop.
func (l *linker) linkPattern() {
	for i := range l.attempts {
		if l.next[i] >= 0 || !l.r.failed(&l.attempts[i]) || l.attempts[i].Copy {
			continue
		}
		turn := l.attempts[i].ResultTurn
		if turn < 0 {
			continue // no turns: a pattern would be a guess
		}
		if l.linkByTimer(i, turn) || l.child {
			continue
		}
		b, amb := l.candidate(turn, l.attempts[i].Result, i)
		if b < 0 {
			continue
		}
		if _, inputs := sameTarget(l.sched(i), l.sched(b)); inputs == Equal {
			l.join(i, b, LinkHandLoop, -1, amb)
		}
	}
}

// linkByTimer tries the timers named after the call, which may be set turns
// after the failure arrived, then the others of the failure's own turn.
func (l *linker) linkByTimer(i int, turn int32) bool {
	retryName := l.sched(i).Name + "-retry"
	return l.linkFirst(i, l.byName[retryName], retryName) || l.linkFirst(i, l.r.byTurn[turn], retryName)
}

func (l *linker) linkFirst(i int, timers []int, retryName string) bool {
	for _, t := range timers {
		ev := &l.r.ev[t]
		if l.used[t] || l.r.turn[t] < l.attempts[i].ResultTurn || t < l.attempts[i].Scheduled && l.attempts[i].Result > l.attempts[i].Scheduled {
			continue
		}
		rule := l.patternRule(ev, retryName)
		if rule == LinkNone {
			continue
		}
		if b, amb := l.followTimer(t, i, 0); b >= 0 {
			l.join(i, b, rule, t, amb || l.rivals(i))
			l.used[t] = true
			return true
		}
	}
	return false
}

// patternRule says which rule a plain timer supports: a retry policy where
// origins are not recorded, a loop in the workflow's code where the timer is
// recorded or named as an ordinary one.
func (l *linker) patternRule(timer *Event, retryName string) LinkRule {
	inferred := LinkTimerInferred
	if l.child {
		inferred = LinkChildInferred
	}
	switch {
	case timer.Origin.Kind == OriginCreateTimer && !l.child:
		return LinkHandLoop
	case timer.Origin.Kind != OriginUnknown:
		return LinkNone
	case timer.Name == "" || timer.Name == retryName:
		return inferred
	case !l.child:
		return LinkHandLoop
	}
	return LinkNone
}

// rivals reports whether another failure of the same activity was consumed in
// the same turn, so that the pairing is one of several.
func (l *linker) rivals(i int) bool {
	if l.failures == nil {
		l.failures = map[turnName]int{}
		for j := range l.attempts {
			if l.r.failed(&l.attempts[j]) {
				l.failures[turnName{l.attempts[j].ResultTurn, l.sched(j).Name}]++
			}
		}
	}
	return l.failures[turnName{l.attempts[i].ResultTurn, l.sched(i).Name}] > 1
}

// chains turns the links into calls, in the order of their first attempts.
func (l *linker) chains() []Call {
	var calls []Call
	taken := map[string]bool{}
	for i := range l.attempts {
		if l.prev[i] >= 0 {
			continue
		}
		c := Call{Activity: clean.Line(l.sched(i).Name, maxName), Inputs: Equal}
		c.Key = callKey(c.Activity, l.sched(i).ID, taken)
		for p := i; p >= 0; p = l.next[p] {
			a := l.attempts[p]
			c.HandLoop = c.HandLoop || a.LinkedBy == LinkHandLoop
			if p != i {
				if _, eq := sameTarget(l.sched(i), l.sched(p)); eq != Equal && c.Inputs != Different {
					c.Inputs = eq
				}
				if l.sched(i).Payload.Compare(l.sched(p).Payload) == Different {
					c.Inputs = Different
				}
			}
			c.Attempts = append(c.Attempts, a)
		}
		calls = append(calls, c)
	}
	return calls
}
