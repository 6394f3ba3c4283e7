package survey

import (
	"context"
	"database/sql"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// stretchLength is how many runs are looked up in the index at a time, before any
// of them is read.
const stretchLength = 10_000

// stretch is a part of a source whose runs carry marks.
type stretch struct {
	refs    []history.Ref     // new, or other than the index has them
	marks   map[string]string // by cursor
	lives   []string          // of the runs that are as the index has them
	repeats int64             // of those
	last    string            // cursor of the last run
	count   int
	end     bool // of the source
}

// stretch lists the next runs and asks the index which of them it knows.
func (p *pager) stretch(ctx context.Context, source history.Stamper) (*stretch, error) {
	st := &stretch{marks: map[string]string{}, end: true}
	f := p.survey.Scope.filter()
	f.Cursor = p.at.Cursor
	for m, err := range source.Stamps(ctx, f) {
		if err != nil {
			return nil, err
		}
		st.count++
		st.last = m.Ref.Cursor()
		if m.Ref.App != OwnApp {
			if err := p.know(ctx, st, m); err != nil {
				return nil, err
			}
		}
		if st.count == min(stretchLength, p.v.config.Page) {
			st.end = false
			break
		}
	}
	return st, nil
}

// know files a run under what is known or what has to be read.
func (p *pager) know(ctx context.Context, st *stretch, m history.Stamp) error {
	life, repeats, err := p.v.index.unchanged(ctx, placeOf(p.survey.Source, m.Ref), m.Mark)
	if err != nil {
		return err
	}
	if life != "" {
		st.lives = append(st.lives, life)
		st.repeats += repeats
		return nil
	}
	st.refs = append(st.refs, m.Ref)
	st.marks[m.Ref.Cursor()] = m.Mark
	return nil
}

// unchanged returns the life that has this mark at a place, "" when none has.
func (x *Index) unchanged(ctx context.Context, place, mark string) (life string, repeats int64, err error) {
	if mark == "" {
		return "", 0, nil
	}
	// Lives begin with their place; "~" sorts behind every character of theirs.
	err = x.db.QueryRowContext(ctx, `SELECT life, repeats FROM runs WHERE life >= ? AND life < ? AND mark = ? AND reader = ? AND gone = 0 ORDER BY seen DESC LIMIT 1`, place, place+"~", mark, reader).Scan(&life, &repeats)
	if errors.Is(err, sql.ErrNoRows) {
		return "", 0, nil
	}
	return life, repeats, indexFault("read", err)
}

// follow brings the index up to date with a stretch and moves behind it.
func (p *pager) follow(ctx context.Context, st *stretch) error {
	if len(st.refs) > st.count/2 {
		before := p.at
		err := p.bulk(ctx, st.last, st.marks)
		if err == nil && p.at.Cursor == before.Cursor && !p.full() {
			p.at.Cursor = st.last // all of it was purged since it was listed
		}
		return err
	}
	l := loaded{cursor: st.last}
	l.unchanged = st.lives
	p.at.Repeats += st.repeats
	p.runs += st.count
	if err := p.each(ctx, &l, st); err != nil {
		return err
	}
	return p.advance(ctx, l)
}

// each reads the runs of a stretch that have changed, several at a time.
func (p *pager) each(ctx context.Context, l *loaded, st *stretch) error {
	type got struct {
		run *history.Run
		err error
	}
	for from := 0; from < len(st.refs); from += chunk {
		refs := st.refs[from:min(from+chunk, len(st.refs))]
		results := make([]got, len(refs))
		g, each := errgroup.WithContext(ctx)
		g.SetLimit(p.v.config.Concurrency)
		for i, ref := range refs {
			g.Go(func() error {
				if err := p.v.limit.Wait(each); err != nil {
					return err
				}
				run, err := p.v.source.Run(each, ref)
				var skipped *history.Skipped
				if err != nil && !errors.As(passable(ref, err), &skipped) {
					return err
				}
				results[i] = got{run, err}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		part := loaded{}
		scope := p.survey.Scope.filter()
		for i, r := range results {
			var skipped *history.Skipped
			switch {
			case r.err != nil && errors.As(passable(refs[i], r.err), &skipped):
				part.unread = append(part.unread, history.Skipped{What: skipped.What, Why: clean.Line(skipped.Why, 300), NoRun: skipped.NoRun})
			case r.run != nil && scope.Match(r.run.Header):
				part.runs, part.marks = append(part.runs, r.run), append(part.marks, st.marks[refs[i].Cursor()])
			}
		}
		if err := p.analyze(ctx, &part); err != nil {
			return err
		}
		l.records, l.unread = append(l.records, part.records...), append(l.unread, part.unread...)
	}
	return nil
}
