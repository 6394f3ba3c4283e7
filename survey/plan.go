package survey

import (
	"context"
	"database/sql"
	"errors"

	"github.com/idem-mcp/idem-mcp/history"
)

// planAtOnce is how many partitions one step plans at most: they stand in the
// workflow's input.
const planAtOnce = 32

// plan divides the next piece of the source into partitions. Planning goes on while
// partitions are read, so that neither it nor the workflow's history grows with the
// source. What it returns hangs on its input and the source, and it changes nothing
// but how many runs are expected.
func (v *Surveyor) plan(ctx context.Context, at plan) (plan, error) {
	at.Parts = nil
	stopping, err := v.index.stopping(ctx, at.Survey)
	if err != nil {
		return at, err
	}
	if stopping {
		at.Stopped = true
		return at, nil
	}
	stamped, ok := v.source.(history.Stamper)
	switch {
	case v.config.Partition <= 0 || v.ordered && (!ok || !stamped.CanStamp()):
		at.cut("") // nothing to divide by, or nobody to share with
	case v.ordered:
		err = v.planSource(ctx, stamped, &at)
	default:
		err = v.planList(ctx, &at)
	}
	for i := range at.Parts {
		for _, next := range at.Parts[i+1 : min(i+3, len(at.Parts))] {
			if next.Last != "" {
				at.Parts[i].Beyond = append(at.Parts[i].Beyond, next.Last)
			}
		}
	}
	return at, err
}

// cut ends a partition behind a run; with no run it is the last one.
func (p *plan) cut(last string) {
	p.Planned++
	p.Parts = append(p.Parts, partition{Number: p.Planned, After: p.Cursor, Last: last})
	p.Cursor, p.Whole = last, last == ""
}

// planSource walks the list of a source and cuts it into partitions of whole
// stretches.
func (v *Surveyor) planSource(ctx context.Context, source history.Stamper, at *plan) error {
	began := v.config.Now()
	f := at.Scope.filter()
	f.Cursor = at.Cursor
	length := 0
	var c cutter
	for m, err := range source.Stamps(ctx, f) {
		if err != nil {
			return err
		}
		length++
		at.Listed++
		ends := c.after(placeOf(at.Source, m.Ref))
		if v.config.Partition < cutMost { // smaller than stretches may be: few runs, shared all the same
			ends = true
		}
		if !ends || length < v.config.Partition {
			continue
		}
		at.cut(m.Ref.Cursor())
		if length = 0; len(at.Parts) == planAtOnce || v.config.Now().Sub(began) >= v.config.PageTime {
			return v.expect(ctx, at)
		}
	}
	at.cut("")
	return v.expect(ctx, at)
}

// planList divides what was listed into the index.
func (v *Surveyor) planList(ctx context.Context, at *plan) error {
	for len(at.Parts) < planAtOnce {
		last, err := v.index.listedAfter(ctx, at.Survey, at.Cursor, v.config.Partition)
		if err != nil {
			return err
		}
		if at.cut(last); last == "" {
			return nil
		}
	}
	return nil
}

// listedAfter returns the place so many listed runs behind another; "" when fewer
// are left.
func (x *Index) listedAfter(ctx context.Context, survey, after string, count int) (place string, err error) {
	err = x.db.QueryRowContext(ctx, `SELECT place FROM listed WHERE survey = ? AND place > ? ORDER BY place LIMIT 1 OFFSET ?`, survey, after, count-1).Scan(&place)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return place, indexFault("read", err)
}

// expect tells how many runs there are to read, once all are counted.
func (v *Surveyor) expect(ctx context.Context, at *plan) error {
	if !at.Whole {
		return nil
	}
	return v.index.upsert(ctx, at.survey(), &batch{}, position{about: at.about, Pages: 1, Listed: at.Listed}, v.config.Now())
}
