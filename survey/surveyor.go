package survey

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Config is what holds for the surveys of one source.
type Config struct {
	// Dir holds the index and, for each source, the engine's file.
	Dir    string
	Source history.Source
	// Database is where the index is instead of in Dir: the connection string of a
	// PostgreSQL that several processes share. Never printed.
	Database string
	// Hub leads to the engine that several processes share, when it is first needed;
	// nil: the workflow runs in this process. A shared engine needs a shared index.
	Hub func() (grpc.ClientConnInterface, error)
	// Width is how many partitions are read at once at most; 0: 16.
	Width int
	Log   Log
	// ReadsPerSecond bounds the runs read in a second; 0 takes what is safe for the
	// kind of source, below 0 is no bound.
	ReadsPerSecond float64
	// Concurrency is how many runs are read at once where they are read one by one;
	// 0: 4.
	Concurrency int
	// Keep is how long runs are kept after their creation, and surveys after their
	// end; 0: for ever.
	Keep time.Duration
	Now  func() time.Time

	// Page and PageTime bound one step of a survey, LockTime how long a killed
	// process holds one up. Partition is how many runs a partition has at least; on
	// an engine in this process, which works on one at a time, there is one for all
	// of the source. 0 takes the default.
	// RetryTime is the wait before an activity that failed runs again, at first.
	Page      int
	Partition int
	PageTime  time.Duration
	LockTime  time.Duration
	RetryTime time.Duration
}

// Surveyor makes and reads surveys of one source. It is safe for use by several
// goroutines. Nothing is opened before it is needed.
type Surveyor struct {
	config Config
	source history.Source
	limit  *rate.Limiter

	open    sync.Mutex
	index   *Index
	id      string // of the source
	place   string // of the source, as it is shown
	ordered bool
	busy    chan struct{} // full while an activity is worked on

	engines sync.Mutex
	engine  *engine
}

// New makes a Surveyor.
func New(c Config) *Surveyor {
	c.Concurrency = cmp.Or(c.Concurrency, 4)
	c.Page = cmp.Or(c.Page, 50_000)
	c.PageTime = cmp.Or(c.PageTime, 5*time.Second)
	c.LockTime = cmp.Or(c.LockTime, lockTime)
	c.RetryTime = cmp.Or(c.RetryTime, time.Second)
	c.Width = cmp.Or(c.Width, 16)
	if c.Hub != nil {
		c.Partition = cmp.Or(c.Partition, sharedPartition)
	}
	if c.Now == nil {
		c.Now = time.Now //nolint:forbidigo // the default of a caller that gives none
	}
	return &Surveyor{config: c, source: c.Source, limit: rate.NewLimiter(rate.Inf, 1), busy: make(chan struct{}, 1)}
}

// sharedPartition is how many runs a partition has where workers share them: some
// seconds of work.
const sharedPartition = 16_384

// Shared reports whether the engine is one that several processes share. Only an
// operator starts a survey on it.
func (v *Surveyor) Shared() bool { return v.config.Hub != nil }

// ready opens the index and asks the source who it is, once.
func (v *Surveyor) ready(ctx context.Context) error {
	v.open.Lock()
	defer v.open.Unlock()
	if v.index != nil {
		return nil
	}
	d := v.source.Describe(ctx)
	if d.Name == "none" {
		return d.Problem
	}
	if strings.Contains(d.Where, "standard input") {
		return &fault.Error{Kind: fault.Unsupported, What: "survey standard input", Means: "it can be read only once", Do: "Name the files"}
	}
	index, err := v.openIndex(ctx)
	if err != nil {
		return err
	}
	v.index, v.ordered = index, d.Ordered
	v.id, v.place = identify(d)
	v.limit.SetLimit(perSecond(v.config.ReadsPerSecond, d))
	return nil
}

func (v *Surveyor) openIndex(ctx context.Context) (*Index, error) {
	switch {
	case v.config.Database != "":
		return OpenSharedIndex(ctx, v.config.Database)
	case v.config.Hub != nil:
		return nil, &fault.Error{Kind: fault.Config, What: "a shared engine needs a shared index", Means: "each worker would write to a file of its own", Do: "Set survey.index to the PostgreSQL that all of them use"}
	}
	return OpenIndex(ctx, filepath.Join(v.config.Dir, "index.sqlite"))
}

// identify names a source so that its surveys are found again: by what it is and
// where. Relative paths are those of the working directory.
func identify(d history.Description) (id, place string) {
	where := d.Where
	if d.Name == "file" && !filepath.IsAbs(where) {
		if dir, err := os.Getwd(); err == nil {
			where = dir + "/" + where
		}
	}
	place = d.Name + " " + d.Where
	if p := cmp.Or(d.Project.Name, d.Project.UID); p != "" {
		place += ", project " + p
	}
	return digest(9, d.Name, where, d.Project.Name, d.Project.UID), place
}

// perSecond is the bound on reads: gentle where somebody else's service answers.
func perSecond(asked float64, d history.Description) rate.Limit {
	switch {
	case asked > 0:
		return rate.Limit(asked)
	case asked < 0:
		return rate.Inf
	}
	switch d.Name {
	case "catalyst":
		return 5
	case "sidecar":
		return 100
	}
	return rate.Inf
}

// Start makes sure that a survey of this scope is under way, and returns it: one
// that was interrupted goes on. In process the work is done here; on a shared engine
// workers do it. begun tells a new one.
func (v *Surveyor) Start(ctx context.Context, sc Scope) (s Survey, begun bool, err error) {
	if err := v.ready(ctx); err != nil {
		return s, false, err
	}
	if d := v.source.Describe(ctx); d.Problem != nil {
		return s, false, d.Problem
	}
	if s, begun, err = v.index.begin(ctx, v.id, v.place, sc, v.config.Now()); err != nil {
		return s, false, err
	}
	v.engines.Lock()
	defer v.engines.Unlock()
	if v.engine == nil {
		if v.engine, err = v.openEngine(ctx); err != nil {
			return s, false, err
		}
		ended, err := v.index.ended(ctx, v.id)
		if err != nil {
			return s, false, err
		}
		for _, e := range ended {
			v.engine.purge(ctx, e.id, e.parts)
		}
	}
	return s, begun, v.engine.begin(ctx, s, v.config.Width)
}

func (v *Surveyor) openEngine(ctx context.Context) (*engine, error) {
	if v.config.Hub != nil {
		return v.sharedEngine()
	}
	return v.startLocal(ctx, filepath.Join(v.config.Dir, v.id, "engine.sqlite"))
}

// LastScope is that of the latest survey that ended.
func (v *Surveyor) LastScope(ctx context.Context) (Scope, error) {
	if err := v.ready(ctx); err != nil {
		return Scope{}, err
	}
	s, err := v.index.last(ctx, v.id)
	return s.Scope, err
}

// Survey returns a survey of this source by id; the latest when id is empty.
func (v *Surveyor) Survey(ctx context.Context, id string) (Survey, error) {
	if err := v.ready(ctx); err != nil {
		return Survey{}, err
	}
	s, err := v.index.Survey(ctx, v.id, id)
	if err != nil || s.State != Running || s.Listed > 0 {
		return s, err
	}
	if prev, ok, err := v.index.previous(ctx, s); err == nil && ok {
		s.Listed = prev.Seen // a guess while nothing is counted: as many as last time
	}
	return s, nil
}

// Index is what surveys know.
func (v *Surveyor) Index(ctx context.Context) (*Index, error) {
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	return v.index, nil
}

// Cancel ends a survey; what it has read stays. A survey that no process works on
// ends here.
func (v *Surveyor) Cancel(ctx context.Context, id string) error {
	s, err := v.Survey(ctx, id)
	if err != nil {
		return err
	}
	if err := v.index.Cancel(ctx, s.ID); err != nil {
		return err
	}
	if v.config.Now().Sub(s.Moved) < 3*v.config.PageTime {
		return nil // whoever works on it ends it
	}
	return v.index.finish(ctx, s, ending{State: Cancelled}, 0, v.config.Now())
}

// end is the last activity of a survey.
func (v *Surveyor) end(ctx context.Context, at plan) (plan, error) {
	end := ending{State: Done}
	switch {
	case at.Stopped:
		end.State = Cancelled
	case at.Failed != "":
		end = ending{State: Failed, Reason: at.Failed}
	}
	return at, v.index.finish(ctx, at.survey(), end, v.config.Keep, v.config.Now())
}

// Wait calls tell now and then until a survey has ended, and returns it.
func (v *Surveyor) Wait(ctx context.Context, id string, tell func(Survey)) (Survey, error) {
	tick := time.NewTicker(v.config.PageTime / 50)
	defer tick.Stop()
	for failed := 0; ; {
		s, err := v.Survey(ctx, id)
		if failed++; err != nil {
			// A shared index may be away for a moment.
			if fault.KindOf(err) != fault.Unreachable || failed > 200 {
				return s, err
			}
			s.State = Running
		} else {
			failed = 0
			tell(s)
		}
		if s.State != Running {
			return s, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
}

// Close stops the engine and closes the files. A survey under way can be gone on
// with by the next Start.
func (v *Surveyor) Close(ctx context.Context) error {
	v.engines.Lock()
	defer v.engines.Unlock()
	if v.engine != nil {
		if err := v.engine.close(ctx); err != nil {
			return err
		}
		v.engine = nil
	}
	v.open.Lock()
	defer v.open.Unlock()
	if v.index == nil {
		return nil
	}
	err := v.index.Close()
	v.index = nil
	return err
}
