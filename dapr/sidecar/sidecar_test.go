package sidecar_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dapr/durabletask-go/api/protos"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/idem-mcp/idem-mcp/dapr/sidecar"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// standIn serves recorded runs as a sidecar does.
type standIn struct {
	protos.UnimplementedTaskHubSidecarServiceServer
	runs  []sourcetest.Stored
	token string       // asked for when set
	fail  error        // every call fails with it
	slow  atomic.Bool  // calls wait for their end
	asked atomic.Int64 // GetInstance calls
	full  atomic.Int64 // of these, with inputs and outputs
	loop  bool         // the same continuation token again and again
}

func (s *standIn) ListInstanceIDs(_ context.Context, r *protos.ListInstanceIDsRequest) (*protos.ListInstanceIDsResponse, error) {
	from := 0
	if r.ContinuationToken != nil {
		if _, err := fmt.Sscan(*r.ContinuationToken, &from); err != nil {
			return nil, status.Error(codes.InvalidArgument, "not a token of mine")
		}
	}
	size := min(int(r.GetPageSize()), 3) // a sidecar may give less than asked for
	out := &protos.ListInstanceIDsResponse{}
	for i := from; i < len(s.runs) && len(out.InstanceIds) < size; i++ {
		out.InstanceIds = append(out.InstanceIds, s.runs[i].Instance)
	}
	if next := from + size; next < len(s.runs) || s.loop {
		token := fmt.Sprint(min(next, len(s.runs)))
		out.ContinuationToken = &token
	}
	return out, nil
}

func (s *standIn) find(id string) *sourcetest.Stored {
	for i := range s.runs {
		if s.runs[i].Instance == id {
			return &s.runs[i]
		}
	}
	return nil
}

func (s *standIn) GetInstance(_ context.Context, r *protos.GetInstanceRequest) (*protos.GetInstanceResponse, error) {
	s.asked.Add(1)
	run := s.find(r.GetInstanceId())
	if run == nil {
		return &protos.GetInstanceResponse{}, nil
	}
	w := run.State()
	if r.GetGetInputsAndOutputs() {
		s.full.Add(1)
		w.Input = wrapperspb.String("the input")
	}
	w.CustomStatus = wrapperspb.String("halfway to 北京")
	return &protos.GetInstanceResponse{Exists: true, WorkflowState: w}, nil
}

func (s *standIn) GetInstanceHistory(_ context.Context, r *protos.GetInstanceHistoryRequest) (*protos.GetInstanceHistoryResponse, error) {
	run := s.find(r.GetInstanceId())
	if run == nil {
		return nil, status.Error(codes.Unknown, "no such instance exists")
	}
	return &protos.GetInstanceHistoryResponse{Events: run.Messages}, nil
}

// gate is what every call passes first.
func (s *standIn) gate(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if s.slow.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.fail != nil {
		return nil, s.fail
	}
	md, _ := metadata.FromIncomingContext(ctx)
	if got := strings.Join(md.Get("dapr-api-token"), ","); got != s.token {
		return nil, status.Error(codes.Unauthenticated, "missing or wrong API token")
	}
	return next(ctx, req)
}

// dapr serves GetMetadata of the Dapr API: app id and version.
func dapr() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "dapr.proto.runtime.v1.Dapr", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "GetMetadata", Handler: func(_ any, ctx context.Context, dec func(any) error, gate grpc.UnaryServerInterceptor) (any, error) {
			in := new(emptypb.Empty)
			if err := dec(in); err != nil {
				return nil, err
			}
			return gate(ctx, in, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) {
				var raw []byte
				raw = protowire.AppendString(protowire.AppendTag(raw, 1, protowire.BytesType), sourcetest.App)
				raw = protowire.AppendString(protowire.AppendTag(raw, 8, protowire.BytesType), "1.18.0")
				out := new(emptypb.Empty)
				out.ProtoReflect().SetUnknown(raw)
				return out, nil
			})
		}}},
	}
}

func (s *standIn) serve(t *testing.T, opts ...grpc.ServerOption) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(append(opts, grpc.UnaryInterceptor(s.gate))...)
	protos.RegisterTaskHubSidecarServiceServer(g, s)
	g.RegisterService(dapr(), nil)
	go g.Serve(l) //nolint:errcheck // ends with Stop
	t.Cleanup(g.Stop)
	return l.Addr().String()
}

func open(t *testing.T, c sidecar.Config) *sidecar.Source {
	t.Helper()
	s, err := sidecar.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
		s := &standIn{runs: w.Runs, token: "let me in"}
		c := sidecar.Config{Token: s.token, Options: history.Options{Sharing: history.Sharing{Level: w.Level, How: "set by the test"}}}
		switch w.Fault {
		case sourcetest.Unreachable:
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
			c.Address = l.Addr().String()
			return open(t, c)
		case sourcetest.Forbidden:
			c.Token = "wrong"
		}
		c.Address = s.serve(t)
		return open(t, c)
	})
}

// TestFaults: every refusal says what it means and what to do.
func TestFaults(t *testing.T) {
	one := sourcetest.Runs(t)[0]
	list := func(s history.Source) (err error) {
		for _, err = range s.Runs(context.Background(), history.Filter{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	read := func(s history.Source) error {
		_, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
		return err
	}
	for _, c := range []struct {
		name  string
		stand *standIn
		conf  sidecar.Config
		do    func(history.Source) error
		kind  fault.Kind
		says  []string
	}{
		{"old runtime, list", &standIn{fail: status.Error(codes.Unimplemented, "unknown method ListInstanceIDs")}, sidecar.Config{}, list, fault.Unsupported, []string{"Dapr 1.17", "source: store", "dapr workflow history"}},
		{"old runtime, read", &standIn{fail: status.Error(codes.Unimplemented, "unknown method")}, sidecar.Config{}, read, fault.Unsupported, []string{"Dapr 1.17"}},
		{"store cannot list", &standIn{fail: status.Error(codes.Internal, "state store postgresql does not support listing keys")}, sidecar.Config{}, list, fault.Unsupported, []string{"cannot list keys", "Name runs by id"}},
		{"beyond our limit", &standIn{runs: sourcetest.Runs(t)}, sidecar.Config{MaxMessage: 1024}, read, fault.TooLarge, []string{sidecar.LimitFlag, "source: store"}},
		{"beyond its limit", &standIn{fail: status.Error(codes.ResourceExhausted, "trying to send message larger than max (5 vs. 4)")}, sidecar.Config{}, read, fault.TooLarge, []string{"--max-body-size"}},
		{"no token", &standIn{token: "x"}, sidecar.Config{}, list, fault.SignIn, []string{"DAPR_API_TOKEN"}},
		{"refused", &standIn{fail: status.Error(codes.PermissionDenied, "no")}, sidecar.Config{}, list, fault.Forbidden, nil},
		{"no engine", &standIn{fail: status.Error(codes.Internal, "the state store is not configured to use the actor runtime")}, sidecar.Config{}, list, fault.Config, []string{"actorStateStore"}},
		{"something else", &standIn{fail: status.Error(codes.Internal, "boom\x1b[31m")}, sidecar.Config{}, list, fault.Unknown, []string{"boom[31m"}},
		{"token loop", &standIn{loop: true}, sidecar.Config{}, list, fault.Damaged, []string{"continuation token"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.conf.Address = c.stand.serve(t)
			err := c.do(open(t, c.conf))
			if fault.KindOf(err) != c.kind {
				t.Fatalf("kind %s, want %s: %v", fault.KindOf(err), c.kind, err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q is not said: %v", s, err)
				}
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	stand := &standIn{}
	stand.slow.Store(true)
	s := open(t, sidecar.Config{Address: stand.serve(t), Timeout: 50 * time.Millisecond})
	_, err := s.Run(context.Background(), history.Ref{Instance: "x"})
	if fault.KindOf(err) != fault.Unreachable || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("%v", err)
	}
}

func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, _ := x509.ParseCertificate(der)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	stand := &standIn{runs: sourcetest.Runs(t)}
	addr := stand.serve(t, grpc.Creds(credentials.NewServerTLSFromCert(&tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})))
	if _, err := open(t, sidecar.Config{Address: "https://" + addr, RootCAs: pool}).Run(context.Background(), history.Ref{Instance: stand.runs[0].Instance}); err != nil {
		t.Errorf("with the right root: %v", err)
	}
	for _, address := range []string{"https://" + addr, addr + "?tls=true", addr} {
		_, err := open(t, sidecar.Config{Address: address, Timeout: 2 * time.Second}).Run(context.Background(), history.Ref{Instance: stand.runs[0].Instance})
		if fault.KindOf(err) != fault.Unreachable {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestCustomStatus is withheld at metadata, where inputs and outputs are not
// even asked for, and shared at full.
func TestCustomStatus(t *testing.T) {
	stand := &standIn{runs: sourcetest.Runs(t)}
	addr := stand.serve(t)
	for level, want := range map[history.Level]history.PayloadState{history.LevelMetadata: history.PayloadWithheld, history.LevelFull: history.PayloadShared} {
		s := open(t, sidecar.Config{Address: addr, Options: history.Options{Sharing: history.Sharing{Level: level, How: "test"}}})
		run, err := s.Run(context.Background(), history.Ref{Instance: stand.runs[0].Instance})
		if err != nil {
			t.Fatal(err)
		}
		if run.CustomStatus.State() != want {
			t.Errorf("at %s: %s", level, run.CustomStatus.State())
		}
		if asked := stand.full.Swap(0) > 0; asked != (level == history.LevelFull) {
			t.Errorf("at %s: payloads asked for: %v", level, asked)
		}
	}
}

// TestOtherApp: a sidecar knows its own app only.
func TestOtherApp(t *testing.T) {
	stand := &standIn{runs: sourcetest.Runs(t)}
	s := open(t, sidecar.Config{Address: stand.serve(t)})
	_, err := s.Run(context.Background(), history.Ref{App: "billing", Instance: stand.runs[0].Instance})
	if fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "this sidecar is of app orders") {
		t.Errorf("%v", err)
	}
	d := s.Describe(context.Background())
	if fmt.Sprint(d.Details) != "[{app orders} {Dapr version 1.18.0}]" {
		t.Errorf("details %v", d.Details)
	}
}

// TestLostCursor: the run a cursor names was purged.
func TestLostCursor(t *testing.T) {
	stand := &standIn{runs: sourcetest.Runs(t)}
	s := open(t, sidecar.Config{Address: stand.serve(t)})
	for _, err := range s.Runs(context.Background(), history.Filter{Cursor: "purged"}) {
		if fault.KindOf(err) != fault.BadInput {
			t.Errorf("%v", err)
		}
	}
	if n := stand.asked.Load(); n != 0 {
		t.Errorf("%d states were asked for while looking for the cursor", n)
	}
}

func TestParseEndpoint(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:50001":                         "127.0.0.1:50001",
		"localhost":                               "localhost:443",
		"http://dapr.local":                       "dapr.local:80",
		"https://dapr.local":                      "dapr.local:443 (TLS)",
		"https://dapr.local:50001/":               "dapr.local:50001 (TLS)",
		"dapr.local:50001?tls=true":               "dapr.local:50001 (TLS)",
		"dns://8.8.8.8/dapr.local:50001":          "dapr.local:50001",
		"dns:dapr.local:50001":                    "dapr.local:50001",
		"[::1]:50001":                             "[::1]:50001",
		"unix:/var/run/dapr.sock":                 "unix:/var/run/dapr.sock",
		"":                                        "config",
		":50001":                                  "config",
		"http://user:pw@dapr.local":               "config",
		"dapr.local:1?tls=maybe":                  "config",
		"https://dapr.local?tls=false":            "config",
		"https://dapr.local/path":                 "config",
		"https://grpc-prj165.cloud.r1.diagrid.io": "unsupported",
		"grpc-prj165.cloud.r1.diagrid.io.:443?tls=true":    "unsupported",
		"dns://8.8.8.8/grpc-prj165.cloud.r1.diagrid.io:80": "unsupported",
	} {
		e, err := sidecar.ParseEndpoint(in)
		got := e.String()
		if err != nil {
			got = fault.KindOf(err).String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestFromEnv(t *testing.T) {
	env := map[string]string{"DAPR_API_TOKEN": "t"}
	get := func(k string) string { return env[k] }
	if a, token, name := sidecar.FromEnv(get); a != "" || token != "t" || name != "" {
		t.Errorf("%q %q %q", a, token, name)
	}
	env["DAPR_GRPC_PORT"] = "50001"
	if a, _, name := sidecar.FromEnv(get); a != "127.0.0.1:50001" || name != "DAPR_GRPC_PORT" {
		t.Errorf("%q %q", a, name)
	}
	env["DAPR_GRPC_ENDPOINT"] = "https://dapr.local"
	if a, _, name := sidecar.FromEnv(get); a != "https://dapr.local" || name != "DAPR_GRPC_ENDPOINT" {
		t.Errorf("%q %q", a, name)
	}
}
