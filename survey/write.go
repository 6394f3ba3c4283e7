package survey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// batch is what is written in one transaction.
type batch struct {
	records   []record
	unchanged []known // as the index has them
	unread    []history.Skipped
	listed    []listedRun
}

// The upsert is conditional: of two writes of one life the longer history stays,
// in whatever order and however often they come, and an equal one changes nothing.
const upsertRun = `INSERT INTO runs (place, life, source, location, app, run, execution, generation, length, reader, workflow, status, created, repeats, shape, missing, mark, seen, gone)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
	ON CONFLICT (place, life) DO UPDATE SET length = excluded.length, reader = excluded.reader, workflow = excluded.workflow, status = excluded.status, created = excluded.created,
		repeats = excluded.repeats, shape = excluded.shape, missing = excluded.missing, mark = excluded.mark, seen = excluded.seen, gone = 0
	WHERE excluded.reader > runs.reader OR excluded.reader = runs.reader AND (excluded.length > runs.length
		OR excluded.length = runs.length AND (excluded.status <> runs.status OR excluded.missing <> runs.missing))
	RETURNING id`

// touchRun notes that a life is still there.
const touchRun = `UPDATE runs SET seen = ?, gone = 0, mark = CASE WHEN ? = '' THEN mark ELSE ? END WHERE place = ? AND life = ? AND seen <= ?`

// upsertPart notes how far a partition is. A step that runs again lets the numbers
// stand until it is further.
const upsertPart = `INSERT INTO parts (survey, part, after_run, last_run, moved, busy, pages, listed, seen, reads, repeats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (survey, part) DO UPDATE SET moved = excluded.moved, busy = excluded.busy, pages = excluded.pages, listed = excluded.listed, seen = excluded.seen,
		reads = excluded.reads, repeats = excluded.repeats
	WHERE excluded.pages > parts.pages OR excluded.pages = parts.pages AND excluded.listed >= parts.listed AND excluded.seen >= parts.seen`

const insertCall = `INSERT INTO calls (run, call, activity, attempts, kinds, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, call) DO NOTHING`

const insertUnread = `INSERT INTO unread (survey, what, why, damaged) VALUES (?, ?, ?, ?) ON CONFLICT (survey, what) DO NOTHING`

func insertTally() string {
	columns := append(tallyColumns(), tallyPeaks()...)
	return fmt.Sprintf(`INSERT INTO tallies (run, activity, %s) VALUES (?, ?%s) ON CONFLICT (run, activity) DO NOTHING`, strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)))
}

// upsert puts a batch into the index, and how far the survey has come with it:
// absolute numbers, so that telling them twice changes nothing.
func (x *Index) upsert(ctx context.Context, survey Survey, b *batch, at position, now time.Time) error {
	err := x.change(ctx, func(tx *sql.Tx) error {
		w, err := prepare(ctx, tx, survey)
		if err != nil {
			return err
		}
		for i := range b.records {
			if err := w.putRun(ctx, &b.records[i]); err != nil {
				return err
			}
		}
		for _, k := range b.unchanged {
			if _, err := w.touch.ExecContext(ctx, survey.Seq, "", "", k.place, k.life, survey.Seq); err != nil {
				return err
			}
		}
		for _, u := range b.unread {
			if _, err := tx.ExecContext(ctx, insertUnread, survey.ID, u.What, u.Why, flag(!u.NoRun)); err != nil {
				return err
			}
		}
		if err := putListed(ctx, tx, survey.ID, b.listed); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, upsertPart, at.Survey, at.Number, at.After, at.Last, millis(now), at.Busy.Milliseconds(), at.Pages, at.Listed, at.Seen, at.Reads, at.Repeats)
		return err
	})
	return indexFault("write to", err)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// writer holds a transaction's statements, which end with it.
type writer struct {
	survey                                                         Survey
	upsert, touch, dropTallies, dropCalls, insertTally, insertCall *sql.Stmt
}

func prepare(ctx context.Context, tx *sql.Tx, s Survey) (*writer, error) {
	w := &writer{survey: s}
	for _, p := range [...]struct {
		to   **sql.Stmt
		text string
	}{
		{&w.upsert, upsertRun}, {&w.touch, touchRun}, {&w.insertTally, insertTally()}, {&w.insertCall, insertCall},
		{&w.dropTallies, `DELETE FROM tallies WHERE run = ?`}, {&w.dropCalls, `DELETE FROM calls WHERE run = ?`},
	} {
		var err error
		if *p.to, err = tx.PrepareContext(ctx, p.text); err != nil { //nolint:sqlclosecheck // the transaction closes it
			return nil, err
		}
	}
	return w, nil
}

func (w *writer) putRun(ctx context.Context, r *record) error {
	var id int64
	err := w.upsert.QueryRowContext(ctx, r.place, r.life, w.survey.Source, r.ref.Location, r.ref.App, r.ref.Instance, r.ref.Execution, r.generation, r.length, reader, r.workflow,
		r.status, r.created, r.repeats, int(r.shape), r.missing, r.mark, w.survey.Seq).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) { // the index has it so, or longer
		_, err = w.touch.ExecContext(ctx, w.survey.Seq, r.mark, r.mark, r.place, r.life, w.survey.Seq)
		return err
	}
	if err != nil {
		return err
	}
	if _, err := w.dropTallies.ExecContext(ctx, id); err != nil {
		return err
	}
	if _, err := w.dropCalls.ExecContext(ctx, id); err != nil {
		return err
	}
	for i := range r.tallies {
		t := &r.tallies[i]
		args := []any{id, t.Activity}
		for _, n := range tallyCounts(t) {
			args = append(args, *n)
		}
		args = append(args, t.LongestGap.Milliseconds(), millis(t.LastSeen), millis(t.LastRepeat))
		if _, err := w.insertTally.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	for _, c := range r.calls {
		if _, err := w.insertCall.ExecContext(ctx, id, c.call, c.activity, c.attempts, c.kinds, c.first, c.last); err != nil {
			return err
		}
	}
	return nil
}
