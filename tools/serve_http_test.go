package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/tools"
)

// reply is what came back.
type reply struct {
	status int
	allow  string
	body   string
}

// ask sends one request, of JSON unless a header says otherwise.
func ask(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header.Get("Allow"), string(b)}
}

// TestOddRequests: what is no proper request is refused, and says why.
func TestOddRequests(t *testing.T) {
	var log bytes.Buffer
	srv := httptest.NewServer(tools.Handler(deps(t, "../examples/runs/s1-01-seq-3"), zerolog.New(&log)))
	defer srv.Close()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	listen := `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{` + meta + `,"notifications":{"toolsListChanged":true}}}`
	modern := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"}
	for name, c := range map[string]struct {
		method, body string
		status       int
		want         string
		headers      []string
	}{
		"stream":              {"GET", "", 405, "only POST", nil},
		"end of session":      {"DELETE", "", 405, "only POST", nil},
		"put":                 {"PUT", "{}", 405, "only POST", nil},
		"batch":               {"POST", ` [{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, `"code":-32600,"message":"batches are not served`, nil},
		"no JSON":             {"POST", `{"jsonrpc"`, 400, `"code":-32700`, nil},
		"nothing":             {"POST", ``, 400, `"code":-32700`, nil},
		"two messages":        {"POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, 400, `"code":-32700`, nil},
		"another type":        {"POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 400, "content type", []string{"Content-Type", "text/plain"}},
		"another revision":    {"POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 400, "1999-01-01", []string{"MCP-Protocol-Version", "1999-01-01"}},
		"unknown method":      {"POST", `{"jsonrpc":"2.0","id":1,"method":"x"}`, 200, `"id":1,"error":{"code":-32601`, nil},
		"unknown tool":        {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 200, `"id":1,"error":{"code":-32602`, nil},
		"arguments no object": {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"idem_status","arguments":[1]}}`, 200, "not a JSON object", nil},
		"long code":           {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"idem_review_code","arguments":{"language":"go","code":"` + strings.Repeat("x", 1_000_001) + `"}}}`, 200, "idem-mcp review FILE", nil},
		"long uri":            {"POST", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"idem://runs/a/` + strings.Repeat("x", 4096) + `"}}`, 400, "uri is longer", nil},
		"notification":        {"POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, "", nil},
		"cancelled":           {"POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, "", nil},
		"a client's answer":   {"POST", `{"jsonrpc":"2.0","id":1,"result":{"roots":[1]}}`, 400, "session", nil},
		"listen":              {"POST", listen, 404, `"id":"s","error":{"code":-32601`, modern},
		"old listen":          {"POST", `{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen"}`, 404, `"id":3,"error":{"code":-32601`, nil},
	} {
		r := ask(t, c.method, srv.URL, c.body, c.headers...)
		if r.status != c.status || !strings.Contains(r.body, c.want) {
			t.Errorf("%s: %d %.500s, want %d with %q", name, r.status, r.body, c.status, c.want)
		}
		if c.status == http.StatusMethodNotAllowed && r.allow != "POST" {
			t.Errorf("%s: Allow is %q", name, r.allow)
		}
		if c.status == http.StatusAccepted && r.body != "" {
			t.Errorf("%s: the answer to a notification is %q", name, r.body)
		}
	}
	for line := range strings.Lines(log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("log line that is no JSON: %s", line)
		}
	}
	if !strings.Contains(log.String(), "sampling response") {
		t.Errorf("what the library logs is not in the server's log: %q", log.String())
	}
}

// TestBodyTooLarge: the bound of the gate is told as such.
func TestBodyTooLarge(t *testing.T) {
	srv := httptest.NewServer(http.MaxBytesHandler(tools.Handler(deps(t, "../examples/runs/s1-01-seq-3"), zerolog.Nop()), 1000))
	defer srv.Close()
	r := ask(t, "POST", srv.URL, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("x", 1000)+`"}}`)
	if r.status != http.StatusRequestEntityTooLarge || !strings.Contains(r.body, "too large") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// waiting is a source whose runs are read when it is let go.
type waiting struct {
	history.Source
	asked, letGo chan struct{}
	ended        chan error
}

func (w waiting) Run(ctx context.Context, ref history.Ref) (*history.Run, error) {
	w.asked <- struct{}{}
	select {
	case <-w.letGo:
		return w.Source.Run(ctx, ref)
	case <-ctx.Done():
		w.ended <- ctx.Err()
		return nil, ctx.Err()
	}
}

const readRun = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"idem_read_history","arguments":{"run":"s1-01-seq-3"}}}`

func waitingServer(t *testing.T, limit time.Duration) (*httptest.Server, waiting) {
	d := deps(t, "../examples/runs/s1-01-seq-3")
	w := waiting{d.Source, make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)}
	d.Source = w
	h := tools.Handler(d, zerolog.Nop())
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		h.ServeHTTP(rw, r.WithContext(ctx))
	}))
	t.Cleanup(srv.Close)
	return srv, w
}

// TestOneClientDoesNotEndAnother: clients choose the ids of their requests, and
// most begin with 1.
func TestOneClientDoesNotEndAnother(t *testing.T) {
	srv, w := waitingServer(t, time.Minute)
	answer := make(chan string, 1)
	go func() {
		answer <- ask(t, "POST", srv.URL, readRun).body
	}()
	<-w.asked
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		ask(t, "POST", srv.URL, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"_meta":{"io.modelcontextprotocol/protocolVersion":"`+version+`","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			"MCP-Protocol-Version", version, "Mcp-Method", "notifications/cancelled")
	}
	close(w.letGo)
	if got := <-answer; !strings.Contains(got, `"id":7`) || strings.Contains(got, `"isError":true`) || !strings.Contains(got, "s1-01-seq-3") {
		t.Errorf("another client's cancellation reached this one: %s", got)
	}
}

// TestTimeIsUp: a request that takes too long is answered.
func TestTimeIsUp(t *testing.T) {
	srv, w := waitingServer(t, 50*time.Millisecond)
	r := ask(t, "POST", srv.URL, readRun)
	<-w.asked
	var m struct {
		ID    int
		Error struct{ Message string }
	}
	if err := json.Unmarshal([]byte(r.body), &m); err != nil || r.status != http.StatusOK || m.ID != 7 || !strings.Contains(m.Error.Message, "serve.limits.seconds") {
		t.Errorf("%d %q: %v", r.status, r.body, err)
	}
}

// TestHangingUp ends the work of a request.
func TestHangingUp(t *testing.T) {
	srv, w := waitingServer(t, time.Minute)
	ctx, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, strings.NewReader(readRun))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	go func() {
		<-w.asked
		hangUp()
	}()
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Fatal("answered")
	}
	select {
	case err := <-w.ended:
		if err == nil {
			t.Error("ended without a reason")
		}
	case <-time.After(10 * time.Second):
		t.Error("the work goes on after the client is gone")
	}
}
