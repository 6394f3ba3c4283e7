package catalyst_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
)

// start runs a stand-in for the test's life.
func start(t testing.TB, o catalysttest.Options) *catalysttest.Server {
	t.Helper()
	s, err := catalysttest.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// config is a configuration for s that touches neither the user's files nor the
// user's environment.
func config(t testing.TB, s *catalysttest.Server) catalyst.Config {
	t.Helper()
	return catalyst.Config{
		Server:      s.URL,
		ClientID:    s.ClientID(),
		TokenFile:   filepath.Join(t.TempDir(), "sign-in.json"),
		NoKeyring:   true,
		Getenv:      func(string) string { return "" },
		CallTimeout: 20 * time.Second,
		RetryBase:   time.Millisecond,
	}
}

// browser is a user who opens the address and agrees.
func browser(t testing.TB) catalyst.Prompt {
	return catalyst.Prompt{Show: func(address string) {
		go func() {
			resp, err := http.Get(address)
			if err != nil {
				t.Errorf("browser: %v", err)
				return
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
		}()
	}}
}

// signedIn is a source for s after a sign-in.
func signedIn(t testing.TB, s *catalysttest.Server, change ...func(*catalyst.Config)) *catalyst.Source {
	t.Helper()
	c := config(t, s)
	for _, f := range change {
		f(&c)
	}
	if _, err := catalyst.Login(t.Context(), c, browser(t)); err != nil {
		t.Fatal(err)
	}
	return source(t, c)
}

func source(t testing.TB, c catalyst.Config) *catalyst.Source {
	t.Helper()
	src, err := catalyst.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(src.Close)
	return src
}

// list collects a listing; errors that only skip something are counted.
func list(ctx context.Context, src *catalyst.Source, f history.Filter) (hs []history.Header, skipped int, err error) {
	for h, err := range src.Runs(ctx, f) {
		var skip *history.Skipped
		if errors.As(err, &skip) {
			skipped++
			continue
		}
		if err != nil {
			return hs, skipped, err
		}
		hs = append(hs, h)
	}
	return hs, skipped, nil
}
