package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

const (
	concurrency  = 8
	maxTries     = 4
	maxAnswer    = 24 << 20 // a recursive tree ends at 7 MB, a page of files with patches well below this
	maxRaw       = 6 << 20  // the content of one file
	maxRedirects = 5
	timeout      = time.Minute
	etagBytes    = 32 << 20
	blobBytes    = 64 << 20
)

// transport is what stands below the client library: it sends requests to the
// API host only, adds the token, asks with the ETag of what it kept, waits for
// rate limits, and repeats what failed for a moment (all requests are reads).
//
// The library's own idea of rate limits is kept from it: it does not know status
// 429, and after one refusal it refuses by itself without asking.
type transport struct {
	base    http.RoundTripper
	host    host
	token   string
	maxWait time.Duration
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	slots   chan struct{}
	answers *cache[*kept]

	mu     sync.Mutex
	paused time.Time // nothing is sent before
	why    string
}

// kept is an answer that may be asked for again by its ETag.
type kept struct {
	header http.Header
	body   []byte
}

// redirect admits redirects that stay on the API host: those of a renamed
// repository.
func (t *transport) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return &fault.Error{Kind: fault.Damaged, What: "GitHub redirects in circles", Means: "nothing was read"}
	}
	return t.admit(req)
}

func (t *transport) admit(req *http.Request) error {
	if req.URL.Host != t.host.api.Host || req.URL.Scheme != t.host.api.Scheme || req.URL.User != nil {
		return &fault.Error{Kind: fault.Damaged, What: "the server points to another address", Means: "it was not followed, since nothing is asked of any other server", Do: "Check github.url"}
	}
	if req.Method != http.MethodGet {
		return &fault.Error{Kind: fault.Unsupported, What: "a " + req.Method + " request to GitHub", Means: "it was not sent: this program only reads"}
	}
	return nil
}

// RoundTrip answers with the whole body in memory, or with a typed error.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.admit(req); err != nil {
		return nil, err
	}
	ctx := req.Context()
	key := req.Header.Get("Accept") + " " + req.URL.String()
	old, _ := t.answers.get(key)
	for try := 1; ; try++ {
		if err := t.pause(ctx); err != nil {
			return nil, err
		}
		resp, body, err := t.once(req, old)
		var wait time.Duration
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && (try == maxTries || fault.KindOf(err) != fault.Unknown):
			return nil, t.unreachable(err)
		case err != nil:
			wait = backoff(try)
		case resp.StatusCode >= 500:
			if try == maxTries {
				return nil, &fault.Error{Kind: fault.Unreachable, What: fmt.Sprintf("GitHub answered %d", resp.StatusCode), Means: "nothing was read, which is not the same as nothing being there", Do: "Try again later"}
			}
			wait = backoff(try)
		default:
			until, why := t.limited(resp, body)
			if until.IsZero() {
				return t.answer(req, key, old, resp, body), nil
			}
			t.hold(until, why)
			if try == maxTries {
				return nil, t.rateLimited(until, why)
			}
			continue
		}
		if err := t.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once makes one exchange and reads it to its end.
func (t *transport) once(req *http.Request, old *kept) (*http.Response, []byte, error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-req.Context().Done():
		return nil, nil, req.Context().Err()
	}
	ctx, cancel := context.WithTimeout(req.Context(), timeout)
	defer cancel()
	r := req.Clone(ctx)
	r.Header.Del("Authorization")
	if t.token != "" {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	if old != nil {
		r.Header.Set("If-None-Match", old.header.Get("ETag"))
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	limit := int64(maxAnswer)
	if strings.HasSuffix(req.Header.Get("Accept"), "raw") {
		limit = maxRaw
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, nil, err
	}
	if int64(len(body)) > limit {
		return nil, nil, &fault.Error{Kind: fault.TooLarge, What: fmt.Sprintf("an answer of more than %d MB from GitHub", limit>>20), Means: "nothing of it is used"}
	}
	return resp, body, nil
}

// answer hands a read answer on, from what was kept if the server says that it
// still holds.
func (t *transport) answer(req *http.Request, key string, old *kept, resp *http.Response, body []byte) *http.Response {
	if resp.StatusCode == http.StatusNotModified && old != nil {
		resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
		resp.Header, body = old.header.Clone(), old.body
	} else if resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "" && !strings.HasSuffix(req.Header.Get("Accept"), "raw") && len(body) <= etagBytes/4 {
		t.answers.put(key, &kept{resp.Header.Clone(), body}, len(body)+1024)
	}
	for h := range resp.Header {
		if strings.HasPrefix(http.CanonicalHeaderKey(h), "X-Ratelimit-") {
			resp.Header.Del(h)
		}
	}
	resp.Body, resp.ContentLength, resp.Request = io.NopCloser(bytes.NewReader(body)), int64(len(body)), req
	return resp
}

// limited reports until when GitHub wants to be left alone; zero if it answered.
func (t *transport) limited(resp *http.Response, body []byte) (time.Time, string) {
	if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return time.Time{}, ""
	}
	now := t.now()
	if s := resp.Header.Get("Retry-After"); s != "" {
		if n, err := strconv.Atoi(s); err == nil && n >= 0 && n < 1e6 {
			return now.Add(time.Duration(max(n, 1)) * time.Second), "a secondary rate limit: too many requests in a short time"
		}
		if at, err := http.ParseTime(s); err == nil {
			return at, "a secondary rate limit: too many requests in a short time"
		}
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		if n, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && n > 0 && n < 1e11 {
			return time.Unix(n, 0), "the hourly limit of requests is used up"
		}
	}
	if text := strings.ToLower(string(body[:min(len(body), 4000)])); resp.StatusCode == http.StatusTooManyRequests || strings.Contains(text, "rate limit") || strings.Contains(text, "abuse detection") {
		return now.Add(time.Minute), "a rate limit without a time" // GitHub asks to wait at least a minute
	}
	return time.Time{}, ""
}

func (t *transport) hold(until time.Time, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if until.After(t.paused) {
		t.paused, t.why = until, why
	}
}

// pause waits for a rate limit that ends soon, and refuses to ask before one that
// does not. A second more lets clocks differ.
func (t *transport) pause(ctx context.Context) error {
	t.mu.Lock()
	until, why := t.paused, t.why
	t.mu.Unlock()
	if until.IsZero() {
		return nil
	}
	wait := until.Sub(t.now())
	switch {
	case wait < -time.Second:
		return nil
	case wait > t.maxWait:
		return t.rateLimited(until, why)
	}
	return t.sleep(ctx, wait+time.Second)
}

func (t *transport) rateLimited(until time.Time, why string) error {
	e := &fault.Error{Kind: fault.Unreachable, What: "GitHub's rate limit: " + why, Means: "not everything was read, so nothing is answered", Do: "Try again after " + until.UTC().Format(time.RFC3339)}
	if t.token == "" {
		e.Do += ". Requests without a token are limited to 60 an hour and address; set IDEM_MCP_GITHUB_TOKEN"
	}
	return e
}

// unreachable types what a connection failed with, without the token.
func (t *transport) unreachable(err error) error {
	if fault.KindOf(err) != fault.Unknown {
		return err
	}
	return &fault.Error{Kind: fault.Unreachable, What: "ask GitHub at " + t.host.api.Host, Cause: t.scrub(err), Means: "nothing was read", Do: "Check the network, the proxy settings and github.url"}
}

// scrub makes foreign text of an error safe to show.
func (t *transport) scrub(err error) error {
	s := err.Error()
	if t.token != "" {
		s = strings.ReplaceAll(s, t.token, "(token)")
	}
	return errors.New(clean.Line(s, 300))
}

// backoff grows by two and is drawn at random between half and whole.
func backoff(try int) time.Duration {
	d := 250 * time.Millisecond << (try - 1)
	return d/2 + rand.N(d/2+1)
}
