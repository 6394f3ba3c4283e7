package main

import (
	"fmt"
	"net"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-mcp/idem-mcp/tools"
)

type pflagFlag = pflag.Flag

// serve runs the MCP server. A token is never an argument: arguments are
// visible to every process of the machine.
func (a *app) serve() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use: "serve [PATH…]", Short: "Serve the tools over MCP",
		Long: `Serves the tools over MCP: on standard input and output, or with --http over
streamable HTTP at /mcp. Off loopback a bearer token is required, from
serve.token_file or IDEM_MCP_SERVE_TOKEN. PATH names exported runs to read; without
one the configured source is used.`,
		Example: "  idem-mcp serve\n  idem-mcp serve --http 127.0.0.1:7337",
		RunE: func(cmd *cobra.Command, paths []string) error {
			deps, c, err := a.deps(paths, false)
			if err != nil {
				return err
			}
			log := a.logger(c)
			if addr == "" {
				return tools.ServeStdio(cmd.Context(), deps, log, a.Stdin, a.Stdout)
			}
			token, err := c.token()
			if err != nil {
				return err
			}
			guard := tools.Guard{Token: token, Hosts: c.Serve.Hosts, Origins: c.Serve.Origins}
			return tools.ServeHTTP(cmd.Context(), deps, log, addr, guard, func(at net.Addr) {
				fmt.Fprintf(a.Stderr, "serving MCP on http://%s/mcp\n", at)
			})
		},
	}
	cmd.Flags().StringVar(&addr, "http", "", "serve over streamable HTTP on this host:port instead of standard input and output")
	return cmd
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Stdout, "idem-mcp "+version())
			return err
		},
	}
}

// version is the module's version, with the revision of a build from source.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && v == "devel" {
			v += " " + s.Value[:12]
		}
	}
	return v
}
