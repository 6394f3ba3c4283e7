//go:build unix

package file_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/dapr/file"
	"github.com/idem-mcp/idem-mcp/history"
)

// TestPipe: a pipe without a writer is told, not waited for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := file.New(file.Config{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	said := make(chan string, 1)
	go func() {
		for _, err := range src.Runs(ctx, history.Filter{}) {
			if err != nil {
				said <- err.Error()
				return
			}
		}
		said <- ""
	}()
	select {
	case s := <-said:
		if !strings.Contains(s, "no regular file") {
			t.Errorf("said %q", s)
		}
	case <-ctx.Done():
		t.Fatal("the pipe is waited for")
	}
}
