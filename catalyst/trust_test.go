package catalyst_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// TestDiscoveryTrust plays servers that name something they should not.
func TestDiscoveryTrust(t *testing.T) {
	type site struct {
		challenge string
		resource  map[string]any
		issuer    map[string]any
	}
	for _, tt := range []struct {
		name   string
		change func(base string, s *site)
		says   string
	}{
		{"metadata elsewhere", func(_ string, s *site) {
			s.challenge = `Bearer resource_metadata="https://evil.example/.well-known/oauth-protected-resource"`
		}, "own origin"},
		{"another resource", func(base string, s *site) { s.resource["resource"] = base + "/mcp/" }, "byte for byte"},
		{"no authorization server", func(_ string, s *site) { s.resource["authorization_servers"] = []string{} }, "no authorization server"},
		{"plain http issuer", func(_ string, s *site) { s.resource["authorization_servers"] = []string{"http://as.example"} }, "not an https address"},
		{"another issuer", func(base string, s *site) { s.issuer["issuer"] = base + "/as2" }, "they must agree"},
		{"plain http token endpoint", func(_ string, s *site) { s.issuer["token_endpoint"] = "http://as.example/token" }, "not an https address"},
		{"script for a browser", func(_ string, s *site) { s.issuer["authorization_endpoint"] = "javascript:alert(1)" }, "not an https address"},
		{"no PKCE", func(_ string, s *site) { s.issuer["code_challenge_methods_supported"] = []string{"plain"} }, "PKCE"},
		{"no read scope", func(_ string, s *site) { s.resource["scopes_supported"] = []string{"other"} }, "catalyst:read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s site
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			base := server.URL
			s.challenge = `Basic realm="x", Bearer realm="a, b=c", resource_metadata="` + base + `/meta"`
			s.resource = map[string]any{"resource": base + "/mcp", "authorization_servers": []string{base + "/as"}}
			s.issuer = map[string]any{"issuer": base + "/as", "authorization_endpoint": base + "/as/a", "token_endpoint": base + "/as/t", "code_challenge_methods_supported": []string{"S256"}}
			tt.change(base, &s)
			mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					t.Error("a token was sent before any sign-in")
				}
				w.Header().Set("WWW-Authenticate", s.challenge)
				w.WriteHeader(http.StatusUnauthorized)
			})
			mux.HandleFunc("/meta", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(s.resource) })
			mux.HandleFunc("/.well-known/oauth-authorization-server/as", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(s.issuer) })
			shown := false
			_, err := catalyst.Login(t.Context(), catalyst.Config{
				Server: base + "/mcp", ClientID: "c", TokenFile: t.TempDir() + "/f", NoKeyring: true,
			}, catalyst.Prompt{Show: func(string) { shown = true }})
			if fault.KindOf(err) != fault.SignIn || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
			if shown {
				t.Error("an address was shown to the user")
			}
		})
	}
}
