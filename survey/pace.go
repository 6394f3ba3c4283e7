package survey

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/dapr/durabletask-go/backend"
)

// paced asks the engine's backend for work only when there is some. Of v0.14.0 the
// SQLite backend asks again without a pause, which takes a processor and keeps its
// writers waiting, and the PostgreSQL backend waits for longer and longer.
type paced struct {
	backend.Backend
	db    *sql.DB // for reading; nobody waits for it
	due   due
	later time.Duration // between two looks where there was nothing for a while
	ready func() bool   // nil: always
}

// due are queries that have a row when there is work. Each takes the present time
// as often as it says.
type due struct {
	turn, task   string
	turns, tasks int
}

// Between two looks, soon after work and later.
const (
	soon  = 10 * time.Millisecond
	later = 50 * time.Millisecond
)

func sqliteDue() due {
	return due{
		turn: `SELECT 1 FROM Instances I WHERE (I.LockExpiration IS NULL OR I.LockExpiration < ?) AND EXISTS (
			SELECT 1 FROM NewEvents E WHERE E.InstanceID = I.InstanceID AND (E.VisibleTime IS NULL OR E.VisibleTime < ?)) LIMIT 1`, turns: 2,
		task: `SELECT 1 FROM NewTasks WHERE LockExpiration IS NULL OR LockExpiration < ? LIMIT 1`, tasks: 1,
	}
}

func postgresDue() due {
	return due{
		turn: `SELECT 1 FROM Instances I WHERE (I.LockExpiration IS NULL OR I.LockExpiration < $1) AND EXISTS (
			SELECT 1 FROM NewEvents E WHERE E.InstanceID = I.InstanceID AND (E.VisibleTime IS NULL OR E.VisibleTime < $1)) LIMIT 1`, turns: 1,
		task: `SELECT 1 FROM NewTasks WHERE LockExpiration IS NULL OR LockExpiration < $1 LIMIT 1`, tasks: 1,
	}
}

// NextWorkflowWorkItem implements backend.Backend.
func (p *paced) NextWorkflowWorkItem(ctx context.Context) (*backend.WorkflowWorkItem, error) {
	if err := p.await(ctx, p.due.turn, p.due.turns); err != nil {
		return nil, err
	}
	return p.Backend.NextWorkflowWorkItem(ctx)
}

// NextActivityWorkItem implements backend.Backend.
func (p *paced) NextActivityWorkItem(ctx context.Context) (*backend.ActivityWorkItem, error) {
	if err := p.await(ctx, p.due.task, p.due.tasks); err != nil {
		return nil, err
	}
	return p.Backend.NextActivityWorkItem(ctx)
}

// await returns when the query, which takes the present time so many times, has a
// row. A look that fails is a look in vain: the file may be busy.
func (p *paced) await(ctx context.Context, query string, times int) error {
	for pause := soon; ; pause = min(pause*2, p.later) {
		if p.ready == nil || p.ready() {
			now := make([]any, times)
			for i := range now {
				now[i] = time.Now().UTC() //nolint:forbidigo // the engine writes real times beside it
			}
			var one int
			if err := p.db.QueryRowContext(ctx, query, now...).Scan(&one); err == nil {
				return nil
			} else if ctx.Err() != nil {
				return ctx.Err()
			} else if !errors.Is(err, sql.ErrNoRows) {
				pause = p.later
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
