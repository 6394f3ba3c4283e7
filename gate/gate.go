package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// MaxBody bounds a request: an inline history of 3 MB and what JSON adds to it.
const MaxBody = 4 << 20

// Config says who may ask and how much.
type Config struct {
	// Token, when set, is required of every request as a bearer token. Tokens are
	// further ones by name, and OAuth admits JWTs. With none of them any request is
	// admitted, which only a loopback address may do.
	Token  string
	Tokens []Named
	OAuth  *OAuth
	// Hosts and Origins are allowed beside the server's own: host or host:port, and
	// scheme://host[:port].
	Hosts, Origins []string
	// Loopback: only this machine can connect.
	Loopback bool
	Limits   Limits
	Now      func() time.Time // nil: time.Now
}

// Gate decides which HTTP requests reach the tools.
type Gate struct {
	Config
	tokens  []Named
	verify  *oidc.IDTokenVerifier
	limiter *limiter
	record  *Record
}

// Check says what is wrong with a configuration, without asking anybody.
func Check(c Config) error {
	switch {
	case c.Limits.PerMinute < 0 || c.Limits.Concurrent < 0 || c.Limits.Time < 0:
		return &fault.Error{Kind: fault.Config, What: "a limit under serve.limits is negative"}
	case c.Token != "" && len(c.Token) < 16:
		return &fault.Error{Kind: fault.Config, What: "the bearer token is shorter than 16 characters", Do: "Make one with: openssl rand -hex 32"}
	case c.OAuth != nil:
		return c.OAuth.check()
	}
	return nil
}

// New checks the configuration, and asks the issuer of OAuth for its metadata.
func New(ctx context.Context, c Config, record *Record) (*Gate, error) {
	if err := Check(c); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now //nolint:forbidigo // the default of a caller that gives none
	}
	g := &Gate{Config: c, tokens: slices.Clone(c.Tokens), limiter: newLimiter(c.Limits, c.Now), record: record}
	if c.Token != "" {
		g.tokens = append(g.tokens, hashed("shared", c.Token))
	}
	if c.OAuth != nil {
		v, err := c.OAuth.verifier(ctx, c.Now)
		if err != nil {
			return nil, err
		}
		g.verify = v
	}
	return g, nil
}

// guarded reports whether requests must carry a token.
func (g *Gate) guarded() bool { return len(g.tokens) > 0 || g.verify != nil }

// CheckAddress refuses an address that others can reach without a token.
func (g *Gate) CheckAddress(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return &fault.Error{Kind: fault.Config, What: "the address " + addr + " is not host:port", Do: "For example 127.0.0.1:7337"}
	}
	if !g.guarded() && !isLoopback(addr) {
		return &fault.Error{Kind: fault.Config, What: "refusing to serve on " + addr + " without a bearer token: others could read your runs",
			Do: "Set serve.token_file, serve.tokens_file, serve.oauth or IDEM_MCP_SERVE_TOKEN, or serve on 127.0.0.1"}
	}
	return nil
}

// wellKnown is where a resource server describes itself (RFC 9728).
const wellKnown = "/.well-known/oauth-protected-resource"

// Wrap puts the gate before mcp, which is served at /mcp.
func (g *Gate) Wrap(mcp http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "ok")
	})
	if g.OAuth != nil {
		mux.HandleFunc("GET "+wellKnown, g.metadata)
		mux.HandleFunc("GET "+wellKnown+"/mcp", g.metadata)
	}
	mux.Handle("/mcp", g.guard(http.MaxBytesHandler(mcp, MaxBody)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch { // before anything else: a page in a browser is not even told what there is
		case r.URL.Path != "/healthz" && !g.named(r):
			g.refuse(w, r, http.StatusForbidden, "host", "this server is not named by that Host")
		case !g.origin(r):
			g.refuse(w, r, http.StatusForbidden, "origin", "requests from that Origin are not allowed")
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// guard admits a request to the tools.
func (g *Gate) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > MaxBody {
			g.refuse(w, r, http.StatusRequestEntityTooLarge, "size", "the request is too large")
			return
		}
		who, why, err := g.authenticate(r)
		if err != nil {
			g.challenge(w, r, why, err)
			return
		}
		done, wait := g.limiter.enter(who)
		if done == nil {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
			g.refuse(w, r, http.StatusTooManyRequests, "limit", "too many requests; try again after Retry-After seconds")
			return
		}
		defer done()
		g.record.running.Inc()
		defer g.record.running.Dec()
		ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), principalKey{}, who), g.limiter.Time)
		defer cancel()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(g.limiter.Time + 10*time.Second)) //nolint:forbidigo // the connection keeps real time; a recorder in a test has no deadline
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// challenge refuses a request without an accepted token, and says where to get
// one.
func (g *Gate) challenge(w http.ResponseWriter, r *http.Request, why string, err error) {
	var parts []string
	if g.OAuth != nil {
		parts = append(parts, fmt.Sprintf("resource_metadata=%q", g.metadataURL()))
		if len(g.OAuth.Scopes) > 0 {
			parts = append(parts, fmt.Sprintf("scope=%q", strings.Join(g.OAuth.Scopes, " ")))
		}
	}
	status := http.StatusUnauthorized
	switch {
	case errors.Is(err, errScope):
		status = http.StatusForbidden
		parts = append(parts, `error="insufficient_scope"`)
	case bearer(r) != "":
		parts = append(parts, `error="invalid_token"`)
	}
	w.Header().Set("WWW-Authenticate", strings.TrimSpace("Bearer "+strings.Join(parts, ", ")))
	g.record.refuse("token", why, r.RemoteAddr)
	http.Error(w, err.Error(), status)
}

func (g *Gate) refuse(w http.ResponseWriter, r *http.Request, status int, reason, text string) {
	g.record.refuse(reason, "", r.RemoteAddr)
	http.Error(w, text, status)
}

// metadataURL is where this server's metadata is, as a client reaches it.
func (g *Gate) metadataURL() string {
	u, err := url.Parse(g.OAuth.Resource) // checked by New
	if err != nil {
		return ""
	}
	u.Path, u.RawQuery = wellKnown+strings.TrimSuffix(u.Path, "/"), ""
	return u.String()
}

// metadata is the protected-resource metadata of RFC 9728.
func (g *Gate) metadata(w http.ResponseWriter, _ *http.Request) {
	m := struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{g.OAuth.Resource, []string{g.OAuth.Issuer}, g.OAuth.Scopes, []string{"header"}, "idem-mcp"}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	_ = json.NewEncoder(w).Encode(m) // the client has gone away
}
