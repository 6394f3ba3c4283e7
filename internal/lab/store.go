package lab

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// store is the lab's own connection to the engine's database file: it reads
// what is stored, and knows when there is work, so that the engine's backend,
// which polls without a pause, is only asked then.
type store struct{ db *sql.DB }

// storeDSN opens the file so that a reader never blocks the engine. Durability
// is not wanted: the file lives as long as the lab.
func storeDSN(path string) string {
	return "file:" + path + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)"
}

func openStore(path string) (*store, error) {
	db, err := sql.Open("sqlite", storeDSN(path))
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return &store{db: db}, nil
}

func (s *store) close() error { return s.db.Close() }

// taskDue reports whether an activity waits for a worker.
func (s *store) taskDue(ctx context.Context) (bool, error) {
	var one int
	err := s.db.QueryRowContext(ctx, "SELECT 1 FROM NewTasks WHERE LockExpiration IS NULL LIMIT 1").Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// turnDue returns when the next turn can be run: the zero time for now; ok is
// false when nothing waits.
func (s *store) turnDue(ctx context.Context) (at time.Time, ok bool, err error) {
	var visible sql.NullTime
	err = s.db.QueryRowContext(ctx, `SELECT E.VisibleTime FROM NewEvents E JOIN Instances I ON I.InstanceID = E.InstanceID
		WHERE I.LockExpiration IS NULL ORDER BY E.VisibleTime LIMIT 1`).Scan(&visible)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return visible.Time, err == nil, err
}

// expireLocks lets another worker have what a lost one had locked, without the
// wait for the locks to run out.
func (s *store) expireLocks(ctx context.Context) error {
	for _, table := range []string{"NewTasks", "Instances"} {
		if _, err := s.db.ExecContext(ctx, "UPDATE "+table+" SET LockExpiration = NULL"); err != nil {
			return fmt.Errorf("expire locks: %w", err)
		}
	}
	return nil
}

// instances lists the stored runs, children included.
func (s *store) instances(ctx context.Context) ([]string, error) {
	return column[string](ctx, s.db, "SELECT InstanceID FROM Instances ORDER BY InstanceID")
}

// history returns a run's stored events, protobuf bytes in stored order.
func (s *store) history(ctx context.Context, instance string) ([][]byte, error) {
	return column[[]byte](ctx, s.db, "SELECT EventPayload FROM History WHERE InstanceID = ? ORDER BY SequenceNumber", instance)
}

// column reads the one column of a query.
func column[T any](ctx context.Context, db *sql.DB, query string, args ...any) (out []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the engine's store: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, fmt.Errorf("read the engine's store: %w", err)
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
