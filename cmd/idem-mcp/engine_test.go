package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// said is what a command has written so far.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestWorkers starts what an operator starts: an engine, two workers and a survey,
// over a PostgreSQL. Nothing that is said holds the password.
func TestWorkers(t *testing.T) {
	t.Parallel()
	database := surveyDatabase(t)
	env := []string{"HOME=" + t.TempDir(), "IDEM_MCP_SURVEY_INDEX=" + database, "IDEM_MCP_SURVEY_ENGINE=host", "IDEM_MCP_LOG_LEVEL=debug"}
	ctx, stop := context.WithCancel(t.Context())
	var all said
	var ended sync.WaitGroup
	begin := func(args ...string) {
		ended.Go(func() {
			if code := execute(ctx, world{Args: args, Stdin: strings.NewReader(""), Stdout: &all, Stderr: &all, Now: time.Now, Env: env}); code != exitNothing {
				t.Errorf("%v: %d", args, code)
			}
		})
	}
	begin("engine", "--listen", "127.0.0.1:0")
	serving := regexp.MustCompile(`serving the engine on (\S+),`)
	for deadline := time.Now().Add(20 * time.Second); !serving.MatchString(all.String()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(all.String())
		}
	}
	env = append(env, "IDEM_MCP_SURVEY_HOST="+serving.FindStringSubmatch(all.String())[1])
	const runs = "../../examples/runs"
	begin("worker", runs)
	begin("worker", runs)
	var out said
	code := execute(ctx, world{Args: []string{"survey", runs}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &all, Now: time.Now, Env: env})
	if code != exitFound || !strings.Contains(out.String(), "in 116 runs; protect ChargeCard of orders first") || !strings.Contains(all.String(), "is scheduled; workers read it") {
		t.Errorf("%d\n%s\n%s", code, out.String(), all.String())
	}
	stop()
	ended.Wait()
	if strings.Contains(all.String(), "secret") {
		t.Errorf("the password was told:\n%s", all.String())
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"idem_survey","arguments":{"action":%q}}}` + "\n"
	for action, want := range map[string]string{"start": "a tool call starts none there", "answer": "ChargeCard"} {
		var answer said
		execute(t.Context(), world{Args: []string{"serve", runs}, Stdin: strings.NewReader(fmt.Sprintf(call, action)), Stdout: &answer, Stderr: &all, Now: time.Now, Env: env})
		if !strings.Contains(answer.String(), want) {
			t.Errorf("%s by a tool call: %s", action, answer.String())
		}
	}
}

// surveyDatabase makes a database for the test alone.
func surveyDatabase(t *testing.T) string {
	t.Helper()
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./cmd/... (make test does)")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("command_%d", time.Now().UnixNano())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		conn.Close(ctx)
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// TestEngineSettings: what cannot work is said before anything is done.
func TestEngineSettings(t *testing.T) {
	t.Parallel()
	const runs = "../../examples/runs"
	for name, c := range map[string]struct {
		args, env []string
		want      string
	}{
		"a worker of no engine":       {args: []string{"worker", runs}, want: "Set survey.engine"},
		"an engine without database":  {args: []string{"engine"}, want: "IDEM_MCP_SURVEY_INDEX"},
		"a shared engine, own index":  {args: []string{"survey", runs}, env: []string{"IDEM_MCP_SURVEY_ENGINE=host"}, want: "survey.index"},
		"no such engine":              {args: []string{"survey", runs}, env: []string{"IDEM_MCP_SURVEY_ENGINE=temporal"}, want: "in-process, host, dapr"},
		"an unreadable database":      {args: []string{"engine"}, env: []string{"IDEM_MCP_SURVEY_INDEX=postgres://u:hunter2@:x:y/"}, want: "survey.engine_database cannot be read"},
		"an unreadable index":         {args: []string{"survey", runs}, env: []string{"IDEM_MCP_SURVEY_INDEX=postgres://u:hunter2@:x:y/"}, want: "survey.index cannot be read"},
		"too many partitions at once": {args: []string{"survey", runs}, env: []string{"IDEM_MCP_SURVEY_PARTITIONS=1000"}, want: "survey.partitions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out said
			code := execute(t.Context(), world{Args: c.args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Now: time.Now, Env: append(c.env, "HOME="+t.TempDir())})
			if code != exitError || !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), "hunter2") {
				t.Errorf("%d: %s", code, out.String())
			}
		})
	}
}

// TestDialDapr: a sidecar of another app, and a token that would travel in the
// clear, are refused.
func TestDialDapr(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"no sidecar":    {want: "no sidecar is named"},
		"another app":   {env: map[string]string{"DAPR_GRPC_PORT": "50001", "APP_ID": "orders"}, want: "idem-mcp-survey"},
		"in the clear":  {env: map[string]string{"DAPR_GRPC_ENDPOINT": "http://dapr.example.com:80", "DAPR_API_TOKEN": "t"}, want: "without TLS"},
		"on this host":  {env: map[string]string{"DAPR_GRPC_PORT": "50001", "DAPR_API_TOKEN": "t", "APP_ID": "idem-mcp-survey"}},
		"over TLS":      {env: map[string]string{"DAPR_GRPC_ENDPOINT": "https://dapr.example.com:443", "DAPR_API_TOKEN": "t"}},
		"no token, far": {env: map[string]string{"DAPR_GRPC_ENDPOINT": "http://dapr.example.com:80"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var conf config
			conf.Survey.Engine = "dapr"
			conf.getenv = func(n string) string { return c.env[n] }
			conn, err := dialEngine(conf)
			if conn != nil {
				defer conn.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}
