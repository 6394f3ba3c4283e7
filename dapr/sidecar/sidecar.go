// Package sidecar reads workflow runs through a live Dapr sidecar: gRPC
// ListInstanceIDs and GetInstanceHistory (Dapr 1.17 and later) and GetInstance.
//
// The sidecar tells of the runs of its own app only, of their current
// generation, in stored order. It is asked for histories as raw bytes, so that
// at data-sharing level metadata payloads are never decoded; inputs and outputs
// are not asked for at that level.
package sidecar

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dapr/durabletask-go/api/protos"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Config names a sidecar. Only Address must be set.
type Config struct {
	Address string // as ParseEndpoint reads it
	Token   string // sent as dapr-api-token; never printed
	// App is the sidecar's app id; it is asked for when empty.
	App string
	// Options govern decoding; a level that nobody stated becomes metadata.
	Options history.Options
	// Timeout bounds one call; 15 s when 0.
	Timeout time.Duration
	// MaxMessage bounds one answer, in bytes; 64 MiB when 0.
	MaxMessage int
	// RootCAs verify a TLS endpoint; the system's when nil.
	RootCAs *x509.CertPool
}

// Source is a history.Source over one sidecar. It is safe for use by several
// goroutines.
type Source struct {
	conn       *grpc.ClientConn
	endpoint   Endpoint
	token      string
	timeout    time.Duration
	maxMessage int
	options    history.Options

	mu  sync.Mutex
	app string // as configured or as the sidecar said
}

var _ history.Source = (*Source)(nil)

// New returns a source; the sidecar is dialled by the first call.
func New(c Config) (*Source, error) {
	e, err := ParseEndpoint(c.Address)
	if err != nil {
		return nil, err
	}
	if c.Timeout <= 0 {
		c.Timeout = 15 * time.Second
	}
	if c.MaxMessage <= 0 {
		c.MaxMessage = 64 << 20
	}
	if c.Options.Sharing.Level == history.LevelUnstated {
		c.Options.Sharing = history.Sharing{Level: history.LevelMetadata, How: "the default of every source"}
	}
	creds := insecure.NewCredentials()
	if e.TLS {
		creds = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.RootCAs})
	}
	conn, err := grpc.NewClient(e.Target,
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(c.MaxMessage)),
		grpc.WithDisableServiceConfig(),
	)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "sidecar address " + clean.Line(c.Address, 200), Cause: err}
	}
	return &Source{
		conn: conn, endpoint: e, token: c.Token, timeout: c.Timeout, maxMessage: c.MaxMessage,
		options: c.Options, app: c.App,
	}, nil
}

// Close frees the connection.
func (s *Source) Close() error { return s.conn.Close() }

// Describe implements history.Source.
func (s *Source) Describe(ctx context.Context) history.Description {
	d := history.Description{
		Name: "sidecar", Where: s.endpoint.String(), Sharing: s.options.Sharing,
		Carries: history.Carries{StoredOrder: true, FullTimes: true, IDs: true, Origins: true, Inputs: true},
		NotVisible: []string{
			"a redelivery of a committed schedule (app or sidecar killed): it leaves no event",
			"the generation of a run, events of earlier generations and of purged runs",
			"runs of other apps than the sidecar's own",
		},
	}
	about, err := s.about(ctx)
	if err == nil {
		s.remember(about.app)
		d.Details = append(d.Details,
			history.Detail{Name: "app", Value: clean.Line(about.app, 200)},
			history.Detail{Name: "Dapr version", Value: clean.Line(about.version, 60)})
	}
	if s.token != "" && !s.endpoint.TLS {
		d.Details = append(d.Details, history.Detail{Name: "API token", Value: "sent without TLS"})
	}
	if _, err := s.page(ctx, nil, 1); err != nil {
		d.Problem = s.explain(ctx, "list runs", err)
	}
	return d
}

func (s *Source) remember(app string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.app == "" {
		s.app = app
	}
}

// appID returns the sidecar's app id, empty when it does not tell. A sidecar
// that does not answer this is asked again by the next call.
func (s *Source) appID(ctx context.Context) string {
	s.mu.Lock()
	app := s.app
	s.mu.Unlock()
	if app != "" {
		return app
	}
	about, err := s.about(ctx)
	if err != nil {
		return ""
	}
	s.remember(about.app)
	return about.app
}

// Run implements history.Source.
func (s *Source) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	what := "read run " + clean.Line(ref.Instance, 200)
	if ref.Instance == "" {
		return nil, &fault.Error{Kind: fault.BadInput, What: "no run is named", Do: "Give the run's instance id"}
	}
	app := s.appID(ctx)
	if ref.App != "" && app != "" && ref.App != app {
		return nil, &fault.Error{
			Kind: fault.NotFound, What: what + " of app " + clean.Line(ref.App, 200), Means: "this sidecar is of app " + clean.Line(app, 200),
			Do: "Use the sidecar of that app, or read the state store itself (source: store)",
		}
	}
	full := s.options.Sharing.Level == history.LevelFull
	state, err := s.instance(ctx, ref.Instance, full)
	if err != nil {
		return nil, s.explain(ctx, what, err)
	}
	if state == nil {
		return nil, &fault.Error{Kind: fault.NotFound, What: what, Means: "the app of this sidecar has no such run, or it was purged", Do: "List the runs"}
	}
	raw, err := s.history(ctx, ref.Instance)
	if err != nil {
		return nil, s.explain(ctx, what, err)
	}
	o := s.options
	o.Ref.App, o.Ref.Instance = app, ref.Instance
	run, err := history.ReadProto(events(raw), o)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Damaged, What: what, Means: "the sidecar's answer cannot be decoded", Cause: err}
	}
	s.complete(run, state)
	return run, nil
}

// complete adds what the sidecar told beside the events.
func (s *Source) complete(run *history.Run, state *protos.WorkflowState) {
	told := s.header(state, run.Ref.App)
	run.Shape = history.ShapeSidecar
	run.Carries.Generation = false
	run.Status, run.CustomStatus, run.Updated = told.Status, told.CustomStatus, told.Updated
	if run.Created.IsZero() {
		run.Created = told.Created
	}
	if run.Workflow == "" {
		run.Workflow, run.Version = told.Workflow, told.Version
	}
	run.HistoryLen = len(run.Events)
	run.Coverage.Asked, run.Coverage.Read = -1, len(run.Events)
	if len(run.Events) == 0 {
		run.Coverage.Missing = append(run.Coverage.Missing, "the run exists and the sidecar gave no event of it; it has not begun, or is being written")
	}
	if ended := run.Events; told.Status.Ended() && len(ended) > 0 && !hasEnd(ended) {
		run.Coverage.Missing = append(run.Coverage.Missing, fmt.Sprintf("the run is %s and its history has no end event: it was written while it was read; read it again", told.Status))
	}
}

func hasEnd(events []history.Event) bool {
	for _, e := range events {
		if e.Kind == history.ExecutionCompleted || e.Kind == history.ExecutionTerminated {
			return true
		}
	}
	return false
}
