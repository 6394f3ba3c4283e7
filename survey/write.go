package survey

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// batch is what is written in one transaction.
type batch struct {
	records   []record
	unchanged []int64 // runs as the index has them
	stretch   int64   // to which those are linked; 0: as they were
	passed    []int64 // stretches as the index has them
	seal      *seal   // of the stretch, when all of it is written
	unread    []history.Skipped
	listed    []listedRun
}

// The upsert is conditional: of two writes of one life the longer history stays,
// in whatever order and however often they come, and an equal one changes nothing.
const (
	insertRun = `INSERT INTO runs (place, life, source, location, app, run, execution, generation, length, reader, workflow, status, created, repeats, shape, missing, mark, stretch, seen, gone) VALUES `
	upsertRun = ` ON CONFLICT (place, life) DO UPDATE SET length = excluded.length, reader = excluded.reader, workflow = excluded.workflow, status = excluded.status, created = excluded.created,
		repeats = excluded.repeats, shape = excluded.shape, missing = excluded.missing, mark = excluded.mark, stretch = excluded.stretch,
		seen = CASE WHEN excluded.seen > runs.seen THEN excluded.seen ELSE runs.seen END, gone = 0
	WHERE excluded.reader > runs.reader OR excluded.reader = runs.reader AND (excluded.length > runs.length
		OR excluded.length = runs.length AND (excluded.status <> runs.status OR excluded.missing <> runs.missing OR runs.gone <> 0))
	RETURNING id, place, life`
)

// touchRun notes that a life is still there, touchKnown that several are.
const (
	touchRun   = `UPDATE runs SET seen = ?, gone = 0, stretch = ?, mark = CASE WHEN ? = '' THEN mark ELSE ? END WHERE place = ? AND life = ? AND seen <= ?`
	touchKnown = `UPDATE runs SET seen = ?, gone = 0, stretch = CASE WHEN CAST(? AS BIGINT) = 0 THEN stretch ELSE ? END WHERE seen <= ? AND id IN `
)

// upsertPart notes how far a partition is. A step that runs again lets the numbers
// stand until it is further.
const upsertPart = `INSERT INTO parts (survey, part, after_run, last_run, moved, busy, pages, listed, seen, reads, repeats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (survey, part) DO UPDATE SET moved = excluded.moved, busy = excluded.busy, pages = excluded.pages, listed = excluded.listed, seen = excluded.seen,
		reads = excluded.reads, repeats = excluded.repeats
	WHERE excluded.pages > parts.pages OR excluded.pages = parts.pages AND excluded.listed >= parts.listed AND excluded.seen >= parts.seen`

const (
	insertCall = `INSERT INTO calls (run, call, activity, attempts, kinds, first_at, last_at) VALUES `
	oneCall    = ` ON CONFLICT (run, call) DO NOTHING`
	oneTally   = ` ON CONFLICT (run, activity) DO NOTHING`
)

const insertUnread = `INSERT INTO unread (survey, what, why, damaged) VALUES (?, ?, ?, ?) ON CONFLICT (survey, what) DO NOTHING`

func insertTally() string {
	columns := append(tallyColumns(), tallyPeaks()...)
	return fmt.Sprintf(`INSERT INTO tallies (run, activity, %s) VALUES `, strings.Join(columns, ", "))
}

// upsert puts a batch into the index, and how far the survey has come with it:
// absolute numbers, so that telling them twice changes nothing.
func (x *Index) upsert(ctx context.Context, survey Survey, b *batch, at position, now time.Time) error {
	err := x.change(ctx, func(tx *sql.Tx) error {
		// The driver of SQLite starts a goroutine for each statement that can be
		// cancelled. These are short.
		w := &writer{tx: tx, survey: survey}
		if err := w.put(context.WithoutCancel(ctx), b); err != nil {
			return err
		}
		for _, u := range b.unread {
			if _, err := tx.ExecContext(ctx, insertUnread, survey.ID, u.What, u.Why, flag(!u.NoRun)); err != nil {
				return err
			}
		}
		if err := putListed(ctx, tx, survey.ID, b.listed); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, upsertPart, at.Survey, at.Number, at.After, at.Last, millis(now), at.Busy.Milliseconds(), at.Pages, at.Listed, at.Seen, at.Reads, at.Repeats)
		if err == nil && w.changed {
			// idem:ignore IDEM004 a time that only grows; what was read decides whether anything has changed
			_, err = tx.ExecContext(ctx, `UPDATE parts SET changed = ? WHERE survey = ? AND part = ? AND changed < ?`, millis(now), at.Survey, at.Number, millis(now))
		}
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
