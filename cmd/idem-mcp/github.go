package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idem-mcp/idem-mcp/github"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/tools"
)

// openGitHub makes the client of the configured GitHub. Nothing is asked before a
// tool needs it.
func openGitHub(c config, now func() time.Time) (*github.Client, error) {
	g := github.Config{URL: c.GitHub.URL, Token: strings.TrimSpace(c.GitHub.Token), TokenFrom: "github.token", Now: now}
	if c.getenv(envPrefix+"_GITHUB_TOKEN") != "" {
		g.TokenFrom = envPrefix + "_GITHUB_TOKEN"
	}
	// GITHUB_TOKEN belongs to one GitHub: that of GITHUB_SERVER_URL, which workflows
	// set, else github.com. Another one is not sent it.
	if t := strings.TrimSpace(c.getenv("GITHUB_TOKEN")); g.Token == "" && t != "" && github.Same(c.GitHub.URL, c.getenv("GITHUB_SERVER_URL")) {
		g.Token, g.TokenFrom = t, "GITHUB_TOKEN"
	}
	return github.New(g)
}

// A variant is a capability that is a flag of another one's command: the command
// of idem_review_pull_request is `review --pr`.
type variant struct {
	tools.Capability
	flag string // empty: there is none
}

func isVariant(c tools.Capability) bool { return strings.Contains(c.Command, " --") }

func variantOf(c tools.Capability) variant {
	for _, v := range tools.All() {
		if flag, ok := strings.CutPrefix(v.Command, c.Command+" --"); ok {
			return variant{v, flag}
		}
	}
	return variant{}
}

func (v variant) define(cmd *cobra.Command) {
	if v.flag == "" {
		return
	}
	i := slices.IndexFunc(v.Fields, func(f tools.Field) bool { return f.Name == v.Positional })
	cmd.Flags().String(v.flag, "", v.Fields[i].Doc)
	cmd.Long += fmt.Sprintf("\n\n--%s: %s The same as the MCP tool %s.", v.flag, v.Purpose, v.Name)
	cmd.Example += "\n" + example(v.Capability)
}

func (v variant) asked(cmd *cobra.Command) bool { return v.flag != "" && cmd.Flags().Changed(v.flag) }

// arguments are those of the variant. Flags that it does not know are refused, as
// leaving them out would answer another question.
func (v variant) arguments(cmd *cobra.Command, paths []string) (json.RawMessage, error) {
	wrong := ""
	if len(paths) > 0 {
		wrong = "a path"
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != v.flag && cmd.InheritedFlags().Lookup(f.Name) == nil && !slices.ContainsFunc(v.Fields, func(x tools.Field) bool { return flagName(x) == f.Name }) {
			wrong = "--" + f.Name
		}
	})
	if wrong != "" {
		return nil, &fault.Error{Kind: fault.BadInput, What: wrong + " does not go with --" + v.flag, Do: "Leave one of them out"}
	}
	value, err := cmd.Flags().GetString(v.flag)
	if err != nil {
		return nil, err
	}
	return arguments(cmd, v.Capability, []string{value})
}
