package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/idem-mcp/idem-mcp/dapr/store"
)

// Scan implements store.Backend: in the order of the primary key, which is that
// of the database's collation.
func (b *backend) Scan(ctx context.Context, q store.Query) iter.Seq2[[]store.Group, error] {
	return store.ScanRows(ctx, b, q)
}

// walk makes the planner, for this transaction alone, walk the primary key
// instead of sorting the whole table for every page, which it prefers when it
// guesses that few rows match; and spares compiling each query.
const walk = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`

// Page implements store.Rows.
func (b *backend) Page(ctx context.Context, after, app string, limit int, f func(store.Row) error) error {
	return b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		if err := tx.QueryRow(ctx, walk).Scan(nil, nil, nil); err != nil {
			return err
		}
		part := "dapr.internal."
		if app != "" {
			part = "." + app + ".workflow||"
		}
		query := fmt.Sprintf(`SELECT s.key, %s, s.xmin::text FROM %s s WHERE s.key > $1 AND strpos(s.key, $2) > 0 AND %s ORDER BY s.key LIMIT $3`, l.columns(), l.table, l.alive())
		return each(ctx, tx, f, query, after, part, limit)
	})
}

// StampPage implements store.Stamper by the id of the transaction that wrote the
// row, which both layouts have.
func (b *backend) StampPage(ctx context.Context, after, app string, limit int, f func(key, mark string) error) error {
	return b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		if err := tx.QueryRow(ctx, walk).Scan(nil, nil, nil); err != nil {
			return err
		}
		part := "dapr.internal."
		if app != "" {
			part = "." + app + ".workflow||"
		}
		query := fmt.Sprintf(`SELECT s.key, s.xmin::text FROM %s s WHERE s.key > $1 AND right(s.key, 10) = '||metadata' AND strpos(s.key, $2) > 0 AND %s ORDER BY s.key LIMIT $3`, l.table, l.alive())
		rows, err := tx.Query(ctx, query, after, part, limit)
		if err != nil {
			return err
		}
		var key, mark string
		_, err = pgx.ForEachRow(rows, []any{&key, &mark}, func() error { return f(key, mark) })
		return err
	})
}

// Load implements store.Backend: the rows of one moment, by their exact keys as
// far as the metadata row calls for them and one beyond, which shows a run that
// something else writes too. Without a readable length the rows are looked for
// in the whole table.
func (b *backend) Load(ctx context.Context, location string) (store.Group, error) {
	return store.LoadRows(location, func(f func(store.Row) error) error {
		return b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
			var meta []byte
			ends := fmt.Sprintf(`SELECT s.key, %s, s.xmin::text FROM %s s WHERE s.key = ANY($1::text[]) AND %s`, l.columns(), l.table, l.alive())
			err := each(ctx, tx, func(r store.Row) error {
				if _, role, _ := store.SplitKey(string(r.Key)); role == store.RoleMetadata {
					meta, _ = store.AppendText(nil, r.Value, r.Binary) // f tells of damage
				}
				return f(r)
			}, ends, []string{location + store.SuffixMetadata, location + store.SuffixStatus})
			if err != nil {
				return err
			}
			if n := store.Length(meta); n != store.UnknownLength {
				query := fmt.Sprintf(`SELECT v.* FROM generate_series(0, $2::int) AS k(i)
					CROSS JOIN LATERAL (SELECT s.key, %s, s.xmin::text FROM %s s WHERE s.key = $1 || lpad(k.i::text, greatest(6, length(k.i::text)), '0') AND %s OFFSET 0) v`, l.columns(), l.table, l.alive())
				return each(ctx, tx, f, query, location+"||history-", n)
			}
			query := fmt.Sprintf(`SELECT s.key, %s, s.xmin::text FROM %s s WHERE starts_with(s.key, $1) AND %s`, l.columns(), l.table, l.alive())
			return each(ctx, tx, f, query, location+"||history-")
		})
	})
}

// rawBytes scans without keeping a copy: the bytes are the connection's until
// the next row.
type rawBytes []byte

// ScanBytes implements pgx's BytesScanner.
func (r *rawBytes) ScanBytes(v []byte) error {
	*r = v
	return nil
}

// each runs a query for key, value, whether it is base64 and the row's mark, and
// calls f for every row.
func each(ctx context.Context, tx pgx.Tx, f func(store.Row) error, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	var key, value, mark rawBytes
	var binary bool
	_, err = pgx.ForEachRow(rows, []any{&key, &value, &binary, &mark}, func() error {
		return f(store.Row{Key: key, Value: value, Mark: mark, Binary: binary})
	})
	return err
}

// Find implements store.Backend.
func (b *backend) Find(ctx context.Context, instance string) ([]string, error) {
	seen := map[string]bool{}
	var out []string
	err := b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		query := fmt.Sprintf(`SELECT s.key FROM %s s WHERE strpos(s.key, $1) > 0 AND %s`, l.table, l.alive())
		rows, err := tx.Query(ctx, query, ".workflow||"+instance+"||")
		if err != nil {
			return err
		}
		var key string
		_, err = pgx.ForEachRow(rows, []any{&key}, func() error {
			if name, _, _, ok := store.ParseKey(key); ok && name.Instance == instance && !seen[name.Location()] {
				seen[name.Location()] = true
				out = append(out, name.Location())
			}
			return nil
		})
		return err
	})
	return out, err
}
