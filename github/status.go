package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Status is what can be said of the connection.
type Status struct {
	API      string
	Token    string // its kind and where it was found; what it is, never
	Can      string // what it can do, as GitHub says
	Requests string // what is left of the hourly limit
	Problem  error
}

// Configured reports whether a token or another GitHub than the default was
// given.
func (c *Client) Configured() bool { return c.token != "" || c.host.web != DefaultURL }

// Status asks for the rate limit, which costs nothing of it, and reads what GitHub
// says of the token beside it.
func (c *Client) Status(ctx context.Context) Status {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s := Status{API: c.host.api.Host, Token: "none: public repositories only"}
	if c.token != "" {
		s.Token = tokenKind(c.token) + ", from " + c.tokenFrom
	}
	limits, resp, err := c.api.RateLimit.Get(ctx)
	if err != nil {
		s.Problem = c.problem("ask "+c.host.api.Host, err)
		if errors.Is(err, context.DeadlineExceeded) {
			s.Problem = &fault.Error{Kind: fault.Unreachable, What: "ask " + c.host.api.Host + ": no answer in 5 seconds"}
		}
		return s
	}
	if core := limits.GetCore(); core != nil {
		s.Requests = fmt.Sprintf("%d of %d left until %s", core.Remaining, core.Limit, core.Reset.UTC().Format(time.RFC3339))
	}
	if c.token == "" {
		return s
	}
	scopes, stated := resp.Header["X-Oauth-Scopes"]
	switch list := clean.Line(strings.Join(scopes, ", "), 200); {
	case !stated:
		s.Can = "GitHub names no scopes for this kind of token; what it can read shows when it is used"
	case list == "":
		s.Can = "no scopes: public repositories only"
	default:
		s.Can = "scopes " + list + narrower(list)
	}
	if at := resp.Header.Get("GitHub-Authentication-Token-Expiration"); at != "" {
		s.Can += "; expires " + clean.Line(at, 40)
	}
	return s
}

// narrower says that less would do, where a scope writes.
func narrower(scopes string) string {
	for s := range strings.SplitSeq(scopes, ",") {
		switch s = strings.TrimSpace(s); {
		case s == "public_repo", s == "workflow", s == "repo", strings.HasPrefix(s, "write:"), strings.HasPrefix(s, "delete"), strings.HasPrefix(s, "admin:"):
			return " (more than is needed: only reads are made; a fine-grained token with read access to contents and pull requests does)"
		}
	}
	return ""
}

// tokenKind tells the kinds of token apart by their documented prefixes.
func tokenKind(token string) string {
	for prefix, kind := range map[string]string{
		"ghp_": "a classic personal token", "github_pat_": "a fine-grained personal token", "gho_": "an OAuth token", "ghu_": "an app's token for a user", "ghs_": "an app's or a workflow's token",
	} {
		if strings.HasPrefix(token, prefix) {
			return kind
		}
	}
	return "a token"
}
