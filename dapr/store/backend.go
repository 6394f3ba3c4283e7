package store

import (
	"context"
	"iter"

	"github.com/idem-mcp/idem-mcp/history"
)

// Backend is one kind of state store, read only. Its errors are *fault.Error.
// It is safe for use by several goroutines.
type Backend interface {
	// Scan iterates over the runs that have a metadata row, a batch at a time,
	// in an order of the store's own that does not change. No transaction stays
	// open between two batches.
	Scan(ctx context.Context, q Query) iter.Seq2[[]Group, error]
	// Find returns the locations of all runs with the instance id that have
	// any row, in no particular order.
	Find(ctx context.Context, instance string) ([]string, error)
	// Load reads the rows of one run, whatever its metadata row says. A run
	// that is gone comes back as a Group without rows.
	Load(ctx context.Context, location string) (Group, error)
	// Where names the store without secrets.
	Where() string
	// Check reads as little as possible to tell whether the store can be read
	// and which layout it has.
	Check(ctx context.Context) ([]history.Detail, error)
	// Close frees the connection.
	Close() error
}

// Query asks for runs.
type Query struct {
	After string // a location; the scan goes on behind it
	App   string // when set, a backend may leave out runs of other apps
}

// UnknownLength stands for the length of a run whose metadata row is not there
// or cannot be read.
const UnknownLength = -1

// Group holds the rows of one run, decoded from the store's encoding. The bytes
// belong to the Group.
type Group struct {
	Location string
	Metadata []byte // nil: no such row
	Status   []byte // custom status; nil: no such row
	// History by position; nil where the row is missing. May be longer than
	// the metadata says.
	History [][]byte
	// Damage says of each row that could not be decoded which and why.
	Damage []string
	// Moving is set when the run was seen to change while it was read.
	Moving bool
	// Mark is the metadata row's (see Stamper), where all rows were read in one
	// moment; empty where they were not or the store has none.
	Mark string

	page int // of a scan, on which its first row came
}

// Rows counts the history rows that are there.
func (g *Group) Rows() int {
	n := 0
	for _, r := range g.History {
		if r != nil {
			n++
		}
	}
	return n
}

// Empty reports whether the run has no row at all.
func (g *Group) Empty() bool {
	return g.Metadata == nil && g.Status == nil && len(g.History) == 0 && len(g.Damage) == 0
}

// Whole reports whether the rows are those that the metadata row calls for.
func (g *Group) Whole() bool {
	return len(g.Damage) == 0 && len(g.History) == Length(g.Metadata) && g.Rows() == len(g.History)
}

// Put files a decoded row. Rows of other roles are ignored.
func (g *Group) Put(role Role, index int, value []byte) {
	switch role {
	case RoleMetadata:
		g.Metadata = value
	case RoleStatus:
		g.Status = value
	case RoleHistory:
		for len(g.History) <= index {
			g.History = append(g.History, nil)
		}
		g.History[index] = value
	case RoleOther:
	}
}

// MaxEvents is the runtime's own bound on a history's length; a metadata row
// that claims more is damaged.
const MaxEvents = 1_000_000

// Length reads the number of events from a metadata row; UnknownLength when it
// cannot be read or claims more than a runtime would write.
func Length(metadata []byte) int {
	if len(metadata) == 0 {
		return UnknownLength
	}
	m, err := history.ParseStoreMetadata(metadata)
	if err != nil || m.HistoryLength > MaxEvents {
		return UnknownLength
	}
	return int(m.HistoryLength)
}
