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
func (b *backend) Page(ctx context.Context, after, app string, limit int, f func(key, value []byte, binary bool) error) error {
	query := fmt.Sprintf(`SELECT key, value, is_binary FROM %q WHERE key > ? AND instr(key, ?) > 0 AND %s ORDER BY key LIMIT ?`, b.table, alive)
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
	query := fmt.Sprintf(`SELECT key, value, is_binary FROM %q WHERE key >= ? AND key < ? AND %s ORDER BY key`, b.table, alive)
	return store.LoadRows(location, func(f func(key, value []byte, binary bool) error) error {
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

// rows runs a query for key, value and is_binary and calls f for every row. What
// is read of an immutable file may have to be read again from its start (see
// read), so those rows are handed on when they are complete.
func (b *backend) rows(ctx context.Context, query string, args []any, f func(key, value []byte, binary bool) error) error {
	var page held
	err := b.read(ctx, func(ctx context.Context, db *sql.DB, frozen bool) error {
		page = held{}
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err is looked at
		var key, value sql.RawBytes
		var binary bool
		for rows.Next() {
			if err := rows.Scan(&key, &value, &binary); err != nil {
				return err
			}
			if frozen {
				page.add(key, value, binary)
			} else if err := f(key, value, binary); err != nil {
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
	key, value int // where in text they end
	binary     bool
}

func (h *held) add(key, value []byte, binary bool) {
	h.text = append(h.text, key...)
	k := len(h.text)
	h.text = append(h.text, value...)
	h.ends = append(h.ends, end{k, len(h.text), binary})
}

func (h *held) each(f func(key, value []byte, binary bool) error) error {
	from := 0
	for _, e := range h.ends {
		if err := f(h.text[from:e.key], h.text[e.key:e.value], e.binary); err != nil {
			return err
		}
		from = e.value
	}
	return nil
}
