package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idem-mcp/idem-mcp/internal/clean"
)

// text builds the text form of an answer. The zero value is ready to use.
type text struct {
	strings.Builder
	shell bool
	part  *part // nil: the whole answer
}

// lines is how many lines were written.
func (t *text) lines() int { return strings.Count(t.String(), "\n") }

// detail says how the reader sees more.
func (t *text) detail() string {
	if t.shell {
		return "--response-format detailed lists them"
	}
	return "response_format detailed lists them"
}

func (t *text) line(format string, args ...any) {
	fmt.Fprintf(t, format+"\n", args...)
}

// section writes a heading and its lines, nothing when there are none.
func (t *text) section(heading string, lines []string, max int) {
	if len(lines) == 0 {
		return
	}
	t.line("\n%s", heading)
	for i, l := range lines {
		if i == max {
			t.line("- and %d more", len(lines)-max)
			return
		}
		t.line("- %s", l)
	}
}

// table writes rows in columns under a heading row. Columns that are empty in
// every row are left out.
func (t *text) table(heading []string, rows [][]string) {
	width := make([]int, len(heading))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for i := range heading {
		if width[i] > 0 {
			width[i] = max(width[i], utf8.RuneCountInString(heading[i]))
		}
	}
	write := func(r []string) {
		var b strings.Builder
		for i, c := range r {
			if width[i] == 0 {
				continue
			}
			b.WriteString(c)
			b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2))
		}
		t.line("%s", strings.TrimRight(b.String(), " "))
	}
	write(heading)
	for _, r := range rows {
		write(r)
	}
}

// closes are the members that closing writes, beside those that are always there.
var closes = [...]string{"summary", "coverage", "truncated", "narrow", "cursor", "payloads", "hints", "not_visible", "links", "next"}

// closing writes what every answer ends with.
func (t *text) closing(a *Answer) {
	if a.Truncated {
		t.line("\nMore exists than is listed. %s%s", a.Narrow, t.cursor(a.Cursor))
	}
	if n := a.Coverage.Skipped; n > 0 {
		t.line("\n%s passed over: no run in it.%s", plural(n, "file was", "files were"), passedOverHint(a, t))
		for _, p := range a.Coverage.PassedOver {
			t.line("- %s", p)
		}
	}
	if s := a.Payloads.String(); s != "" && t.part.has("payloads") {
		t.line("\n%s", s)
	}
	t.section("Read only in part:", a.Coverage.Missing, 5)
	if t.part.has("hints") {
		t.section("Why nothing may show, and what to try:", a.Hints, 6)
	}
	if t.part.has("not_visible") {
		t.section("Not visible here:", a.NotVisible, 6)
	}
	if t.part.has("links") {
		t.section("Links:", a.linkLines(), 5)
	}
	if t.part.has("next") {
		lines := make([]string, 0, len(a.Next))
		for _, n := range a.Next {
			lines = append(lines, t.call(n)+": "+n.Why)
		}
		t.section("Next:", lines, 4)
	}
}

// cursor shows what to pass to go on: some clients show their model only the
// text.
func (t *text) cursor(c string) string {
	if t.shell {
		return " (--cursor " + shellWord(c) + ")"
	}
	return fmt.Sprintf(" (cursor=%q)", c)
}

func (a *Answer) linkLines() []string {
	var lines []string
	for _, l := range a.Links {
		if l.URL != "" {
			lines = append(lines, l.URL+caveat(l.Why))
		} else if l.Why != "" {
			lines = append(lines, "no link for run "+l.Run+": "+l.Why)
		}
	}
	return lines
}

func caveat(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

// call writes a call as the reader would make it.
func (t *text) call(n Next) string {
	var b strings.Builder
	if !t.shell {
		b.WriteString(n.Tool)
		for _, k := range n.order() {
			fmt.Fprintf(&b, " %s=%q", k, n.Arguments[k])
		}
		return b.String()
	}
	command, positional := commandOf(n.Tool)
	b.WriteString("idem-mcp " + command)
	path := n.path
	for _, k := range n.order() {
		v := n.Arguments[k]
		switch {
		case k == "run" && n.path != "":
		case k == positional && strings.HasPrefix(v, "<"):
			path = strings.ToUpper(strings.TrimSuffix(k, "s"))
		case k == positional:
			path = shellWord(v)
		default:
			fmt.Fprintf(&b, " --%s %s", strings.ReplaceAll(k, "_", "-"), shellWord(v))
		}
	}
	if n.path != "" {
		path = shellWord(n.path)
	}
	if path != "" {
		b.WriteString(" " + path)
	}
	for _, p := range n.from {
		b.WriteString(" " + shellWord(p))
	}
	return b.String()
}

// order is the order in which a suggested call names its arguments: what it is
// about first.
func (n Next) order() []string {
	first := [...]string{"action", "id", "run", "app", "call", "activity", "language", "project", "workflow", "text"}
	names := slices.Sorted(maps.Keys(n.Arguments))
	place := func(s string) int {
		if i := slices.Index(first[:], s); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	return names
}

func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// quoted is what an application wrote, on one line and marked as its words.
func quoted(s string, max int) string { return clean.Quoted(s, max) }

// clock writes a time of day, and the day where it is another than that of ref.
func clock(at, ref time.Time) string {
	switch {
	case at.IsZero():
		return "(no time)"
	case ref.IsZero() || at.UTC().Format(time.DateOnly) != ref.UTC().Format(time.DateOnly):
		return at.UTC().Format("2006-01-02 15:04:05.000")
	}
	return at.UTC().Format("15:04:05.000")
}

// stamp writes a time in full, for JSON; empty for the zero time.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// span writes a duration a person can read.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + span(-d)
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// sentence begins with a capital and ends with a full stop. It is for our own
// words: a text that may begin with a name takes ended.
func sentence(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' && !strings.HasPrefix(s, "idem_") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return ended(s)
}

// ended ends with a full stop and changes nothing else.
func ended(s string) string {
	if s == "" {
		return s
	}
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// plural is "1 thing is" or "3 things are".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func passedOverHint(a *Answer, t *text) string {
	if len(a.Coverage.PassedOver) > 0 {
		return ""
	}
	return " (" + t.detail() + ")"
}
