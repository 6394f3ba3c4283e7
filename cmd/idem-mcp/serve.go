package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-mcp/idem-mcp/gate"
	"github.com/idem-mcp/idem-mcp/tools"
)

type pflagFlag = pflag.Flag

// serve runs the MCP server. A token is never an argument: arguments are
// visible to every process of the machine.
func (a *app) serve() *cobra.Command {
	var l gate.Listen
	cmd := &cobra.Command{
		Use: "serve [PATH…]", Short: "Serve the tools over MCP",
		Long: `Serves the tools over MCP: on standard input and output, or with --http over
streamable HTTP at /mcp. Off loopback a bearer token is required: one from
serve.token_file or IDEM_MCP_SERVE_TOKEN, named ones from serve.tokens_file (made by
"idem-mcp token"), or JWTs of serve.oauth. PATH names exported runs to read; without
one the configured source is used.`,
		Example: "  idem-mcp serve\n  idem-mcp serve --http 127.0.0.1:7337",
		RunE: func(cmd *cobra.Command, paths []string) error {
			deps, c, err := a.deps(paths, false)
			if err != nil {
				return err
			}
			log := a.logger(c)
			if l.Addr == "" {
				return tools.ServeStdio(cmd.Context(), deps, log, a.Stdin, a.Stdout)
			}
			if l.CertFile == "" && l.KeyFile == "" {
				l.CertFile, l.KeyFile = c.Serve.TLSCert, c.Serve.TLSKey
			}
			if l.Metrics == "" {
				l.Metrics = c.Serve.Metrics
			}
			l.Ready = func(url string) { fmt.Fprintf(a.Stderr, "serving MCP on %s\n", url) }
			return a.serveHTTP(cmd.Context(), c, l, deps, log)
		},
	}
	cmd.Flags().StringVar(&l.Addr, "http", "", "serve over streamable HTTP on this host:port instead of standard input and output")
	cmd.Flags().StringVar(&l.CertFile, "tls-cert", "", "serve TLS with this certificate (PEM)")
	cmd.Flags().StringVar(&l.KeyFile, "tls-key", "", "the certificate's key (PEM)")
	cmd.Flags().StringVar(&l.Metrics, "metrics", "", "serve Prometheus metrics on this host:port, at /metrics")
	return cmd
}

// serveHTTP puts the gate before the tools.
func (a *app) serveHTTP(ctx context.Context, c config, l gate.Listen, deps tools.Deps, log zerolog.Logger) error {
	conf, err := c.gate()
	if err != nil {
		return err
	}
	audit := zerolog.New(a.Stderr).Level(zerolog.Disabled)
	if c.Serve.Audit {
		audit = zerolog.New(a.Stderr).With().Timestamp().Logger()
	}
	record := gate.NewRecord(audit)
	g, err := gate.New(ctx, conf, record)
	if err != nil {
		return err
	}
	deps.Called = func(ctx context.Context, tool, outcome string, took time.Duration, size int) {
		record.Called(gate.PrincipalOf(ctx), tool, outcome, took, size)
	}
	return g.Serve(ctx, l, tools.Handler(deps, log), log)
}

// token makes a bearer token and the line that admits it.
func (a *app) token() *cobra.Command {
	return &cobra.Command{
		Use: "token NAME", Short: "Make a bearer token for serve.tokens_file",
		Long: `Makes a bearer token for one user or service of "idem-mcp serve --http". The line for
serve.tokens_file goes to standard output, and holds only the token's hash; the token
itself is shown once, on standard error.`,
		Example: "  idem-mcp token ci >> tokens   # the token is printed on standard error",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			token, line, err := gate.MakeToken(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Stderr, token)
			_, err = fmt.Fprintln(a.Stdout, line)
			return err
		},
	}
}
