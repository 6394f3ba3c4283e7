package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// Rows is a store that can list rows in the order of an index over its keys,
// whatever that order is (bytes in SQLite, the database's collation in
// PostgreSQL).
type Rows interface {
	// Page calls f for up to limit rows whose keys lie behind after and can be
	// workflows' (their text holds "dapr.internal."), in one short query that sees
	// one moment. When app is set, rows of other apps may be left out.
	Page(ctx context.Context, after, app string, limit int, f func(Row) error) error
	// Load is Backend.Load.
	Load(ctx context.Context, location string) (Group, error)
}

// Row is a row as a store gives it. Its bytes are the driver's and only good during
// the call.
type Row struct {
	Key, Value []byte
	Mark       []byte // see Stamper; empty where the store has none
	Binary     bool
}

// Pages: the first is small, so that a first run comes quickly.
const (
	firstPage = 500
	nextPage  = 20_000

	// Rows of runs whose metadata row has not come yet are held up to these
	// bounds; a run that falls out is read alone when its metadata comes.
	maxPending      = 5_000
	maxPendingBytes = 32 << 20
)

// ScanRows makes a Backend's Scan of pages of rows. In every collation a run's
// metadata row comes behind its custom status and history, since these words
// differ in their first letter, so a run is complete when its metadata comes,
// even where the rows of several runs stand between each other's. A run that
// then is not whole (written between two pages, or partly before the cursor) is
// read again, alone.
func ScanRows(ctx context.Context, s Rows, q Query) iter.Seq2[[]Group, error] {
	return func(yield func([]Group, error) bool) {
		after, limit := "", firstPage
		if q.After != "" {
			after = q.After + SuffixMetadata
		}
		a := assembler{pending: map[string]*Group{}}
		for {
			rows := 0
			a.page++
			err := s.Page(ctx, after, q.App, limit, func(r Row) error {
				if rows++; rows == limit {
					after = string(r.Key)
				}
				a.add(r)
				return nil
			})
			if err == nil {
				err = a.repair(ctx, s)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if len(a.done) > 0 && !yield(a.done, nil) {
				return
			}
			a.done = nil
			if rows < limit {
				return
			}
			limit = nextPage
		}
	}
}

// LoadRows files the rows that each calls back with as one run's.
func LoadRows(location string, each func(f func(Row) error) error) (Group, error) {
	a := assembler{pending: map[string]*Group{location: {Location: location}}, keep: true}
	err := each(func(r Row) error {
		a.add(r)
		return nil
	})
	return *a.pending[location], err
}

// assembler sorts rows into runs.
type assembler struct {
	pending map[string]*Group
	order   []string // of pending, oldest first; may hold names that are done
	bytes   int      // in pending, roughly
	done    []Group
	keep    bool // only rows of what is pending count, and nothing is done early

	last  *Group // the run of the last row
	page  int    // of the rows that come
	arena []byte
}

func (a *assembler) add(r Row) {
	key := r.Key
	at := lastSep(key)
	if at < 0 {
		return
	}
	role, index := parseSuffix(key[at:])
	if role == RoleOther || (role == RoleHistory && index >= MaxEvents) {
		return
	}
	g := a.group(key[:at])
	if g == nil {
		return
	}
	decoded, err := a.decode(r.Value, r.Binary)
	if err != nil {
		g.Damage = append(g.Damage, fmt.Sprintf("row %s cannot be decoded: %s", clean.Line(string(key[at:]), 60), clean.Line(err.Error(), 120)))
	} else {
		g.Put(role, index, decoded)
	}
	if role == RoleMetadata {
		g.Mark = string(r.Mark)
	}
	if role == RoleMetadata && !a.keep {
		delete(a.pending, g.Location)
		a.done = append(a.done, *g)
		a.last = nil
	}
}

// group finds or begins the run at location; nil when it is no run's.
func (a *assembler) group(location []byte) *Group {
	if a.last != nil && a.last.Location == string(location) {
		return a.last
	}
	g := a.pending[string(location)]
	if g == nil {
		if a.keep {
			return nil
		}
		name, ok := ParseLocation(string(location))
		if !ok {
			return nil
		}
		a.evict()
		g = &Group{Location: name.Location(), page: a.page}
		a.pending[g.Location] = g
		a.order = append(a.order, g.Location)
	}
	a.last = g
	return g
}

// evict drops the oldest runs that wait for their metadata, beyond the bounds.
func (a *assembler) evict() {
	if len(a.pending) == 0 {
		a.order, a.bytes = a.order[:0], 0
	}
	for len(a.order) > 0 && (len(a.pending) > maxPending || a.bytes > maxPendingBytes) {
		if g := a.pending[a.order[0]]; g != nil {
			for _, r := range g.History {
				a.bytes -= len(r)
			}
			delete(a.pending, a.order[0])
		}
		a.order = a.order[1:]
	}
}

// decode copies the row's value out of the driver's memory, many rows to one
// allocation.
func (a *assembler) decode(value []byte, binary bool) ([]byte, error) {
	if a.arena == nil || cap(a.arena)-len(a.arena) < len(value) {
		a.arena = make([]byte, 0, max(128<<10, len(value)))
	}
	start := len(a.arena)
	out, err := AppendText(a.arena, value, binary)
	if err != nil {
		return nil, err
	}
	a.arena = out
	a.bytes += len(out) - start
	return out[start:len(out):len(out)], nil
}

// repair reads again the runs that are not whole, and those that began on an earlier
// page: between two pages they may have been written to, and their mark would hide it.
func (a *assembler) repair(ctx context.Context, s Rows) error {
	for i := range a.done {
		if a.done[i].Whole() && a.done[i].page == a.page {
			continue
		}
		g, err := s.Load(ctx, a.done[i].Location)
		if err != nil {
			return err
		}
		a.done[i] = g
	}
	return nil
}
