package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/idem-mcp/idem-mcp/dapr/sidecar"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/survey"
)

// surveyor makes the surveys of a source. Nothing is opened, and no engine asked,
// before one is needed.
func (a *app) surveyor(c config, src history.Source) *survey.Surveyor {
	dir := c.Survey.Dir
	if dir == "" {
		dir = cacheDir(c.getenv)
	}
	if dir == "" && c.Survey.Index == "" {
		return nil
	}
	conf := survey.Config{
		Dir: dir, Source: src, ReadsPerSecond: c.Survey.ReadsPerSecond, Concurrency: c.Survey.Concurrency,
		Keep: time.Duration(c.Survey.RetentionDays) * 24 * time.Hour, Now: a.Now,
		Database: c.Survey.Index, Width: c.Survey.Partitions, Log: engineLog(a.logger(c)),
	}
	if c.Survey.Engine != "in-process" {
		conf.Hub = func() (grpc.ClientConnInterface, error) {
			conn, err := dialEngine(c)
			if err == nil {
				a.holds(conn)
			}
			return conn, err
		}
	}
	return survey.New(conf)
}

// dialEngine leads to the shared engine that is configured.
func dialEngine(c config) (*grpc.ClientConn, error) {
	if c.Survey.Engine == "host" {
		conn, err := grpc.NewClient(c.Survey.Host, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, &fault.Error{Kind: fault.Config, What: "survey.host cannot be " + clean.Line(c.Survey.Host, 200), Do: "Give host:port, as the engine listens on it", Cause: err}
		}
		return conn, nil
	}
	if app := c.getenv("APP_ID"); app != "" && app != survey.OwnApp {
		return nil, &fault.Error{Kind: fault.Config, What: "the sidecar's app id is " + clean.Line(app, 100), Means: "the survey's own runs would be counted among that app's",
			Do: "Give the sidecar of surveys the app id " + survey.OwnApp + ": dapr run --app-id " + survey.OwnApp + " -- idem-mcp worker"}
	}
	address, token, variable := sidecar.FromEnv(c.getenv)
	if variable == "" {
		return nil, &fault.Error{Kind: fault.Config, What: "survey.engine is dapr and no sidecar is named", Do: "Set DAPR_GRPC_ENDPOINT or DAPR_GRPC_PORT, as dapr run does"}
	}
	at, err := sidecar.ParseEndpoint(address)
	if err != nil {
		return nil, err
	}
	creds := insecure.NewCredentials()
	switch {
	case at.TLS:
		creds = credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	case token != "" && !onThisMachine(at.Target):
		return nil, &fault.Error{Kind: fault.Config, What: "DAPR_API_TOKEN would be sent to " + at.String() + " without TLS", Do: "Set DAPR_GRPC_ENDPOINT to an https address"}
	}
	return grpc.NewClient(at.Target, grpc.WithTransportCredentials(creds),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, in, out any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return call(withToken(ctx, token), method, in, out, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			return open(withToken(ctx, token), desc, cc, method, opts...)
		}))
}

func withToken(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "dapr-api-token", token)
}

// onThisMachine reports whether what is sent to a gRPC target stays here.
func onThisMachine(target string) bool {
	if strings.HasPrefix(target, "unix") {
		return true
	}
	host, _, err := net.SplitHostPort(strings.TrimPrefix(target, "dns:///"))
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// engineLog writes what the engine complains of.
func engineLog(log zerolog.Logger) survey.Log {
	return func(level, text string) {
		switch level {
		case "error":
			log.Error().Str("of", "engine").Msg(text)
		case "warn":
			log.Warn().Str("of", "engine").Msg(text)
		default:
			log.Info().Str("of", "engine").Msg(text)
		}
	}
}

// worker reads for the surveys of a shared engine.
func (a *app) worker() *cobra.Command {
	return &cobra.Command{
		Use: "worker [PATH…]", Short: "Work for surveys on a shared engine",
		Long: `Reads runs for the surveys of a shared engine (survey.engine: host or dapr) until it
is stopped. Any number of workers may, on any number of machines: all with the same
source and the same survey.index. Stopping or killing one loses nothing. A survey is
started by "idem-mcp survey". PATH names exported runs to read; without one the
configured source is used.`,
		Example: "  idem-mcp worker",
		RunE: func(cmd *cobra.Command, paths []string) error {
			deps, _, err := a.deps(paths, true)
			if err != nil {
				return err
			}
			if deps.Survey == nil {
				return &fault.Error{Kind: fault.Config, What: "there is no index for surveys", Do: "Set survey.index"}
			}
			defer deps.Survey.Close(context.WithoutCancel(cmd.Context())) //nolint:errcheck // what it has written is written
			fmt.Fprintln(a.Stderr, "working for surveys; stop it with Ctrl-C")
			return deps.Survey.Work(cmd.Context())
		},
	}
}

// engine is the engine host.
func (a *app) engine() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use: "engine", Short: "Serve the engine that workers of surveys share", Args: cobra.NoArgs,
		Long: `Serves the workflow engine that workers share (survey.engine: host): durabletask-go
over the PostgreSQL of survey.engine_database, by gRPC. Whoever reaches its address
can start and end workflows on it: it knows no authentication and belongs on a
private network. One engine serves a database. Killing it loses nothing; started
again, it goes on.`,
		Example: "  idem-mcp engine --listen 127.0.0.1:7338",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(a.configPath, a.Env)
			if err != nil {
				return err
			}
			if err := a.override(&c, nil); err != nil {
				return err
			}
			if listen == "" {
				listen = c.Survey.Host
			}
			database := c.Survey.EngineDatabase
			if database == "" {
				database = c.Survey.Index
			}
			if database == "" {
				return &fault.Error{Kind: fault.Config, What: "the engine has no database", Do: "Set survey.engine_database, or survey.index, to a PostgreSQL: IDEM_MCP_SURVEY_INDEX"}
			}
			on, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", listen)
			if err != nil {
				return &fault.Error{Kind: fault.Config, What: "listen on " + clean.Line(listen, 200), Do: "Give --listen, or survey.host, an address of this machine", Cause: err}
			}
			fmt.Fprintf(a.Stderr, "serving the engine on %s, without authentication\n", on.Addr())
			return survey.Host(cmd.Context(), on, survey.HostConfig{Database: database, Log: engineLog(a.logger(c))})
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "host:port to serve on (default: survey.host, 127.0.0.1:7338)")
	return cmd
}
