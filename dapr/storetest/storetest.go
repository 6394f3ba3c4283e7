// Package storetest fills stores with many runs for benchmarks and tests. The
// runs are copies of the real ones of history/sourcetest under new ids: the
// rows are what a runtime wrote, only their number is invented.
package storetest

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	_ "modernc.org/sqlite" // registers the driver

	"github.com/idem-mcp/idem-mcp/history/sourcetest"
)

// Rows iterates over the rows of n runs: a mix of clean, retried and long ones,
// 20 events each on average.
func Rows(n int) (iter.Seq[sourcetest.Row], error) {
	runs, err := sourcetest.Load()
	if err != nil {
		return nil, err
	}
	byID := map[string]sourcetest.Stored{}
	for _, r := range runs {
		byID[r.Instance] = r
	}
	mix := []string{"s1-16-empties", "s2-04-label-exhausted", "s1-01-seq-3", "s2-04-label-exhausted", "s1-16-empties"}
	// Of one run's rows only the id in the keys differs from the next one's.
	type template struct {
		before string // in a key, before the id
		after  []string
		values [][]byte
	}
	templates := make([]template, len(mix))
	for i, id := range mix {
		r := byID[id]
		const mark = "\x00"
		r.Instance = mark
		for _, row := range r.Rows() {
			before, after, _ := strings.Cut(row.Key, mark)
			templates[i].before = before
			templates[i].after, templates[i].values = append(templates[i].after, after), append(templates[i].values, row.Value)
		}
	}
	return func(yield func(sourcetest.Row) bool) {
		for i := range n {
			t := &templates[i%len(mix)]
			start := t.before + fmt.Sprintf("run-%07d", i)
			for j, after := range t.after {
				if !yield(sourcetest.Row{Key: start + after, Value: t.values[j]}) {
					return
				}
			}
		}
	}, nil
}

// FillSQLite makes the file and its table.
func FillSQLite(ctx context.Context, path string, rows iter.Seq[sourcetest.Row]) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(0)&_pragma=cache_size(-64000)")
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the commit was looked at
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	if _, err := tx.ExecContext(ctx, `CREATE TABLE state (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, is_binary BOOLEAN NOT NULL,
		etag TEXT NOT NULL, expiration_time TIMESTAMP DEFAULT NULL, update_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)`); err != nil {
		return err
	}
	const one, perInsert = `(?, ?, 1, 'd9b8c1f0-0000-4000-8000-000000000000', '2026-11-29 16:00:00')`, 100
	insert := func(n int) string {
		return `INSERT INTO state (key, value, is_binary, etag, update_time) VALUES ` + one + strings.Repeat(`, `+one, n-1)
	}
	many, err := tx.PrepareContext(ctx, insert(perInsert)) //nolint:sqlclosecheck // closed below
	if err != nil {
		return err
	}
	defer many.Close() //nolint:errcheck // the commit is looked at
	args := make([]any, 0, 2*perInsert)
	for r := range rows {
		if args = append(args, r.Key, base64.StdEncoding.EncodeToString(r.Value)); len(args) == 2*perInsert {
			if _, err := many.ExecContext(ctx, args...); err != nil {
				return err
			}
			args = args[:0]
		}
	}
	if len(args) > 0 {
		if _, err := tx.ExecContext(ctx, insert(len(args)/2), args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// FillPostgres makes the table in the v1 or v2 layout.
func FillPostgres(ctx context.Context, conn *pgx.Conn, table string, v1 bool, rows iter.Seq[sourcetest.Row]) error {
	create := `CREATE TABLE ` + table + ` (key text NOT NULL PRIMARY KEY, value bytea NOT NULL, etag uuid NOT NULL DEFAULT gen_random_uuid(),
		created_at timestamp with time zone NOT NULL DEFAULT now(), updated_at timestamp with time zone, expires_at timestamp with time zone)`
	columns := []string{"key", "value"}
	if v1 {
		create = `CREATE TABLE ` + table + ` (key text NOT NULL PRIMARY KEY, value jsonb NOT NULL, isbinary boolean NOT NULL,
			insertdate TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW(), updatedate TIMESTAMP WITH TIME ZONE NULL, expiredate TIMESTAMP WITH TIME ZONE)`
		columns = append(columns, "isbinary")
	}
	if _, err := conn.Exec(ctx, create); err != nil {
		return err
	}
	next, stop := iter.Pull(rows)
	defer stop()
	var schema, name string
	if err := conn.QueryRow(ctx, `SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = to_regclass($1)`, table).Scan(&schema, &name); err != nil {
		return err
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{schema, name}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		r, ok := next()
		if !ok {
			return nil, nil
		}
		if !v1 {
			return []any{r.Key, r.Value}, nil
		}
		text, err := json.Marshal(base64.StdEncoding.EncodeToString(r.Value))
		return []any{r.Key, json.RawMessage(text), true}, err
	}))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `VACUUM ANALYZE `+table)
	return err
}

// FillRedis writes the hashes.
func FillRedis(ctx context.Context, c *redis.Client, rows iter.Seq[sourcetest.Row]) error {
	p := c.Pipeline()
	for r := range rows {
		p.HSet(ctx, r.Key, "data", r.Value, "version", 1)
		if p.Len() >= 10_000 {
			if _, err := p.Exec(ctx); err != nil {
				return err
			}
		}
	}
	_, err := p.Exec(ctx)
	return err
}
