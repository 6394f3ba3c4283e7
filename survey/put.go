package survey

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// Rows of one statement: a statement costs more than a row, and a database bounds
// its parameters.
const (
	runsAtOnce    = 50
	talliesAtOnce = 40
	callsAtOnce   = 100
	idsAtOnce     = 500
)

// writer writes runs in a transaction.
type writer struct {
	tx      *sql.Tx
	survey  Survey
	changed bool // what is known of some run is other than it was
}

// put writes the runs of a batch, and last of all that a stretch is complete.
func (w *writer) put(ctx context.Context, b *batch) error {
	runs := &rows{tx: w.tx, head: insertRun, tail: upsertRun, size: runsAtOnce}
	tallies := &rows{tx: w.tx, head: insertTally(), tail: oneTally, size: talliesAtOnce}
	calls := &rows{tx: w.tx, head: insertCall, tail: oneCall, size: callsAtOnce}
	defer runs.close()
	defer tallies.close()
	defer calls.close()
	for rest := b.records; len(rest) > 0; {
		n := apart(rest)
		if err := w.putRuns(ctx, rest[:n], runs, tallies, calls); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if err := errors.Join(tallies.flush(ctx), calls.flush(ctx)); err != nil {
		return err
	}
	for ids := range slices.Chunk(b.unchanged, idsAtOnce) {
		if err := w.execIn(ctx, touchKnown, ids, w.survey.Seq, b.stretch, b.stretch, w.survey.Seq); err != nil {
			return err
		}
	}
	for ids := range slices.Chunk(b.passed, idsAtOnce) {
		if err := w.execIn(ctx, `UPDATE stretches SET seen = ? WHERE seen <= ? AND id IN `, ids, w.survey.Seq, w.survey.Seq); err != nil {
			return err
		}
	}
	if b.seal != nil {
		if err := w.seal(ctx, b.seal); err != nil {
			return err
		}
	}
	return nil
}

// apart is how many records, of which no two are of one life, can be written at once.
func apart(records []record) int {
	met := make(map[known]bool, runsAtOnce)
	for i := range records {
		if met[records[i].known] || i == runsAtOnce {
			return i
		}
		met[records[i].known] = true
	}
	return len(records)
}

func (w *writer) putRuns(ctx context.Context, records []record, runs, tallies, calls *rows) error {
	for i := range records {
		r := &records[i]
		runs.add(r.place, r.life, w.survey.Source, r.ref.Location, r.ref.App, r.ref.Instance, r.ref.Execution, r.generation, r.length, reader, r.workflow,
			r.status, r.created, r.repeats, int(r.shape), r.missing, r.mark, r.stretch, w.survey.Seq, 0)
	}
	ids, err := runs.returning(ctx)
	if err != nil {
		return err
	}
	if all := make([]int64, 0, len(ids)); len(ids) > 0 {
		for _, id := range ids {
			all = append(all, id)
		}
		w.changed = true
		if err := errors.Join(w.execIn(ctx, `DELETE FROM tallies WHERE run IN `, all), w.execIn(ctx, `DELETE FROM calls WHERE run IN `, all)); err != nil {
			return err
		}
	}
	for i := range records {
		r := &records[i]
		id, put := ids[r.known]
		if !put { // the index has it so, or longer
			if _, err := w.tx.ExecContext(ctx, touchRun, w.survey.Seq, r.stretch, r.mark, r.mark, r.place, r.life, w.survey.Seq); err != nil {
				return err
			}
			continue
		}
		for j := range r.tallies {
			t := &r.tallies[j]
			tallies.add(id, t.Activity)
			for _, n := range tallyCounts(t) {
				tallies.args = append(tallies.args, *n)
			}
			tallies.args = append(tallies.args, t.LongestGap.Milliseconds(), millis(t.LastSeen), millis(t.LastRepeat))
			if err := tallies.full(ctx); err != nil {
				return err
			}
		}
		for _, c := range r.calls {
			calls.add(id, c.call, c.activity, c.attempts, c.kinds, c.first, c.last)
			if err := calls.full(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// seal notes that a stretch is complete, if it is: a run may have been linked to
// another meanwhile.
func (w *writer) seal(ctx context.Context, s *seal) error {
	var linked int
	if err := w.tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM runs WHERE stretch = ?`, s.id).Scan(&linked); err != nil || linked != s.runs {
		return err
	}
	sc := w.survey.Scope
	_, err := w.tx.ExecContext(ctx, `INSERT INTO stretches (id, source, app, workflow, created_from, created_to, reader, signature, runs, unended, repeats, seen)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		s.id, w.survey.Source, sc.App, sc.Workflow, millis(sc.From), millis(sc.To), reader, s.signature, s.runs, s.unended, s.repeats, w.survey.Seq)
	return err
}

// execIn runs a statement that ends in a list of ids.
func (w *writer) execIn(ctx context.Context, text string, ids []int64, args ...any) error {
	for _, id := range ids {
		args = append(args, id)
	}
	_, err := w.tx.ExecContext(ctx, text+list(len(ids)), args...)
	return err
}

// list is the parameters of n values in brackets.
func list(n int) string { return "(?" + strings.Repeat(", ?", n-1) + ")" }

// rows inserts many rows by few statements.
type rows struct {
	tx         *sql.Tx
	head, tail string
	size       int
	stmt       *sql.Stmt // for so many
	args       []any
	n          int
}

func (r *rows) add(values ...any) {
	r.n++
	r.args = append(r.args, values...)
}

// text is the statement for the rows that were added.
func (r *rows) text() string {
	one := list(len(r.args) / r.n)
	return r.head + one + strings.Repeat(", "+one, r.n-1) + r.tail
}

// full writes the rows when there are enough for a statement.
func (r *rows) full(ctx context.Context) (err error) {
	if r.n < r.size {
		return nil
	}
	if r.stmt == nil {
		if r.stmt, err = r.tx.PrepareContext(ctx, r.text()); err != nil {
			return err
		}
	}
	_, err = r.stmt.ExecContext(ctx, r.args...)
	r.args, r.n = r.args[:0], 0
	return err
}

// flush writes the rows that are left.
func (r *rows) flush(ctx context.Context) error {
	if r.n == 0 {
		return nil
	}
	_, err := r.tx.ExecContext(ctx, r.text(), r.args...)
	r.args, r.n = r.args[:0], 0
	return err
}

// returning writes the rows and returns the ids of those that were changed.
func (r *rows) returning(ctx context.Context) (ids map[known]int64, err error) {
	if r.n == r.size && r.stmt == nil {
		if r.stmt, err = r.tx.PrepareContext(ctx, r.text()); err != nil {
			return nil, err
		}
	}
	var got *sql.Rows
	if r.n == r.size {
		got, err = r.stmt.QueryContext(ctx, r.args...)
	} else {
		got, err = r.tx.QueryContext(ctx, r.text(), r.args...)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, got.Close()) }()
	ids = make(map[known]int64, r.n)
	r.args, r.n = r.args[:0], 0
	for got.Next() {
		var k known
		var id int64
		if err := got.Scan(&id, &k.place, &k.life); err != nil {
			return nil, err
		}
		ids[k] = id
	}
	return ids, got.Err()
}

func (r *rows) close() {
	if r.stmt != nil {
		_ = r.stmt.Close() // the transaction would
	}
}
