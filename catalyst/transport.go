package catalyst

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

const (
	maxTries     = 4
	maxBackoff   = 8 * time.Second
	maxRenewals  = 3                // a renewed token can die before its first use when many share it
	maxRetryWait = 20 * time.Second // the most of a Retry-After that is waited for
)

// exchange is the base of the MCP client: it adds the bearer, renews it on a
// 401, waits and tries again on 429, 502, 503, 504 and broken connections (all
// calls are reads), and bounds what an answer may be. Everything it refuses is
// a typed error.
type exchange struct {
	base      http.RoundTripper
	auth      *authorizer
	server    *url.URL
	maxAnswer int64
	retryBase time.Duration
}

// failure is where a call's typed error is left: mcp-go drops the errors of a
// stream that breaks off.
type failure struct {
	mu  sync.Mutex
	err error
}

func (f *failure) set(err error) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

type failureKey struct{}

func withFailure(ctx context.Context) (context.Context, *failure) {
	f := &failure{}
	return context.WithValue(ctx, failureKey{}, f), f
}

func (e *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := e.roundTrip(req)
	f, _ := req.Context().Value(failureKey{}).(*failure)
	f.set(err) // also clears what an earlier exchange of the same call left
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{in: resp.Body, left: e.maxAnswer + 1, max: e.maxAnswer, failure: f}
	return resp, nil
}

func (e *exchange) roundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if req.URL.Host != e.server.Host || req.URL.Scheme != e.server.Scheme {
		return nil, &fault.Error{Kind: fault.Damaged, What: "the server points to another address", Means: "it was not followed, since a token is sent to no other server", Do: "Check catalyst.url"}
	}
	token, err := e.auth.token(ctx)
	if err != nil {
		return nil, err
	}
	renewals := 0
	for try := 1; ; try++ {
		resp, err := e.once(req, token)
		wait := e.backoff(try)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && try == maxTries:
			return nil, &fault.Error{Kind: fault.Unreachable, What: "ask Catalyst at " + e.server.Host, Cause: cleanCause(e.auth.secrets, err), Means: "nothing was read", Do: "Check the network and catalyst.url"}
		case err != nil:
		case resp.StatusCode == http.StatusUnauthorized:
			drain(resp)
			if renewals == maxRenewals {
				return nil, signInFault("the server does not accept the sign-in, not even a renewed one", "Run `idem-mcp login`")
			}
			if token, err = e.auth.refused(ctx, token); err != nil {
				return nil, err
			}
			renewals++
			continue
		case retryStatus(resp.StatusCode):
			if after, ok := retryAfter(resp); ok {
				wait = min(after, maxRetryWait)
			}
			drain(resp)
			if try == maxTries {
				return nil, statusFault(resp.StatusCode)
			}
		default:
			if err := e.acceptable(resp); err != nil {
				return nil, err
			}
			return resp, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// once makes one exchange; the request's body is opened anew for each.
func (e *exchange) once(req *http.Request, token string) (*http.Response, error) {
	r := req.Clone(req.Context())
	if req.GetBody != nil {
		b, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		r.Body = b
	}
	r.Header.Del("Authorization")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return e.base.RoundTrip(r)
}

// backoff grows from the base by two and is drawn at random between half and
// whole, so that processes that failed together do not come back together.
func (e *exchange) backoff(try int) time.Duration {
	d := min(e.retryBase<<(try-1), maxBackoff)
	return d/2 + rand.N(d/2+1)
}

func retryStatus(code int) bool {
	switch code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

func retryAfter(resp *http.Response) (time.Duration, bool) {
	s, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	return time.Duration(s) * time.Second, err == nil && s >= 0
}

// acceptable refuses what no MCP server says. Client errors other than 403 are
// left to mcp-go, which tells an older protocol by them.
func (e *exchange) acceptable(resp *http.Response) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var err error
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		err = &fault.Error{Kind: fault.Damaged, What: fmt.Sprintf("the server redirects (status %d)", resp.StatusCode), Means: "it was not followed, since a token is sent to no other server", Do: "Set catalyst.url to the address it redirects to, if you trust it"}
	case resp.StatusCode == http.StatusForbidden:
		err = &fault.Error{Kind: fault.Forbidden, What: "the server refuses this sign-in (status 403)", Means: "nothing was read", Do: "Ask an administrator of the organization for read access"}
	case resp.StatusCode >= 500:
		err = statusFault(resp.StatusCode)
	case media == "text/html":
		err = &fault.Error{Kind: fault.Damaged, What: "the server answered with a web page", Means: "there is no MCP server at this address, or a proxy stands before it", Do: "Check catalyst.url and the proxy settings"}
	case resp.ContentLength > e.maxAnswer:
		err = tooLarge(e.maxAnswer)
	}
	if err != nil {
		drain(resp)
	}
	return err
}

func statusFault(code int) error {
	return &fault.Error{Kind: fault.Unreachable, What: fmt.Sprintf("the server answered %d", code), Means: "nothing was read, which is not the same as nothing being there", Do: "Try again later"}
}

func tooLarge(limit int64) error {
	return &fault.Error{Kind: fault.TooLarge, What: fmt.Sprintf("an answer of more than %d MB", limit>>20), Means: "it was not read to its end and nothing of it is used", Do: "Ask for less: a shorter time, one app, one run"}
}

func drain(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
}

// boundedBody ends an answer that is too large with a typed error.
type boundedBody struct {
	in        io.ReadCloser
	left, max int64
	failure   *failure
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		err := tooLarge(b.max)
		b.failure.set(err)
		return 0, err
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.in.Read(p)
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		b.failure.set(brokenOff())
	}
	return n, err
}

func (b *boundedBody) Close() error { return b.in.Close() }

func brokenOff() error {
	return &fault.Error{Kind: fault.Unreachable, What: "the server's answer broke off", Means: "nothing of it is used", Do: "Try again"}
}
