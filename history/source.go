package history

import (
	"context"
	"iter"
	"time"
)

// Source gives runs. It has no write method, so no tool can change anything
// through it. Errors are *fault.Error where a caller can do something about
// them; not found, forbidden and unreachable are told apart.
type Source interface {
	// Describe says what this source is and what its runs can carry. It must
	// not fail because a server is away: that goes into Description.Problem.
	Describe(ctx context.Context) Description
	// Runs iterates over the headers of the runs that match. Memory is bounded.
	// An error ends the iteration unless it is a *Skipped, after which the
	// iteration goes on. Breaking out of the loop or cancelling ctx stops all
	// work.
	Runs(ctx context.Context, f Filter) iter.Seq2[Header, error]
	// Run reads one run. A run that was read only in part is returned with a
	// Coverage that says so, not as an error.
	Run(ctx context.Context, ref Ref) (*Run, error)
}

// BulkSource is a Source that reads many whole runs faster than one by one.
type BulkSource interface {
	Source
	// Histories iterates over the runs that match, events included.
	Histories(ctx context.Context, f Filter) iter.Seq2[*Run, error]
}

// Stamper is a Source that can list its runs with a mark that every write to a run
// changes, for much less than it costs to read them.
type Stamper interface {
	Source
	// CanStamp reports whether it can, which may hang on what is behind it.
	CanStamp() bool
	// Stamps iterates in the order of Runs over the runs that can match: what only
	// a run's events tell is not looked at.
	Stamps(ctx context.Context, f Filter) iter.Seq2[Stamp, error]
}

// Stamp is one run of a Stamper. Of two equal marks of one run, nothing was
// written between them.
type Stamp struct {
	Ref  Ref
	Mark string
}

// Skipped reports one thing that a listing passed over: a file of an unknown
// shape, a damaged row. It is not the end of the iteration.
type Skipped struct {
	What string // the path, key or id
	Why  string
	// NoRun: what was passed over is no run. Otherwise a run stands here and could
	// not be read, so the listing is partial; the zero value is the careful one.
	NoRun bool
}

func (s *Skipped) Error() string { return "skipped " + s.What + ": " + s.Why }

// Description is what a source says of itself.
type Description struct {
	Name    string // "file", "sidecar", "catalyst", "state store"
	Where   string // path, address or component, without secrets
	Account string // as whom; empty when the source has no accounts
	Project Project
	Sharing Sharing
	Carries Carries
	// Ordered: a listing that goes on from a cursor costs only what follows it.
	Ordered bool
	// NotVisible lists what this source can never show.
	NotVisible []string
	// Problem says why the source cannot be read now; nil when it can.
	Problem error
	// Details are further facts worth showing, in order.
	Details []Detail
}

// Detail is a named fact of a Description.
type Detail struct{ Name, Value string }

// Filter chooses runs. Zero fields do not restrict.
type Filter struct {
	App      string
	Workflow string
	Status   []Status
	// Since and Until bound the run's creation time.
	Since, Until time.Time
	// Text must occur in the instance id or the workflow name, ignoring case.
	Text string
	// Cursor continues a listing after the run it names; from a Header's Ref.
	Cursor string
}

// Options govern how bytes become a Run.
type Options struct {
	// Sharing is the level that holds for the source and how it is known. At
	// LevelMetadata payload bytes of a local source are not decoded at all.
	Sharing Sharing
	// Fingerprint, when set, lets "same input" be told of withheld payloads.
	Fingerprint *Fingerprinter
	// Ref is what the request or the metadata beside the history says of the
	// run; it wins over anything the events say.
	Ref Ref
}
