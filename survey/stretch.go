package survey

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// How many runs are listed before any of them is read: many where all are new, as
// each new start of a bulk reading costs something; fewer where each is looked up.
const (
	freshStretch = 5_000
	knownStretch = 2_000
	lookUp       = 250 // runs looked up by one query
)

// stretch is a part of a source whose runs carry marks.
type stretch struct {
	refs    []history.Ref     // new, or other than the index has them
	marks   map[string]string // by cursor
	known   []known           // the runs that are as the index has them
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
	length := knownStretch
	if p.at.Fresh {
		length = freshStretch
	}
	var part []history.Stamp
	for m, err := range source.Stamps(ctx, f) {
		if err != nil {
			return nil, err
		}
		st.count++
		st.last = m.Ref.Cursor()
		if m.Ref.App != OwnApp {
			part = append(part, m)
		}
		if len(part) == lookUp {
			if err := p.sort(ctx, st, part); err != nil {
				return nil, err
			}
			part = part[:0]
		}
		if p.ends(st.last) || st.count == min(length, p.v.config.Page) {
			st.end = false
			break
		}
	}
	return st, p.sort(ctx, st, part)
}

// sort files runs under what is known and what has to be read.
func (p *pager) sort(ctx context.Context, st *stretch, part []history.Stamp) error {
	have := map[string]lookedUp{}
	if !p.at.Fresh {
		marks := make(map[string]string, len(part))
		for _, m := range part {
			marks[placeOf(p.survey.Source, m.Ref)] = m.Mark
		}
		var err error
		if have, err = p.v.index.unchanged(ctx, marks); err != nil {
			return err
		}
	}
	for _, m := range part {
		place := placeOf(p.survey.Source, m.Ref)
		if k, ok := have[place]; ok {
			st.known = append(st.known, known{place, k.life})
			st.repeats += k.repeats
			continue
		}
		st.refs = append(st.refs, m.Ref)
		st.marks[m.Ref.Cursor()] = m.Mark
	}
	return nil
}

// lookedUp is what the index has of a place.
type lookedUp struct {
	life    string
	repeats int64
}

// unchanged returns the places whose mark is the one given.
func (x *Index) unchanged(ctx context.Context, marks map[string]string) (out map[string]lookedUp, err error) {
	out = map[string]lookedUp{}
	args := []any{reader}
	for place, mark := range marks {
		if mark != "" {
			args = append(args, place)
		}
	}
	if len(args) == 1 {
		return out, nil
	}
	rows, err := x.db.QueryContext(ctx, `SELECT place, life, mark, repeats FROM runs WHERE reader = ? AND gone = 0 AND place IN (?`+strings.Repeat(`, ?`, len(args)-2)+`)`, args...)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var place, mark string
		var l lookedUp
		if err := rows.Scan(&place, &l.life, &mark, &l.repeats); err != nil {
			return nil, indexFault("read", err)
		}
		if mark == marks[place] {
			out[place] = l
		}
	}
	return out, indexFault("read", rows.Err())
}

// follow brings the index up to date with a stretch and moves behind it.
func (p *pager) follow(ctx context.Context, st *stretch) error {
	if len(st.refs) > st.count/2 {
		return p.bulk(ctx, st.last, st.marks)
	}
	l := loaded{cursor: st.last}
	l.unchanged = st.known
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
