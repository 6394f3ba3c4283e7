package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// resolve finds the commit that a person means by ref. "main..." is the commit
// where the current branch left main, as in git diff.
func resolve(ctx context.Context, dir, ref string) (commit string, shallow bool, err error) {
	name, fork := strings.CutSuffix(ref, "...")
	shown := clean.Line(ref, 120)
	if name == "" || name[0] == '-' || strings.Contains(name, "..") || strings.ContainsAny(name, "\x00\n\r") {
		return "", false, &fault.Error{Kind: fault.BadInput, What: fmt.Sprintf("%q does not name a commit", shown), Means: "nothing was compared",
			Do: "Give one commit, branch or tag; main... is where this branch left main"}
	}
	is, err := run(ctx, 100, dir, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return "", false, noRepository(dir, err)
	}
	shallow = strings.TrimSpace(string(is)) == "true"
	out, err := run(ctx, 1000, dir, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err == nil && fork {
		out, err = run(ctx, 1000, dir, "merge-base", strings.TrimSpace(string(out)), "HEAD")
	}
	var no *errExit
	if errors.As(err, &no) {
		e := &fault.Error{Kind: fault.NotFound, What: fmt.Sprintf("there is no commit %q in %s", shown, clean.Line(dir, 200)), Means: "nothing was compared",
			Do: "Check the name: git rev-parse " + shown}
		if fork {
			e.What = fmt.Sprintf("%q: no commit that both histories share was found in %s", shown, clean.Line(dir, 200))
		}
		if shallow {
			e.What += ", whose clone is shallow"
			e.Do = "Fetch more history (git fetch --unshallow; in a GitHub workflow fetch-depth: 2 for HEAD^1, or 0 for all)"
		}
		if no.said != "" {
			e.Cause = no
		}
		return "", shallow, e
	}
	if err != nil {
		return "", shallow, err
	}
	return strings.TrimSpace(string(out)), shallow, nil
}

func noRepository(dir string, err error) error {
	var no *errExit
	if !errors.As(err, &no) {
		return err
	}
	e := &fault.Error{Kind: fault.NotFound, What: "read git's history in " + clean.Line(dir, 200), Means: "nothing was compared", Cause: no,
		Do: "Run it in a git repository, or compare with --baseline instead"}
	if strings.Contains(no.said, "dubious ownership") {
		e.Kind, e.Do = fault.Forbidden, "The folder belongs to somebody else. If you trust it: git config --global --add safe.directory "+clean.Line(dir, 200)
	}
	return e
}
