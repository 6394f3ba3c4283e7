package survey

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Some sources list all that comes before a cursor again (a sidecar, Catalyst), so
// their list is taken once, into the index, and its runs are then read from there.

// list takes the list of a source that needs it.
func (v *Surveyor) list(ctx context.Context, at plan) (plan, error) {
	var err error
	if at.Fresh, err = v.index.empty(ctx, at.Source); err != nil {
		return at, err
	}
	at.Ready = true
	if v.ordered {
		return at, nil
	}
	p := &pager{v: v, survey: at.survey(), at: position{about: at.about, Pages: 1}, began: v.config.Now()}
	if err := p.takeList(ctx); err != nil && !errors.Is(err, errCancelled) {
		return at, err
	}
	at.Listed = p.at.Listed
	return at, nil
}

func (p *pager) takeList(ctx context.Context) error {
	var b batch
	var part []history.Header
	write := func() error {
		if err := p.look(ctx, &b, part); err != nil {
			return err
		}
		err := p.note(ctx, &b)
		b, part = batch{}, part[:0]
		return err
	}
	for h, err := range p.v.source.Runs(ctx, p.survey.Scope.filter()) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			b.unread = append(b.unread, history.Skipped{What: clean.Line(skipped.What, 300), Why: clean.Line(skipped.Why, 300), NoRun: skipped.NoRun})
			continue
		case err != nil:
			return err
		case h.Ref.App == OwnApp:
			continue
		}
		if part = append(part, h); len(part) == lookUp {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return write()
}

// look files listed runs under what is known and what has to be read.
func (p *pager) look(ctx context.Context, b *batch, part []history.Header) error {
	marks := make(map[string]string, len(part))
	for _, h := range part {
		marks[placeOf(p.survey.Source, h.Ref)] = markOf(h)
	}
	have, err := p.v.index.unchanged(ctx, marks)
	if err != nil {
		return err
	}
	for _, h := range part {
		p.at.Listed++
		place := placeOf(p.survey.Source, h.Ref)
		if k, ok := have[place]; ok {
			b.unchanged = append(b.unchanged, k.id)
			p.at.Seen++
			p.at.Repeats += k.repeats
			continue
		}
		b.listed = append(b.listed, listedRun{place, h.Ref, marks[place]})
	}
	return nil
}

// empty reports whether the index has no run of a source.
func (x *Index) empty(ctx context.Context, source string) (bool, error) {
	var n int
	err := x.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM runs WHERE source = ? LIMIT 1) q`, source).Scan(&n)
	return n == 0, indexFault("read", err)
}

// markOf tells a change by what a listing shows: only of a run that has ended, and
// only where the listing says when it was last written to.
func markOf(h history.Header) string {
	if !h.Status.Ended() || h.Updated.IsZero() {
		return ""
	}
	return h.Status.String() + " " + h.Updated.Format("2006-01-02T15:04:05.999999999Z07:00")
}

type listedRun struct {
	place string
	ref   history.Ref
	mark  string
}

const insertListed = `INSERT INTO listed (survey, place, ref, mark) VALUES (?, ?, ?, ?) ON CONFLICT (survey, place) DO NOTHING`

func putListed(ctx context.Context, tx *sql.Tx, survey string, runs []listedRun) error {
	for _, l := range runs {
		ref, err := json.Marshal(l.ref)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, insertListed, survey, l.place, string(ref), l.mark); err != nil {
			return err
		}
	}
	return nil
}

// nextListed returns the listed runs behind a place, up to another ("": the end),
// so many at most.
func (x *Index) nextListed(ctx context.Context, survey, after, last string, limit int) (out []listedRun, err error) {
	query, args := `SELECT place, ref, mark FROM listed WHERE survey = ? AND place > ?`, []any{survey, after}
	if last != "" {
		query, args = query+` AND place <= ?`, append(args, last)
	}
	rows, err := x.db.QueryContext(ctx, query+` ORDER BY place LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var l listedRun
		var ref string
		if err := rows.Scan(&l.place, &ref, &l.mark); err != nil {
			return nil, indexFault("read", err)
		}
		if err := json.Unmarshal([]byte(ref), &l.ref); err != nil {
			return nil, indexFault("read", err)
		}
		out = append(out, l)
	}
	return out, indexFault("read", rows.Err())
}

// fromList reads the listed runs behind the cursor, which is a place here. Few at
// a time, so that a slow source is seen to move.
func (p *pager) fromList(ctx context.Context) error {
	limit := max(p.v.config.Concurrency*4, 16)
	for !p.full() {
		next, err := p.v.index.nextListed(ctx, p.survey.ID, p.at.Cursor, p.at.Last, limit)
		if err != nil {
			return err
		}
		if len(next) == 0 {
			p.at.End = true
			return p.note(ctx, &batch{})
		}
		o := &open{marks: map[string]string{}}
		var refs []history.Ref
		for _, l := range next {
			refs = append(refs, l.ref)
			o.marks[l.ref.Cursor()] = l.mark
		}
		l := loaded{cursor: next[len(next)-1].place}
		p.runs += len(next)
		if err := p.each(ctx, &l, o, refs); err != nil {
			return err
		}
		if err := p.advance(ctx, l); err != nil {
			return err
		}
	}
	return nil
}
