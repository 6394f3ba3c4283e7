package sidecar

import (
	"net"
	"net/url"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Endpoint is where a sidecar answers.
type Endpoint struct {
	Target string // for grpc.NewClient
	TLS    bool
}

// FromEnv reads the sidecar's address as the Dapr SDKs do: DAPR_GRPC_ENDPOINT,
// else DAPR_GRPC_PORT on this machine. name is the variable that was used,
// empty when neither is set.
func FromEnv(getenv func(string) string) (address, token, name string) {
	token = getenv("DAPR_API_TOKEN")
	if v := getenv("DAPR_GRPC_ENDPOINT"); v != "" {
		return v, token, "DAPR_GRPC_ENDPOINT"
	}
	if v := getenv("DAPR_GRPC_PORT"); v != "" {
		return net.JoinHostPort("127.0.0.1", v), token, "DAPR_GRPC_PORT"
	}
	return "", token, ""
}

// ParseEndpoint reads host:port or what DAPR_GRPC_ENDPOINT may hold: http and
// https URLs, dns: and unix: targets, and ?tls=true or false.
func ParseEndpoint(s string) (Endpoint, error) {
	bad := func(why string) (Endpoint, error) {
		return Endpoint{}, &fault.Error{
			Kind: fault.Config, What: "sidecar address " + clean.Line(s, 200) + ": " + why,
			Do: "Give host:port, https://host:port, or set DAPR_GRPC_PORT",
		}
	}
	rest, query, _ := strings.Cut(s, "?")
	var e Endpoint
	if query != "" {
		v, err := url.ParseQuery(query)
		switch {
		case err != nil || len(v) != 1 || !v.Has("tls"):
			return bad("only ?tls=true and ?tls=false are known")
		case v.Get("tls") == "true":
			e.TLS = true
		case v.Get("tls") != "false":
			return bad("tls is neither true nor false")
		}
	}
	switch {
	case strings.HasPrefix(rest, "unix:"), strings.HasPrefix(rest, "unix-abstract:"):
		e.Target = rest
		return e, nil
	case strings.HasPrefix(rest, "https://"), strings.HasPrefix(rest, "http://"):
		if query != "" {
			return bad("tls is decided by http or https")
		}
		u, err := url.Parse(rest)
		if err != nil || u.Host == "" || (u.Path != "" && u.Path != "/") || u.User != nil {
			return bad("not a plain URL")
		}
		e.TLS = u.Scheme == "https"
		rest = u.Host
		if u.Port() == "" {
			rest = net.JoinHostPort(u.Hostname(), map[bool]string{true: "443", false: "80"}[e.TLS])
		}
	case strings.HasPrefix(rest, "dns://"):
		_, rest, _ = strings.Cut(strings.TrimPrefix(rest, "dns://"), "/")
	case strings.HasPrefix(rest, "dns:"):
		rest = strings.TrimPrefix(rest, "dns:")
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil && !strings.Contains(rest, ":") {
		host, port = rest, "443" // the SDKs' default
	}
	if host == "" || port == "" || strings.ContainsAny(host, "/ ") {
		return bad("no host and port")
	}
	if catalysthost.Is(host) {
		return Endpoint{}, catalysthost.Refuse("sidecar address " + clean.Line(host, 200))
	}
	e.Target = "dns:///" + net.JoinHostPort(host, port)
	return e, nil
}

// String is the address as answers show it.
func (e Endpoint) String() string {
	s := strings.TrimPrefix(e.Target, "dns:///")
	if e.TLS {
		s += " (TLS)"
	}
	return s
}
