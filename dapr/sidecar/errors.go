package sidecar

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// LimitFlag is the setting that raises Config.MaxMessage, named in errors.
const LimitFlag = "--sidecar-max-message"

// explain says what a failed call means. what is "list runs" or "read run x".
func (s *Source) explain(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	st := status.Convert(err)
	text := clean.Line(st.Message(), 300)
	f := &fault.Error{
		Kind: fault.Unknown, What: what + " through the sidecar at " + s.endpoint.String(),
		Cause: errors.New(text + " (" + st.Code().String() + ")"),
	}
	switch st.Code() {
	case codes.Unimplemented:
		f.Kind = fault.Unsupported
		f.Means = "the runtime is older than Dapr 1.17, which brought this call, or its state store cannot list keys (PostgreSQL v1, Cockroach, Cosmos DB, DynamoDB)"
		f.Do = "Read the state store itself (source: store, component file), or export the run with dapr workflow history ID -o json"
	case codes.DeadlineExceeded:
		f.Kind, f.Means, f.Do = fault.Unreachable, fmt.Sprintf("no answer within %s", s.timeout), "Raise the source's timeout, or try again"
	case codes.Unavailable:
		f.Kind, f.Do = fault.Unreachable, "Check that the sidecar runs (dapr list) and that DAPR_GRPC_PORT or DAPR_GRPC_ENDPOINT name its gRPC address"
	case codes.Unauthenticated:
		f.Kind, f.Do = fault.SignIn, "Set DAPR_API_TOKEN to the sidecar's API token"
	case codes.PermissionDenied:
		f.Kind, f.Do = fault.Forbidden, "Check DAPR_API_TOKEN and the sidecar's API allow list"
	case codes.NotFound:
		f.Kind, f.Means = fault.NotFound, "the app of this sidecar has no such run, or it was purged"
	case codes.ResourceExhausted:
		s.tooLarge(f, text)
	case codes.Unknown, codes.Internal, codes.FailedPrecondition, codes.InvalidArgument:
		byText(f, strings.ToLower(text))
	default:
	}
	return f
}

func (s *Source) tooLarge(f *fault.Error, text string) {
	f.Kind = fault.TooLarge
	f.Means = "the history was not read at all"
	if strings.Contains(text, "received message larger") {
		f.Do = fmt.Sprintf("Raise %s above %d MiB, or read the state store itself (source: store)", LimitFlag, s.maxMessage>>20)
		return
	}
	f.Do = "Raise the sidecar's own limit (daprd --max-body-size, annotation dapr.io/max-body-size), or read the state store itself (source: store)"
}

// byText tells apart what the runtime reports under general codes.
func byText(f *fault.Error, text string) {
	switch {
	case strings.Contains(text, "no such instance"), strings.Contains(text, "instance not found"):
		f.Kind, f.Means = fault.NotFound, "the app of this sidecar has no such run, or it was purged"
	case strings.Contains(text, "not support"), strings.Contains(text, "unsupported"):
		f.Kind, f.Means = fault.Unsupported, "the sidecar's state store cannot list keys"
		f.Do = "Name runs by id, or read the state store itself (source: store, component file)"
	case strings.Contains(text, "state store") && strings.Contains(text, "not"), strings.Contains(text, "actor runtime"):
		f.Kind, f.Means = fault.Config, "the sidecar has no workflow engine"
		f.Do = "Give it a state store component with actorStateStore: \"true\""
	}
}
