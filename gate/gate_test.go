package gate_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/idem-mcp/idem-mcp/gate"
)

const token = "0123456789abcdef0123"

// echo stands for the tools: it names the principal.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	_, _ = io.WriteString(w, "hello "+string(gate.PrincipalOf(r.Context())))
})

func open(t testing.TB, c gate.Config, inner http.Handler) (url string, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	g, err := gate.New(t.Context(), c, gate.NewRecord(zerolog.New(zerolog.SyncWriter(log))))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(g.Wrap(inner))
	t.Cleanup(srv.Close)
	return srv.URL, log
}

// ask posts body; set holds headers, and the Host under "Host".
func ask(t testing.TB, url, body string, set map[string]string) (*http.Response, string) {
	t.Helper()
	return send(t, http.MethodPost, url, body, set)
}

func get(t testing.TB, url string, set map[string]string) (*http.Response, string) {
	t.Helper()
	return send(t, http.MethodGet, url, "", set)
}

// send returns the response with its body read and closed.
func send(t testing.TB, method, url, body string, set map[string]string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range set {
		req.Header.Set(k, v)
	}
	req.Host = set["Host"]
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

func TestWhoIsAdmitted(t *testing.T) {
	t.Parallel()
	ci, line, err := gate.MakeToken("ci")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("# who\n"+line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	named, err := gate.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	loopback := gate.Config{Loopback: true}
	guarded := gate.Config{Token: token, Tokens: named}
	for name, c := range map[string]struct {
		config gate.Config
		set    map[string]string
		body   string
		want   int
		who    string
	}{
		"loopback":                      {config: loopback, want: 200},
		"loopback by name":              {config: loopback, set: map[string]string{"Host": "localhost:7337"}, want: 200},
		"a rebound name":                {config: loopback, set: map[string]string{"Host": "evil.example"}, want: 403},
		"an allowed name":               {config: gate.Config{Loopback: true, Hosts: []string{"proxy.example"}}, set: map[string]string{"Host": "proxy.example"}, want: 200},
		"a page of this server":         {config: loopback, set: map[string]string{"Host": "localhost:7337", "Origin": "http://localhost:7337"}, want: 200},
		"another page":                  {config: loopback, set: map[string]string{"Origin": "https://evil.example"}, want: 403},
		"a page without origin":         {config: loopback, set: map[string]string{"Origin": "null"}, want: 403},
		"a page that hides its origin":  {config: loopback, set: map[string]string{"Sec-Fetch-Site": "cross-site"}, want: 403},
		"an allowed page":               {config: gate.Config{Loopback: true, Origins: []string{"https://app.example"}}, set: map[string]string{"Origin": "https://app.example"}, want: 200},
		"no token":                      {config: guarded, want: 401},
		"a wrong token":                 {config: guarded, set: bearer("x"), want: 401},
		"a hash in place of a token":    {config: guarded, set: bearer(strings.Fields(line)[1]), want: 401},
		"a token of another scheme":     {config: guarded, set: map[string]string{"Authorization": "Basic " + token}, want: 401},
		"the shared token":              {config: guarded, set: map[string]string{"Authorization": "bearer " + token}, want: 200, who: "shared"},
		"a named token":                 {config: guarded, set: bearer(ci), want: 200, who: "ci"},
		"a token on loopback":           {config: gate.Config{Token: token, Loopback: true}, want: 401},
		"a host off loopback":           {config: gate.Config{Token: token, Hosts: []string{"idem.example"}}, set: map[string]string{"Host": "other.example", "Authorization": "Bearer " + token}, want: 403},
		"a body of five megabytes":      {config: loopback, body: strings.Repeat(" ", 5<<20), want: 413},
		"the token in the query counts": {config: guarded, want: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, log := open(t, c.config, echo)
			res, body := ask(t, url+"/mcp?token="+token, c.body, c.set)
			if res.StatusCode != c.want {
				t.Errorf("status %d, want %d: %s", res.StatusCode, c.want, body)
			}
			if c.want == 200 && body != "hello "+c.who {
				t.Errorf("the principal is %q, want %q", body, c.who)
			}
			for _, secret := range []string{token, ci} {
				if strings.Contains(body+log.String(), secret) {
					t.Error("the token was sent back or logged")
				}
			}
			if c.want != 200 && !strings.Contains(log.String(), `"audit":"refused"`) {
				t.Errorf("the refusal is not in the audit log: %s", log)
			}
		})
	}
}

// A body whose length nobody stated is bounded while it is read.
func TestBodyOfUnknownLength(t *testing.T) {
	t.Parallel()
	url, _ := open(t, gate.Config{Loopback: true}, echo)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", io.LimitReader(zeros{}, 4<<20+1)) // all of it is sent before the answer
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", res.StatusCode)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Health is told to whoever asks, the rest of the server is not.
func TestHealth(t *testing.T) {
	t.Parallel()
	url, _ := open(t, gate.Config{Token: token, Hosts: []string{"idem.example"}}, echo)
	if res, body := get(t, url+"/healthz", nil); res.StatusCode != 200 || body != "ok\n" {
		t.Errorf("%d %q", res.StatusCode, body)
	}
	if res, _ := get(t, url+"/metrics", map[string]string{"Host": "idem.example"}); res.StatusCode != 404 {
		t.Errorf("metrics on the main address: %d", res.StatusCode)
	}
}

func TestRefusesConfigurations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]gate.Config{
		"a short token":             {Token: "short"},
		"an issuer alone":           {OAuth: &gate.OAuth{Issuer: "https://issuer.example"}},
		"a resource alone":          {OAuth: &gate.OAuth{Resource: "https://idem.example/mcp"}},
		"a plain-text issuer":       {OAuth: &gate.OAuth{Issuer: "http://issuer.example", Resource: "https://idem.example/mcp"}},
		"keys from a file":          {OAuth: &gate.OAuth{Issuer: "https://issuer.example", Resource: "https://idem.example/mcp", JWKS: "file:///etc/passwd"}},
		"credentials in an address": {OAuth: &gate.OAuth{Issuer: "https://a:b@issuer.example", Resource: "https://idem.example/mcp"}},
		"a negative limit":          {Limits: gate.Limits{PerMinute: -1}},
	} {
		if _, err := gate.New(t.Context(), c, gate.NewRecord(zerolog.Nop())); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	bare, err := gate.New(t.Context(), gate.Config{}, gate.NewRecord(zerolog.Nop()))
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "nonsense", "192.0.2.1:7337"} {
		if err := bare.Serve(t.Context(), gate.Listen{Addr: addr}, echo, zerolog.Nop()); err == nil {
			t.Errorf("served on %s without a token", addr)
		}
	}
}

func TestTokensFile(t *testing.T) {
	t.Parallel()
	_, line, err := gate.MakeToken("ci")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"good":            {line + "\n", 0o600, ""},
		"readable by all": {line + "\n", 0o644, "chmod 600"},
		"empty":           {"# nobody\n", 0o600, "holds no token"},
		"a bare token":    {"ci secret-token-in-plain-text\n", 0o600, "line 1"},
		"a name twice":    {line + "\n" + line + "\n", 0o600, "names ci again"},
	} {
		path := filepath.Join(t.TempDir(), "tokens")
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := gate.ReadTokens(path)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret-token") {
			t.Errorf("%s: the error quotes the file: %v", name, err)
		}
	}
	for _, bad := range []string{"", "two words", "a\nb", strings.Repeat("x", 65)} {
		if _, _, err := gate.MakeToken(bad); err == nil {
			t.Errorf("a token can be named %q", bad)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("ci 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n")
	f.Add("# x\n\n a  b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range gate.ParseTokens(strings.NewReader(text)) {
			if n.Name == "" {
				t.Error("a token without a name")
			}
		}
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	url, log := open(t, gate.Config{Token: token, Tokens: []gate.Named{gate.Hashed("other", "another-token-of-20")}, Limits: gate.Limits{PerMinute: 4}, Now: clock}, echo)
	codes := func(tok string, n int) (out []int) {
		for range n {
			res, _ := ask(t, url+"/mcp", "", bearer(tok))
			if res.StatusCode == 429 && res.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			out = append(out, res.StatusCode)
		}
		return out
	}
	if got := codes(token, 3); got[0] != 200 || got[1] != 200 || got[2] != 429 {
		t.Errorf("a burst of half a minute's allowance: %v", got)
	}
	if got := codes("another-token-of-20", 1); got[0] != 200 {
		t.Errorf("one principal uses up another's allowance: %v", got)
	}
	now = now.Add(15 * time.Second)
	if got := codes(token, 2); got[0] != 200 || got[1] != 429 {
		t.Errorf("after a quarter of a minute: %v", got)
	}
	if !strings.Contains(log.String(), `"reason":"limit"`) {
		t.Error("the refusal is not logged")
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 2), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
	})
	url, _ := open(t, gate.Config{Token: token, Limits: gate.Limits{Concurrent: 1}}, slow)
	first := make(chan int, 1)
	go func() {
		res, _ := ask(t, url+"/mcp", "", bearer(token))
		first <- res.StatusCode
	}()
	<-entered
	if res, _ := ask(t, url+"/mcp", "", bearer(token)); res.StatusCode != 429 {
		t.Errorf("a second request at once: %d", res.StatusCode)
	}
	close(release)
	if got := <-first; got != 200 {
		t.Errorf("the first request: %d", got)
	}
	if res, _ := ask(t, url+"/mcp", "", bearer(token)); res.StatusCode != 200 {
		t.Errorf("after it: %d", res.StatusCode)
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		http.Error(w, context.Cause(r.Context()).Error(), http.StatusServiceUnavailable)
	})
	url, _ := open(t, gate.Config{Loopback: true, Limits: gate.Limits{Time: 20 * time.Millisecond}}, endless)
	if res, body := ask(t, url+"/mcp", "", nil); res.StatusCode != 503 || !strings.Contains(body, "deadline") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}
