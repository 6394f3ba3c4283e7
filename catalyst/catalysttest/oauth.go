package catalysttest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	scopeRead    = "catalyst:read"
	scopeWrite   = "catalyst:write"
	scopeOffline = "offline_access"
)

// authServer is the stand-in's authorization server: one registered public
// client, PKCE S256 only, rotating refresh tokens. The user is always signed in
// and always agrees.
type authServer struct {
	issuer, resource, client, path string
	life                           time.Duration
	open                           bool

	mu      sync.Mutex
	codes   map[string]grant
	access  map[string]issued
	refresh map[string]*family
	stats   Stats
}

// Stats counts what the authorization server did.
type Stats struct {
	Logins    int // codes redeemed
	Rotations int // refresh tokens redeemed
	Reused    int // dead refresh tokens presented; each signs its family out
}

type grant struct {
	redirect, challenge, scope string
	expires                    time.Time
}

type issued struct {
	scope   string
	expires time.Time
	family  *family
}

// family is all refresh tokens that came from one sign-in.
type family struct {
	current, scope string
	dead           bool
}

func newAuthServer(issuer, resource string, o Options) *authServer {
	return &authServer{
		issuer: issuer, resource: resource, client: o.ClientID, path: o.RedirectPath, life: o.TokenLife, open: o.Open,
		codes: map[string]grant{}, access: map[string]issued{}, refresh: map[string]*family{},
	}
}

// AuthStats returns what the authorization server did so far.
func (s *Server) AuthStats() Stats {
	s.auth.mu.Lock()
	defer s.auth.mu.Unlock()
	return s.auth.stats
}

// ExpireTokens makes every access token invalid at once.
func (s *Server) ExpireTokens() {
	s.auth.mu.Lock()
	defer s.auth.mu.Unlock()
	clear(s.auth.access)
}

// IssueToken returns an access token, as an operator would put into the
// environment of a machine without a browser.
func (s *Server) IssueToken() string {
	s.auth.mu.Lock()
	defer s.auth.mu.Unlock()
	t := "at_" + rand.Text()
	s.auth.access[t] = issued{scope: scopeRead, expires: time.Now().Add(s.auth.life)}
	return t
}

// Tokens returns every token issued so far, for tests that look for them.
func (s *Server) Tokens() []string {
	s.auth.mu.Lock()
	defer s.auth.mu.Unlock()
	var out []string
	for t := range s.auth.access {
		out = append(out, t)
	}
	for t := range s.auth.refresh {
		out = append(out, t)
	}
	return out
}

func (a *authServer) routes(mux *http.ServeMux) {
	metadata := func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"issuer":                                         a.issuer,
			"authorization_endpoint":                         a.issuer + "/authorize",
			"token_endpoint":                                 a.issuer + "/token",
			"scopes_supported":                               []string{scopeRead, scopeWrite, scopeOffline},
			"response_types_supported":                       []string{"code"},
			"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported":               []string{"S256"},
			"token_endpoint_auth_methods_supported":          []string{"none"},
			"authorization_response_iss_parameter_supported": true,
		})
	}
	mux.HandleFunc("GET /mcp-auth/.well-known/oauth-authorization-server", metadata)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server/mcp-auth", metadata)
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"resource":              a.resource,
			"authorization_servers": []string{a.issuer},
			"scopes_supported":      []string{scopeRead, scopeWrite},
		})
	})
	mux.HandleFunc("GET /mcp-auth/authorize", a.authorize)
	mux.HandleFunc("POST /mcp-auth/token", a.token)
}

func (a *authServer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	redirect, err := url.Parse(q.Get("redirect_uri"))
	if q.Get("client_id") != a.client || err != nil || !a.registered(redirect) {
		http.Error(w, "unknown client or redirect", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {a.issuer}}
	refuse := func(code string) {
		answer.Set("error", code)
		redirect.RawQuery = answer.Encode()
		http.Redirect(w, r, redirect.String(), http.StatusFound)
	}
	for _, s := range strings.Fields(q.Get("scope")) {
		if !slices.Contains([]string{scopeRead, scopeWrite, scopeOffline}, s) {
			refuse("invalid_scope")
			return
		}
	}
	switch {
	case q.Get("response_type") != "code":
		refuse("unsupported_response_type")
	case q.Get("resource") != a.resource:
		refuse("invalid_target")
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("state") == "":
		refuse("invalid_request")
	default:
		code := "co_" + rand.Text()
		a.mu.Lock()
		a.codes[code] = grant{redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), scope: q.Get("scope"), expires: time.Now().Add(time.Minute)}
		a.mu.Unlock()
		answer.Set("code", code)
		redirect.RawQuery = answer.Encode()
		http.Redirect(w, r, redirect.String(), http.StatusFound)
	}
}

// registered compares the redirect as RFC 8252 has it: loopback, exact path,
// any port.
func (a *authServer) registered(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && ip != nil && ip.IsLoopback() && u.Path == a.path && u.RawQuery == "" && u.User == nil
}

func (a *authServer) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if r.ParseForm() != nil || r.PostForm.Get("client_id") != a.client {
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	f := r.PostForm
	if f.Get("resource") != a.resource {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_target"})
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch f.Get("grant_type") {
	case "authorization_code":
		g, ok := a.codes[f.Get("code")]
		delete(a.codes, f.Get("code"))
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if !ok || time.Now().After(g.expires) || g.redirect != f.Get("redirect_uri") || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge {
			writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		a.stats.Logins++
		a.issue(w, &family{scope: g.scope})
	case "refresh_token":
		old := f.Get("refresh_token")
		fam, ok := a.refresh[old]
		if ok && fam.current != old {
			a.stats.Reused++
			fam.dead = true // a dead token means theft: the whole family goes
		}
		if !ok || fam.dead {
			writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		a.stats.Rotations++
		a.issue(w, fam)
	default:
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "unsupported_grant_type"})
	}
}

// issue gives new tokens; a.mu is held.
func (a *authServer) issue(w http.ResponseWriter, fam *family) {
	at := "at_" + rand.Text()
	a.access[at] = issued{scope: fam.scope, expires: time.Now().Add(a.life), family: fam}
	out := map[string]any{"access_token": at, "token_type": "Bearer", "expires_in": int(max(a.life/time.Second, 1)), "scope": fam.scope}
	if slices.Contains(strings.Fields(fam.scope), scopeOffline) {
		fam.current = "rt_" + rand.Text()
		a.refresh[fam.current] = fam
		out["refresh_token"] = fam.current
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, out)
}

// scopeOf returns the scope of a request's bearer.
func (a *authServer) scopeOf(r *http.Request) (string, bool) {
	if a.open {
		return scopeRead, true
	}
	t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i, ok := a.access[t]
	if !ok || time.Now().After(i.expires) || i.family != nil && i.family.dead {
		return "", false
	}
	return i.scope, true
}

// challenge is the 401 that starts a sign-in.
func (a *authServer) challenge(w http.ResponseWriter) {
	u, _ := url.Parse(a.resource)
	w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+u.Scheme+"://"+u.Host+`/.well-known/oauth-protected-resource/mcp", scope="`+scopeRead+`"`)
	writeJSON(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{"kind": "NOT_AUTHENTICATED", "message": "sign in first", "retryable": false}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
