package survey

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Dump is all that surveys found, sorted, without surrogate keys and without the
// times of the surveys themselves.
func (x *Index) Dump(ctx context.Context) (string, error) {
	tally := strings.Join(append(tallyColumns(), tallyPeaks()...), ", ")
	return x.lines(ctx, []string{
		`SELECT 'run', place, life, source, location, app, run, execution, generation, length, reader, workflow, status, created, repeats, shape, missing, mark, seen, gone FROM runs`,
		`SELECT 'tally', r.place, r.life, t.activity, ` + tally + ` FROM tallies t JOIN runs r ON r.id = t.run`,
		`SELECT 'call', r.place, r.life, c.call, c.activity, c.attempts, c.kinds, c.first_at, c.last_at FROM calls c JOIN runs r ON r.id = c.run`,
		`SELECT 'unread', what, why, damaged FROM unread`,
		`SELECT 'sum', app, workflow, day, activity, runs, ` + tally + ` FROM sums`,
		`SELECT 'attempts', app, workflow, day, activity, attempts, calls FROM sum_attempts`,
		`SELECT 'survey', seq, state, reason, seen, repeats, gone, partly FROM surveys`,
		`SELECT 'listed', place, ref, mark FROM listed`,
		`SELECT 'orphan', run, activity FROM tallies WHERE run NOT IN (SELECT id FROM runs)`,
	})
}

// Alive is what the index knows of the runs that are there, whichever survey met
// them.
func (x *Index) Alive(ctx context.Context) (string, error) {
	tally := strings.Join(append(tallyColumns(), tallyPeaks()...), ", ")
	return x.lines(ctx, []string{
		`SELECT 'run', place, life, source, location, app, run, execution, generation, length, reader, workflow, status, created, repeats, shape, missing, mark FROM runs WHERE gone = 0`,
		`SELECT 'tally', r.place, r.life, t.activity, ` + tally + ` FROM tallies t JOIN runs r ON r.id = t.run WHERE r.gone = 0`,
		`SELECT 'call', r.place, r.life, c.call, c.activity, c.attempts, c.kinds, c.first_at, c.last_at FROM calls c JOIN runs r ON r.id = c.run WHERE r.gone = 0`,
	})
}

// Stretches are those that are believed, with their runs.
func (x *Index) Stretches(ctx context.Context) (map[int64]int64, error) {
	rows, err := x.db.QueryContext(ctx, `SELECT id, runs FROM stretches`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]int64{}
	for rows.Next() {
		var id, runs int64
		if err := rows.Scan(&id, &runs); err != nil {
			return nil, err
		}
		out[id] = runs
	}
	return out, rows.Err()
}

func (x *Index) lines(ctx context.Context, queries []string) (string, error) {
	var lines []string
	for _, q := range queries {
		rows, err := x.db.QueryContext(ctx, q)
		if err != nil {
			return "", err
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return "", err
		}
		for rows.Next() {
			cells := make([]any, len(columns))
			to := make([]any, len(columns))
			for i := range cells {
				to[i] = &cells[i]
			}
			if err := rows.Scan(to...); err != nil {
				return "", err
			}
			lines = append(lines, fmt.Sprint(cells...))
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}
