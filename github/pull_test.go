package github_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/github/githubtest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

var ref = github.Ref{Repo: github.Repo{Owner: "shop", Name: "orders"}, Number: 7}

// opened is a stand-in with one pull request.
func opened(change func(*githubtest.Pull)) *githubtest.Server {
	s := githubtest.New()
	base := s.Commit(map[string]string{"a.py": "a = 1\n", "old.py": "o = 1\n", "gone.py": "g = 1\n"})
	head := s.Commit(map[string]string{"a.py": "a = 2\n", "new.py": "o = 1\n", "more.py": "m = 1\n", "logo.png": "\x89PNG"})
	p := githubtest.Pull{Repo: "shop/orders", Number: 7, Base: base, Head: head, Renamed: map[string]string{"new.py": "old.py"}}
	if change != nil {
		change(&p)
	}
	s.Pull(p)
	return s
}

func TestPullRequest(t *testing.T) {
	c, _ := client(t, opened(nil), nil)
	p, err := c.PullRequest(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Files {
		got = append(got, strings.TrimSpace(f.Status+" "+f.Path+" "+f.Previous))
	}
	if s := strings.Join(got, ", "); s != "modified a.py, removed gone.py, added logo.png, added more.py, renamed new.py old.py" {
		t.Error(s)
	}
	if !p.Linked || len(p.Missing) > 0 || p.Base.SHA == p.Head.SHA || p.Fork.Name != "" {
		t.Errorf("%+v", *p)
	}
}

func TestForksAreReadFromTheTarget(t *testing.T) {
	for _, fork := range []string{"stranger/orders", "gone"} {
		s := opened(func(p *githubtest.Pull) { p.HeadRepo = fork })
		c, _ := client(t, s, nil)
		p, err := c.PullRequest(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		if p.Head.String() != "shop/orders" || (p.Fork.Owner == "stranger") != (fork != "gone") {
			t.Errorf("%s: %+v", fork, p)
		}
		got, err := c.Snapshots(t.Context(), anyPython, p.Base, p.Head)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := fs.ReadFile(got[1].FS(), "a.py"); err != nil || string(text) != "a = 2\n" {
			t.Errorf("%s: %q, %v", fork, text, err)
		}
	}
}

// TestHeadOnlyInTheFork: should the target not have the head, the fork does.
func TestHeadOnlyInTheFork(t *testing.T) {
	s := opened(func(p *githubtest.Pull) { p.HeadRepo = "stranger/orders" })
	c, _ := client(t, s, nil)
	p, err := c.PullRequest(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	s.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "shop/orders/git/trees/"+p.Head.SHA) {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return false
	}
	got, err := c.Trees(t.Context(), anyPython, p)
	if err != nil || got[1].Repo.Owner != "stranger" || got[0].Repo.Owner != "shop" {
		t.Errorf("%v", err)
	}
}

func TestManyChangedFiles(t *testing.T) {
	s := githubtest.New()
	head := map[string]string{}
	for i := range 250 {
		head[fmt.Sprintf("f%03d.py", i)] = "x = 1\n"
	}
	s.Pull(githubtest.Pull{Repo: "shop/orders", Number: 7, Base: s.Commit(map[string]string{"a.py": "1\n"}), Head: s.Commit(head), Total: 4000})
	c, _ := client(t, s, nil)
	p, err := c.PullRequest(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Files) != 251 || s.Count("/files?") != 3 || len(p.Missing) != 1 || !strings.Contains(p.Missing[0], "251 of the 4000") {
		t.Errorf("%d files in %d pages, %v", len(p.Files), s.Count("/files?"), p.Missing)
	}
}

func TestNoCommonCommit(t *testing.T) {
	c, _ := client(t, opened(func(p *githubtest.Pull) { p.NoCompare = true }), nil)
	p, err := c.PullRequest(t.Context(), ref)
	if err != nil || len(p.Missing) != 1 || !strings.Contains(p.Missing[0], "present base") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTheMergeBaseIsCompared(t *testing.T) {
	var before string
	s := githubtest.New()
	before = s.Commit(map[string]string{"a.py": "a = 0\n"})
	s.Pull(githubtest.Pull{Repo: "shop/orders", Number: 7, Base: s.Commit(map[string]string{"a.py": "a = 9\n"}), MergeBase: before, Head: s.Commit(map[string]string{"a.py": "a = 1\n"})})
	c, _ := client(t, s, nil)
	p, err := c.PullRequest(t.Context(), ref)
	if err != nil || p.Base.SHA != before {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRefusals(t *testing.T) {
	status := func(code int, header, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			if k, v, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(k, v)
			}
			w.WriteHeader(code)
			fmt.Fprintf(w, "%s", body)
			return true
		}
	}
	for _, tt := range []struct {
		name      string
		token     string
		intercept func(http.ResponseWriter, *http.Request) bool
		kind      fault.Kind
		want      string
	}{
		{"private, anonymous", "", status(404, "", `{"message":"Not Found"}`), fault.NotFound, "it is private: GitHub says the same to both. Check the name. For a private repository set IDEM_MCP_GITHUB_TOKEN"},
		{"private, with a token", "ghp_topsecret", status(404, "", `{"message":"Not Found"}`), fault.NotFound, "The token of X needs read access"},
		{"bad token", "ghp_topsecret", status(401, "", `{"message":"Bad credentials"}`), fault.SignIn, "Set a valid token in X"},
		{"single sign-on", "ghp_topsecret", status(403, "X-GitHub-SSO: required; url=https://evil", `{"message":"SAML"}`), fault.Forbidden, "authorize the token"},
		{"not for this token", "ghp_topsecret", status(403, "", `{"message":"Resource not accessible by integration"}`), fault.Forbidden, "needs read access"},
		{"gone", "", status(451, "", `{"message":"DMCA"}`), fault.NotFound, "no longer available"},
		{"server down", "", status(502, "", "oops"), fault.Unreachable, "GitHub answered 502"},
		{"no GitHub", "", status(200, "Content-Type: text/html", "<html>\x1b[31m"), fault.Damaged, "Check that github.url is a GitHub"},
		{"no commits", "", status(200, "", `{"base":{"sha":"../../x"},"head":{"sha":"y"}}`), fault.Damaged, "names no commits"},
		{"redirect away", "ghp_topsecret", status(301, "Location: https://evil.example/x", ""), fault.Damaged, "points to another address"},
		{"redirect to http", "ghp_topsecret", status(302, "Location: http://github.example/api/v3/x", ""), fault.Damaged, "points to another address"},
		{"redirect in circles", "", status(302, "Location: https://github.example/api/v3/x", ""), fault.Damaged, "in circles"},
		{"endless answer", "", func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write(make([]byte, 25<<20))
			return true
		}, fault.TooLarge, "more than 24 MB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := opened(nil)
			s.Intercept = tt.intercept
			c, _ := client(t, s, func(c *github.Config) { c.Token, c.TokenFrom = tt.token, "X" })
			_, err := c.PullRequest(t.Context(), ref)
			if err == nil || fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v: %v", fault.KindOf(err), err)
			}
			if err != nil && (strings.Contains(err.Error(), "topsecret") || strings.Contains(err.Error(), "\x1b")) {
				t.Errorf("it holds a token or a control character: %v", err)
			}
		})
	}
}

// limitedOnce answers the first n requests with a rate limit.
func limitedOnce(n, code int, header map[string]string, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if n--; n < 0 {
			return false
		}
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, "%s", body)
		return true
	}
}

func TestRateLimits(t *testing.T) {
	reset := func(d time.Duration) string { return fmt.Sprint(start.Add(d).Unix()) }
	for _, tt := range []struct {
		name   string
		code   int
		header map[string]string
		body   string
		waits  time.Duration // 0: it is reported
		want   string
	}{
		{"primary, soon over", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset(8 * time.Second)}, `{"message":"API rate limit exceeded"}`, 9 * time.Second, ""},
		{"primary, as 429", 429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset(8 * time.Second)}, "", 9 * time.Second, ""},
		{"primary, long", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset(40 * time.Minute)}, "", 0, "Try again after 2026-11-29T14:40:00Z"},
		{"secondary, soon over", 403, map[string]string{"Retry-After": "5"}, "", 6 * time.Second, ""},
		{"secondary, long", 429, map[string]string{"Retry-After": "3600"}, "", 0, "Try again after 2026-11-29T15:00:00Z"},
		{"secondary, without a time", 403, nil, `{"message":"You have exceeded a secondary rate limit"}`, 0, "Try again after 2026-11-29T14:01:00Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := opened(nil)
			s.Intercept = limitedOnce(1, tt.code, tt.header, tt.body)
			c, k := client(t, s, nil)
			_, err := c.PullRequest(t.Context(), ref)
			if tt.waits > 0 {
				if err != nil || len(k.slept) == 0 || k.slept[0] != tt.waits {
					t.Errorf("%v, waited %v", err, k.slept)
				}
				return
			}
			if fault.KindOf(err) != fault.Unreachable || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "60 an hour") || len(k.slept) != 0 {
				t.Errorf("%v, waited %v", err, k.slept)
			}
			// Nothing is asked again before the time, and everything after it.
			n := len(s.Requests())
			if _, err := c.PullRequest(t.Context(), ref); err == nil || len(s.Requests()) != n {
				t.Errorf("asked during the limit: %v", err)
			}
			k.at = k.at.Add(2 * time.Hour)
			if _, err := c.PullRequest(t.Context(), ref); err != nil {
				t.Errorf("after the limit: %v", err)
			}
		})
	}
}

func TestBrokenForAMoment(t *testing.T) {
	s := opened(nil)
	s.Intercept = limitedOnce(2, 503, nil, "")
	c, _ := client(t, s, nil)
	if _, err := c.PullRequest(t.Context(), ref); err != nil {
		t.Error(err)
	}
}

func TestAskedAgainByETag(t *testing.T) {
	s := opened(nil)
	c, _ := client(t, s, nil)
	var got [2]*github.PullRequest
	for i := range got {
		var err error
		if got[i], err = c.PullRequest(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
	}
	if len(got[0].Files) != len(got[1].Files) || got[0].Head != got[1].Head {
		t.Errorf("%+v is not %+v", got[1], got[0])
	}
	kept := 0
	for _, r := range s.Requests() {
		if r.Status == http.StatusNotModified {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("%d of 3 answers were taken from memory", kept)
	}
}

func TestResolve(t *testing.T) {
	s := opened(nil)
	c, _ := client(t, s, nil)
	got, err := c.Resolve(t.Context(), ref.Repo, "main")
	if err != nil || len(got.SHA) != 40 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "../../user", "nobody"} {
		if _, err := c.Resolve(t.Context(), ref.Repo, bad); err == nil {
			t.Errorf("%q was found", bad)
		}
	}
}

func TestStatus(t *testing.T) {
	s := opened(nil)
	c, _ := client(t, s, nil)
	if st := c.Status(t.Context()); st.Problem != nil || st.Can != "" || !strings.Contains(st.Token, "public") || !strings.Contains(st.Requests, "4990 of 5000") {
		t.Errorf("%+v", st)
	}
	s.Token = "ghp_topsecret"
	c, _ = client(t, s, func(c *github.Config) { c.Token, c.TokenFrom = s.Token, "GITHUB_TOKEN" })
	st := c.Status(t.Context())
	if st.Problem != nil || st.Token != "a classic personal token, from GITHUB_TOKEN" || !strings.HasPrefix(st.Can, "scopes repo, read:org (more than is needed") {
		t.Errorf("%+v", st)
	}
	s.Intercept = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(401); return true }
	if st := c.Status(t.Context()); fault.KindOf(st.Problem) != fault.SignIn {
		t.Errorf("%+v", st)
	}
}

// TestOverTheNetwork: the same through real connections, on this machine.
func TestOverTheNetwork(t *testing.T) {
	s := opened(nil)
	url, stop := s.Start()
	defer stop()
	c, err := github.New(github.Config{URL: url, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.PullRequest(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Snapshots(t.Context(), anyPython, p.Base, p.Head); err != nil || !p.Linked {
		t.Errorf("%v, %+v", err, p)
	}
	stop()
	if _, err := c.PullRequest(t.Context(), ref); fault.KindOf(err) != fault.Unreachable {
		t.Errorf("a server that is gone: %v", err)
	}
}
