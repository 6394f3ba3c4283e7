package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

const alive = `(expiration_time IS NULL OR expiration_time > CURRENT_TIMESTAMP)`

// Names implements store.Backend. The key column's index holds all it needs
// but for rows with a time to live.
func (b *backend) Names(ctx context.Context, q store.Query) ([]store.Entry, error) {
	query := fmt.Sprintf(`SELECT key FROM %q WHERE key > ? AND key GLOB '*dapr.internal.*.workflow||*||metadata' AND %s ORDER BY key LIMIT ?`, b.table, alive)
	var out []store.Entry
	err := b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		out = nil
		after := ""
		if q.After != "" {
			after = q.After + store.SuffixMetadata
		}
		return each(ctx, db, query, []any{after, q.Limit}, func(rows *sql.Rows) error {
			var key string
			if err := rows.Scan(&key); err != nil {
				return err
			}
			location, _, _ := store.SplitKey(key)
			out = append(out, store.Entry{Location: location, Length: store.UnknownLength})
			return nil
		})
	})
	return out, err
}

// Find implements store.Backend.
func (b *backend) Find(ctx context.Context, instance string) ([]string, error) {
	query := fmt.Sprintf(`SELECT key FROM %q WHERE instr(key, ?) > 0 AND %s ORDER BY key`, b.table, alive)
	var out []string
	err := b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		out = nil
		return each(ctx, db, query, []any{".workflow||" + instance + "||"}, func(rows *sql.Rows) error {
			var key string
			if err := rows.Scan(&key); err != nil {
				return err
			}
			if name, _, _, ok := store.ParseKey(key); ok && name.Instance == instance && (len(out) == 0 || out[len(out)-1] != name.Location()) {
				out = append(out, name.Location())
			}
			return nil
		})
	})
	return out, err
}

// Load implements store.Backend: one query over the range of the entries'
// keys, ended at the first run that begins after the batch is full.
func (b *backend) Load(ctx context.Context, entries []store.Entry) ([]store.Group, error) {
	entries = entries[:min(len(entries), store.BatchRuns)]
	low, high := store.Range(entries[0].Location, entries[len(entries)-1].Location)
	query := fmt.Sprintf(`SELECT key, value, is_binary FROM %q WHERE key >= ? AND key < ? AND instr(key, 'dapr.internal.') > 0 AND %s ORDER BY key`, b.table, alive)
	var l *loader
	err := b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		l = newLoader(entries)
		return each(ctx, db, query, []any{low, high}, l.row)
	})
	if err != nil {
		return nil, err
	}
	return l.groups[:l.done], nil
}

// loader files the rows of one batch.
type loader struct {
	groups []store.Group
	at     map[string]int
	done   int // how many groups are complete
	now    int // the group of the last row
	bytes  int

	key, value sql.RawBytes
	binary     bool
	arena      []byte
}

func newLoader(entries []store.Entry) *loader {
	l := &loader{groups: make([]store.Group, len(entries)), at: make(map[string]int, len(entries)), done: len(entries)}
	for i, e := range entries {
		l.groups[i].Location = e.Location
		l.at[e.Location] = i
	}
	return l
}

func (l *loader) row(rows *sql.Rows) error {
	if err := rows.Scan(&l.key, &l.value, &l.binary); err != nil {
		return err
	}
	location, role, index := store.SplitKey(string(l.key))
	i, ok := l.at[location]
	if !ok || role == store.RoleOther {
		return nil
	}
	if i > l.now {
		if l.bytes >= store.BatchBytes {
			l.done = i
			return errDone
		}
		l.now = i
	}
	g := &l.groups[i]
	if role == store.RoleHistory && index >= store.MaxEvents {
		return nil
	}
	value, err := l.decode()
	if err != nil {
		g.Damage = append(g.Damage, fmt.Sprintf("row %s cannot be decoded: %s", clean.Line(string(l.key[len(location):]), 60), clean.Line(err.Error(), 120)))
		return nil
	}
	g.Put(role, index, value)
	return nil
}

// decode copies the row's value out of the driver's memory, many rows to one
// allocation.
func (l *loader) decode() ([]byte, error) {
	if l.arena == nil || cap(l.arena)-len(l.arena) < len(l.value) {
		l.arena = make([]byte, 0, max(256<<10, len(l.value)))
	}
	start := len(l.arena)
	out, err := store.AppendText(l.arena, l.value, l.binary)
	if err != nil {
		return nil, err
	}
	l.arena = out
	l.bytes += len(out) - start
	return out[start:len(out):len(out)], nil
}

// errDone ends each early.
var errDone = fmt.Errorf("done")

// each runs a query and calls f for every row.
func each(ctx context.Context, db *sql.DB, query string, args []any, f func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	for rows.Next() {
		if err := f(rows); err != nil {
			if err == errDone {
				return nil
			}
			return err
		}
	}
	return rows.Err()
}
