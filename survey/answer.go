package survey

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// Dimension is by what an answer is grouped.
type Dimension string

// The dimensions. ByActivity and ByWorkflow tell apps apart.
const (
	ByActivity Dimension = "activity"
	ByApp      Dimension = "app"
	ByWorkflow Dimension = "workflow"
	ByDay      Dimension = "day" // of the runs' creation, UTC
)

// Narrow chooses what is answered. Zero fields do not restrict.
type Narrow struct{ App, Workflow, Activity string }

// Row is what a survey shows of one activity, or of all activities of an app, a
// workflow or a day. The counts are of calls, as history.ActivityTally has them.
type Row struct {
	history.ActivityTally
	Workflow string `json:"workflow,omitempty"`
	Day      string `json:"day,omitempty"`
	// Before are the same counts in the survey before, nil when it has none.
	Before *Before `json:"before,omitempty"`
}

// Before is what the survey before said.
type Before struct {
	Calls        int `json:"calls"`
	Retried      int `json:"retried"`
	AfterUnknown int `json:"retried_after_unknown_outcome"`
	LostTurns    int `json:"in_lost_turns"`
}

func (r *Row) key() string {
	return strings.Join([]string{r.App, r.Workflow, r.Day, r.Activity}, "\x00")
}

// sums is the table, or the query in its place, that holds a survey's sums: those
// of one under way are made when it is asked.
func (s Survey) sums() (string, []any) {
	if s.State != Running {
		return `(SELECT * FROM sums WHERE survey = ?)`, []any{s.ID}
	}
	where, args := s.inScope()
	const none = `SELECT '' AS survey, '' AS app, '' AS workflow, 0 AS day, '' AS activity, 0 AS runs`
	var zeros strings.Builder
	for _, c := range append(tallyColumns(), tallyPeaks()...) {
		zeros.WriteString(", 0 AS " + c)
	}
	return `(` + none + zeros.String() + ` WHERE false UNION ALL SELECT '', a.* FROM (` + sumQuery(where) + `) a UNION ALL SELECT '', b.* FROM (` + runsQuery(where) + `) b)`, append(args, args...)
}

func (s Survey) attempts() (string, []any) {
	if s.State != Running {
		return `(SELECT * FROM sum_attempts WHERE survey = ?)`, []any{s.ID}
	}
	where, args := s.inScope()
	return `(SELECT '' AS survey, '' AS app, '' AS workflow, 0 AS day, '' AS activity, 0 AS attempts, 0 AS calls WHERE false UNION ALL SELECT '', a.* FROM (` + attemptsQuery(where) + `) a)`, args
}

// grouping are the columns a dimension keeps; the others are left empty.
func (d Dimension) grouping() (columns string, group string) {
	switch d {
	case ByApp:
		return `app, '', -1, ''`, `app`
	case ByWorkflow:
		return `app, workflow, -1, ''`, `app, workflow`
	case ByDay:
		return `'', '', day, ''`, `day`
	}
	return `app, '', -1, activity`, `app, activity`
}

func (n Narrow) where() (string, []any) {
	where, args := `true`, []any{}
	for _, c := range [...]struct{ column, value string }{{"app", n.App}, {"workflow", n.Workflow}} {
		if c.value != "" {
			where, args = where+` AND `+c.column+` = ?`, append(args, c.value)
		}
	}
	if n.Activity != "" { // the runs are counted under no activity
		where, args = where+` AND activity IN (?, '')`, append(args, n.Activity)
	}
	return where, args
}

// Rows answers by a dimension, in the order of its names, with the counts of the
// survey before where there was one.
func (x *Index) Rows(ctx context.Context, s Survey, d Dimension, n Narrow) ([]Row, error) {
	rows, err := x.rows(ctx, s, d, n)
	if err != nil {
		return nil, err
	}
	prev, ok, err := x.previous(ctx, s)
	if err != nil || !ok {
		return rows, err
	}
	old, err := x.rows(ctx, prev, d, n)
	before := map[string]*Before{}
	for i := range old {
		o := &old[i]
		before[o.key()] = &Before{Calls: o.Calls, Retried: o.Retried, AfterUnknown: o.AfterUnknown, LostTurns: o.LostTurns}
	}
	for i := range rows {
		rows[i].Before = cmp.Or(before[rows[i].key()], &Before{})
	}
	return rows, err
}

func (x *Index) rows(ctx context.Context, s Survey, d Dimension, n Narrow) (out []Row, err error) {
	columns, group := d.grouping()
	runs := `SUM(CASE WHEN activity = '' THEN runs ELSE 0 END)`
	where, narrow := n.where()
	if d == ByActivity {
		runs, where = `SUM(runs)`, where+` AND activity <> ''`
	}
	var counts strings.Builder
	for _, c := range tallyColumns() {
		fmt.Fprintf(&counts, ", SUM(%s)", c)
	}
	for _, c := range tallyPeaks() {
		fmt.Fprintf(&counts, ", MAX(%s)", c)
	}
	from, args := s.sums()
	rows, err := x.db.QueryContext(ctx, `SELECT `+columns+`, `+runs+counts.String()+` FROM `+from+` q WHERE `+where+` GROUP BY `+group+` ORDER BY `+group, append(args, narrow...)...)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanRow(rows)
		if err != nil {
			return nil, indexFault("read", err)
		}
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, indexFault("read", err)
	}
	return out, x.histograms(ctx, s, d, n, out)
}

func scanRow(rows *sql.Rows) (Row, error) {
	var r Row
	var day, gap, seen, repeat int64
	to := []any{&r.App, &r.Workflow, &day, &r.Activity, &r.Runs}
	for _, p := range tallyCounts(&r.ActivityTally) {
		to = append(to, p)
	}
	err := rows.Scan(append(to, &gap, &seen, &repeat)...)
	switch {
	case day == 0:
		r.Day = "unknown"
	case day > 0:
		r.Day = time.UnixMilli(day * millisPerDay).UTC().Format(time.DateOnly)
	}
	r.LongestGap, r.LastSeen, r.LastRepeat = time.Duration(gap)*time.Millisecond, fromMillis(seen), fromMillis(repeat)
	r.Workflows = []string{}
	return r, err
}

// histograms fills in how many calls had how many attempts, and by activity the
// workflows that call it.
func (x *Index) histograms(ctx context.Context, s Survey, d Dimension, n Narrow, rows []Row) error {
	at := map[string]*Row{}
	for i := range rows {
		rows[i].Histogram = map[int]int{}
		at[rows[i].key()] = &rows[i]
	}
	columns, group := d.grouping()
	where, narrow := n.where()
	from, args := s.attempts()
	err := x.each(ctx, `SELECT `+columns+`, attempts, SUM(calls) FROM `+from+` q WHERE `+where+` GROUP BY `+group+`, attempts`, append(args, narrow...), func(r *Row, attempts, calls int) {
		if row := at[r.key()]; row != nil {
			row.Histogram[attempts] = calls
		}
	})
	if err != nil {
		return err
	}
	for i := range rows {
		once := rows[i].Calls
		for _, calls := range rows[i].Histogram {
			once -= calls
		}
		if once > 0 {
			rows[i].Histogram[1] = once
		}
	}
	if d != ByActivity {
		return nil
	}
	from, args = s.sums()
	return x.each(ctx, `SELECT app, workflow, -1, activity, 0, 0 FROM `+from+` q WHERE `+where+` AND activity <> '' GROUP BY app, workflow, activity ORDER BY app, workflow`, append(args, narrow...), func(r *Row, _, _ int) {
		w := r.Workflow
		r.Workflow = ""
		if row := at[r.key()]; row != nil && w != "" {
			row.Workflows = append(row.Workflows, w)
		}
	})
}

func (x *Index) each(ctx context.Context, query string, args []any, f func(r *Row, attempts, calls int)) (err error) {
	rows, err := x.db.QueryContext(ctx, query, args...)
	if err != nil {
		return indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r Row
		var day int64
		var attempts, calls int
		if err := rows.Scan(&r.App, &r.Workflow, &day, &r.Activity, &attempts, &calls); err != nil {
			return indexFault("read", err)
		}
		switch {
		case day == 0:
			r.Day = "unknown"
		case day > 0:
			r.Day = time.UnixMilli(day * millisPerDay).UTC().Format(time.DateOnly)
		}
		f(&r, attempts, calls)
	}
	return indexFault("read", rows.Err())
}

// How much a finding of the code weighs: a hazard most, an activity that is safe
// as far as the code shows little, one whose code was not given as it is.
const (
	WeightHazard  = 4.0
	WeightVerify  = 2.0
	WeightUnknown = 1.0
	WeightSafe    = 0.25
)

const (
	plainRetry = 0.1 // of a repeat after a failure that says it was not applied
	halfLife   = 7 * 24 * time.Hour
	leastFresh = 0.05 // an old repeat still counts
)

// Score orders activities, the one to protect first highest: the weight of its
// code × its repeats × how recent the last was. A repeat after an unknown outcome,
// of a lost turn or by a rerun counts one, any other retry a tenth.
func Score(r *Row, weight float64, now time.Time) float64 {
	grave := float64(r.AfterUnknown + r.LostTurns + r.SecondResult + r.Reexecuted)
	repeats := grave + plainRetry*float64(max(r.Retried-r.AfterUnknown, 0)+r.Pending)
	fresh := 1.0
	if last := cmp.Or(r.LastRepeat, r.LastSeen); !last.IsZero() && now.After(last) {
		fresh = max(math.Exp2(-float64(now.Sub(last))/float64(halfLife)), leastFresh)
	}
	return weight * repeats * fresh
}

// Rank puts the worst first. weight is that of an activity's code.
func Rank(rows []Row, weight func(activity string) float64, now time.Time) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(Score(&b, weight(b.Activity), now), Score(&a, weight(a.Activity), now))
	})
}
