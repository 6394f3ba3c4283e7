package survey

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// chunk is how many runs are analyzed and written together.
const chunk = 500

// page reads runs from a position on until there are none left, enough were read,
// or its time is over, and returns the position after them.
func (v *Surveyor) page(ctx context.Context, at position) (position, error) {
	stopping, err := v.index.stopping(ctx, at.Survey)
	if err != nil {
		return at, err
	}
	if stopping {
		at.End, at.Stopped = true, true
		return at, nil
	}
	p := &pager{v: v, survey: at.survey(), at: at, began: v.config.Now(), before: at.Busy}
	p.at.Pages++
	if v.ordered {
		err = p.ordered(ctx)
	} else {
		err = p.fromList(ctx)
	}
	if errors.Is(err, errCancelled) {
		p.at.End, p.at.Stopped, err = true, true, nil
	}
	return p.at, err
}

// pager is one page being read.
type pager struct {
	v      *Surveyor
	survey Survey
	at     position
	began  time.Time
	before time.Duration
	runs   int
	list   lister  // of the source's marks
	passed []int64 // stretches that are as they were, not yet noted
}

// full reports whether the page has had its share.
func (p *pager) full() bool {
	return p.runs >= p.v.config.Page || p.v.config.Now().Sub(p.began) >= p.v.config.PageTime
}

// ordered reads a source whose listing goes on from a cursor: stretches of runs,
// read in bulk, or one by one where most are unchanged.
func (p *pager) ordered(ctx context.Context) error {
	stamped, ok := p.v.source.(history.Stamper)
	if !ok || !stamped.CanStamp() {
		return p.bulk(ctx, "", nil)
	}
	if p.at.Fresh { // each run comes with its mark, and there is nothing to compare with
		return p.bulk(ctx, "", &open{id: p.stretchAt(), sign: &signature{}})
	}
	defer p.list.close()
	for !p.full() && !p.at.End {
		st, err := p.stretch(ctx, stamped)
		if err != nil {
			return err
		}
		if st.count == 0 {
			p.at.End = true
			return p.note(ctx, &batch{})
		}
		if err := p.follow(ctx, st); err != nil {
			return err
		}
		if (st.end || p.ends(st.last)) && p.at.Cursor == st.last {
			p.at.End = true
		}
	}
	return p.note(ctx, &batch{})
}

// ends reports whether the partition ends with the run at a cursor.
func (p *pager) ends(cursor string) bool {
	return cursor != "" && (cursor == p.at.Last || slices.Contains(p.at.Beyond, cursor))
}

// bulk reads from the cursor to the run called last ("": the end of the source). o
// is the stretch it reads, nil where there are none.
func (p *pager) bulk(ctx context.Context, last string, o *open) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := p.survey.Scope.filter()
	if o != nil { // its last run may be out of scope, and must be met all the same
		f = history.Filter{App: f.App}
	}
	f.Cursor = p.at.Cursor
	ready := make(chan loaded, 1)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(ready)
		return p.load(ctx, f, last, o, ready)
	})
	g.Go(func() error {
		for l := range ready {
			if err := p.advance(ctx, l); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// loaded is a chunk that was read and analyzed, and where to go on after it.
type loaded struct {
	batch
	runs   []met
	passed int64 // unchanged runs of a stretch that is as it was
	cursor string
	end    bool // of the source
}

// met is a run that was read, with the mark it had then and the stretch it is of.
type met struct {
	run     *history.Run
	mark    string
	stretch int64
}

// load reads chunks and analyzes each on every processor while the next is read.
func (p *pager) load(ctx context.Context, f history.Filter, last string, o *open, ready chan<- loaded) error {
	l := loaded{cursor: f.Cursor}
	scope := p.survey.Scope.filter()
	hand := func(end, cut bool) error {
		l.end = end
		if err := p.analyze(ctx, &l); err != nil {
			return err
		}
		o.count(l.records)
		if end || cut {
			l.seal = o.close()
		}
		select {
		case ready <- l:
		case <-ctx.Done():
			return ctx.Err()
		}
		l = loaded{cursor: l.cursor}
		return nil
	}
	for run, err := range p.v.histories(ctx, f) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			l.unread = append(l.unread, history.Skipped{What: clean.Line(skipped.What, 300), Why: clean.Line(skipped.Why, 300), NoRun: skipped.NoRun})
			o.blind()
			// A run that cannot be read is named by its cursor; it may be the last.
			if ends := p.ends(skipped.What); ends || skipped.What == last && last != "" {
				l.cursor = skipped.What
				return hand(ends, true)
			}
			continue
		case err != nil:
			return err
		}
		if err := p.v.limit.Wait(ctx); err != nil {
			return err
		}
		l.cursor = run.Ref.Cursor()
		cut := false
		if run.Ref.App != OwnApp {
			var m met
			if m, cut = p.meet(o, run, last == ""); scope.Match(run.Header) {
				l.runs = append(l.runs, m)
			}
		}
		p.runs++
		ends := p.ends(l.cursor)
		over := ends || l.cursor == last
		if last == "" { // a stretch is read whole
			over = ends || (cut || o == nil) && p.full()
		}
		cut = cut || over
		if len(l.runs) < chunk && !cut {
			continue
		}
		if err := hand(ends, cut); err != nil || over {
			return err
		}
		if cut {
			o.begin(p.stretchBehind(l.cursor))
		}
	}
	return hand(true, true)
}

// analyze makes records of the runs, which are then let go.
func (p *pager) analyze(ctx context.Context, l *loaded) error {
	l.records = make([]record, len(l.runs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const share = 50
	for from := 0; from < len(l.runs); from += share {
		g.Go(func() error {
			for i := from; i < min(from+share, len(l.runs)); i++ {
				l.records[i] = recordOf(p.survey.Source, &l.runs[i])
			}
			return ctx.Err()
		})
	}
	err := g.Wait()
	l.runs = nil
	return err
}

// advance writes a chunk and moves on; it ends the page when the survey was cancelled.
func (p *pager) advance(ctx context.Context, l loaded) error {
	p.at.Cursor = l.cursor
	p.at.Seen += int64(len(l.records)+len(l.unchanged)) + l.passed
	p.at.Reads += int64(len(l.records))
	for i := range l.records {
		p.at.Repeats += int64(l.records[i].repeats)
	}
	if l.end {
		p.at.End = true
	}
	return p.note(ctx, &l.batch)
}

// errCancelled ends a page early: the survey was cancelled.
var errCancelled = errors.New("the survey was cancelled")

// note puts a batch and the position after it into the index.
func (p *pager) note(ctx context.Context, b *batch) error {
	now := p.v.config.Now()
	p.at.Busy = p.before + now.Sub(p.began)
	b.passed, p.passed = p.passed, nil
	if err := p.v.index.upsert(ctx, p.survey, b, p.at, now); err != nil {
		return err
	}
	stopping, err := p.v.index.stopping(ctx, p.survey.ID)
	if err == nil && stopping && !p.at.End {
		return errCancelled
	}
	return err
}

// histories iterates over whole runs: in bulk where the source can.
func (v *Surveyor) histories(ctx context.Context, f history.Filter) iter.Seq2[*history.Run, error] {
	if bulk, ok := v.source.(history.BulkSource); ok {
		return bulk.Histories(ctx, f)
	}
	return func(yield func(*history.Run, error) bool) {
		for h, err := range v.source.Runs(ctx, f) {
			var run *history.Run
			if err == nil {
				run, err = v.source.Run(ctx, h.Ref)
				if err != nil {
					err = passable(h.Ref, err)
				}
			}
			if !yield(run, err) {
				return
			}
		}
	}
}

// passable turns what went wrong with one run into something passed over, unless
// it would go wrong with every run.
func passable(ref history.Ref, err error) error {
	switch fault.KindOf(err) {
	case fault.NotFound:
		return &history.Skipped{What: "run " + clean.Line(ref.Instance, 200), Why: "it was purged while the survey went on", NoRun: true}
	case fault.TooLarge, fault.Damaged, fault.Withheld:
		return &history.Skipped{What: "run " + clean.Line(ref.Instance, 200), Why: err.Error()}
	}
	return err
}
