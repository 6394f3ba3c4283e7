package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Names implements store.Backend. It costs one pass over the table whatever the
// limit, since no index orders keys by bytes under a linguistic collation.
func (b *backend) Names(ctx context.Context, q store.Query) ([]store.Entry, error) {
	after := ""
	if q.After != "" {
		after = q.After + store.SuffixMetadata
	}
	var out []store.Entry
	err := b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		query := fmt.Sprintf(`SELECT s.key, %s FROM %s s
			WHERE s.key LIKE '%%dapr.internal.%%.workflow||%%||metadata' AND s.key COLLATE "C" > $1 AND %s
			ORDER BY s.key COLLATE "C" LIMIT $2`, l.columns(), l.table, l.alive())
		rows, err := tx.Query(ctx, query, after, q.Limit)
		if err != nil {
			return err
		}
		var key string
		var value []byte
		var binary bool
		_, err = pgx.ForEachRow(rows, []any{&key, (*rawBytes)(&value), &binary}, func() error {
			location, _, _ := store.SplitKey(key)
			meta, err := store.AppendText(nil, value, binary)
			if err != nil {
				meta = nil // Load says so
			}
			out = append(out, store.Entry{Location: location, Length: store.Length(meta)})
			return nil
		})
		return err
	})
	return out, err
}

// rawBytes scans without keeping a copy: the bytes are the connection's until
// the next row.
type rawBytes []byte

// ScanBytes implements pgx's BytesScanner.
func (r *rawBytes) ScanBytes(v []byte) error {
	*r = v
	return nil
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

// Positions of the rows that are no history in load's query.
const (
	atMetadata = -2
	atStatus   = -1
)

// load reads rows by the keys that the lengths call for. The inner query is
// fenced (OFFSET 0), so that the planner looks every key up in the primary key
// instead of reading the whole table for each batch. One row beyond the length
// is asked for, to see a run that is being written by something else.
const load = `SELECT r.ord, k.i, v.*
	FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS r(location, n, ord)
	CROSS JOIN LATERAL generate_series(-2, r.n) AS k(i)
	CROSS JOIN LATERAL (SELECT %s FROM %s s
		WHERE s.key = r.location || CASE k.i WHEN -2 THEN '||metadata' WHEN -1 THEN '||customStatus' ELSE '||history-' || lpad(k.i::text, 6, '0') END
		AND %s OFFSET 0) v`

// Load implements store.Backend.
func (b *backend) Load(ctx context.Context, entries []store.Entry) ([]store.Group, error) {
	if entries[0].Length == store.UnknownLength {
		g, err := b.loadOne(ctx, entries[0].Location)
		return []store.Group{g}, err
	}
	n := store.Batch(entries)
	for i, e := range entries[:n] {
		if e.Length == store.UnknownLength {
			n = i
			break
		}
	}
	groups := make([]store.Group, n)
	locations, lengths := make([]string, n), make([]int32, n)
	for i, e := range entries[:n] {
		groups[i].Location, locations[i], lengths[i] = e.Location, e.Location, int32(e.Length)
	}
	err := b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		rows, err := tx.Query(ctx, fmt.Sprintf(load, l.columns(), l.table, l.alive()), locations, lengths)
		if err != nil {
			return err
		}
		f := filer{groups: groups}
		_, err = pgx.ForEachRow(rows, f.targets(), f.row)
		return err
	})
	if err != nil {
		return nil, err
	}
	// A run that grew since it was listed is read again, whole.
	for i := range groups {
		if now := store.Length(groups[i].Metadata); now != store.UnknownLength && now != entries[i].Length {
			g, err := b.loadOne(ctx, groups[i].Location)
			if err != nil {
				return nil, err
			}
			groups[i] = g
		}
	}
	return groups, nil
}

// loadOne reads every row of one run, whatever its metadata row says, in two
// queries of one moment: its length, then its rows; without a readable length
// the rows are looked for by their keys.
func (b *backend) loadOne(ctx context.Context, location string) (store.Group, error) {
	f := filer{groups: []store.Group{{Location: location}}}
	err := b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		rows, err := tx.Query(ctx, fmt.Sprintf(load, l.columns(), l.table, l.alive()), []string{location}, []int32{-1})
		if err != nil {
			return err
		}
		if _, err = pgx.ForEachRow(rows, f.targets(), f.row); err != nil {
			return err
		}
		if n := store.Length(f.groups[0].Metadata); n != store.UnknownLength {
			f.groups[0] = store.Group{Location: location}
			rows, err = tx.Query(ctx, fmt.Sprintf(load, l.columns(), l.table, l.alive()), []string{location}, []int32{int32(n)})
		} else {
			query := fmt.Sprintf(`SELECT 1::bigint, right(s.key, 6)::int, %s FROM %s s
				WHERE starts_with(s.key, $1) AND right(s.key, 6) ~ '^[0-9]{6}$' AND length(s.key) = length($1) + 6 AND %s`, l.columns(), l.table, l.alive())
			rows, err = tx.Query(ctx, query, location+"||history-")
		}
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, f.targets(), f.row)
		return err
	})
	return f.groups[0], err
}

// filer puts rows into the groups of their runs.
type filer struct {
	groups []store.Group
	ord    int64
	at     int32
	value  []byte
	binary bool
	arena  []byte
}

func (f *filer) targets() []any {
	return []any{&f.ord, &f.at, (*rawBytes)(&f.value), &f.binary}
}

func (f *filer) row() error {
	g := &f.groups[f.ord-1]
	role, index := store.RoleHistory, int(f.at)
	switch f.at {
	case atMetadata:
		role, index = store.RoleMetadata, 0
	case atStatus:
		role, index = store.RoleStatus, 0
	}
	if f.arena == nil || cap(f.arena)-len(f.arena) < len(f.value) {
		f.arena = make([]byte, 0, max(256<<10, len(f.value)))
	}
	start := len(f.arena)
	out, err := store.AppendText(f.arena, f.value, f.binary)
	if err != nil {
		g.Damage = append(g.Damage, fmt.Sprintf("the %s cannot be decoded: %s", rowName(f.at), clean.Line(err.Error(), 120)))
		return nil
	}
	f.arena = out
	g.Put(role, index, out[start:len(out):len(out)])
	return nil
}

func rowName(at int32) string {
	switch at {
	case atMetadata:
		return "metadata row"
	case atStatus:
		return "custom status row"
	}
	return fmt.Sprintf("row history-%06d", at)
}
