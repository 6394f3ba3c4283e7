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
		reconcile(),
		readHistory(),
		consoleLink(),
		reviewCode(),
		reviewPullRequest(),
		chooseKey(),
		explain(),
	}
}

// commandOf is the shell command of a tool, and the argument that its plain words
// fill.
func commandOf(tool string) (command, positional string) {
	for _, c := range All() {
		if c.Name == tool {
			return c.Command, c.Positional
		}
	}
	return strings.ReplaceAll(strings.TrimPrefix(tool, "idem_"), "_", "-"), ""
}
