package redis

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

func isWrongType(err error) bool { return redis.HasErrorPrefix(err, "WRONGTYPE") }

// explain says what a failure means. ctx is the caller's: its end is told as
// itself, our own time limit as unreachable.
func (b *backend) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	text := clean.Line(err.Error(), 300)
	f := &fault.Error{Kind: fault.Unknown, What: "read Redis at " + b.where, Cause: errors.New(text)}
	var server redis.Error
	var ne net.Error
	switch {
	case errors.As(err, &server):
		word, _, _ := strings.Cut(text, " ")
		classify(f, word)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &ne), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), errors.Is(err, redis.ErrPoolTimeout):
		f.Kind, f.Do = fault.Unreachable, "Check that the server is up and reachable from here; what was read before stays valid"
	}
	return f
}

// classify goes by the first word of Redis' own error.
func classify(f *fault.Error, word string) {
	switch word {
	case "NOPERM":
		f.Kind, f.Do = fault.Forbidden, "Allow this user SCAN and HGET on the keys (ACL SETUSER … ~* +scan +hget)"
	case "NOAUTH", "WRONGPASS", "ERR_AUTH":
		f.Kind, f.Do = fault.SignIn, "Check redisUsername and redisPassword of the component"
	case "LOADING", "CLUSTERDOWN", "MASTERDOWN", "BUSY", "TRYAGAIN":
		f.Kind, f.Do = fault.Unreachable, "The server is not ready; try again"
	case "MOVED", "ASK", "CROSSSLOT":
		f.Kind, f.Do = fault.Config, "This is a cluster: set the component's redisType to cluster"
	}
}
