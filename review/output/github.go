package output

import (
	"fmt"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

// commands are GitHub's names for severities.
var commands = map[review.Severity]string{review.Hazard: "error", review.Verify: "warning", review.Advice: "notice"}

// shownAnnotations is how many of one kind GitHub shows for a step.
const shownAnnotations = 10

// GitHub writes the findings that are not known already, or worse than they were, as workflow commands,
// which GitHub shows beside the lines of a pull request, and one line that sums
// up.
func GitHub(r *Report) []byte {
	var b strings.Builder
	of := map[review.Severity]int{}
	for _, c := range r.listed(func(c *review.Change) bool { return c.Status == "" || c.Status == review.New || c.Worse }) {
		of[c.Severity]++
		text := says(&c.Finding)
		if c.Worse {
			text = "known before, and its call site gained a retry policy. " + text
		}
		if c.Activity != "" {
			text = c.Activity + ": " + text
		}
		if p := through(&c.Finding); p != "" {
			text += "\nReached through " + p + "."
		}
		command(&b, commands[c.Severity], text, "file", c.File, "line", fmt.Sprint(c.Line), "endLine", fmt.Sprint(max(c.EndLine, c.Line)), "title", c.Rule+" "+c.Slug)
	}
	for _, g := range r.Gaps {
		command(&b, "warning", g.Reason, "file", g.File, "title", "Read only in part")
	}
	if fixed := r.listed(func(c *review.Change) bool { return c.Status == review.Fixed }); len(fixed) > 0 && r.Anew != "" {
		var names []string
		for _, c := range fixed {
			names = append(names, c.Rule+" in "+c.Activity)
		}
		command(&b, "notice", "Fixed: "+strings.Join(names, ", ")+".\nWrite the baseline anew: "+r.Anew, "title", "The baseline holds findings that are fixed")
	}
	line := "idem-mcp: " + r.Summary + "."
	for _, n := range of {
		if n > shownAnnotations {
			line += fmt.Sprintf(" GitHub shows %d of each kind; the log has all.", shownAnnotations)
			break
		}
	}
	if len(r.Gaps) > 0 {
		line += fmt.Sprintf(" Read only in part; not read: %d.", len(r.Gaps))
	}
	b.WriteString(strings.ReplaceAll(line, "##[", "# #[") + "\n") // an old form of command, which GitHub looks for anywhere in a line
	return []byte(b.String())
}

// command writes ::name key=value,…::text. Without escapes, what a file name or
// a message holds could end the line and begin a command of its own.
func command(b *strings.Builder, name, text string, properties ...string) {
	b.WriteString("::" + name)
	for i := 0; i < len(properties); i += 2 {
		sep := ","
		if i == 0 {
			sep = " "
		}
		b.WriteString(sep + properties[i] + "=" + escapeProperty(properties[i+1]))
	}
	b.WriteString("::" + escapeText(text) + "\n")
}

func escapeText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
