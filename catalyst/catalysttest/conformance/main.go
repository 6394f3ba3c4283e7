// Command conformance is the client that the MCP conformance suite drives: it
// signs in to the server named by the last argument with a browser that agrees
// at once, and then asks one question. docs/conformance.md lists the scenarios.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) < 2 {
		return fmt.Errorf("usage: conformance URL")
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c := catalyst.Config{
		Server: os.Args[len(os.Args)-1], ClientID: "conformance-client", RedirectURL: "http://localhost/callback",
		TokenFile: filepath.Join(dir, "sign-in.json"), NoKeyring: true,
	}
	agree := catalyst.Prompt{Show: func(address string) {
		go func() {
			if resp, err := http.Get(address); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		}()
	}}
	if _, err := catalyst.Login(ctx, c, agree); err != nil {
		return err
	}
	src, err := catalyst.New(c)
	if err != nil {
		return err
	}
	defer src.Close()
	// The suite's server has none of Catalyst's tools: being told so is success.
	if _, err := src.Projects(ctx); err != nil && fault.KindOf(err) != fault.Unsupported {
		return err
	}
	return nil
}
