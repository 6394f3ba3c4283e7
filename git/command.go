package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

const (
	shortly    = 30 * time.Second // for a command that answers at once
	maxListing = 64 << 20         // of a tree: some 600,000 files
)

// settings are given with every command and outrank the repository's own.
var settings = [...]string{
	"core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false", "core.askPass=", "credential.helper=",
	"protocol.allow=never", "safe.bareRepository=explicit", "diff.external=", "gc.auto=0", "maintenance.auto=false",
}

// command is a git command in dir that runs nothing else.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := []string{"--no-pager", "--no-replace-objects"}
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(append(all, "-C", dir), args...)...)
	cmd.Env = environment(os.Environ())
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// environment leaves out what points git elsewhere, such as what git itself sets
// for a hook. The operator's configuration stays: it may say which folders are safe.
func environment(env []string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, "GIT_") || strings.HasPrefix(e, "GIT_CONFIG_") && !strings.HasPrefix(e, "GIT_CONFIG_PARAMETERS") {
			out = append(out, e)
		}
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
}

// errExit is a command that ran and said no.
type errExit struct{ said string }

func (e *errExit) Error() string { return e.said }

// run returns what a command prints, at most limit bytes of it.
func run(ctx context.Context, limit int64, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	cmd := command(ctx, dir, args...)
	var said bytes.Buffer
	cmd.Stderr = &capped{to: &said, left: 4000}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) {
			return nil, &fault.Error{Kind: fault.Unsupported, What: "run git: there is no git on the PATH", Means: "no earlier state of the source can be read", Do: "Install git, or compare with --baseline instead"}
		}
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(out, limit+1))
	if int64(len(b)) > limit {
		cancel()
		_ = cmd.Wait() // killed
		return nil, &fault.Error{Kind: fault.TooLarge, What: fmt.Sprintf("git %s prints more than %d bytes", args[0], limit)}
	}
	if werr := cmd.Wait(); werr != nil {
		var exit *exec.ExitError
		if ctx.Err() == nil && errors.As(werr, &exit) {
			return nil, &errExit{clean.Line(strings.TrimSpace(said.String()), 600)}
		}
		return nil, fmt.Errorf("git %s: %w", args[0], errors.Join(werr, ctx.Err()))
	}
	return b, err
}

// capped keeps the beginning of what is written.
type capped struct {
	to   io.Writer
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	_, err := c.to.Write(p[:n])
	return len(p), err
}
