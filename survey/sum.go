package survey

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

const millisPerDay = 24 * 60 * 60 * 1000

// inScope is the condition on runs r that a survey is about, and its arguments.
func (s Survey) inScope() (string, []any) {
	where, args := `r.source = ?`, []any{s.Source}
	add := func(cond string, v any) { where, args = where+` AND `+cond, append(args, v) }
	if s.Scope.App != "" {
		add(`r.app = ?`, s.Scope.App)
	}
	if s.Scope.Workflow != "" {
		add(`r.workflow = ?`, s.Scope.Workflow)
	}
	if !s.Scope.From.IsZero() {
		add(`r.created >= ?`, millis(s.Scope.From))
	}
	if !s.Scope.To.IsZero() {
		add(`r.created < ? AND r.created > 0`, millis(s.Scope.To))
	}
	return where, args
}

// sumQuery adds up tallies by every dimension that answers know.
func sumQuery(where string) string {
	var columns strings.Builder
	for _, c := range tallyColumns() {
		fmt.Fprintf(&columns, ", SUM(t.%s)", c)
	}
	for _, c := range tallyPeaks() {
		fmt.Fprintf(&columns, ", MAX(t.%s)", c)
	}
	return fmt.Sprintf(`SELECT r.app, r.workflow, r.created / %d, t.activity, COUNT(*)%s FROM tallies t JOIN runs r ON r.id = t.run WHERE %s
		GROUP BY r.app, r.workflow, r.created / %d, t.activity`, millisPerDay, columns.String(), where, millisPerDay)
}

// runsQuery counts the runs by the same dimensions, with no activity.
func runsQuery(where string) string {
	zeros := strings.Repeat(", 0", len(tallyColumns())+len(tallyPeaks()))
	return fmt.Sprintf(`SELECT r.app, r.workflow, r.created / %d, '', COUNT(*)%s FROM runs r WHERE %s GROUP BY r.app, r.workflow, r.created / %d`, millisPerDay, zeros, where, millisPerDay)
}

// attemptsQuery counts the calls with several attempts by their number.
func attemptsQuery(where string) string {
	return fmt.Sprintf(`SELECT r.app, r.workflow, r.created / %d, c.activity, c.attempts, COUNT(*) FROM calls c JOIN runs r ON r.id = c.run WHERE %s AND c.attempts > 1
		GROUP BY r.app, r.workflow, r.created / %d, c.activity, c.attempts`, millisPerDay, where, millisPerDay)
}

// sumColumns are those of sums and of the two queries that fill it.
func sumColumns() string {
	return "app, workflow, day, activity, " + strings.Join(append(append([]string{"runs"}, tallyColumns()...), tallyPeaks()...), ", ")
}

// finish ends a survey: runs that it did not meet are marked gone, the sums are
// made, and what is older than the retention is dropped. All of it is one
// transaction that only a running survey lets through, so a second one changes
// nothing.
func (x *Index) finish(ctx context.Context, s Survey, end ending, keep time.Duration, now time.Time) error {
	err := x.change(ctx, func(tx *sql.Tx) error {
		var running int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM surveys WHERE id = ? AND state = ?`, s.ID, Running).Scan(&running); err != nil || running == 0 {
			return err
		}
		if end.State == Done {
			if err := markGone(ctx, tx, s); err != nil {
				return err
			}
		}
		if err := sum(ctx, tx, s); err != nil {
			return err
		}
		where, args := s.inScope()
		count := fmt.Sprintf(`SELECT COUNT(*), COALESCE(SUM(r.repeats), 0), COALESCE(SUM(CASE WHEN r.gone > 0 THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN r.missing <> '' THEN 1 ELSE 0 END), 0),
			COALESCE(SUM(CASE WHEN r.seen >= ? THEN 1 ELSE 0 END), 0) FROM runs r WHERE %s`, where)
		var all, repeats, gone, partly, seen int64
		if err := tx.QueryRowContext(ctx, count, append([]any{s.Seq}, args...)...).Scan(&all, &repeats, &gone, &partly, &seen); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE surveys SET state = ?, reason = ?, ended = ?, seen = ?, repeats = ?, gone = ?, partly = ? WHERE id = ? AND state = ?`,
			end.State, end.Reason, millis(now), seen, repeats, gone, partly, s.ID, Running); err != nil {
			return err
		}
		return forget(ctx, tx, s, keep, now)
	})
	return indexFault("end a survey in", err)
}

// ending is how a survey ended.
type ending struct {
	State  state
	Reason string
}

// markGone marks the runs in scope that the survey did not meet. Where something
// could not be read, what was not met may be just that, so nothing is marked.
func markGone(ctx context.Context, tx *sql.Tx, s Survey) error {
	var damaged int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM unread WHERE survey = ? AND damaged = 1`, s.ID).Scan(&damaged); err != nil || damaged > 0 {
		return err
	}
	where, args := s.inScope()
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`UPDATE runs SET gone = ? WHERE id IN (SELECT r.id FROM runs r WHERE %s AND r.seen < ? AND r.gone = 0)`, where),
		append(append([]any{s.Seq}, args...), s.Seq)...)
	return err
}

func sum(ctx context.Context, tx *sql.Tx, s Survey) error {
	where, args := s.inScope()
	args = append([]any{s.ID}, args...)
	for _, fill := range [...]string{
		`INSERT INTO sums (survey, ` + sumColumns() + `) SELECT ?, q.* FROM (` + sumQuery(where) + `) q WHERE true ON CONFLICT DO NOTHING`,
		`INSERT INTO sums (survey, ` + sumColumns() + `) SELECT ?, q.* FROM (` + runsQuery(where) + `) q WHERE true ON CONFLICT DO NOTHING`,
		`INSERT INTO sum_attempts (survey, app, workflow, day, activity, attempts, calls) SELECT ?, q.* FROM (` + attemptsQuery(where) + `) q WHERE true ON CONFLICT DO NOTHING`,
	} {
		if _, err := tx.ExecContext(ctx, fill, args...); err != nil {
			return err
		}
	}
	return nil
}

// forget drops what only a running survey needs, and what is older than keep.
func forget(ctx context.Context, tx *sql.Tx, s Survey, keep time.Duration, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM listed WHERE survey = ?`, s.ID); err != nil || keep <= 0 {
		return err
	}
	before := millis(now.Add(-keep))
	const oldRuns = `SELECT id FROM runs WHERE created < ? AND created > 0`
	const oldSurveys = `SELECT id FROM surveys WHERE ended < ? AND state <> 'running'`
	for _, drop := range [...]string{
		`DELETE FROM tallies WHERE run IN (` + oldRuns + `)`, `DELETE FROM calls WHERE run IN (` + oldRuns + `)`, `DELETE FROM runs WHERE created < ? AND created > 0`,
		`DELETE FROM sums WHERE survey IN (` + oldSurveys + `)`, `DELETE FROM sum_attempts WHERE survey IN (` + oldSurveys + `)`, `DELETE FROM unread WHERE survey IN (` + oldSurveys + `)`,
		`DELETE FROM parts WHERE survey IN (` + oldSurveys + `)`,
		`DELETE FROM surveys WHERE ended < ? AND state <> 'running'`,
	} {
		if _, err := tx.ExecContext(ctx, drop, before); err != nil {
			return err
		}
	}
	return nil
}
