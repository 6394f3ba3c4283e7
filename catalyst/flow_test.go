package catalyst_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// TestWholeFlow signs in, asks what it is connected to, lists and reads, with
// tokens that die in mid-conversation.
func TestWholeFlow(t *testing.T) {
	s := start(t, catalysttest.Options{})
	c := config(t, s)
	got, err := catalyst.Login(t.Context(), c, browser(t))
	if err != nil {
		t.Fatal(err)
	}
	want := catalyst.SignedIn{Server: s.URL, Issuer: s.Issuer, Scope: "catalyst:read offline_access", KeptIn: c.TokenFile, Renewable: true}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sign-in (-want +got):\n%s", d)
	}
	src := source(t, c)
	st := src.Status(t.Context())
	if st.Problem != nil || st.Organization != catalysttest.Organization || st.Project != (history.Project{Name: "default", UID: "165"}) {
		t.Errorf("status: %+v", st)
	}
	if st.Sharing != (history.Sharing{Level: history.LevelMetadata, How: "the server refused a read with DATA_SHARING_RESTRICTED"}) {
		t.Errorf("sharing: %+v", st.Sharing)
	}
	s.ExpireTokens()
	hs, _, err := list(t.Context(), src, history.Filter{})
	if err != nil || len(hs) != len(s.RunIDs()) {
		t.Fatalf("listed %d of %d: %v", len(hs), len(s.RunIDs()), err)
	}
	s.ExpireTokens()
	run, err := src.Run(t.Context(), history.Ref{Instance: "s2-14-timeout-effect-done"})
	if err != nil {
		t.Fatal(err)
	}
	if run.Ref.App != "orders" || run.Status != history.Completed || len(run.Events) != 15 || run.Ref.Project.UID != "165" {
		t.Errorf("run: %+v", run.Header)
	}
	if n := s.AuthStats().Rotations; n != 2 {
		t.Errorf("rotations: %d, want 2", n)
	}
	for _, name := range s.Calls() {
		if strings.Contains(name, "connection") || strings.Contains(name, "rerun") || strings.Contains(name, "terminate") {
			t.Errorf("called %s", name)
		}
	}
	info, err := os.Stat(c.TokenFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v %v", info.Mode(), err)
	}
	if was, err := catalyst.Logout(t.Context(), c); !was || err != nil {
		t.Errorf("logout: %v %v", was, err)
	}
	if _, err := os.Stat(c.TokenFile); !os.IsNotExist(err) {
		t.Errorf("the token file is still there: %v", err)
	}
	if _, err := source(t, c).Run(t.Context(), history.Ref{Instance: "x"}); fault.KindOf(err) != fault.SignIn || !strings.Contains(err.Error(), "idem-mcp login") {
		t.Errorf("after logout: %v", err)
	}
}

func TestLoginRefused(t *testing.T) {
	s := start(t, catalysttest.Options{})
	for _, tt := range []struct {
		name   string
		change func(*catalyst.Config)
		kind   fault.Kind
		says   string
	}{
		{"no client id", func(c *catalyst.Config) { c.ClientID = "" }, fault.Config, "catalyst.client_id is not set"},
		{"trailing slash", func(c *catalyst.Config) { c.Server += "/" }, fault.SignIn, ""},
		{"plain http", func(c *catalyst.Config) { c.Server = "http://catalyst.example/mcp" }, fault.Config, "https"},
		{"token in the address", func(c *catalyst.Config) { c.Server = "https://u:p@catalyst.example/mcp" }, fault.Config, "user name"},
		{"redirect elsewhere", func(c *catalyst.Config) { c.RedirectURL = "http://catalyst.example/callback" }, fault.Config, "redirect_url"},
		{"nobody there", func(c *catalyst.Config) { c.Server = "http://127.0.0.1:1/mcp" }, fault.SignIn, "cannot be reached"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config(t, s)
			tt.change(&c)
			_, err := catalyst.Login(t.Context(), c, browser(t))
			if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v: %v", fault.KindOf(err), err)
			}
		})
	}
}

// TestLoginChecksTheAnswer plays browsers that bring back something else.
func TestLoginChecksTheAnswer(t *testing.T) {
	s := start(t, catalysttest.Options{})
	redirectOf := func(address string) (*url.URL, url.Values) {
		u, _ := url.Parse(address)
		r, _ := url.Parse(u.Query().Get("redirect_uri"))
		return r, u.Query()
	}
	visit := func(u *url.URL, q url.Values) int {
		u.RawQuery = q.Encode()
		resp, err := http.Get(u.String())
		if err != nil {
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	for _, tt := range []struct {
		name   string
		answer func(q url.Values) url.Values
		says   string
	}{
		{"refused", func(q url.Values) url.Values {
			return url.Values{"state": {q.Get("state")}, "iss": {s.Issuer}, "error": {"access_denied"}, "error_description": {"no\x1b[31m"}}
		}, "access_denied no"},
		{"another issuer", func(q url.Values) url.Values {
			return url.Values{"state": {q.Get("state")}, "iss": {"https://evil.example"}, "code": {"c"}}
		}, "another authorization server"},
		{"issuer left out", func(q url.Values) url.Values {
			return url.Values{"state": {q.Get("state")}, "code": {"c"}}
		}, "another authorization server"},
		{"wrong code", func(q url.Values) url.Values {
			return url.Values{"state": {q.Get("state")}, "iss": {s.Issuer}, "code": {"co_wrong"}}
		}, "no longer valid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := catalyst.Prompt{Show: func(address string) {
				go func() {
					u, q := redirectOf(address)
					// A stranger without the state changes nothing.
					if code := visit(u, url.Values{"state": {"guess"}, "code": {"c"}}); code != http.StatusBadRequest {
						t.Errorf("a wrong state was answered %d", code)
					}
					visit(u, tt.answer(q))
				}()
			}}
			_, err := catalyst.Login(t.Context(), config(t, s), p)
			if fault.KindOf(err) != fault.SignIn || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAuthorizeAddress(t *testing.T) {
	s := start(t, catalysttest.Options{})
	var q url.Values
	p := browser(t)
	show := p.Show
	p.Show = func(address string) {
		u, _ := url.Parse(address)
		q = u.Query()
		show(address)
	}
	if _, err := catalyst.Login(t.Context(), config(t, s), p); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]string{"code_challenge_method": "S256", "scope": "catalyst:read offline_access", "resource": s.URL, "response_type": "code"} {
		if q.Get(k) != want {
			t.Errorf("%s = %q, want %q", k, q.Get(k), want)
		}
	}
	if r, _ := url.Parse(q.Get("redirect_uri")); r.Path != "/callback" || r.Hostname() != "127.0.0.1" || r.Port() == "" {
		t.Errorf("redirect %q", q.Get("redirect_uri"))
	}
}

func TestHeadless(t *testing.T) {
	s := start(t, catalysttest.Options{})
	token := s.IssueToken()
	c := config(t, s)
	c.ClientID = ""
	c.NoKeyring = false // there is none here, which must be no error and no wait
	c.Getenv = func(k string) string {
		if k == catalyst.TokenEnv {
			return token
		}
		return ""
	}
	began := time.Now()
	src := source(t, c)
	if st := src.Status(t.Context()); st.Problem != nil || !strings.Contains(st.SignIn, catalyst.TokenEnv) {
		t.Errorf("status: %+v", st)
	}
	if d := time.Since(began); d > 4500*time.Millisecond {
		t.Errorf("took %v", d)
	}
	s.ExpireTokens()
	_, err := src.Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"})
	if fault.KindOf(err) != fault.SignIn || !strings.Contains(err.Error(), catalyst.TokenEnv) || strings.Contains(err.Error(), token) {
		t.Errorf("after expiry: %v", err)
	}
}

func TestOpenServer(t *testing.T) {
	s := start(t, catalysttest.Options{Open: true})
	if _, _, err := list(t.Context(), source(t, config(t, s)), history.Filter{}); err != nil {
		t.Errorf("an open server needs no sign-in: %v", err)
	}
	if _, err := catalyst.Login(t.Context(), config(t, s), browser(t)); fault.KindOf(err) != fault.BadInput {
		t.Errorf("login at an open server: %v", err)
	}
}

// TestDamagedTokenFile: what stands in the file is never quoted.
func TestDamagedTokenFile(t *testing.T) {
	s := start(t, catalysttest.Options{})
	c := config(t, s)
	c.TokenFile = filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(c.TokenFile, []byte(`{"access_token":"very-secret-token`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := source(t, c).Run(t.Context(), history.Ref{Instance: "x"})
	if fault.KindOf(err) != fault.Config || strings.Contains(err.Error(), "very-secret") {
		t.Errorf("got %v", err)
	}
}

// TestWriteScopeIsNotAsked: only the read tools are ever called, in any session.
func TestWriteScopeIsNotAsked(t *testing.T) {
	s := start(t, catalysttest.Options{})
	src := signedIn(t, s)
	src.Describe(t.Context())
	allowed := []string{"catalyst_whoami", "catalyst_list_projects", "catalyst_list_workflow_runs", "catalyst_get_workflow_run", "catalyst_export_workflow_run", "catalyst_get_usage"}
	for _, c := range s.Calls() {
		if !slices.Contains(allowed, c) {
			t.Errorf("called %s", c)
		}
	}
}
