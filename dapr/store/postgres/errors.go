package postgres

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

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
	f := &fault.Error{Kind: fault.Unknown, What: "read " + b.where, Cause: errors.New(clean.Line(err.Error(), 300))}
	var pe *pgconn.PgError
	var ce *pgconn.ConnectError
	var ne net.Error
	switch {
	case errors.As(err, &pe):
		f.Cause = errors.New(clean.Line(pe.Message, 300) + " (" + clean.Line(pe.Code, 5) + ")")
		classify(f, pe.Code)
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind, f.Means, f.Do = fault.Unreachable, "the query took longer than the source's time limit", "Raise the timeout, or narrow the question to one app or run"
	case errors.As(err, &ce), errors.As(err, &ne), strings.Contains(err.Error(), "conn closed"), strings.Contains(err.Error(), "unexpected EOF"):
		f.Kind, f.Do = fault.Unreachable, "Check that the server is up and reachable from here; what was read before stays valid"
	}
	return f
}

// classify goes by SQLSTATE classes.
func classify(f *fault.Error, code string) {
	switch {
	case code == "42501":
		f.Kind, f.Do = fault.Forbidden, "Grant this user SELECT on the table and USAGE on its schema"
	case strings.HasPrefix(code, "28"):
		f.Kind, f.Do = fault.SignIn, "Check user and password of the component's connectionString"
	case code == "3D000", code == "42P01", code == "42703", code == "3F000", code == "42602":
		f.Kind, f.Do = fault.Config, "Check the component's database, tableName and tablePrefix"
	case code == "57014":
		f.Kind, f.Means, f.Do = fault.Unreachable, "the server ended the query (statement_timeout)", "Narrow the question to one app or run"
	case strings.HasPrefix(code, "57P"), strings.HasPrefix(code, "08"), code == "53300":
		f.Kind, f.Do = fault.Unreachable, "The server is shutting down, dropped the connection or takes no more; try again"
	case strings.HasPrefix(code, "XX"):
		f.Kind, f.Do = fault.Damaged, "The server reports damaged data; read a backup or use the sidecar"
	}
}
