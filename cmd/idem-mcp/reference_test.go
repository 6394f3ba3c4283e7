package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/internal/golden"
)

// reference is docs/commands.md: the help of every command on one page, from the
// same definitions.
func reference() string {
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	b.WriteString("# Commands\n\nWhat `--help` says of each command, written by `make generate`. How they are used is in the [README](../README.md); the settings are in\n`config.example.yaml`.\n")
	fmt.Fprintf(&b, "\n%s\n\n## Flags of every command\n\n```text\n%s```\n", root.Long, root.PersistentFlags().FlagUsages())
	describe(&b, root)
	return b.String()
}

// describe writes the commands of the program; none has commands of its own.
func describe(w io.Writer, cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		path := c.CommandPath()
		fmt.Fprintf(w, "\n## %s\n\n%s\n\n```text\n%s\n```\n", path, c.Short, strings.TrimSuffix(path, c.Name())+c.Use)
		if c.Name() == "completion" { // its text is cobra's, one for each shell
			fmt.Fprintf(w, "%s", "\nWith bash, fish, powershell or zsh after it. [install.md](install.md#completion-in-a-shell) shows how to load what it prints.\n")
			continue
		}
		if c.Long != "" {
			fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(strings.ReplaceAll(c.Long, "\t", "    ")))
		}
		if c.Example != "" {
			fmt.Fprintf(w, "\n```sh\n%s\n```\n", strings.TrimSpace(strings.ReplaceAll(c.Example, "\n  ", "\n")))
		}
		c.InitDefaultHelpFlag()
		_ = c.Flags().MarkHidden("help") // every command has it
		if usage := c.LocalFlags().FlagUsages(); usage != "" {
			fmt.Fprintf(w, "\n```text\n%s```\n", usage)
		}
	}
}

// TestCommandReference: docs/commands.md is what the commands say of themselves.
func TestCommandReference(t *testing.T) {
	golden.File(t, "../../docs/commands.md", []byte(reference()))
}
