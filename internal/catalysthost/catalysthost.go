// Package catalysthost tells Catalyst from everyone else's Dapr. A Catalyst
// project is read through the catalyst source alone, because only there the
// organization's data-sharing level holds; the sources under dapr refuse it
// and point there.
package catalysthost

import (
	"errors"
	"net"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// domains are the registered domains Catalyst serves from (seen in its console,
// MCP and project endpoints, autumn 2026).
func domains() []string { return []string{"diagrid.io", "diagrid.dev"} }

// Is reports whether host, with or without a port, is one of Catalyst's.
func Is(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, d := range domains() {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// IsNamespace reports whether a Dapr namespace is a Catalyst project's
// ("prj-" and the project's numeric uid).
func IsNamespace(namespace string) bool { return strings.HasPrefix(namespace, "prj-") }

// Refuse is the error for what, which turned out to be Catalyst's.
func Refuse(what string) error {
	return &fault.Error{
		Kind:  fault.Unsupported,
		Cause: refusal{errors.New("belongs to a Catalyst project")},
		What:  what,
		Means: "it was not read, because the organization's data-sharing level would not hold here",
		Do:    "Use the catalyst source (source: catalyst)",
	}
}

// refusal marks the errors of Refuse.
type refusal struct{ error }

// IsRefusal reports whether err came from Refuse.
func IsRefusal(err error) bool {
	var r refusal
	return errors.As(err, &r)
}
