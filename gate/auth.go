package gate

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/time/rate"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Principal is who asks: the name of a token or the subject of a JWT, cleaned.
// It is empty where no token is asked for.
type Principal string

type principalKey struct{}

// PrincipalOf returns who made the request that ctx belongs to.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

// errNoToken and errScope are what a refused request is told. Why a token is not
// accepted is for the log: a stranger learns nothing from the answer.
var (
	errNoToken = errors.New("a bearer token is required")
	errScope   = errors.New("the token lacks a required scope")
)

// Named is a bearer token known by its name and the hash of its value.
type Named struct {
	Name string
	Sum  [sha256.Size]byte
}

// MakeToken makes a token of 256 random bits and the line of a tokens file that
// admits it.
func MakeToken(name string) (token, line string, err error) {
	if err := tokenName(name); err != nil {
		return "", "", err
	}
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", "", fmt.Errorf("make a token: %w", err)
	}
	token = "idem_" + base64.RawURLEncoding.EncodeToString(b)
	sum := sha256.Sum256([]byte(token))
	return token, name + " " + hex.EncodeToString(sum[:]), nil
}

func tokenName(name string) error {
	bad := strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
	if name == "" || len(name) > 64 || bad || strings.HasPrefix(name, "#") {
		return &fault.Error{Kind: fault.BadInput, What: "a token cannot be named " + clean.Line(name, 64), Do: "Use up to 64 letters, digits and - . _ @"}
	}
	return nil
}

// ReadTokens reads a tokens file: a name and the SHA-256 of its token in hex on
// each line. The file must not be readable by others: the hashes of long random
// tokens tell nothing, but a file that others can write would admit them.
func ReadTokens(path string) ([]Named, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "read serve.tokens_file", Cause: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "read serve.tokens_file", Cause: err}
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		return nil, &fault.Error{Kind: fault.Config, What: fmt.Sprintf("serve.tokens_file %s has mode %04o", path, info.Mode().Perm()), Do: "chmod 600 " + path}
	}
	return parseTokens(io.LimitReader(f, 1<<20))
}

func parseTokens(r io.Reader) ([]Named, error) {
	var out []Named
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, hash, _ := strings.Cut(line, " ")
		sum, err := hex.DecodeString(strings.TrimSpace(hash))
		if err != nil || len(sum) != sha256.Size || tokenName(name) != nil {
			return nil, &fault.Error{Kind: fault.Config, What: fmt.Sprintf("line %d of serve.tokens_file is not a name and the SHA-256 of a token", n), Do: "Make a line with: idem-mcp token NAME"}
		}
		if slices.ContainsFunc(out, func(t Named) bool { return t.Name == name }) {
			return nil, &fault.Error{Kind: fault.Config, What: fmt.Sprintf("line %d of serve.tokens_file names %s again", n, name), Do: "Keep one line for each name"}
		}
		out = append(out, Named{Name: name, Sum: [sha256.Size]byte(sum)})
	}
	if err := sc.Err(); err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "read serve.tokens_file", Cause: err}
	}
	if len(out) == 0 {
		return nil, &fault.Error{Kind: fault.Config, What: "serve.tokens_file holds no token", Do: "Make a line with: idem-mcp token NAME"}
	}
	return out, nil
}

// OAuth makes this server a resource server: it admits JWTs that Issuer signed
// for the audience Resource.
type OAuth struct {
	// Issuer is the authorization server, compared byte for byte with iss.
	Issuer string
	// Resource is this server's own address as clients know it, the audience that
	// a token must name: https://idem.example.com/mcp.
	Resource string
	// JWKS is where the issuer's keys are; empty: as its metadata says.
	JWKS string
	// Scopes must all be in the token.
	Scopes []string
	// Client fetches metadata and keys; nil: one with a time limit that follows no
	// redirect to another host.
	Client *http.Client
}

func (o *OAuth) check() error {
	for _, x := range [...]struct{ key, value string }{{"serve.oauth.issuer", o.Issuer}, {"serve.oauth.resource", o.Resource}} {
		if x.value == "" {
			return &fault.Error{Kind: fault.Config, What: x.key + " is not set", Do: "Both serve.oauth.issuer and serve.oauth.resource are needed"}
		}
	}
	for _, x := range [...]struct{ key, value string }{{"serve.oauth.issuer", o.Issuer}, {"serve.oauth.resource", o.Resource}, {"serve.oauth.jwks_url", o.JWKS}} {
		u, err := url.Parse(x.value)
		if x.value != "" && (err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Host))) {
			return &fault.Error{Kind: fault.Config, What: x.key + " is no https address", Do: "Plain http is accepted on loopback only"}
		}
	}
	return nil
}

// algorithms are the asymmetric ones: with a symmetric one, whoever can verify
// can also sign.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// verifier prepares the verification of tokens. Where the keys are is asked for
// once, at the start, so that a wrong address is noticed by the operator.
func (o *OAuth) verifier(ctx context.Context, now func() time.Time) (*oidc.IDTokenVerifier, error) {
	client := http.Client{Timeout: 10 * time.Second}
	if o.Client != nil {
		client = *o.Client
	}
	client.CheckRedirect = sameHost
	client.Transport = &slow{next: client.Transport, limit: rate.NewLimiter(rate.Every(10*time.Second), 6)}
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), &client)
	jwks := o.JWKS
	if jwks == "" {
		p, err := oidc.NewProvider(ctx, o.Issuer)
		if err != nil {
			return nil, &fault.Error{Kind: fault.Config, What: "read the metadata of serve.oauth.issuer", Cause: errors.New(clean.Line(err.Error(), 300)),
				Do: "Check the issuer's address, or set serve.oauth.jwks_url"}
		}
		var metadata struct {
			JWKS string `json:"jwks_uri"`
		}
		if err := p.Claims(&metadata); err != nil || metadata.JWKS == "" {
			return nil, &fault.Error{Kind: fault.Config, What: "the metadata of serve.oauth.issuer names no jwks_uri", Do: "Set serve.oauth.jwks_url"}
		}
		jwks = metadata.JWKS
	}
	return oidc.NewVerifier(o.Issuer, oidc.NewRemoteKeySet(ctx, jwks), &oidc.Config{ClientID: o.Resource, SupportedSigningAlgs: algorithms, Now: now}), nil
}

// sameHost follows redirects only on the host that was asked.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return errors.New("redirected to another host")
	}
	return nil
}

// slow bounds how often keys are fetched: anybody can send a token that names a
// key nobody has heard of, and each would ask the issuer again.
type slow struct {
	next  http.RoundTripper
	limit *rate.Limiter
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.limit.Allow() {
		return nil, errors.New("keys were asked for too often")
	}
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	res, err := next.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, 1<<20), res.Body}
	}
	return res, err
}

// authenticate says who asks. The error is what the caller is told; why is for
// the log.
func (g *Gate) authenticate(r *http.Request) (p Principal, why string, err error) {
	token := bearer(r)
	if !g.guarded() {
		return "", "", nil
	}
	if token == "" {
		return "", "no token", errNoToken
	}
	sum := sha256.Sum256([]byte(token))
	hit := ""
	for _, n := range g.tokens { // all of them, so that time tells nothing
		if subtle.ConstantTimeCompare(sum[:], n.Sum[:]) == 1 {
			hit = n.Name
		}
	}
	if hit != "" {
		return Principal(hit), "", nil
	}
	if g.verify == nil {
		return "", "unknown token", errNoToken
	}
	ctx, cancel := context.WithTimeout(r.Context(), 15*time.Second)
	defer cancel()
	id, err := g.verify.Verify(ctx, token)
	if err != nil {
		return "", clean.Line(err.Error(), 200), errNoToken
	}
	var claims struct {
		Scope string   `json:"scope"`
		SCP   []string `json:"scp"`
	}
	if err := id.Claims(&claims); err != nil {
		return "", "claims that cannot be read", errNoToken
	}
	have := append(strings.Fields(claims.Scope), claims.SCP...)
	for _, s := range g.OAuth.Scopes {
		if !slices.Contains(have, s) {
			return "", "no scope " + s, errScope
		}
	}
	if id.Subject == "" {
		return "", "no subject", errNoToken
	}
	return Principal(clean.Line(id.Subject, 120)), "", nil
}

func hashed(name, token string) Named { return Named{Name: name, Sum: sha256.Sum256([]byte(token))} }
