package catalyst

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// loginWait bounds how long a person may take in the browser.
const loginWait = 5 * time.Minute

// Prompt is how a sign-in reaches the person.
type Prompt struct {
	// Show is given the address to open. Required: a browser may not come up.
	// The address holds no token.
	Show func(address string)
	// Open opens a browser, usually OpenBrowser; nil: only Show is called. Its
	// error is not an error of the sign-in.
	Open func(address string) error
}

// SignedIn is the result of a sign-in, without any token.
type SignedIn struct {
	Server, Issuer, Scope string
	KeptIn                string // "the system's keyring" or a path
	Renewable             bool   // a refresh token was given
}

// Login signs in through the browser: discovery from the server's 401,
// authorization code with PKCE S256, redirect to a loopback port. The tokens go
// to the token store and nowhere else.
func Login(ctx context.Context, c Config, p Prompt) (SignedIn, error) {
	c, _, err := c.withDefaults()
	if err != nil {
		return SignedIn{}, err
	}
	if c.ClientID == "" {
		return SignedIn{}, noClientID()
	}
	if p.Show == nil {
		return SignedIn{}, errors.New("catalyst: Prompt.Show is required")
	}
	secrets := &secrets{}
	store, err := newTokenStore(c)
	if err != nil {
		return SignedIn{}, err
	}
	h := plainClient(c.Transport)
	as, err := discover(ctx, h, c.Server)
	if err != nil {
		return SignedIn{}, err
	}
	scope, err := as.scopes()
	if err != nil {
		return SignedIn{}, err
	}
	f := flow{config: c, as: as, scope: scope, http: h, secrets: secrets}
	got, err := f.run(ctx, p)
	if err != nil {
		return SignedIn{}, err
	}
	r := record{
		Server: c.Server, ClientID: c.ClientID, Issuer: as.Issuer, TokenURL: as.Token, Scope: got.Scope,
		AccessToken: got.AccessToken, RefreshToken: got.RefreshToken, Expiry: got.expiry(c.Now()), SavedAt: c.Now().UTC(),
	}
	if r.Scope == "" {
		r.Scope = scope // RFC 6749 §5.1: left out when it is what was asked for
	}
	release, err := store.lock(ctx)
	if err != nil {
		return SignedIn{}, err
	}
	defer release()
	if err := store.save(r); err != nil {
		return SignedIn{}, err
	}
	return SignedIn{Server: c.Server, Issuer: as.Issuer, Scope: clean.Line(r.Scope, 200), KeptIn: store.where(), Renewable: r.RefreshToken != ""}, nil
}

// Logout forgets the stored sign-in. Catalyst has no revocation, so the tokens
// themselves stay valid until they expire. signedIn tells whether there was one.
func Logout(ctx context.Context, c Config) (signedIn bool, err error) {
	c, _, err = c.withDefaults()
	if err != nil {
		return false, err
	}
	store, err := newTokenStore(c)
	if err != nil {
		return false, err
	}
	release, err := store.lock(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	return store.remove()
}

func noClientID() error {
	return &fault.Error{
		Kind:  fault.Config,
		What:  "catalyst.client_id is not set",
		Means: "no sign-in was made: Catalyst knows registered clients only, registers none by itself, and each id stands for one named program, so borrowing another's id would pass this program off as that one",
		Do:    "Ask whoever runs your Catalyst for a public OAuth client with the redirect " + defaultRedirect + " and set catalyst.client_id (IDEM_MCP_CATALYST_CLIENT_ID); without a browser, set " + TokenEnv,
	}
}

// flow is one authorization code flow.
type flow struct {
	config  Config
	as      authServer
	scope   string
	http    *http.Client
	secrets *secrets
}

func (f flow) run(ctx context.Context, p Prompt) (tokenResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, loginWait)
	defer cancel()
	redirect, listener, err := f.listen(ctx)
	if err != nil {
		return tokenResponse{}, err
	}
	state, verifier := rand.Text(), rand.Text()+rand.Text()
	codes := make(chan callback, 1)
	server := &http.Server{Handler: f.callbackHandler(redirect.Path, state, codes), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(stop) // lets the browser have its page
		_ = server.Close()
		<-served
	}()

	address, err := f.authorizeURL(redirect.String(), state, verifier)
	if err != nil {
		return tokenResponse{}, err
	}
	p.Show(address)
	if p.Open != nil {
		_ = p.Open(address) // the address was shown
	}
	var cb callback
	select {
	case cb = <-codes:
	case <-ctx.Done():
		return tokenResponse{}, signInFault("no answer came back from the browser", "Run `idem-mcp login` again and finish it in the browser, on this machine")
	}
	if err := f.check(cb); err != nil {
		return tokenResponse{}, err
	}
	f.secrets.add(cb.code, verifier)
	return tokenRequest(ctx, f.http, f.secrets, f.as.Token, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {cb.code},
		"redirect_uri":  {redirect.String()},
		"client_id":     {f.config.ClientID},
		"code_verifier": {verifier},
		"resource":      {f.config.Server},
	})
}

// listen opens the loopback port of the redirect: the one it names, else a free
// one. Path and host stay as registered.
func (f flow) listen(ctx context.Context) (*url.URL, net.Listener, error) {
	u, err := url.Parse(f.config.RedirectURL)
	if err != nil {
		return nil, nil, err
	}
	port := u.Port()
	if port == "" {
		port = "0"
	}
	bind := u.Hostname()
	if bind == "localhost" {
		bind = "127.0.0.1"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(bind, port))
	if err != nil {
		return nil, nil, &fault.Error{Kind: fault.Config, What: "listen for the browser on " + u.Host, Cause: err, Means: "no sign-in was made", Do: "Leave the port out of catalyst.redirect_url, or free it"}
	}
	_, got, _ := net.SplitHostPort(l.Addr().String())
	u.Host = net.JoinHostPort(u.Hostname(), got)
	return u, l, nil
}

func (f flow) authorizeURL(redirect, state, verifier string) (string, error) {
	u, err := url.Parse(f.as.Authorize)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(verifier))
	q := u.Query()
	for k, v := range map[string]string{
		"response_type":         "code",
		"client_id":             f.config.ClientID,
		"redirect_uri":          redirect,
		"scope":                 f.scope,
		"state":                 state,
		"code_challenge":        base64.RawURLEncoding.EncodeToString(sum[:]),
		"code_challenge_method": "S256",
		"resource":              f.config.Server,
	} {
		q.Set(k, v)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// callback is what the browser brought back.
type callback struct{ code, iss, err, description string }

// callbackHandler takes the first request that carries our state; anything else
// is answered and forgotten, so that another page cannot end the sign-in.
func (f flow) callbackHandler(path, state string, codes chan<- callback) http.Handler {
	if path == "" {
		path = "/"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		switch {
		case r.URL.Path != path || r.Method != http.MethodGet:
			http.NotFound(w, r)
		case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(state)) != 1:
			http.Error(w, "This is not the answer to the sign-in that is under way.", http.StatusBadRequest)
		default:
			select {
			case codes <- callback{q.Get("code"), q.Get("iss"), q.Get("error"), q.Get("error_description")}:
			default:
			}
			fmt.Fprintln(w, "idem-mcp has the answer. You can close this page and go back to the terminal.")
		}
	})
}

// check refuses an answer of another authorization server (RFC 9207) and an
// answer that is a refusal.
func (f flow) check(cb callback) error {
	if cb.iss != "" && cb.iss != f.as.Issuer || cb.iss == "" && f.as.IssParam {
		return discoveryFault("the browser brought an answer of another authorization server", nil)
	}
	if cb.err != "" {
		return signInFault("the sign-in was refused: "+clean.Line(cb.err+" "+cb.description, 200), "Run `idem-mcp login` again; check catalyst.client_id and catalyst.redirect_url if it is refused again")
	}
	if cb.code == "" {
		return signInFault("the browser brought no code", "Run `idem-mcp login` again")
	}
	return nil
}

// OpenBrowser opens an http address in the user's browser, without a shell. On
// a machine without a display it does nothing and says so.
func OpenBrowser(ctx context.Context, address string, getenv func(string) string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("not a web address")
	}
	ctx = context.WithoutCancel(ctx) // some openers are the browser: it outlives the sign-in
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.CommandContext(ctx, "/usr/bin/open", u.String())
	case "windows":
		cmd = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", u.String())
	default:
		if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("no display")
		}
		cmd = exec.CommandContext(ctx, "xdg-open", u.String())
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // ends with the opener, which returns at once
	return nil
}
