package catalyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// The scopes a reader needs. catalyst:write is never asked for.
const (
	scopeRead    = "catalyst:read"
	scopeOffline = "offline_access"
)

// authServer is what discovery found.
type authServer struct {
	Issuer      string   `json:"issuer"`
	Authorize   string   `json:"authorization_endpoint"`
	Token       string   `json:"token_endpoint"`
	Scopes      []string `json:"scopes_supported"`
	Challenges  []string `json:"code_challenge_methods_supported"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	IssParam    bool     `json:"authorization_response_iss_parameter_supported"`
	offered     []string // scopes that the resource names
}

type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// discover asks the MCP server without a token and follows its 401 to the
// authorization server. Every step is checked against the one before: the
// resource is the server's address byte for byte, the metadata lives on the
// server's own origin, the issuer is the one that was named.
func discover(ctx context.Context, h *http.Client, server string) (authServer, error) {
	var none authServer
	base, err := url.Parse(server)
	if err != nil {
		return none, err
	}
	challenge, err := preflight(ctx, h, server)
	if err != nil {
		return none, err
	}
	candidates := []string{
		base.Scheme + "://" + base.Host + "/.well-known/oauth-protected-resource" + base.EscapedPath(),
		base.Scheme + "://" + base.Host + "/.well-known/oauth-protected-resource",
	}
	if named := challenge["resource_metadata"]; named != "" {
		u, err := url.Parse(named)
		if err != nil || u.Scheme != base.Scheme || u.Host != base.Host {
			return none, discoveryFault("the server names resource metadata that is not on its own origin", nil)
		}
		candidates = []string{named}
	}
	var rm resourceMetadata
	if err := fetchFirst(ctx, h, candidates, &rm); err != nil {
		return none, discoveryFault("the server's resource metadata cannot be read", err)
	}
	if rm.Resource != server {
		return none, discoveryFault(fmt.Sprintf("the server calls itself %q and is configured as %q; they must agree byte for byte", clean.Line(rm.Resource, 200), server), nil)
	}
	if len(rm.Servers) == 0 {
		return none, discoveryFault("the server names no authorization server", nil)
	}
	as, err := issuerMetadata(ctx, h, rm.Servers[0])
	if err != nil {
		return none, err
	}
	as.offered = append(strings.Fields(challenge["scope"]), rm.Scopes...)
	return as, nil
}

// preflight makes one call without a token and returns the parameters of the
// 401's challenge.
func preflight(ctx context.Context, h *http.Client, server string) (map[string]string, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := h.Do(req)
	if err != nil {
		return nil, discoveryFault("the MCP server cannot be reached", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		for _, v := range resp.Header.Values("WWW-Authenticate") {
			if p := authParams(v); p["resource_metadata"] != "" {
				return p, nil
			}
		}
		return authParams(resp.Header.Get("WWW-Authenticate")), nil
	case resp.StatusCode < 300:
		return nil, &fault.Error{Kind: fault.BadInput, What: "sign in: the server answers without a sign-in", Do: "There is nothing to sign in to; use it as it is"}
	}
	return nil, discoveryFault(fmt.Sprintf("the server answered %d to a call without a token, 401 was expected", resp.StatusCode), nil)
}

// issuerMetadata reads the metadata of issuer from the two places where it may
// stand, and takes only a document that names the same issuer.
func issuerMetadata(ctx context.Context, h *http.Client, issuer string) (authServer, error) {
	var as authServer
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || !secure(u) {
		return as, discoveryFault("the authorization server named is not an https address", nil)
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	origin := u.Scheme + "://" + u.Host
	err = fetchFirst(ctx, h, []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + path + "/.well-known/oauth-authorization-server",
		origin + "/.well-known/openid-configuration" + path,
		origin + path + "/.well-known/openid-configuration",
	}, &as)
	if err != nil {
		return as, discoveryFault("the authorization server's metadata cannot be read", err)
	}
	if as.Issuer != issuer {
		return as, discoveryFault(fmt.Sprintf("the metadata names issuer %q, the server named %q; they must agree", clean.Line(as.Issuer, 200), clean.Line(issuer, 200)), nil)
	}
	for _, e := range []string{as.Authorize, as.Token} {
		if eu, err := url.Parse(e); err != nil || eu.Host == "" || !secure(eu) {
			return as, discoveryFault("an endpoint of the authorization server is not an https address", nil)
		}
	}
	if !slices.Contains(as.Challenges, "S256") {
		return as, discoveryFault("the authorization server does not offer PKCE S256", nil)
	}
	return as, nil
}

// scopes is what to ask for: reading, and a refresh token where the server
// gives one. A server that lists scopes and not this one is not asked.
func (a authServer) scopes() (string, error) {
	if len(a.offered) > 0 && !slices.Contains(a.offered, scopeRead) {
		return "", discoveryFault("the server does not offer the scope "+scopeRead, nil)
	}
	if len(a.Scopes) > 0 && !slices.Contains(a.Scopes, scopeOffline) {
		return scopeRead, nil
	}
	return scopeRead + " " + scopeOffline, nil
}

// fetchFirst decodes the first of urls that answers 200 with JSON.
func fetchFirst(ctx context.Context, h *http.Client, urls []string, into any) error {
	var last error
	for _, u := range urls {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", "application/json")
		resp, err := h.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		switch {
		case err != nil:
			last = err
		case resp.StatusCode != http.StatusOK:
			last = fmt.Errorf("%s answered %d", u, resp.StatusCode)
		case json.Unmarshal(body, into) != nil:
			last = fmt.Errorf("%s is not JSON", u)
		default:
			return nil
		}
	}
	return last
}

// authParams reads the parameters of a WWW-Authenticate value (RFC 9110 §11.2):
// names without case, values as tokens or quoted strings.
func authParams(v string) map[string]string {
	out := map[string]string{}
	_, rest, _ := strings.Cut(strings.TrimSpace(v), " ")
	for rest != "" {
		rest = strings.TrimLeft(rest, " \t,")
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			break
		}
		name = name[strings.LastIndexAny(name, " \t")+1:] // a further scheme's name may precede it
		var value strings.Builder
		i := 0
		if strings.HasPrefix(after, `"`) {
			for i = 1; i < len(after) && after[i] != '"'; i++ {
				if after[i] == '\\' && i+1 < len(after) {
					i++
				}
				value.WriteByte(after[i])
			}
			i = min(i+1, len(after))
		} else {
			for ; i < len(after) && !strings.ContainsRune(", \t", rune(after[i])); i++ {
				value.WriteByte(after[i])
			}
		}
		if key := strings.ToLower(name); out[key] == "" {
			out[key] = value.String()
		}
		rest = after[i:]
	}
	return out
}

func discoveryFault(what string, cause error) error {
	if cause != nil {
		cause = errors.New(clean.Line(bearerText.ReplaceAllString(cause.Error(), "${1}"+redacted), 200))
	}
	return &fault.Error{Kind: fault.SignIn, What: "sign in: " + what, Cause: cause, Means: "no sign-in was made", Do: "Check catalyst.url"}
}
