package survey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Scope is which runs a survey is about.
type Scope struct {
	App      string    `json:"app,omitempty"`
	Workflow string    `json:"workflow,omitempty"`
	Since    string    `json:"since,omitempty"` // as asked, so that "7d" now and "7d" a week ago are one series
	From     time.Time `json:"from,omitzero"`   // of the runs' creation; zero: open
	To       time.Time `json:"to,omitzero"`
}

func (s Scope) filter() history.Filter {
	return history.Filter{App: s.App, Workflow: s.Workflow, Since: s.From, Until: s.To}
}

// state is where a survey stands.
type state string

// The states.
const (
	Running   state = "running"
	Done      state = "done"
	Cancelled state = "cancelled"
	Failed    state = "failed"
)

// Survey is one scan: what it is about and how far it has come.
type Survey struct {
	ID     string
	Seq    int64
	Source string // identity; Place is how it is shown
	Place  string
	Scope  Scope
	State  state
	Reason string // why it failed
	// Stopping: somebody asked it to end.
	Stopping              bool
	Started, Moved, Ended time.Time
	Busy                  time.Duration // of all who read, added up
	Pages                 int64
	Listed                int64 // runs to read, 0 where the source does not tell
	Seen                  int64 // runs met, read or known to be unchanged
	Reads                 int64 // runs whose events were read
	Repeats               int64 // findings that are repeats, in the runs met
	Gone                  int64 // runs in scope that the source no longer has
	Partly                int64 // runs read only in part
}

// Rate is runs a second of reading; 0 before there is one. Several workers at once
// are busy for longer than the clock says, one that was interrupted for less.
func (s Survey) Rate() float64 {
	took := s.Busy
	if clock := s.Moved.Sub(s.Started); clock > 0 {
		took = min(took, clock)
	}
	if took <= 0 {
		return 0
	}
	return float64(s.Seen) / took.Seconds()
}

// Left is how long it will go on; false when that cannot be told.
func (s Survey) Left() (time.Duration, bool) {
	rate := s.Rate()
	if s.State != Running || rate <= 0 || s.Listed <= 0 {
		return 0, false
	}
	return time.Duration(float64(max(s.Listed-s.Seen, 0)) / rate * float64(time.Second)), true
}

// selectSurveys reads surveys s; those under way are as far as their partitions p.
const selectSurveys = `SELECT id, seq, source, place, app, workflow, since, created_from, created_to, state, reason, stopping,
	started, CASE WHEN COALESCE(p.part_moved, 0) > moved THEN p.part_moved ELSE moved END, ended, busy + COALESCE(p.part_busy, 0), pages + COALESCE(p.part_pages, 0),
	listed + COALESCE(p.part_listed, 0), CASE WHEN state = 'running' THEN COALESCE(p.part_seen, 0) ELSE seen END, reads + COALESCE(p.part_reads, 0),
	CASE WHEN state = 'running' THEN COALESCE(p.part_repeats, 0) ELSE repeats END, gone, partly
	FROM surveys s LEFT JOIN (SELECT survey, MAX(moved) AS part_moved, SUM(busy) AS part_busy, SUM(CASE WHEN part > 0 THEN pages ELSE 0 END) AS part_pages, SUM(listed) AS part_listed,
		SUM(seen) AS part_seen, SUM(reads) AS part_reads, SUM(repeats) AS part_repeats FROM parts GROUP BY survey) p ON p.survey = s.id`

func scanSurvey(row interface{ Scan(...any) error }) (Survey, error) {
	var s Survey
	var from, to, started, moved, ended, busy int64
	err := row.Scan(&s.ID, &s.Seq, &s.Source, &s.Place, &s.Scope.App, &s.Scope.Workflow, &s.Scope.Since, &from, &to, &s.State, &s.Reason, &s.Stopping,
		&started, &moved, &ended, &busy, &s.Pages, &s.Listed, &s.Seen, &s.Reads, &s.Repeats, &s.Gone, &s.Partly)
	s.Scope.From, s.Scope.To = fromMillis(from), fromMillis(to)
	s.Started, s.Moved, s.Ended = fromMillis(started), fromMillis(moved), fromMillis(ended)
	s.Busy = time.Duration(busy) * time.Millisecond
	return s, err
}

// millis is 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

// begin returns the unfinished survey of the source with this scope, or makes one.
// Of two that begin at once, one makes it and the other finds it.
func (x *Index) begin(ctx context.Context, source, place string, sc Scope, now time.Time) (s Survey, begun bool, err error) {
	for tries := 0; tries < 10; tries++ {
		if s, begun, err = x.tryBegin(ctx, source, place, sc, now); !errors.Is(err, errTaken) {
			break
		}
	}
	return s, begun, indexFault("begin a survey in", err)
}

var errTaken = errors.New("another survey began at the same time")

func (x *Index) tryBegin(ctx context.Context, source, place string, sc Scope, now time.Time) (s Survey, begun bool, err error) {
	err = x.change(ctx, func(tx *sql.Tx) error {
		s, err = scanSurvey(tx.QueryRowContext(ctx, selectSurveys+` WHERE source = ? AND app = ? AND workflow = ? AND since = ? AND state = ? AND stopping = 0 ORDER BY seq DESC LIMIT 1`,
			source, sc.App, sc.Workflow, sc.Since, Running))
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		begun = true
		// The time keeps the ids of two indexes apart for the engine, whose file may
		// outlive the index.
		var seq int64
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) + 1 FROM surveys`).Scan(&seq); err != nil {
			return err
		}
		s = Survey{ID: fmt.Sprintf("s%d-%s", seq, strconv.FormatInt(millis(now), 36)), Seq: seq, Source: source, Place: place, Scope: sc, State: Running, Started: now, Moved: now}
		done, err := tx.ExecContext(ctx, `INSERT INTO surveys (id, seq, source, place, app, workflow, since, created_from, created_to, state, started, moved)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			s.ID, s.Seq, source, place, sc.App, sc.Workflow, sc.Since, millis(sc.From), millis(sc.To), Running, millis(now), millis(now))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errTaken)
		}
		return nil
	})
	return s, begun, err
}

// Survey returns a survey; the latest of the source when id is empty.
func (x *Index) Survey(ctx context.Context, source, id string) (Survey, error) {
	where, args := `id = ?`, []any{id}
	if id == "" {
		where, args = `source = ?`, []any{source}
	}
	s, err := scanSurvey(x.db.QueryRowContext(ctx, selectSurveys+` WHERE `+where+` ORDER BY seq DESC LIMIT 1`, args...))
	if errors.Is(err, sql.ErrNoRows) {
		if id == "" {
			return s, &fault.Error{Kind: fault.NotFound, What: "no survey of this source was made", Means: "nothing is known of its runs as a whole", Do: "Start one"}
		}
		return s, &fault.Error{Kind: fault.NotFound, What: "there is no survey " + clean.Line(id, 60), Do: "Leave the id out for the latest"}
	}
	return s, indexFault("read a survey of", err)
}

// previous returns the survey before s of the same source and scope that ended
// well; false when there is none.
func (x *Index) previous(ctx context.Context, s Survey) (Survey, bool, error) {
	p, err := scanSurvey(x.db.QueryRowContext(ctx, selectSurveys+` WHERE source = ? AND app = ? AND workflow = ? AND since = ? AND state = ? AND seq < ? ORDER BY seq DESC LIMIT 1`,
		s.Source, s.Scope.App, s.Scope.Workflow, s.Scope.Since, Done, s.Seq))
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, indexFault("read a survey of", err)
}

// last returns the scope of the source's latest finished survey.
func (x *Index) last(ctx context.Context, source string) (Survey, error) {
	s, err := scanSurvey(x.db.QueryRowContext(ctx, selectSurveys+` WHERE source = ? AND state = ? ORDER BY seq DESC LIMIT 1`, source, Done))
	if errors.Is(err, sql.ErrNoRows) {
		return s, &fault.Error{Kind: fault.NotFound, What: "no survey of this source has ended", Means: "there is no last one to go on from", Do: "Leave since out, or give a time"}
	}
	return s, indexFault("read a survey of", err)
}

// Cancel asks a survey to end. Whoever works on it sees that before its next batch.
func (x *Index) Cancel(ctx context.Context, id string) error {
	_, err := x.db.ExecContext(ctx, `UPDATE surveys SET stopping = 1 WHERE id = ? AND state = ?`, id, Running)
	return indexFault("cancel a survey in", err)
}

// stopping reports whether a survey should not go on.
func (x *Index) stopping(ctx context.Context, id string) (bool, error) {
	var going int
	err := x.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM surveys WHERE id = ? AND state = ? AND stopping = 0`, id, Running).Scan(&going)
	return going == 0, indexFault("read", err)
}

// endedSurvey is one of which the engine need not know any more.
type endedSurvey struct {
	id    string
	parts int64
}

// ended lists the latest surveys of a source that have ended.
func (x *Index) ended(ctx context.Context, source string) (out []endedSurvey, err error) {
	rows, err := x.db.QueryContext(ctx, `SELECT id, (SELECT COALESCE(MAX(part), 0) FROM parts WHERE parts.survey = surveys.id) FROM surveys WHERE source = ? AND state <> ? ORDER BY seq DESC LIMIT 20`, source, Running)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e endedSurvey
		if err := rows.Scan(&e.id, &e.parts); err != nil {
			return nil, indexFault("read", err)
		}
		out = append(out, e)
	}
	return out, indexFault("read", rows.Err())
}
