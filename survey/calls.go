package survey

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
)

// Call is one call about which there is something to say.
type Call struct {
	App      string                `json:"app"`
	Run      string                `json:"run"`
	Location string                `json:"location,omitempty"`
	Workflow string                `json:"workflow,omitempty"`
	Status   string                `json:"status"`
	Gone     bool                  `json:"gone,omitempty"` // the source no longer has the run
	Call     string                `json:"call"`
	Activity string                `json:"activity"`
	Attempts int                   `json:"attempts"`
	Findings []history.FindingKind `json:"findings"`
	First    time.Time             `json:"first_scheduled,omitzero"`
	Last     time.Time             `json:"last_scheduled,omitzero"`
	Shape    history.Shape         `json:"-"`
}

// Calls lists the calls of a survey's runs, those with a repeat after an unknown
// outcome or a lost turn first, then the latest, from an offset on.
func (x *Index) Calls(ctx context.Context, s Survey, n Narrow, from, limit int) (out []Call, err error) {
	where, args := s.inScope()
	for _, c := range [...]struct{ column, value string }{{"r.app", n.App}, {"r.workflow", n.Workflow}, {"c.activity", n.Activity}} {
		if c.value != "" {
			where, args = where+` AND `+c.column+` = ?`, append(args, c.value)
		}
	}
	rows, err := x.db.QueryContext(ctx, `SELECT r.app, r.run, r.location, r.workflow, r.status, r.gone, r.shape, c.call, c.activity, c.attempts, c.kinds, c.first_at, c.last_at
		FROM calls c JOIN runs r ON r.id = c.run WHERE `+where+`
		ORDER BY CASE WHEN c.kinds LIKE '%unknown_outcome%' OR c.kinds LIKE '%commit_lost%' THEN 0 WHEN c.attempts > 1 THEN 1 ELSE 2 END, c.last_at DESC, r.run, r.location, c.call LIMIT ? OFFSET ?`,
		append(args, limit, from)...)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var c Call
		var gone, first, last int64
		var kinds string
		if err := rows.Scan(&c.App, &c.Run, &c.Location, &c.Workflow, &c.Status, &gone, &c.Shape, &c.Call, &c.Activity, &c.Attempts, &kinds, &first, &last); err != nil {
			return nil, indexFault("read", err)
		}
		c.Gone, c.First, c.Last, c.Findings = gone > 0, fromMillis(first), fromMillis(last), []history.FindingKind{}
		for k := range strings.SplitSeq(kinds, ",") {
			if k != "" {
				c.Findings = append(c.Findings, history.FindingKind(k))
			}
		}
		out = append(out, c)
	}
	return out, indexFault("read", rows.Err())
}

// Unread is what a survey met and could not read: damaged, or (not damaged) passed
// over because it is no run or was purged meanwhile. all counts it, named has the
// first of it up to a limit.
func (x *Index) Unread(ctx context.Context, s Survey, damaged bool, limit int) (named []history.Skipped, all int, err error) {
	if err := x.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM unread WHERE survey = ? AND damaged = ?`, s.ID, flag(damaged)).Scan(&all); err != nil {
		return nil, 0, indexFault("read", err)
	}
	rows, err := x.db.QueryContext(ctx, `SELECT what, why FROM unread WHERE survey = ? AND damaged = ? ORDER BY what LIMIT ?`, s.ID, flag(damaged), limit)
	if err != nil {
		return nil, 0, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		u := history.Skipped{NoRun: !damaged}
		if err := rows.Scan(&u.What, &u.Why); err != nil {
			return nil, 0, indexFault("read", err)
		}
		named = append(named, u)
	}
	return named, all, indexFault("read", rows.Err())
}

// Partly names what could not be read of runs that were read in part, the commonest
// first.
func (x *Index) Partly(ctx context.Context, s Survey, limit int) (out []string, err error) {
	where, args := s.inScope()
	rows, err := x.db.QueryContext(ctx, `SELECT r.run, r.missing FROM runs r WHERE `+where+` AND r.missing <> '' ORDER BY r.run, r.location LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, indexFault("read", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var run, missing string
		if err := rows.Scan(&run, &missing); err != nil {
			return nil, indexFault("read", err)
		}
		out = append(out, "run "+run+": "+missing)
	}
	return out, indexFault("read", rows.Err())
}
