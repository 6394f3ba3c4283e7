package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
	"github.com/idem-mcp/idem-mcp/review/knowledge"
	"github.com/idem-mcp/idem-mcp/review/rules"
)

// idem_explain answers: what does this rule, finding, key source, provider or
// term mean? It knows nothing of the user's runs or code.

func explain() Capability {
	return define(definition[explainIn, *explainOut]{
		Name: "idem_explain", Command: "explain", Title: "What does this mean?", Positional: "topic",
		Purpose: "Explains a rule (IDEM002), finding (commit_lost), key source, provider's key and window, or term, with source and date. Use it for what an answer names; not for your runs or code.",
		Example: `{"topic":"IDEM002","language":"python"}`,
		Run:     runExplain,
	})
}

type explainIn struct {
	Topic    string `json:"topic" doc:"rule id or name, finding kind, key source, provider or term; rules, findings, keys, providers or terms lists them" brief:"a name, or a list: rules, findings, keys, providers, terms"`
	Language string `json:"language" enum:"python,csharp,java,go,javascript,typescript" doc:"language of the examples" brief:"of examples"`
	Page
}

type explainOut struct {
	Answer
	Topic    string    `json:"topic"`
	Kind     string    `json:"kind" jsonschema:"rule, finding, key, provider, term, list or contents"`
	Sections []section `json:"sections"`
	Examples []example `json:"examples"`
}

// section is a heading and its text.
type section struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// example is a fault and its cure in one language.
type example struct {
	Language string `json:"language"`
	What     string `json:"what,omitempty"`
	Bad      string `json:"bad,omitempty"`
	Good     string `json:"good"`
}

// topic is one thing that can be explained.
type topic struct {
	kind  string
	names []string // the first is shown
	title string
	make  func(in explainIn) (sections []section, examples []example, err error)
}

func runExplain(_ context.Context, d Deps, in explainIn) (*explainOut, error) {
	all, err := topics()
	if err != nil {
		return nil, err
	}
	if in.Topic == "" {
		return contents(all), nil
	}
	want := topicName(in.Topic)
	if slices.Contains(topicKinds[:], want) {
		return listing(d, all, want, in)
	}
	t := findTopic(all, want)
	if t == nil {
		return nil, unknownTopic(all, in.Topic)
	}
	out := &explainOut{Topic: t.names[0], Kind: t.kind}
	out.Summary = t.title
	out.Sections, out.Examples, err = t.make(in)
	out.Sections, out.Examples = list(out.Sections), list(out.Examples)
	out.Next = afterTopic(t, in)
	return out, err
}

// afterTopic is what to ask when a topic is understood.
func afterTopic(t *topic, in explainIn) []Next {
	switch t.kind {
	case "rule":
		return []Next{{Tool: "idem_review_code", Arguments: map[string]string{"paths": "<folder of the activities>"}, Why: "where your code has it"}}
	case "provider", "key":
		if t.names[0] != "intent record" {
			return []Next{{Tool: "idem_explain", Arguments: map[string]string{"topic": "intent record"}, Why: "what to do where no key is possible or its window is too short"}}
		}
	}
	return []Next{{Tool: "idem_find_duplicates", Arguments: map[string]string{}, Why: "whether your runs show it"}}
}

// Topics are what idem_explain knows, by the names that it shows; none if the
// documentation that is built in cannot be read, which tests rule out.
func Topics() []string {
	all, err := topics()
	if err != nil {
		return nil
	}
	names := slices.Clone(topicKinds[:])
	for _, t := range all {
		names = append(names, t.names[0])
	}
	return names
}

func topicName(s string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(strings.TrimSpace(s)))
}

func findTopic(all []topic, want string) *topic {
	for i := range all {
		for _, n := range all[i].names {
			if topicName(n) == want {
				return &all[i]
			}
		}
	}
	var hit *topic // a part of exactly one name
	for i := range all {
		if slices.ContainsFunc(all[i].names, func(n string) bool { return strings.Contains(topicName(n), want) }) {
			if hit != nil {
				return nil
			}
			hit = &all[i]
		}
	}
	return hit
}

func unknownTopic(all []topic, given string) error {
	var names, near []string
	want := topicName(given)
	for _, t := range all {
		for _, n := range t.names {
			names = append(names, n)
			if strings.Contains(topicName(n), want) {
				near = append(near, t.names[0])
			}
		}
	}
	e := &badArgument{what: fmt.Sprintf("there is no topic %q", clean.Line(given, 60)), allowed: topicKinds[:], do: "rules, findings, keys, providers and terms list what there is"}
	if len(near) > 1 {
		e.what = fmt.Sprintf("%q fits several topics", clean.Line(given, 60))
		e.allowed = slices.Compact(near)[:min(len(near), 12)]
		e.do = "Give one of them"
	} else if n := nearest.Of(given, names); n != "" {
		e.do = fmt.Sprintf("Did you mean %q? Also: %s", n, e.do)
	}
	return e
}

var topicKinds = [...]string{"rules", "findings", "keys", "providers", "terms"}

// contents says what can be asked.
func contents(all []topic) *explainOut {
	out := &explainOut{Kind: "contents", Sections: []section{}, Examples: []example{}}
	out.Summary = fmt.Sprintf("%d topics: rules, findings, keys, providers and terms", len(all))
	out.Next = []Next{{Tool: "idem_explain", Arguments: map[string]string{"topic": "keys"}, Why: "which key to use; each name here is a topic"}}
	for _, k := range topicKinds {
		var names []string
		for _, t := range all {
			if t.kind+"s" == k {
				names = append(names, t.names[0])
			}
		}
		out.Sections = append(out.Sections, section{k, strings.Join(names, ", ")})
	}
	return out
}

// listing is the list of one kind: a line each, or in detailed form each in full.
func listing(d Deps, all []topic, want string, in explainIn) (*explainOut, error) {
	first := 0
	if in.Cursor != "" {
		n, err := cursorAt("topic:", in.Cursor)
		if err != nil {
			return nil, err
		}
		first = n
	}
	out := &explainOut{Topic: want, Kind: "list", Sections: []section{}, Examples: []example{}}
	var rows []section
	for _, t := range all {
		if t.kind+"s" != want {
			continue
		}
		row := section{t.names[0], t.title}
		if in.detailed() {
			parts, _, err := t.make(in)
			if err != nil {
				return nil, err
			}
			for _, p := range parts {
				row.Text += "\n" + p.Heading + ": " + oneLine(p.Text)
			}
		}
		rows = append(rows, row)
	}
	listed := rows[min(first, len(rows)):]
	if in.Limit > 0 {
		listed = listed[:min(in.Limit, len(listed))]
	}
	n := fitting(len(listed), d.budget()*9/10, func(i int) int { return size(listed[i]) })
	out.Sections = list(listed[:n])
	out.Summary = fmt.Sprintf("%d %s", len(rows), want)
	if next := first + n; next < len(rows) {
		out.Truncated, out.Cursor = true, fmt.Sprintf("topic:%d", next)
		out.Narrow = fmt.Sprintf("%d of %d are listed; pass cursor for the rest, or one name as topic.", next, len(rows))
	}
	if n > 0 {
		out.Next = []Next{{Tool: "idem_explain", Arguments: map[string]string{"topic": listed[0].Heading}, Why: "one of them in full, with examples"}}
	} else {
		out.Hints = []string{"The cursor is behind the end of the list: leave it out to begin again."}
		out.Next = []Next{{Tool: "idem_explain", Arguments: map[string]string{"topic": want}, Why: "the list from its beginning"}}
	}
	return out, nil
}

func topics() ([]topic, error) {
	var all []topic
	for _, r := range rules.All() {
		doc, err := r.Doc()
		if err != nil {
			return nil, fmt.Errorf("read the documentation of %s: %w", r.ID, err)
		}
		all = append(all, topic{kind: "rule", names: []string{r.ID, r.Slug, r.Kind}, title: fmt.Sprintf("%s %s (%s)", r.ID, r.Slug, r.Severity) + ": " + oneLine(doc.Summary),
			make: func(in explainIn) ([]section, []example, error) {
				s := []section{{"What it does", doc.What}, {"Why is this bad", doc.Why}, {"When it is fine", doc.Fine}, {"Use instead", doc.Instead}}
				var ex []example
				for _, e := range doc.Examples {
					if l := languageOf[e.Extension]; in.Language == "" && (len(ex) == 0 || in.detailed()) || l == in.Language || in.Language == "javascript" && l == "typescript" {
						ex = append(ex, example{Language: l, Bad: e.Bad, Good: e.Good})
					}
				}
				return s, ex, nil
			}})
	}
	slices.SortFunc(all, func(a, b topic) int { return strings.Compare(a.names[0], b.names[0]) })
	for _, k := range kinds() {
		all = append(all, findingTopic(k))
	}
	all = append(all, keyTopics()...)
	for _, p := range knowledge.Providers() {
		all = append(all, providerTopic(p))
	}
	return append(all, termTopics()...), nil
}

var languageOf = map[string]string{"py": "python", "cs": "csharp", "java": "java", "go": "go", "js": "javascript", "ts": "typescript"}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func fixed(sections ...section) func(explainIn) ([]section, []example, error) {
	return func(explainIn) ([]section, []example, error) { return sections, nil, nil }
}

func findingTopic(k history.FindingKind) topic {
	d := findingDocs[k]
	repeat := "It is not a repeat: it does not make the exit code 1."
	if k.Repeat() {
		repeat = "It is a repeat: the exit code is 1."
	}
	return topic{kind: "finding", names: []string{string(k)}, title: d.says,
		make: fixed(section{"What the events say", d.says}, section{"Certainty", d.certainty}, section{"For the outside world", d.means}, section{"Exit code", repeat})}
}

func providerTopic(p knowledge.Provider) topic {
	key := cmp.Or(p.Key, "none")
	window := cmp.Or(p.Condition, "not stated")
	if p.Window > 0 {
		least := ""
		if p.AtLeast {
			least = " or longer"
		}
		window = fmt.Sprintf("%s%s (%s)", duration(p.Window), least, cmp.Or(p.Condition, "as documented"))
	}
	verified := "read in the provider's documentation or source, checked " + knowledge.ProvidersChecked
	if p.WindowUnverified {
		verified += "; the WINDOW is unverified: from memory, or its sources disagree"
	}
	if !p.Verified {
		verified = "UNVERIFIED: from memory, not read; check before relying on it"
	}
	sections := []section{{"Key", key}, {"Window and conditions", window}}
	for _, s := range []section{{"Scope", p.Scope}, {"The same key with other parameters", p.Changed}, {"While the first is under way", p.InFlight}, {"After the first failed", p.AfterFailure}} {
		if s.Text != "" {
			sections = append(sections, s)
		}
	}
	return topic{kind: "provider", names: []string{p.Name, p.ID}, title: fmt.Sprintf("%s: key %s; %s", p.Name, key, window),
		make: fixed(append(sections, section{"Evidence", verified + "; source: " + cmp.Or(p.Source, "none")},
			section{"What to compare", "the window against the longest time between two runs of the activity: the retry policy's horizon, an outage, a suspended run, a rerun. A key that expired is no key"})...)}
}

func duration(d time.Duration) string {
	if d >= 24*time.Hour && d%(24*time.Hour) == 0 {
		return plural(int(d/(24*time.Hour)), "day", "days")
	}
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

func (out *explainOut) render(t *text) {
	t.line("%s", sentence(out.Summary))
	for _, s := range out.Sections {
		if out.Kind == "list" {
			title, more, _ := strings.Cut(s.Text, "\n")
			t.line("- %s: %s", s.Heading, oneLine(title))
			if more != "" {
				t.line("    %s", strings.ReplaceAll(more, "\n", "\n    "))
			}
			continue
		}
		t.line("\n%s\n  %s", s.Heading, strings.ReplaceAll(s.Text, "\n", "\n  "))
	}
	for _, e := range out.Examples {
		if e.Bad == "" {
			t.line("\n%s (%s):\n\n%s", sentenceStart(e.What), e.Language, indent(e.Good))
			continue
		}
		t.line("\nIn %s, instead of\n\n%s\n\nwrite\n\n%s", e.Language, indent(e.Bad), indent(e.Good))
	}
	t.closing(&out.Answer)
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}
