package catalyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// authorizer gives the bearer token of each request. Safe for concurrent use.
type authorizer struct {
	server  string
	fromEnv string
	store   *tokenStore
	http    *http.Client // no bearer, no redirects
	secrets *secrets
	now     func() time.Time
	turn    chan struct{} // one at a time within the process
	cached  record
}

func newAuthorizer(c Config, s *secrets) (*authorizer, error) {
	store, err := newTokenStore(c)
	if err != nil {
		return nil, err
	}
	a := &authorizer{
		server:  c.Server,
		fromEnv: strings.TrimSpace(c.Getenv(TokenEnv)),
		store:   store,
		http:    plainClient(c.Transport),
		secrets: s,
		now:     c.Now,
		turn:    make(chan struct{}, 1),
	}
	s.add(a.fromEnv)
	return a, nil
}

// plainClient follows no redirects: a token endpoint or a metadata document
// that moves is not the one that was named.
func plainClient(rt http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     rt,
		Timeout:       15 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// how says in words how this process is signed in, without asking the server.
func (a *authorizer) how() string {
	if a.fromEnv != "" {
		return "bearer token from " + TokenEnv
	}
	if _, err := a.store.load(); err == nil {
		return "sign-in kept in " + a.store.where()
	}
	return "not signed in"
}

// token returns the bearer to send: "" when there is none, which an open
// server accepts and Catalyst answers with 401.
func (a *authorizer) token(ctx context.Context) (string, error) {
	if a.fromEnv != "" {
		return a.fromEnv, nil
	}
	if err := a.enter(ctx); err != nil {
		return "", err
	}
	defer a.leave()
	if a.cached.fresh(a.now()) {
		return a.cached.AccessToken, nil
	}
	r, err := a.load()
	if errors.Is(err, errNoRecord) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if r.fresh(a.now()) {
		return r.AccessToken, nil
	}
	return a.renew(ctx, r.AccessToken)
}

// refused is called when the server answered 401 to the token stale; it returns
// a newer one or the error that tells what to do.
func (a *authorizer) refused(ctx context.Context, stale string) (string, error) {
	if a.fromEnv != "" {
		return "", signInFault("the token in "+TokenEnv+" was not accepted", "Put a valid token there, or unset it and run `idem-mcp login`")
	}
	if stale == "" {
		return "", notSignedIn(a.server)
	}
	if err := a.enter(ctx); err != nil {
		return "", err
	}
	defer a.leave()
	return a.renew(ctx, stale)
}

func (a *authorizer) enter(ctx context.Context) error {
	select {
	case a.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *authorizer) leave() { <-a.turn }

func (a *authorizer) load() (record, error) {
	r, err := a.store.load()
	if err != nil {
		return r, err
	}
	a.secrets.add(r.AccessToken, r.RefreshToken)
	if r.Server != a.server {
		// The store is named after the server, so this is a file put there by hand.
		return record{}, errNoRecord
	}
	a.cached = r
	return r, nil
}

// renew trades the refresh token for new tokens, once for all processes that
// share the store: under the store's lock, and only if no other process has
// done so since stale was read. The new refresh token is stored before the lock
// is released, since the old one is dead.
//
// The store is looked at before the lock is taken as well: it is always whole,
// and mostly another process has renewed already.
func (a *authorizer) renew(ctx context.Context, stale string) (string, error) {
	if r, err := a.load(); err == nil && r.AccessToken != stale && r.fresh(a.now()) {
		return r.AccessToken, nil
	}
	release, err := a.store.lock(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	r, err := a.load()
	switch {
	case errors.Is(err, errNoRecord):
		return "", notSignedIn(a.server)
	case err != nil:
		return "", err
	case r.AccessToken != stale && r.fresh(a.now()):
		return r.AccessToken, nil
	}
	if r.RefreshToken == "" {
		return "", signInFault("the sign-in has expired and holds no refresh token", "Run `idem-mcp login`")
	}
	got, err := tokenRequest(ctx, a.http, a.secrets, r.TokenURL, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {r.RefreshToken},
		"client_id":     {r.ClientID},
		"resource":      {r.Server},
	})
	if err != nil {
		return "", err
	}
	r.AccessToken, r.Expiry, r.SavedAt = got.AccessToken, got.expiry(a.now()), a.now().UTC()
	if got.RefreshToken != "" {
		r.RefreshToken = got.RefreshToken
	}
	if err := a.store.save(r); err != nil {
		return "", err
	}
	a.cached = r
	return r.AccessToken, nil
}

// tokenResponse is a token endpoint's answer, good or bad.
type tokenResponse struct {
	AccessToken  string      `json:"access_token"`
	RefreshToken string      `json:"refresh_token"`
	TokenType    string      `json:"token_type"`
	ExpiresIn    json.Number `json:"expires_in"`
	Scope        string      `json:"scope"`
	Error        string      `json:"error"`
	Description  string      `json:"error_description"`
}

func (t tokenResponse) expiry(now time.Time) time.Time {
	if n, err := t.ExpiresIn.Int64(); err == nil && n > 0 {
		return now.Add(time.Duration(min(n, 1<<31)) * time.Second).UTC()
	}
	return time.Time{}
}

// tokenRequest asks a token endpoint as a public client. It is written by hand
// because the libraries at hand do not send the resource on a refresh and put
// the endpoint's answer, tokens included, into their errors.
func tokenRequest(ctx context.Context, h *http.Client, s *secrets, endpoint string, form url.Values) (tokenResponse, error) {
	var out tokenResponse
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return out, configFault("the stored token endpoint is not an address; run `idem-mcp login` again", nil)
	}
	if !secure(req.URL) {
		return out, configFault("the token endpoint is not https", nil)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := h.Do(req)
	if err != nil {
		return out, &fault.Error{Kind: fault.Unreachable, What: "renew the sign-in", Cause: cleanCause(s, err), Means: "the sign-in may still be good", Do: "Try again when " + req.URL.Host + " can be reached"}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return out, &fault.Error{Kind: fault.Unreachable, What: "renew the sign-in", Cause: cleanCause(s, err)}
	}
	jsonErr := json.Unmarshal(body, &out)
	s.add(out.AccessToken, out.RefreshToken)
	switch {
	case resp.StatusCode == http.StatusOK && jsonErr == nil && out.AccessToken != "" && strings.EqualFold(out.TokenType, "bearer"):
		return out, nil
	case out.Error == "invalid_grant":
		return out, signInFault("the sign-in is no longer valid", "Run `idem-mcp login`")
	case out.Error != "":
		why := clean.Line(s.errorText(out.Error+" "+out.Description), 200)
		return out, signInFault("the authorization server refused: "+why, "Check catalyst.client_id and catalyst.url, then run `idem-mcp login`")
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		return out, &fault.Error{Kind: fault.Unreachable, What: fmt.Sprintf("renew the sign-in: the authorization server answered %d", resp.StatusCode), Means: "the sign-in may still be good", Do: "Try again later"}
	}
	return out, &fault.Error{Kind: fault.Damaged, What: fmt.Sprintf("renew the sign-in: the authorization server's answer (status %d) holds no bearer token", resp.StatusCode), Do: "Check catalyst.url, then run `idem-mcp login`"}
}

func cleanCause(s *secrets, err error) error {
	return errors.New(clean.Line(s.errorText(err.Error()), 200))
}

func signInFault(what, do string) error {
	return &fault.Error{Kind: fault.SignIn, What: what, Means: "nothing was read from Catalyst", Do: do}
}

func notSignedIn(server string) error {
	return signInFault("not signed in to Catalyst ("+server+")", "Run `idem-mcp login`, or set "+TokenEnv+" where there is no browser")
}
