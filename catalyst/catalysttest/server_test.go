package catalysttest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
)

const verifier = "a-verifier-of-forty-three-characters-or-more-0"

type client struct {
	t *testing.T
	s *catalysttest.Server
	h http.Client
}

func newClient(t *testing.T, o catalysttest.Options) client {
	t.Helper()
	s, err := catalysttest.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return client{t, s, http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// authorize asks for a code with the usual parameters changed, and returns the
// status and the redirect's query.
func (c client) authorize(change map[string]string) (int, url.Values) {
	c.t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.s.ClientID()}, "redirect_uri": {"http://127.0.0.1:5555/callback"}, "state": {"s"},
		"scope": {"catalyst:read offline_access"}, "resource": {c.s.URL}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}
	for k, v := range change {
		q.Set(k, v)
	}
	resp, err := c.h.Get(c.s.Issuer + "/authorize?" + q.Encode())
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	to, _ := url.Parse(resp.Header.Get("Location"))
	return resp.StatusCode, to.Query()
}

func (c client) token(form map[string]string) (int, map[string]any) {
	c.t.Helper()
	v := url.Values{"client_id": {c.s.ClientID()}, "resource": {c.s.URL}}
	for k, x := range form {
		v.Set(k, x)
	}
	resp, err := c.h.PostForm(c.s.Issuer+"/token", v)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, out
}

func (c client) signIn(scope string) map[string]any {
	c.t.Helper()
	_, q := c.authorize(map[string]string{"scope": scope})
	status, out := c.token(map[string]string{"grant_type": "authorization_code", "code": q.Get("code"), "redirect_uri": "http://127.0.0.1:5555/callback", "code_verifier": verifier})
	if status != http.StatusOK {
		c.t.Fatalf("sign in: %d %v", status, out)
	}
	return out
}

// TestAuthorization: the rules that are known of Catalyst's authorization server.
func TestAuthorization(t *testing.T) {
	c := newClient(t, catalysttest.Options{})
	for name, tt := range map[string]struct {
		change map[string]string
		status int
		err    string
	}{
		"as it should be":       {nil, http.StatusFound, ""},
		"another port":          {map[string]string{"redirect_uri": "http://127.0.0.1:1/callback"}, http.StatusFound, ""},
		"another path":          {map[string]string{"redirect_uri": "http://127.0.0.1:1/callback/"}, http.StatusBadRequest, ""},
		"another host":          {map[string]string{"redirect_uri": "http://example.com/callback"}, http.StatusBadRequest, ""},
		"another client":        {map[string]string{"client_id": "x"}, http.StatusBadRequest, ""},
		"resource with a slash": {map[string]string{"resource": c.s.URL + "/"}, http.StatusFound, "invalid_target"},
		"unknown scope":         {map[string]string{"scope": "catalyst:read email"}, http.StatusFound, "invalid_scope"},
		"plain challenge":       {map[string]string{"code_challenge_method": "plain"}, http.StatusFound, "invalid_request"},
	} {
		if status, q := c.authorize(tt.change); status != tt.status || q.Get("error") != tt.err || (status == http.StatusFound && tt.err == "") != (q.Get("code") != "") {
			t.Errorf("%s: %d %v", name, status, q)
		}
	}
	_, q := c.authorize(nil)
	if status, out := c.token(map[string]string{"grant_type": "authorization_code", "code": q.Get("code"), "redirect_uri": "http://127.0.0.1:5555/callback", "code_verifier": "wrong"}); status != http.StatusBadRequest || out["error"] != "invalid_grant" {
		t.Errorf("wrong verifier: %d %v", status, out)
	}
}

func TestRotation(t *testing.T) {
	c := newClient(t, catalysttest.Options{})
	if out := c.signIn("catalyst:read"); out["refresh_token"] != nil {
		t.Errorf("a refresh token without offline_access: %v", out)
	}
	first, _ := c.signIn("catalyst:read offline_access")["refresh_token"].(string)
	status, out := c.token(map[string]string{"grant_type": "refresh_token", "refresh_token": first})
	second, _ := out["refresh_token"].(string)
	if status != http.StatusOK || second == "" || second == first {
		t.Fatalf("renewal: %d %v", status, out)
	}
	for _, spent := range []string{first, second} { // the first is spent, and that kills the second
		if status, out := c.token(map[string]string{"grant_type": "refresh_token", "refresh_token": spent}); status != http.StatusBadRequest || out["error"] != "invalid_grant" {
			t.Errorf("a spent token: %d %v", status, out)
		}
	}
}

// TestToolList: write tools are there for who may write, and a GET without the
// right Accept is a 400.
func TestToolList(t *testing.T) {
	c := newClient(t, catalysttest.Options{})
	tools := func(token string) string {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, c.s.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := c.h.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.Header.Get("WWW-Authenticate") + string(b)
	}
	if s := tools(""); !strings.Contains(s, "resource_metadata=") || !strings.Contains(s, "NOT_AUTHENTICATED") {
		t.Errorf("without a token: %s", s)
	}
	read, _ := c.signIn("catalyst:read")["access_token"].(string)
	write, _ := c.signIn("catalyst:read catalyst:write")["access_token"].(string)
	if s := tools(read); !strings.Contains(s, "catalyst_whoami") || strings.Contains(s, "catalyst_rerun") {
		t.Errorf("with catalyst:read: %s", s)
	}
	if s := tools(write); !strings.Contains(s, "catalyst_rerun") {
		t.Errorf("with catalyst:write: %s", s)
	}
	c.s.ExpireTokens()
	if s := tools(read); !strings.Contains(s, "NOT_AUTHENTICATED") {
		t.Errorf("with a dead token: %s", s)
	}
	resp, err := c.h.Get(c.s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("GET: %d", resp.StatusCode)
	}
}
