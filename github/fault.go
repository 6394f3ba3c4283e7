package github

import (
	"context"
	"errors"
	"net/http"

	gh "github.com/google/go-github/v62/github"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// problem says what failed, what that means and what to do.
func (c *Client) problem(what string, err error) error {
	var typed *fault.Error
	switch {
	case errors.As(err, &typed):
		return typed
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	var refused *gh.ErrorResponse
	if !errors.As(err, &refused) || refused.Response == nil {
		return &fault.Error{Kind: fault.Damaged, What: what, Cause: c.transport.scrub(err), Means: "the answer cannot be read", Do: "Check that github.url is a GitHub"}
	}
	e := &fault.Error{What: what, Means: "nothing was read"}
	switch code := refused.Response.StatusCode; code {
	case http.StatusUnauthorized:
		e.Kind, e.What = fault.SignIn, what+": GitHub does not accept the token"
		e.Do = "Set a valid token in " + orElse(c.tokenFrom, tokenVariable) + ", or none"
	case http.StatusNotFound:
		e.Kind, e.What = fault.NotFound, what+": not found"
		e.Means = "it is not there, or it is private: GitHub says the same to both"
		e.Do = "Check the name. " + c.access()
	case http.StatusForbidden:
		e.Kind, e.What = fault.Forbidden, what+": GitHub refuses it"
		e.Do = c.access()
		if refused.Response.Header.Get("X-GitHub-SSO") != "" {
			e.Do = "The organization asks for single sign-on: authorize the token for it in the token's settings"
		}
	case http.StatusGone, http.StatusUnavailableForLegalReasons:
		e.Kind, e.What = fault.NotFound, what+": it is no longer available"
	default:
		e.Kind, e.Cause = fault.Unknown, c.transport.scrub(err)
	}
	return e
}

const tokenVariable = "IDEM_MCP_GITHUB_TOKEN"

// access says which token would do. Nothing that writes is ever needed.
func (c *Client) access() string {
	need := "read access to contents and pull requests of this repository"
	if c.token == "" {
		return "For a private repository set " + tokenVariable + " to a token with " + need
	}
	return "The token of " + c.tokenFrom + " needs " + need + " (for a classic token of a private repository: the scope repo)"
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
