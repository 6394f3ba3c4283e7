// Package conformance_test holds the HTTP server against the MCP conformance
// suite: the program itself, and a server with everything that the suite asks for
// by name, behind the same gate. What fails must stand in testdata/expected.yaml
// with its reason, and what stands there must fail; docs/conformance.md is written
// from the results. The suite is a program of npm, so a plain go test skips it.
package conformance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/rs/zerolog"

	"github.com/idem-mcp/idem-mcp/gate"
)

const modules = "../clients/node_modules"

// revisions are those that the suite has requirements for.
func revisions() []string { return []string{"2025-11-25", "2026-07-28"} }

// A target is a server that is held against the suite.
type target struct {
	name  string
	title string
	start func(t *testing.T) (url string)
}

func targets(t *testing.T) []target {
	bin := filepath.Join(t.TempDir(), "idem-mcp")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/idem-mcp")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return []target{
		{"binary", "idem-mcp", func(t *testing.T) string { return startBinary(t, bin) }},
		{"fixture", "fixture", func(t *testing.T) string {
			return startFixture(t, server.NewStreamableHTTPServer(fixture(false), quiet(), server.WithStateLess(true), server.WithDisableStreaming(true), server.WithDisableLocalhostProtection(true)))
		}},
		{"sessions", "fixture with sessions", func(t *testing.T) string {
			return startFixture(t, server.NewStreamableHTTPServer(fixture(true), quiet(), server.WithStateful(true), server.WithDisableLocalhostProtection(true)))
		}},
	}
}

func quiet() server.StreamableHTTPOption {
	return server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler))
}

// startBinary serves the example runs until the test ends. The suite asks more
// often than the usual limit admits.
func startBinary(t *testing.T, bin string) string {
	cmd := exec.CommandContext(t.Context(), bin, "serve", "--http", "127.0.0.1:0", "../../examples/runs")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "IDEM_MCP_SERVE_LIMITS_PER_MINUTE=100000", "IDEM_MCP_SERVE_AUDIT=false")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://\S+/mcp`)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return url
		}
	}
	t.Fatalf("the server did not start: %v", lines.Err())
	return ""
}

// startFixture serves h behind the gate until the test ends.
func startFixture(t *testing.T, h http.Handler) string {
	ctx, cancel := context.WithCancel(t.Context())
	g, err := gate.New(ctx, gate.Config{Limits: gate.Limits{PerMinute: 100_000, Concurrent: 64, Time: 30 * time.Second}}, gate.NewRecord(zerolog.Nop()))
	if err != nil {
		t.Fatal(err)
	}
	url, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- g.Serve(ctx, gate.Listen{Addr: "127.0.0.1:0", Grace: time.Second, Ready: func(u string) { url <- u }}, h, zerolog.Nop())
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case u := <-url:
		return u
	case err := <-ended:
		ended <- err
		t.Fatalf("the fixture server did not start: %v", err)
	}
	return ""
}

// node is the interpreter that was installed beside the suite, which needs
// version 22, or else that of the machine.
func node(t *testing.T) string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	if path, err := filepath.Abs(filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node")); err == nil && exists(path) {
		return path
	}
	t.Logf("no Node 22 in %s: taking that of the machine", modules)
	return "node"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A check is one line of a scenario's result.
type check struct {
	ID, Status, ErrorMessage string
}

// results are the checks of every scenario that ran.
type results map[string][]check

// run holds the server at url against everything that a revision requires.
func run(t *testing.T, url, revision string) results {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), node(t), filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"),
		"server", "--url", url, "--requirements", revision, "--output-dir", dir)
	out, err := cmd.CombinedOutput() // the exit code is that of any failure, expected or not
	stamp := regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)
	entries, readErr := os.ReadDir(dir)
	if readErr != nil || len(entries) == 0 {
		t.Fatalf("the suite left no results: %v %v\n%s", err, readErr, out)
	}
	got := results{}
	for _, e := range entries {
		m := stamp.FindStringSubmatch(e.Name())
		if m == nil {
			t.Fatalf("%s is no result of a scenario", e.Name())
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name(), "checks.json"))
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(b, &checks); err != nil {
			t.Fatal(err)
		}
		got[m[1]] = checks
	}
	if started := strings.Count(string(out), "=== Running scenario: "); started != len(got) {
		t.Fatalf("%d scenarios were started, %d left a result\n%s", started, len(got), out)
	}
	return got
}

// TestServer runs the suite and compares with what is expected, both ways.
func TestServer(t *testing.T) {
	if os.Getenv("CLIENT_TESTS") == "" {
		t.Skip("set CLIENT_TESTS=1 after `npm ci` in test/clients, or run: make conformance")
	}
	want := readExpected(t)
	all := map[column]results{}
	var mu sync.Mutex
	list := targets(t)
	t.Run("on", func(t *testing.T) {
		for _, to := range list {
			for _, revision := range revisions() {
				c := column{to.name, revision}
				t.Run(to.name+"/"+revision, func(t *testing.T) {
					t.Parallel()
					got := want.judged(c, run(t, to.start(t), revision))
					for _, s := range want.surprises(c, got) {
						t.Error(s)
					}
					mu.Lock()
					defer mu.Unlock()
					all[c] = got
				})
			}
		}
	})
	document(t, list, want, all)
}
