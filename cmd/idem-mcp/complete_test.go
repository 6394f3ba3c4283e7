package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/tools"
)

// proposals are what a shell is told to propose after args.
func proposals(t *testing.T, args ...string) []string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	w := world{Args: append([]string{"__complete"}, args...), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Env: os.Environ(), Now: time.Now}
	if code := execute(t.Context(), w); code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
	}
	var out []string
	for line := range strings.Lines(stdout.String()) {
		if value, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); value != "" && !strings.HasPrefix(value, ":") {
			out = append(out, value)
		}
	}
	return out
}

// TestCompletion: every flag with fixed values proposes them.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"duplicates", "--output", ""}, []string{"text", "json"}},
		{[]string{"review", "--output", ""}, []string{"text", "json", "sarif", "github", "junit"}},
		{[]string{"survey", "--output", ""}, []string{"text", "json", "csv", "openmetrics"}},
		{[]string{"runs", "--source", ""}, sourceKinds()},
		{[]string{"serve", "--log-level", ""}, logLevels()},
		{[]string{"review", "--fail-on", ""}, tools.FailOn()},
		{[]string{"survey", "--by", ""}, []string{"activity", "app", "workflow", "day"}},
	} {
		if got := proposals(t, c.args...); !slices.Equal(got, c.want) {
			t.Errorf("%v proposes %v, want %v", c.args, got, c.want)
		}
	}
	if got := proposals(t, "explain", "IDEM00"); !slices.Contains(got, "IDEM002") || slices.Contains(got, "commit_lost") {
		t.Errorf("explain IDEM00 proposes %v", got)
	}
	root := (&app{}).root()
	asked := 0
	for _, c := range tools.All() {
		cmd, _, err := root.Find([]string{c.Command})
		if err != nil || isVariant(c) {
			continue
		}
		for _, f := range c.Fields {
			if len(f.Enum) == 0 || cmd.Flags().Lookup(flagName(f)) == nil {
				continue
			}
			asked++
			if got := proposals(t, c.Command, "--"+flagName(f), ""); !slices.Equal(got, f.Enum) {
				t.Errorf("%s --%s proposes %v, want %v", c.Command, flagName(f), got, f.Enum)
			}
		}
	}
	if asked < 5 {
		t.Errorf("%d flags with fixed values", asked)
	}
}
