package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Config is what holds for a source over any store.
type Config struct {
	// Options govern decoding. A sharing level that nobody stated becomes
	// metadata, the default of every source.
	Options history.Options
	// Component is the component's name, for Describe; may be empty.
	Component string
}

// Source is a history.BulkSource over a Backend. It is safe for use by several
// goroutines.
type Source struct {
	backend Backend
	config  Config
	sharing *history.Sharing // shared by all withheld payloads
}

var _ history.BulkSource = (*Source)(nil)

// New returns a source that owns b and closes it.
func New(b Backend, c Config) *Source {
	if c.Options.Sharing.Level == history.LevelUnstated {
		c.Options.Sharing = history.Sharing{Level: history.LevelMetadata, How: "the default of every source"}
	}
	return &Source{backend: b, config: c, sharing: &c.Options.Sharing}
}

// Close frees the connection to the store.
func (s *Source) Close() error { return s.backend.Close() }

// Describe implements history.Source.
func (s *Source) Describe(ctx context.Context) history.Description {
	d := history.Description{
		Name: "state store", Where: s.backend.Where(), Sharing: *s.sharing, Ordered: true,
		Carries: history.Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true, Generation: true},
		NotVisible: []string{
			"a redelivery of a committed schedule (app or sidecar killed): it leaves no event",
			"events of earlier generations and of purged runs",
			"results waiting in a run's inbox",
		},
	}
	if s.config.Component != "" {
		d.Details = append(d.Details, history.Detail{Name: "component", Value: clean.Line(s.config.Component, 200)})
	}
	details, err := s.backend.Check(ctx)
	d.Details = append(d.Details, details...)
	d.Problem = err
	return d
}

// Runs implements history.Source. A header needs the whole history (a run is
// suspended, or has ended, by an event that may stand anywhere), so listing
// costs what reading does.
func (s *Source) Runs(ctx context.Context, f history.Filter) iter.Seq2[history.Header, error] {
	return func(yield func(history.Header, error) bool) {
		for run, err := range s.Histories(ctx, f) {
			var h history.Header
			if run != nil {
				h = run.Header
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

// Histories implements history.BulkSource, in the order of the store's keys.
func (s *Source) Histories(ctx context.Context, f history.Filter) iter.Seq2[*history.Run, error] {
	return func(yield func(*history.Run, error) bool) {
		read := 0
		for g, err := range s.groups(ctx, f) {
			if err != nil {
				yield(nil, stopped(err, read))
				return
			}
			run, err := s.decode(&g)
			switch {
			case run != nil && !f.Match(run.Header):
				continue
			case err != nil:
				run, err = nil, &history.Skipped{What: clean.Line(g.Location, 300), Why: err.Error()}
			}
			read++
			if !yield(run, err) {
				return
			}
		}
	}
}

// stopped adds to an error that ended a listing what was read before it.
func stopped(err error, read int) error {
	var f *fault.Error
	if read == 0 || !errors.As(err, &f) {
		return err
	}
	told := *f
	if told.Means == "" {
		told.Means = fmt.Sprintf("the listing ended after %d runs; nothing is known of the others", read)
	}
	return &told
}

func (s *Source) decode(g *Group) (*history.Run, error) {
	name, ok := ParseLocation(g.Location)
	if !ok {
		return nil, &fault.Error{Kind: fault.Damaged, What: "read key " + clean.Line(g.Location, 300), Means: "it names no run"}
	}
	return toRun(g, name, s.config.Options, s.sharing)
}

// Run implements history.Source. Without a location the instance id is looked
// up in the whole store; several apps may have the same one.
func (s *Source) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	location, err := s.locate(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", clean.Line(ref.Instance, 200), err)
	}
	g, err := s.backend.Load(ctx, location)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", clean.Line(ref.Instance, 200), err)
	}
	if g.Empty() {
		return nil, notFound(ref)
	}
	return s.decode(&g)
}

func (s *Source) locate(ctx context.Context, ref history.Ref) (string, error) {
	if ref.Location != "" {
		name, ok := ParseLocation(ref.Location)
		if !ok {
			return "", &fault.Error{Kind: fault.BadInput, What: "location " + clean.Line(ref.Location, 200) + " is no run's", Do: "Take it from a listing, or leave it out and name the run"}
		}
		return ref.Location, refuse(name)
	}
	if ref.Instance == "" {
		return "", &fault.Error{Kind: fault.BadInput, What: "no run is named", Do: "Give the run's instance id"}
	}
	found, err := s.backend.Find(ctx, ref.Instance)
	if err != nil {
		return "", err
	}
	var names []Name
	for _, l := range found {
		n, ok := ParseLocation(l)
		if ok && n.Instance == ref.Instance && (ref.App == "" || n.App == ref.App) {
			names = append(names, n)
		}
	}
	switch len(names) {
	case 0:
		return "", notFound(ref)
	case 1:
		return names[0].Location(), refuse(names[0])
	}
	slices.SortFunc(names, func(a, b Name) int { return cmp.Compare(a.location, b.location) })
	var at []string
	for _, n := range names {
		at = append(at, clean.Line(n.location, 200))
	}
	return "", &fault.Error{
		Kind: fault.BadInput, What: fmt.Sprintf("%d runs have this id", len(names)),
		Do: "Name the app or the location: " + strings.Join(at, ", "),
	}
}

func notFound(ref history.Ref) error {
	what := "run " + clean.Line(ref.Instance, 200)
	if ref.App != "" {
		what += " of app " + clean.Line(ref.App, 200)
	}
	return &fault.Error{
		Kind: fault.NotFound, What: what + " is not in this store",
		Means: "it never was, or it was purged",
		Do:    "List the runs, or look in another component's store",
	}
}

// refuse keeps Catalyst projects out.
func refuse(n Name) error {
	if catalysthost.IsNamespace(n.Namespace) {
		return catalysthost.Refuse("namespace " + clean.Line(n.Namespace, 100))
	}
	return nil
}
