package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/gate"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/review/parse"
)

// doctorTime bounds what doctor waits for a source.
const doctorTime = 20 * time.Second

// check is one thing that doctor looked at.
type check struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, note or broken
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"`
}

// broken is the check of something that failed.
func broken(name string, err error) check {
	c := check{Name: name, State: "broken", Says: err.Error()}
	var f *fault.Error
	if errors.As(err, &f) {
		c.Says, c.Do = f.What, f.Do
		if f.Cause != nil {
			c.Says += ": " + f.Cause.Error()
		}
	}
	c.Says = clean.Line(c.Says, 500)
	return c
}

// doctor checks what every other command rests on, and says what to do.
func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check the configuration, the source, the sign-in and the build", Args: cobra.NoArgs,
		Long: `Checks the configuration, whether the source of runs can be reached and read, the
sign-in, what code review needs, and the settings of the HTTP server, and says what to
do. It reads one run's header at most. Exit code 3 if something is broken.`,
		Example: "  idem-mcp doctor\n  idem-mcp doctor --source catalyst",
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks := a.examine(cmd.Context())
			for _, c := range checks {
				if c.State == "broken" {
					a.code = exitError
				}
			}
			if a.output == "json" {
				b, err := json.MarshalIndent(struct {
					Checks []check `json:"checks"`
				}{checks}, "", "  ")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.Stdout, string(b))
				return err
			}
			for _, c := range checks {
				fmt.Fprintf(a.Stdout, "%-7s %-14s %s\n", c.State, c.Name, c.Says)
				if c.Do != "" {
					fmt.Fprintf(a.Stdout, "        %14s %s\n", "", c.Do)
				}
			}
			return nil
		},
	}
}

// examine makes every check. Those after a broken configuration make no sense.
func (a *app) examine(ctx context.Context) []check {
	out := []check{buildCheck()}
	file, _, err := findConfig(a.configPath, a.Env)
	if err != nil {
		return append(out, broken("configuration", err))
	}
	c, err := load(a.configPath, a.Env)
	if err == nil {
		err = a.override(&c, nil)
	}
	if err != nil {
		return append(out, broken("configuration", err))
	}
	says := "no file; defaults and the environment"
	if file != "" {
		says = "read from " + file
	}
	out = append(out, check{"configuration", "ok", says, ""})
	out = append(out, a.sourceChecks(ctx, c)...)
	out = append(out, reviewCheck(c))
	return append(out, serveChecks(c)...)
}

func buildCheck() check {
	b := thisBuild()
	return check{"build", "ok", fmt.Sprintf("idem-mcp %s, %s, %s", b.whole(), b.Go, b.Platform), ""}
}

// sourceChecks opens the source and reads the first run's header.
func (a *app) sourceChecks(ctx context.Context, c config) []check {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	src, chosen, err := openSource(c, nil, a.Stdin)
	if err != nil {
		return []check{broken("source", err)}
	}
	d := src.Describe(ctx)
	where := fmt.Sprintf("%s (%s), %s", d.Name, clean.Line(d.Where, 200), chosen)
	if d.Problem != nil {
		return []check{{"source", "note", where, ""}, broken("reading", d.Problem)}
	}
	out := []check{{"source", "ok", where, ""}}
	if d.Account != "" {
		out = append(out, check{"sign-in", "ok", "as " + clean.Line(d.Account, 200), ""})
	}
	level := check{"data sharing", "ok", d.Sharing.String(), ""}
	if d.Sharing.Level == history.LevelMetadata {
		level.Says += ": payloads are withheld, and every answer says so"
	}
	return append(out, level, firstRun(ctx, src))
}

// firstRun reads one run's header.
func firstRun(ctx context.Context, src history.Source) check {
	for h, err := range src.Runs(ctx, history.Filter{}) {
		var skipped *history.Skipped
		switch {
		case errors.As(err, &skipped):
			continue
		case err != nil:
			return broken("reading", err)
		}
		return check{"reading", "ok", "a run can be read: " + clean.Line(h.Ref.Instance, 120), ""}
	}
	return check{"reading", "note", "the source answers and holds no run", "Check the project, app and namespace that it reads: idem-mcp status"}
}

func reviewCheck(c config) check {
	if !parse.BuiltIn {
		return check{"code review", "note", "not in this build: it was made without cgo", "Take a build with cgo, or: CGO_ENABLED=1 go install"}
	}
	access, err := codeAccess(c)
	if err != nil {
		return broken("code review", err)
	}
	for _, r := range access.Roots {
		if info, err := os.Stat(r); err != nil || !info.IsDir() {
			return check{"code review", "broken", "the root " + clean.Line(r, 200) + " is no folder", "Change review.roots"}
		}
	}
	return check{"code review", "ok", "an assistant may have reviewed: " + clean.Line(strings.Join(access.Roots, ", "), 300), ""}
}

// serveChecks reads what `serve --http` would read.
func serveChecks(c config) []check {
	g, err := c.gate()
	if err != nil {
		return []check{broken("http server", err)}
	}
	how := []string{}
	if g.Token != "" {
		how = append(how, "a shared token")
	}
	if len(g.Tokens) > 0 {
		how = append(how, fmt.Sprintf("%d named token(s)", len(g.Tokens)))
	}
	if g.OAuth != nil {
		how = append(how, "tokens of "+clean.Line(g.OAuth.Issuer, 120))
	}
	if c.Serve.TLSCert != "" || c.Serve.TLSKey != "" {
		if _, err := tls.LoadX509KeyPair(c.Serve.TLSCert, c.Serve.TLSKey); err != nil {
			return []check{broken("http server", &fault.Error{Kind: fault.Config, What: "load serve.tls_cert and serve.tls_key", Cause: err, Do: "Both must name PEM files that fit each other"})}
		}
		how = append(how, "TLS")
	}
	if len(how) == 0 {
		return []check{{"http server", "ok", "no token: it can serve on loopback only", ""}}
	}
	if err := gate.Check(g); err != nil {
		return []check{broken("http server", err)}
	}
	return []check{{"http server", "ok", strings.Join(how, ", "), ""}}
}
