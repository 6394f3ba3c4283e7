package tools

import "strings"

// All is every capability, in the order in which a person meets them. A new
// one is added here and nowhere else.
func All() []Capability {
	return []Capability{
		status(),
		listRuns(),
		findDuplicates(),
		surveyRuns(),
		explainCall(),
		previewRerun(),
		readHistory(),
		consoleLink(),
		reviewCode(),
		reviewPullRequest(),
		chooseKey(),
		explain(),
	}
}

// commandOf is the shell command of a tool.
func commandOf(tool string) string {
	for _, c := range All() {
		if c.Name == tool {
			return c.Command
		}
	}
	return strings.ReplaceAll(strings.TrimPrefix(tool, "idem_"), "_", "-")
}
