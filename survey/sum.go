package survey

import (
	"context"
	"database/sql"
	"errors"
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
		vanished := int64(0)
		if end.State == Done {
			var err error
			if vanished, err = markGone(ctx, tx, s); err != nil {
				return err
			}
		}
		t, err := x.totals(ctx, tx, s, end.State == Done && vanished == 0)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE surveys SET state = ?, reason = ?, ended = ?, seen = ?, repeats = ?, gone = ?, partly = ? WHERE id = ? AND state = ?`,
			end.State, end.Reason, millis(now), t.seen, t.repeats, t.gone, t.partly, s.ID, Running); err != nil {
			return err
		}
		if err := forgetStretches(ctx, tx, s, end); err != nil {
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

// totals are the numbers of a survey that has ended.
type totals struct{ seen, repeats, gone, partly int64 }

// totals makes the sums and counts of a survey. Where nothing has changed since the
// one before, they are its.
func (x *Index) totals(ctx context.Context, tx *sql.Tx, s Survey, whole bool) (t totals, err error) {
	if whole {
		same, err := x.asBefore(ctx, tx, s)
		if err != nil {
			return t, err
		}
		if same != nil {
			return totals{same.Seen, same.Repeats, same.Gone, same.Partly}, copySums(ctx, tx, s, same.ID)
		}
	}
	if err := sum(ctx, tx, s); err != nil {
		return t, err
	}
	where, args := s.inScope()
	count := `SELECT COALESCE(SUM(r.repeats), 0), COALESCE(SUM(CASE WHEN r.gone > 0 THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN r.missing <> '' THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN r.seen >= ? OR p.seen >= ? THEN 1 ELSE 0 END), 0) FROM runs r LEFT JOIN stretches p ON p.id = r.stretch WHERE ` + where
	return t, tx.QueryRowContext(ctx, count, append([]any{s.Seq, s.Seq}, args...)...).Scan(&t.repeats, &t.gone, &t.partly, &t.seen)
}

// asBefore returns the survey before of the same source and scope, if nothing that is
// known of the source's runs has changed since it ended.
func (x *Index) asBefore(ctx context.Context, tx *sql.Tx, s Survey) (*Survey, error) {
	prev, err := scanSurvey(tx.QueryRowContext(ctx, selectSurveys+` WHERE source = ? AND app = ? AND workflow = ? AND since = ? AND state = ? AND seq < ? ORDER BY seq DESC LIMIT 1`,
		s.Source, s.Scope.App, s.Scope.Workflow, s.Scope.Since, Done, s.Seq))
	if errors.Is(err, sql.ErrNoRows) || err == nil && !(prev.Scope.From.Equal(s.Scope.From) && prev.Scope.To.Equal(s.Scope.To)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// What an older version surveyed has no parts, and nothing tells when it changed.
	var parts, changed, damaged int
	if err := tx.QueryRowContext(ctx, `SELECT COALESCE(SUM(CASE WHEN s.id = ? THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN p.changed >= ? OR s.seq > ? AND p.changed > 0 THEN 1 ELSE 0 END), 0)
		FROM parts p JOIN surveys s ON s.id = p.survey WHERE s.source = ?`, prev.ID, millis(prev.Ended), prev.Seq, s.Source).Scan(&parts, &changed); err != nil || parts == 0 {
		return nil, err
	}
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM unread WHERE survey IN (?, ?) AND damaged = 1`, s.ID, prev.ID).Scan(&damaged); err != nil || changed+damaged > 0 {
		return nil, err
	}
	return &prev, nil
}

func copySums(ctx context.Context, tx *sql.Tx, s Survey, from string) error {
	const attempts = `app, workflow, day, activity, attempts, calls`
	for _, fill := range [...]string{
		`INSERT INTO sums (survey, ` + sumColumns() + `) SELECT ?, ` + sumColumns() + ` FROM sums WHERE survey = ? ON CONFLICT DO NOTHING`,
		`INSERT INTO sum_attempts (survey, ` + attempts + `) SELECT ?, ` + attempts + ` FROM sum_attempts WHERE survey = ? ON CONFLICT DO NOTHING`,
	} {
		if _, err := tx.ExecContext(ctx, fill, s.ID, from); err != nil {
			return err
		}
	}
	return nil
}

// markGone marks the runs in scope that the survey did not meet, nor their stretch,
// and tells how many. Where something could not be read, what was not met may be
// just that, so nothing is marked.
func markGone(ctx context.Context, tx *sql.Tx, s Survey) (int64, error) {
	var damaged int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM unread WHERE survey = ? AND damaged = 1`, s.ID).Scan(&damaged); err != nil || damaged > 0 {
		return 0, err
	}
	where, args := s.inScope()
	done, err := tx.ExecContext(ctx, fmt.Sprintf(`UPDATE runs SET gone = ?, stretch = 0 WHERE id IN (SELECT r.id FROM runs r WHERE %s AND r.seen < ? AND r.gone = 0
		AND r.stretch IN (SELECT q.stretch FROM (SELECT DISTINCT stretch FROM runs) q WHERE NOT EXISTS (SELECT 1 FROM stretches p WHERE p.id = q.stretch AND p.seen >= ?)))`, where),
		append(append([]any{s.Seq}, args...), s.Seq, s.Seq)...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// forgetStretches drops those of the same list that a complete survey did not meet:
// they are not there any more.
func forgetStretches(ctx context.Context, tx *sql.Tx, s Survey, end ending) error {
	if end.State != Done {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM stretches WHERE source = ? AND app = ? AND seen < ?`, s.Source, s.Scope.App, s.Seq)
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
	if err := loosen(ctx, tx, s, before, now); err != nil {
		return err
	}
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

// loosen takes runs that are about to be forgotten out of their stretches, which
// stay true: nobody wants to know of these runs again.
func loosen(ctx context.Context, tx *sql.Tx, s Survey, before int64, now time.Time) error {
	const linked = `(SELECT COUNT(*) FROM runs r WHERE r.stretch = stretches.id)`
	var old int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM runs WHERE created < ? AND created > 0`, before).Scan(&old); err != nil || old == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM stretches WHERE runs <> `+linked); err != nil { // they were not believed
		return err
	}
	// idem:ignore IDEM004 what was read decides whether it is done at all, in the transaction that ends the survey
	if _, err := tx.ExecContext(ctx, `UPDATE runs SET stretch = 0 WHERE created < ? AND created > 0`, before); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE stretches SET runs = `+linked+` WHERE runs <> `+linked); err != nil {
		return err
	}
	// idem:ignore IDEM004 the same, and set to the time of the end
	_, err := tx.ExecContext(ctx, `UPDATE parts SET changed = ? WHERE survey = ?`, millis(now), s.ID)
	return err
}
