package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
)

// emitted collects every byte that the program writes, on both streams.
type emitted struct {
	mu sync.Mutex
	bytes.Buffer
	onLine func(string)
}

func (e *emitted) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.onLine != nil {
		e.onLine(string(p))
	}
	return e.Buffer.Write(p)
}

// TestCatalystFromLoginToAnswers: sign in to the stand-in with a scripted
// browser, then ask in the shell and over MCP while the token expires in
// mid-conversation. No token is ever emitted.
func TestCatalystFromLoginToAnswers(t *testing.T) {
	s, err := catalysttest.Start(catalysttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Chdir(t.TempDir())
	env := []string{"HOME=" + t.TempDir(), "IDEM_MCP_CATALYST_URL=" + s.URL, "IDEM_MCP_CATALYST_CLIENT_ID=" + s.ClientID(),
		"IDEM_MCP_CATALYST_KEYRING=false", "IDEM_MCP_LINKS_CONSOLE=https://console.example", "IDEM_MCP_CATALYST_TOKEN_FILE=" + filepath.Join(t.TempDir(), "token")}
	var all emitted
	run := func(stdin io.Reader, args ...string) (int, string) {
		t.Helper()
		var out bytes.Buffer
		c := execute(t.Context(), world{Args: args, Stdin: stdin, Stdout: io.MultiWriter(&out, &all), Stderr: &all, Env: env, Now: time.Now})
		return c, out.String()
	}
	address := regexp.MustCompile(`http://\S+`)
	all.onLine = func(line string) {
		if u := address.FindString(line); u != "" && strings.Contains(line, "Open this address") {
			go browse(t, u)
		}
	}
	if c, out := run(nil, "login", "--no-browser"); c != 0 || !strings.Contains(out, "catalyst:read offline_access") {
		t.Fatalf("login: %d %s%s", c, out, all.String())
	}
	all.onLine = nil
	if c, out := run(nil, "status"); c != 0 || !strings.Contains(out, catalysttest.Organization) || !strings.Contains(out, "metadata (the server refused a read with DATA_SHARING_RESTRICTED)") {
		t.Errorf("status: %d\n%s", c, out)
	}
	s.ExpireTokens()
	if c, out := run(nil, "duplicates", "--run", "s2-14-timeout-effect-done"); c != exitFound || !strings.Contains(out, "retried_after_unknown_outcome") || !strings.Contains(out, "https://console.example/workflows/orders/s2-14-timeout-effect-done?project=default") {
		t.Errorf("duplicates: %d\n%s", c, out)
	}
	conversation(t, s, env, &all)
	if c, out := run(nil, "logout"); c != 0 || !strings.Contains(out, "forgotten") {
		t.Errorf("logout: %d %s", c, out)
	}
	if c, _ := run(nil, "runs"); c != exitError || !strings.Contains(all.String(), "idem-mcp login") {
		t.Errorf("after logout: %d %s", c, all.String()[max(0, all.Len()-400):])
	}
	for _, token := range s.Tokens() {
		if strings.Contains(all.String(), token) {
			t.Error("a token was emitted")
		}
	}
	for _, payload := range s.PayloadStrings() {
		if len(payload) > 5 && strings.Contains(all.String(), payload) {
			t.Errorf("a withheld payload was emitted: %s", payload)
		}
	}
}

// browse does what a person's browser does: follow the redirects.
func browse(t *testing.T, address string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Errorf("the browser: %v", err)
		return
	}
	_ = resp.Body.Close()
}

// conversation asks the four questions over MCP on stdio; the token expires
// before each.
func conversation(t *testing.T, s *catalysttest.Server, env []string, all io.Writer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- execute(ctx, world{Args: []string{"serve"}, Stdin: in, Stdout: io.MultiWriter(out, all), Stderr: all, Env: env, Now: time.Now})
		_ = out.Close()
	}()
	lines := bufio.NewScanner(answers)
	lines.Buffer(nil, 1<<20)
	call := func(id int, method string, params any) map[string]any {
		t.Helper()
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(ask, "%s\n", b)
		for lines.Scan() {
			var m map[string]any
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Fatalf("standard output holds %q", lines.Text())
			}
			if m["id"] == float64(id) {
				return m
			}
		}
		t.Fatalf("no answer to %s: %v", method, lines.Err())
		return nil
	}
	call(1, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	for i, q := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"idem_status", map[string]any{}, catalysttest.Organization},
		{"idem_list_runs", map[string]any{"text": "s2-14"}, "s2-14-timeout-effect-done"},
		{"idem_find_duplicates", map[string]any{"run": "s2-14-timeout-effect-done"}, "retried_after_unknown_outcome"},
		{"idem_explain_call", map[string]any{"run": "s2-14-timeout-effect-done", "call": "ChargeCard#0"}, "deadline exceeded"},
	} {
		s.ExpireTokens()
		m := call(i+2, "tools/call", map[string]any{"name": q.tool, "arguments": q.args})
		b, err := json.Marshal(m)
		if err != nil || !strings.Contains(string(b), q.want) || strings.Contains(string(b), `"isError":true`) {
			t.Errorf("%s: %s", q.tool, b)
		}
	}
	_ = ask.Close()
	cancel()
	<-done
}
