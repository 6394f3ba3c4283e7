package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"github.com/idem-mcp/idem-mcp/dapr/store"
)

// alive leaves out rows whose time to live has ended. The subquery asks the
// clock one time; bare, CURRENT_TIMESTAMP would ask it for every row.
const alive = `(expiration_time IS NULL OR expiration_time > (SELECT CURRENT_TIMESTAMP))`

// Scan implements store.Backend.
func (b *backend) Scan(ctx context.Context, q store.Query) iter.Seq2[[]store.Group, error] {
	return store.ScanRows(ctx, b, q)
}

// Page implements store.Rows.
func (b *backend) Page(ctx context.Context, after, app string, limit int, f func(store.Row) error) error {
	query := fmt.Sprintf(`SELECT key, value, is_binary, etag FROM %q WHERE key > ? AND instr(key, ?) > 0 AND %s ORDER BY key LIMIT ?`, b.table, alive)
	part := "dapr.internal."
	if app != "" {
		part = "." + app + ".workflow||"
	}
	return b.rows(ctx, query, []any{after, part, limit}, f)
}

// StampPage implements store.Stamper by the etag, which every write makes anew. All
// but the rows that match is decided in the index over the keys.
func (b *backend) StampPage(ctx context.Context, after, app string, limit int, f func(key, mark string) error) error {
	query := fmt.Sprintf(`SELECT key, etag FROM %q WHERE key > ? AND substr(key, -10) = '||metadata' AND instr(key, ?) > 0 AND %s ORDER BY key LIMIT ?`, b.table, alive)
	part := "dapr.internal."
	if app != "" {
		part = "." + app + ".workflow||"
	}
	type stamp struct{ key, mark string }
	var page []stamp
	err := b.read(ctx, func(ctx context.Context, db *sql.DB, _ bool) error {
		page = page[:0]
		rows, err := db.QueryContext(ctx, query, after, part, limit)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err is looked at
		for rows.Next() {
			var s stamp
			if err := rows.Scan(&s.key, &s.mark); err != nil {
				return err
			}
			page = append(page, s)
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	for _, s := range page {
		if err := f(s.key, s.mark); err != nil {
			return err
		}
	}
	return nil
}

// Load implements store.Backend: all rows of one run, which stand together.
func (b *backend) Load(ctx context.Context, location string) (store.Group, error) {
	query := fmt.Sprintf(`SELECT key, value, is_binary, etag FROM %q WHERE key >= ? AND key < ? AND %s ORDER BY key`, b.table, alive)
	return store.LoadRows(location, func(f func(store.Row) error) error {
		return b.rows(ctx, query, []any{location + "||", location + "|}"}, f)
	})
}

// Find implements store.Backend.
func (b *backend) Find(ctx context.Context, instance string) ([]string, error) {
	query := fmt.Sprintf(`SELECT key FROM %q WHERE instr(key, ?) > 0 AND %s ORDER BY key`, b.table, alive)
	var out []string
	err := b.read(ctx, func(ctx context.Context, db *sql.DB, _ bool) error {
		out = nil
		rows, err := db.QueryContext(ctx, query, ".workflow||"+instance+"||")
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err is looked at
		for rows.Next() {
			var key string
			if err := rows.Scan(&key); err != nil {
				return err
			}
			if name, _, _, ok := store.ParseKey(key); ok && name.Instance == instance && (len(out) == 0 || out[len(out)-1] != name.Location()) {
				out = append(out, name.Location())
			}
		}
		return rows.Err()
	})
	return out, err
}

// rows runs a query for key, value, is_binary and etag and calls f for every row. What
// is read of an immutable file may have to be read again from its start (see
// read), so those rows are handed on when they are complete.
func (b *backend) rows(ctx context.Context, query string, args []any, f func(store.Row) error) error {
	var page held
	err := b.read(ctx, func(ctx context.Context, db *sql.DB, frozen bool) error {
		page = held{}
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err is looked at
		var key, value, mark sql.RawBytes
		var binary bool
		for rows.Next() {
			if err := rows.Scan(&key, &value, &binary, &mark); err != nil {
				return err
			}
			r := store.Row{Key: key, Value: value, Mark: mark, Binary: binary}
			if frozen {
				page.add(r)
			} else if err := f(r); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		return err
	}
	return page.each(f)
}

// held keeps a page's rows in one buffer.
type held struct {
	text []byte
	ends []end
}

type end struct {
	key, value, mark int // where in text they end
	binary           bool
}

func (h *held) add(r store.Row) {
	h.text = append(h.text, r.Key...)
	k := len(h.text)
	h.text = append(h.text, r.Value...)
	v := len(h.text)
	h.text = append(h.text, r.Mark...)
	h.ends = append(h.ends, end{k, v, len(h.text), r.Binary})
}

func (h *held) each(f func(store.Row) error) error {
	from := 0
	for _, e := range h.ends {
		if err := f(store.Row{Key: h.text[from:e.key], Value: h.text[e.key:e.value], Mark: h.text[e.value:e.mark], Binary: e.binary}); err != nil {
			return err
		}
		from = e.mark
	}
	return nil
}
