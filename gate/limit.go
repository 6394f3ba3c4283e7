package gate

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound what one principal may do. Zero values take the defaults.
type Limits struct {
	// PerMinute is how many requests a principal may make, with a burst of half of
	// it. 0: 300.
	PerMinute int
	// Concurrent is how many of them may run at once. 0: 8.
	Concurrent int
	// Time bounds one request. 0: two minutes.
	Time time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.PerMinute == 0 {
		l.PerMinute = 300
	}
	if l.Concurrent == 0 {
		l.Concurrent = 8
	}
	if l.Time == 0 {
		l.Time = 2 * time.Minute
	}
	return l
}

// maxPrincipals bounds how many principals are remembered at once; those idle
// the longest are forgotten first, which gives them a fresh allowance.
const maxPrincipals = 10_000

// limiter keeps the allowance of every principal.
type limiter struct {
	Limits
	now func() time.Time

	mu sync.Mutex
	by map[Principal]*allowance
}

type allowance struct {
	rate    *rate.Limiter
	running int
	last    time.Time
}

func newLimiter(l Limits, now func() time.Time) *limiter {
	return &limiter{Limits: l.withDefaults(), now: now, by: map[Principal]*allowance{}}
}

// enter admits one request of p, or says how long to wait. done must be called
// when an admitted request has ended.
func (l *limiter) enter(p Principal) (done func(), wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := l.by[p]
	if a == nil {
		l.makeRoom()
		a = &allowance{rate: rate.NewLimiter(rate.Limit(float64(l.PerMinute)/60), max(1, l.PerMinute/2))}
		l.by[p] = a
	}
	a.last = now
	if a.running >= l.Concurrent {
		return nil, time.Second
	}
	if r := a.rate.ReserveN(now, 1); r.DelayFrom(now) > 0 {
		wait = r.DelayFrom(now)
		r.CancelAt(now)
		return nil, wait
	}
	a.running++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		a.running--
	}, 0
}

// makeRoom forgets the principal that is idle the longest when there are too
// many.
func (l *limiter) makeRoom() {
	if len(l.by) < maxPrincipals {
		return
	}
	var oldest Principal
	found := false
	for p, a := range l.by {
		if a.running == 0 && (!found || a.last.Before(l.by[oldest].last)) {
			oldest, found = p, true
		}
	}
	if found {
		delete(l.by, oldest)
	}
}
