package catalyst

import (
	"sync"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// runKey names one life of one run. Project and app are part of it; Execution
// tells two lives of an instance id apart, Updated a run that went on.
type runKey struct {
	project       history.Project
	app, instance string
	execution     string
	updated       int64
}

func keyOf(h history.Header) runKey {
	return runKey{h.Ref.Project, h.Ref.App, h.Ref.Instance, h.Ref.Execution, h.Updated.UnixNano()}
}

// runCache keeps finished runs, whose history cannot change, within a bound of
// bytes; the oldest go first. Only runs with an execution id and a last update
// are kept. Safe for concurrent use.
type runCache struct {
	mu    sync.Mutex
	max   int64
	used  int64
	runs  map[runKey]cachedRun
	order []runKey
}

type cachedRun struct {
	run   *history.Run
	bytes int64
}

func newRunCache(max int64) *runCache { return &runCache{max: max, runs: map[runKey]cachedRun{}} }

// get returns a copy of the header and the shared events, which nobody changes.
func (c *runCache) get(k runKey) (*history.Run, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.runs[k]
	if !ok {
		return nil, false
	}
	run := *e.run
	return &run, true
}

func (c *runCache) put(run *history.Run, bytes int64) {
	if !run.Status.Ended() || run.Ref.Execution == "" || run.Updated.IsZero() || run.Coverage.Partial() || bytes > c.max/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := keyOf(run.Header)
	if _, ok := c.runs[k]; ok {
		return
	}
	for c.used+bytes > c.max && len(c.order) > 0 {
		c.used -= c.runs[c.order[0]].bytes
		delete(c.runs, c.order[0])
		c.order = c.order[1:]
	}
	kept := *run
	c.runs[k] = cachedRun{&kept, bytes}
	c.order = append(c.order, k)
	c.used += bytes
}

// clear forgets everything: runs that were served with payloads before the
// level was lowered.
func (c *runCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs, c.order, c.used = map[runKey]cachedRun{}, nil, 0
}

// listed remembers what the last listings said of runs, so that a run named by
// its id alone finds its app, and a finished run its cache entry. A row is
// believed for listedFor, the time in which a reader goes from a list to a run.
type listed struct {
	now  func() time.Time
	mu   sync.Mutex
	rows map[string]listedRow // by instance id
}

type listedRow struct {
	header history.Header
	at     time.Time
	twice  bool // several apps or lives carry this id
}

const (
	listedFor = time.Minute
	maxListed = 20_000
)

func newListed(now func() time.Time) *listed {
	return &listed{now: now, rows: map[string]listedRow{}}
}

func (l *listed) put(h history.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rows) >= maxListed {
		clear(l.rows)
	}
	old, ok := l.rows[h.Ref.Instance]
	now := l.now()
	twice := ok && now.Sub(old.at) < listedFor && (old.twice || old.header.Ref.App != h.Ref.App)
	l.rows[h.Ref.Instance] = listedRow{header: h, at: now, twice: twice}
}

// get returns the one row with this id that was listed lately.
func (l *listed) get(instance string) (history.Header, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.rows[instance]
	return r.header, ok && !r.twice && l.now().Sub(r.at) < listedFor
}
