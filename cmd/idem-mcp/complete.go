package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idem-mcp/idem-mcp/tools"
)

// offer has a shell propose the values that a flag can take. Registering fails only
// for a flag that the command lacks; TestCompletion asks for each one.
func offer(cmd *cobra.Command, flag string, values []string) {
	if len(values) > 0 {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

// offerOutput is for --output, which has more forms in some commands.
func offerOutput(root *cobra.Command) {
	_ = root.RegisterFlagCompletionFunc("output", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return append([]string{"text", "json"}, formsOf(cmd.Name())...), cobra.ShellCompDirectiveNoFileComp
	})
}

// offerTopics proposes what `explain` knows, read when a shell asks and not before.
func offerTopics(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	other := func(name string) bool { return !strings.HasPrefix(name, typed) }
	return slices.DeleteFunc(tools.Topics(), other), cobra.ShellCompDirectiveNoFileComp
}

// formsOf are the forms of a command's --output beside text and json.
func formsOf(command string) []string {
	switch command {
	case "review":
		return tools.ReviewOutputs()
	case "survey":
		return []string{"csv", "openmetrics"}
	default:
		return nil
	}
}

// logLevels are what --log-level and log.level can be.
func logLevels() []string { return []string{"error", "warn", "info", "debug"} }
