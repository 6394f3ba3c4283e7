package github

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha1" // the name git gives a content, not a protection against forgers
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	gh "github.com/google/go-github/v62/github"
	"golang.org/x/sync/errgroup"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// fetched collects contents by their hash.
type fetched struct {
	mu     sync.Mutex
	texts  map[string][]byte
	failed map[string]string
}

// fetch brings the content of the chosen paths: from memory, from the archive of
// a commit when many are missing, else one by one.
func (c *Client) fetch(ctx context.Context, at []Commit, lists []*listing, chosen map[string]bool) (map[string][]byte, map[string]string, error) {
	out := &fetched{texts: map[string][]byte{}, failed: map[string]string{}}
	one := 0 // how many were fetched one by one
	for i, l := range lists {
		missing := map[string]entry{} // by hash
		for _, e := range l.entries {
			if !chosen[e.path] || e.size > c.limits.File || out.texts[e.sha] != nil {
				continue
			}
			if text, ok := c.blobs.get(e.sha); ok {
				out.texts[e.sha] = text
				continue
			}
			missing[e.sha] = e
		}
		if len(missing) > c.limits.FromBlob && l.total <= c.limits.Archive {
			if err := c.archive(ctx, at[i], missing, out); err != nil {
				return nil, nil, err
			}
		}
		n, err := c.oneByOne(ctx, at[i].Repo, missing, out, c.limits.Blobs-one)
		if err != nil {
			return nil, nil, err
		}
		one += n
	}
	return out.texts, out.failed, nil
}

// oneByOne fetches what is missing still, at most max of it.
func (c *Client) oneByOne(ctx context.Context, r Repo, missing map[string]entry, out *fetched, max int) (int, error) {
	var rest []entry
	for sha, e := range missing {
		if out.texts[sha] == nil {
			rest = append(rest, e)
		}
	}
	slices.SortFunc(rest, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	for _, e := range rest[min(len(rest), max):] {
		out.failed[e.sha] = fmt.Sprintf("more than %d files to fetch one by one", c.limits.Blobs)
	}
	rest = rest[:min(len(rest), max)]
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(concurrency)
	for _, e := range rest {
		g.Go(func() error { return c.blob(ctx, r, e, out) })
	}
	return len(rest), g.Wait()
}

// blob fetches one content. What is wrong with this one only is noted; a refusal
// that concerns all ends the reading.
func (c *Client) blob(ctx context.Context, r Repo, e entry, out *fetched) error {
	text, _, err := c.api.Git.GetBlobRaw(ctx, r.Owner, r.Name, e.sha)
	why := ""
	switch {
	case err != nil:
		err = c.problem("read "+r.String()+" blob "+short(e.sha), err)
		switch fault.KindOf(err) {
		case fault.NotFound, fault.TooLarge, fault.Damaged:
			why = "could not be fetched"
		default:
			return err
		}
	case !names(e.sha, text):
		why = "what was sent is not what the tree names"
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	if why != "" {
		out.failed[e.sha] = why
		return nil
	}
	c.keep(e.sha, text, out)
	return nil
}

// keep enters a content that was checked; never nil, so that an empty file is
// there.
func (c *Client) keep(sha string, text []byte, out *fetched) {
	if text == nil {
		text = []byte{}
	}
	out.texts[sha] = text
	c.blobs.put(sha, text, len(text)+256)
}

// names reports whether the hash is git's name of the content.
func names(sha string, text []byte) bool {
	var h hash.Hash
	if len(sha) == 64 {
		h = sha256.New()
	} else {
		h = sha1.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	_, _ = h.Write(text) // a hash never fails
	return hex.EncodeToString(h.Sum(nil)) == sha
}

// archive takes missing contents from the archive of a commit. It is a shortcut:
// whatever it does not bring is fetched one by one, so a failure of it is none.
func (c *Client) archive(ctx context.Context, at Commit, missing map[string]entry, out *fetched) error {
	link, _, err := c.api.Repositories.GetArchiveLink(ctx, at.Owner, at.Name, gh.Tarball, &gh.RepositoryContentGetOptions{Ref: at.SHA}, 0)
	if err != nil {
		if err = c.problem("read the archive of "+at.String(), err); ctx.Err() != nil || fault.KindOf(err) == fault.Unreachable {
			return err
		}
		return nil
	}
	if !slices.Contains(c.host.archives, strings.ToLower(link.Host)) || link.Scheme != c.host.api.Scheme || link.User != nil {
		return nil // another host is not asked
	}
	byPath := make(map[string]entry, len(missing))
	for _, e := range missing {
		byPath[e.path] = e
	}
	_ = c.download(ctx, link, func(p string, size int64, r io.Reader) error {
		e, ok := byPath[p]
		if !ok || size != e.size {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(r, size+1))
		if err == nil && names(e.sha, text) {
			c.keep(e.sha, text, out)
		}
		return err
	})
	return ctx.Err() // what is missing still is fetched one by one
}

// download reads an archive as it comes. No token goes with the request: the
// address itself carries what a private archive needs, for five minutes.
func (c *Client) download(ctx context.Context, from *url.URL, file func(path string, size int64, r io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", c.api.UserAgent)
	resp, err := c.transport.base.RoundTrip(req) // a round trip follows no redirect
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	unpacked, err := gzip.NewReader(io.LimitReader(resp.Body, c.limits.Archive))
	if err != nil {
		return err
	}
	// Headers and padding come on top of the files; a bomb ends here.
	in := tar.NewReader(io.LimitReader(unpacked, 2*c.limits.Archive))
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, p, ok := strings.Cut(h.Name, "/"); ok && h.Typeflag == tar.TypeReg {
			if err := file(p, h.Size, in); err != nil {
				return err
			}
		}
	}
}
