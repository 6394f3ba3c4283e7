package tools

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// maxBody bounds a request: an inline history of 3 MB and what JSON adds to it.
const maxBody = 4 << 20

// Guard decides which HTTP requests reach the tools. The zero value admits any
// request, so check refuses to serve with it off loopback.
type Guard struct {
	// Token, when set, is required of every request as a bearer token.
	Token string
	// Hosts and Origins are allowed beside the server's own: host or host:port,
	// and scheme://host[:port].
	Hosts, Origins []string
	// Loopback: only this machine can connect, so a Host that names another one
	// is a rebound DNS name.
	Loopback bool
}

// check refuses an address that others can reach without a token.
func (g Guard) check(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return &fault.Error{Kind: fault.Config, What: "the address " + addr + " is not host:port", Do: "For example 127.0.0.1:7337"}
	}
	if g.Token == "" && !isLoopback(addr) {
		return &fault.Error{Kind: fault.Config, What: "refusing to serve on " + addr + " without a bearer token: others could read your runs",
			Do: "Set serve.token_file or IDEM_MCP_SERVE_TOKEN, or serve on 127.0.0.1"}
	}
	if g.Token != "" && len(g.Token) < 16 {
		return &fault.Error{Kind: fault.Config, What: "the bearer token is shorter than 16 characters", Do: "Make one with: openssl rand -hex 32"}
	}
	return nil
}

// isLoopback reports whether addr, host or host:port, names this machine only.
// An empty host means every interface.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = strings.Trim(addr, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func (g Guard) wrap(next http.Handler) http.Handler {
	limited := http.MaxBytesHandler(next, maxBody)
	want := sha256.Sum256([]byte(g.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case g.Loopback && !isLoopback(r.Host) && !slices.Contains(g.Hosts, r.Host),
			!g.Loopback && len(g.Hosts) > 0 && !slices.Contains(g.Hosts, r.Host):
			http.Error(w, "this server is not named by that Host", http.StatusForbidden)
			return
		case !g.origin(r):
			http.Error(w, "requests from that Origin are not allowed", http.StatusForbidden)
			return
		case r.ContentLength > maxBody:
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		if g.Token != "" {
			got := sha256.Sum256([]byte(bearer(r)))
			if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, "a bearer token is required", http.StatusUnauthorized)
				return
			}
		}
		limited.ServeHTTP(w, r)
	})
}

// origin accepts requests that no browser made, those of a page that this very
// server could have served, and configured origins.
func (g Guard) origin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		site := r.Header.Get("Sec-Fetch-Site")
		return site == "" || site == "none" || site == "same-origin"
	}
	if len(origins) > 1 {
		return false
	}
	if slices.Contains(g.Origins, origins[0]) {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host)
}

// bearer returns the request's bearer token, empty when there is none.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
