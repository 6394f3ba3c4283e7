package gate_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/idem-mcp/idem-mcp/gate"
)

const resource = "https://idem.example/mcp"

// issuer is an authorization server: its metadata, its keys, and a pen.
type issuer struct {
	*httptest.Server
	key     *ecdsa.PrivateKey
	fetched atomic.Int32
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	is := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": is.URL, "jwks_uri": is.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		is.fetched.Add(1)
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1", Algorithm: "ES256", Use: "sig"}}})
	})
	is.Server = httptest.NewServer(mux)
	t.Cleanup(is.Close)
	return is
}

func sign(t *testing.T, key any, alg jose.SignatureAlgorithm, kid string, claims map[string]any) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jwt.Signed(s).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOAuth(t *testing.T) {
	t.Parallel()
	is := newIssuer(t)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	url, log := open(t, gate.Config{OAuth: &gate.OAuth{Issuer: is.URL, Resource: resource, Scopes: []string{"idem:read"}}}, echo)
	soon := time.Now().Add(time.Hour).Unix()
	claims := func(change map[string]any) map[string]any {
		c := map[string]any{"iss": is.URL, "aud": resource, "sub": "ada", "exp": soon, "scope": "openid idem:read"}
		for k, v := range change {
			c[k] = v
			if v == nil {
				delete(c, k)
			}
		}
		return c
	}
	es := func(change map[string]any) string { return sign(t, is.key, jose.ES256, "k1", claims(change)) }
	good := es(nil)
	parts := strings.Split(good, ".")
	for name, c := range map[string]struct {
		token string
		want  int
	}{
		"good":                       {good, 200},
		"scopes as a list":           {es(map[string]any{"scope": nil, "scp": []string{"idem:read"}}), 200},
		"several audiences":          {es(map[string]any{"aud": []string{"https://other.example", resource}}), 200},
		"none":                       {"", 401},
		"another audience":           {es(map[string]any{"aud": "https://other.example/mcp"}), 401},
		"no audience":                {es(map[string]any{"aud": nil}), 401},
		"the audience with a slash":  {es(map[string]any{"aud": resource + "/"}), 401},
		"another issuer":             {es(map[string]any{"iss": "https://evil.example"}), 401},
		"expired":                    {es(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), 401},
		"no expiry":                  {es(map[string]any{"exp": nil}), 401},
		"not yet valid":              {es(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), 401},
		"no subject":                 {es(map[string]any{"sub": nil}), 401},
		"no scope":                   {es(map[string]any{"scope": "openid"}), 403},
		"a stranger's key":           {sign(t, stranger, jose.ES256, "k1", claims(nil)), 401},
		"an unknown key":             {sign(t, stranger, jose.ES256, "k9", claims(nil)), 401},
		"signed with a shared key":   {sign(t, []byte(strings.Repeat("k", 32)), jose.HS256, "k1", claims(nil)), 401},
		"no signature":               {"eyJhbGciOiJub25lIn0." + parts[1] + ".", 401},
		"another body":               {parts[0] + "." + strings.Split(es(map[string]any{"sub": "eve"}), ".")[1] + "." + parts[2], 401},
		"no token at all, but words": {"let me in", 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var set map[string]string
			if c.token != "" {
				set = bearer(c.token)
			}
			res, body := ask(t, url+"/mcp", "", set)
			if res.StatusCode != c.want {
				t.Fatalf("status %d, want %d: %s", res.StatusCode, c.want, body)
			}
			challenge := res.Header.Get("WWW-Authenticate")
			if c.want == 200 && body != "hello ada" {
				t.Errorf("the principal is %q", body)
			}
			if c.want != 200 && !strings.Contains(challenge, `resource_metadata="https://idem.example/.well-known/oauth-protected-resource/mcp"`) {
				t.Errorf("no way to a token: %q", challenge)
			}
			if c.want == 403 && !strings.Contains(challenge, "insufficient_scope") {
				t.Errorf("challenge %q", challenge)
			}
			if c.token != "" && strings.Contains(body+challenge, c.token) {
				t.Error("the token is sent back")
			}
		})
	}
	t.Cleanup(func() {
		if strings.Contains(log.String(), parts[2]) {
			t.Error("a token is logged")
		}
	})
}

// What a client needs to sign in is told without a token.
func TestResourceMetadata(t *testing.T) {
	t.Parallel()
	is := newIssuer(t)
	url, _ := open(t, gate.Config{OAuth: &gate.OAuth{Issuer: is.URL, Resource: resource, Scopes: []string{"idem:read"}}}, echo)
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		res, body := get(t, url+path, nil)
		var m struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil || m.Resource != resource || len(m.Servers) != 1 || m.Servers[0] != is.URL || len(m.Scopes) != 1 {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, err, body)
		}
	}
}

// Tokens of unknown keys do not make this server ask the issuer without end.
func TestUnknownKeysAreBounded(t *testing.T) {
	t.Parallel()
	is := newIssuer(t)
	url, _ := open(t, gate.Config{OAuth: &gate.OAuth{Issuer: is.URL, Resource: resource}}, echo)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{"iss": is.URL, "aud": resource, "sub": "eve", "exp": time.Now().Add(time.Hour).Unix()}
	for i := range 40 {
		ask(t, url+"/mcp", "", bearer(sign(t, stranger, jose.ES256, "k"+strings.Repeat("x", i+1), claims)))
	}
	if n := is.fetched.Load(); n > 8 {
		t.Errorf("the issuer was asked %d times", n)
	}
	if res, _ := ask(t, url+"/mcp", "", bearer(sign(t, is.key, jose.ES256, "k1", claims))); res.StatusCode != 200 {
		t.Errorf("a good token afterwards: %d", res.StatusCode)
	}
}
