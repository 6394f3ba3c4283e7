package github

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// DefaultURL is the GitHub that is asked when none is configured.
const DefaultURL = "https://github.com"

// Config says which GitHub is read, and as whom.
type Config struct {
	// URL is the address people open: https://github.com, or that of a GitHub
	// Enterprise server. Empty means DefaultURL.
	URL string
	// Token is sent to the API host and no other; empty asks anonymously.
	// TokenFrom says where it was found: "IDEM_MCP_GITHUB_TOKEN".
	Token, TokenFrom string
	// MaxWait is the longest that a rate limit is waited for; 0 means 20 s.
	MaxWait time.Duration
	// Transport carries requests; nil means the default one.
	Transport http.RoundTripper
	// Now is the clock.
	Now func() time.Time
	// Sleep waits; nil means a timer.
	Sleep func(context.Context, time.Duration) error
	// Limits bound what one review may read; zero members mean the defaults.
	Limits Limits
}

// Limits bound what is read of one pair of trees.
type Limits struct {
	Entries  int   // entries of one tree: 400,000
	Files    int   // source files: 20,000
	Bytes    int64 // source text: 64 MB
	File     int64 // one file: 5 MB, the reviewer's own bound
	Blobs    int   // files fetched one by one: 3,000
	Archive  int64 // the files of an archive, unpacked: 512 MB
	FromBlob int   // up to so many files are fetched one by one rather than as an archive: 16
}

func (l Limits) filled() Limits {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&l.Entries, 400_000)
	set(&l.Files, 20_000)
	set(&l.Blobs, 3_000)
	set(&l.FromBlob, 16)
	if l.Bytes == 0 {
		l.Bytes = 64 << 20
	}
	if l.File == 0 {
		l.File = 5 << 20
	}
	if l.Archive == 0 {
		l.Archive = 512 << 20
	}
	return l
}

// Client reads from one GitHub with one token. It is safe for concurrent use.
type Client struct {
	host      host
	api       *gh.Client
	transport *transport
	blobs     *cache[[]byte]
	limits    Limits
	tokenFrom string
	token     string
	now       func() time.Time
}

// New checks the configuration. Nothing is asked yet.
func New(c Config) (*Client, error) {
	h, err := locate(c.URL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &fault.Error{Kind: fault.Config, What: "the GitHub token of " + c.TokenFrom + " holds a character that no token has", Do: "Set it again, without spaces and line breaks"}
	}
	t := &transport{base: c.Transport, host: h, token: c.Token, maxWait: c.MaxWait, now: c.Now, sleep: c.Sleep, slots: make(chan struct{}, concurrency), answers: newCache[*kept](etagBytes)}
	if t.base == nil {
		t.base = http.DefaultTransport
	}
	if t.maxWait == 0 {
		t.maxWait = 20 * time.Second
	}
	if t.sleep == nil {
		t.sleep = sleep
	}
	client := gh.NewClient(&http.Client{Transport: t, CheckRedirect: t.redirect})
	client.BaseURL, client.UserAgent = h.api, "idem-mcp"
	return &Client{host: h, api: client, transport: t, blobs: newCache[[]byte](blobBytes), limits: c.Limits.filled(), token: c.Token, tokenFrom: c.TokenFrom, now: c.Now}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// host is where one GitHub lives.
type host struct {
	api      *url.URL // with a trailing slash
	web      string   // what people open, without one
	archives []string // hosts that archives are served from
}

// locate derives the API, and the host that serves archives, from the address
// people open. They are not taken from what a server says.
func locate(raw string) (host, error) {
	bad := func(why string) error {
		return &fault.Error{Kind: fault.Config, What: "github.url " + clean.Line(raw, 120) + " " + why, Means: "GitHub is not asked", Do: "Set it to the address people open, such as https://github.com or https://github.example.com"}
	}
	if raw == "" {
		raw = DefaultURL
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, " \\"):
		return host{}, bad("is no address")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return host{}, bad("has more in it than a host")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return host{}, bad("is not https")
	}
	if p := strings.Trim(u.Path, "/"); p != "" && p != "api/v3" {
		return host{}, bad("has a path")
	}
	name := strings.ToLower(u.Host)
	at := func(host, path string) *url.URL { return &url.URL{Scheme: u.Scheme, Host: host, Path: path} }
	switch {
	case name == "github.com" || name == "www.github.com" || name == "api.github.com":
		return host{api: at("api.github.com", "/"), web: "https://github.com", archives: []string{"codeload.github.com"}}, nil
	case strings.HasSuffix(name, ".ghe.com"):
		name = strings.TrimPrefix(name, "api.")
		return host{api: at("api."+name, "/"), web: "https://" + name, archives: []string{"codeload." + name}}, nil
	}
	return host{api: at(name, "/api/v3/"), web: u.Scheme + "://" + name, archives: []string{name, "codeload." + name}}, nil
}

func loopback(name string) bool {
	if name == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.IsLoopback()
}

// Web is the address people open, without a trailing slash.
func (c *Client) Web() string { return c.host.web }

// Repo is one repository.
type Repo struct{ Owner, Name string }

// String is OWNER/NAME.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Ref names a pull request.
type Ref struct {
	Repo
	Number int
}

// String is OWNER/NAME#NUMBER.
func (r Ref) String() string { return fmt.Sprintf("%s#%d", r.Repo, r.Number) }

// ParseRef reads OWNER/REPO#N, or the address of a pull request on this client's
// GitHub.
func (c *Client) ParseRef(s string) (Ref, error) {
	bad := func(why, do string) (Ref, error) {
		return Ref{}, &fault.Error{Kind: fault.BadInput, What: "pull request " + clean.Line(s, 120) + ": " + why, Means: "nothing was read", Do: do}
	}
	const forms = "Write OWNER/REPO#NUMBER, or the pull request's address"
	path, number, short := strings.Cut(strings.TrimSpace(s), "#")
	if strings.Contains(s, "://") {
		short = false
		u, err := url.Parse(strings.TrimSpace(s))
		if err != nil {
			return bad("that is no address", forms)
		}
		if !strings.EqualFold(u.Scheme+"://"+u.Host, c.host.web) {
			return bad("it is not on "+c.host.web, "Pull requests of another GitHub are read after the operator sets github.url to it")
		}
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		if len(parts) >= 4 && parts[2] == "pull" {
			path, number, short = parts[0]+"/"+parts[1], parts[3], true
		}
	}
	owner, name, ok := strings.Cut(path, "/")
	r := Ref{Repo: Repo{owner, name}}
	if !short || !ok || !r.valid() {
		return bad("that names none", forms)
	}
	if len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return bad("its number is none", forms)
	}
	if _, err := fmt.Sscanf(number, "%d", &r.Number); err != nil || r.Number < 1 {
		return bad("its number is none", forms)
	}
	return r, nil
}

// valid holds a name to the characters GitHub allows, so that it can stand in a
// path.
func (r Repo) valid() bool {
	return word(r.Owner, "-_", 39) && word(r.Name, "-_.", 100) && r.Name != "." && r.Name != ".."
}

func word(s, also string, longest int) bool {
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(also, r))
	})
}

// object reports whether s is the name of a git object.
func object(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// BlobURL is the page of lines of a file at a commit, empty where a link could
// open another page.
func (c *Client) BlobURL(r Repo, commit, path string, line, end int) string {
	if !r.valid() || !object(commit) || !plainPath(path) || line < 1 {
		return ""
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	u := fmt.Sprintf("%s/%s/%s/blob/%s/%s#L%d", c.host.web, r.Owner, r.Name, commit, strings.Join(parts, "/"), line)
	if end > line {
		u += fmt.Sprintf("-L%d", end)
	}
	return u
}

// Same reports whether two addresses mean one GitHub; empty means DefaultURL.
func Same(a, b string) bool {
	x, err := locate(a)
	y, other := locate(b)
	return err == nil && other == nil && x.web == y.web
}
