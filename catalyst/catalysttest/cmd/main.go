// Command cmd runs the stand-in Catalyst server, to try idem-mcp without an
// account. It is not Catalyst: see package catalysttest.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
)

func main() {
	var o catalysttest.Options
	level := flag.String("level", "metadata", "data-sharing level: metadata or full")
	dir := flag.String("runs", "", "directory of runs to serve (each with history.ndjson and metadata.json); default: the ones shipped")
	token := flag.Bool("token", false, "print an access token for use without a browser")
	flag.StringVar(&o.Addr, "addr", "127.0.0.1:8931", "where to listen")
	flag.StringVar(&o.ClientID, "client-id", "stand-in-client", "the registered OAuth client")
	flag.DurationVar(&o.TokenLife, "token-life", 0, "life of an access token (default 1h)")
	flag.BoolVar(&o.StatesLevel, "states-level", false, "state the level in the whoami answer")
	flag.BoolVar(&o.EmptyPages, "empty-pages", false, "put an empty page before each page of runs")
	flag.IntVar(&o.FilterLimit, "filter-limit", 0, "refuse larger pages as unfilterable")
	flag.IntVar(&o.Copies, "copies", 1, "serve each run this many times")
	flag.StringVar(&o.Schema.Content, "content", "text", "text, structured, both or sentence")
	flag.StringVar(&o.Schema.Wrap, "wrap", "flat", "flat, data or composed")
	flag.StringVar(&o.Schema.RunArg, "run-arg", "runId", "runId or instanceId")
	flag.StringVar(&o.Schema.ProjectArg, "project-arg", "projectId", "projectId or ProjectId")
	flag.Parse()
	if *level != "metadata" && *level != "full" {
		fmt.Fprintln(os.Stderr, "-level is metadata or full")
		os.Exit(2)
	}
	o.Full = *level == "full"
	if *dir != "" {
		o.Runs = os.DirFS(*dir)
	}
	s, err := catalysttest.Start(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("Stand-in for Catalyst (not Catalyst), data-sharing level %s, %d runs.\n\n", *level, len(s.RunIDs()))
	fmt.Printf("catalyst.url       = %s\ncatalyst.client_id = %s\n", s.URL, s.ClientID())
	if *token {
		fmt.Printf("IDEM_MCP_CATALYST_TOKEN=%s\n", s.IssueToken())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
	s.Close()
}
