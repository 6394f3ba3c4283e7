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
	touchKnown = `UPDATE runs SET seen = ?, gone = 0, stretch = CASE WHEN ? = 0 THEN stretch ELSE ? END WHERE seen <= ? AND id IN `
)

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
		if err := w.put(context.WithoutCancel(ctx), b, now); err != nil {
			return err
		}
		for _, u := range b.unread {
			// idem:ignore IDEM004 what was read is the survey's own id; the row is inserted once by its key
			if _, err := tx.ExecContext(ctx, insertUnread, survey.ID, u.What, u.Why, flag(!u.NoRun)); err != nil {
				return err
			}
		}
		if err := putListed(ctx, tx, survey.ID, b.listed); err != nil {
			return err
		}
		// idem:ignore IDEM004 the numbers are those of the activity's input and of this page, set and not added
		_, err := tx.ExecContext(ctx, `UPDATE surveys SET moved = ?, busy = ?, pages = ?, listed = ?, seen = ?, reads = ?, repeats = ? WHERE id = ? AND state = ?`,
			millis(now), at.Busy.Milliseconds(), at.Pages, at.Listed, at.Seen, at.Reads, at.Repeats, survey.ID, Running)
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
