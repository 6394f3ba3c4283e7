package conformance_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the results into docs/conformance.md")

const doc = "../../docs/conformance.md"

// A column is one server at one revision.
type column struct{ target, revision string }

// expected is testdata/expected.yaml.
type expected struct {
	// Generic are the scenarios that make sense on the program: those that ask for
	// no tool, prompt or resource of the suite's own.
	Generic []string
	// LeftOut are patterns of scenarios that are run and not judged.
	LeftOut []struct{ Scenarios, Why string } `yaml:"left_out"`
	// Failures are the checks that fail.
	Failures []failure
}

type failure struct {
	Target, Revision string
	Checks           []string // scenario:check
	Because          string   // design, library or suite
	Why, Issue       string
}

func readExpected(t *testing.T) expected {
	f, err := os.Open("testdata/expected.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var e expected
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&e); err != nil {
		t.Fatal(err)
	}
	for _, x := range e.Failures {
		if !slices.Contains([]string{"design", "library", "suite"}, x.Because) || x.Why == "" {
			t.Errorf("%s of %s: an expected failure needs a reason", x.Checks, x.Target)
		}
	}
	return e
}

// judged are the scenarios that count.
func (e expected) judged(c column, got results) results {
	out := maps.Clone(got)
	maps.DeleteFunc(out, func(scenario string, _ []check) bool {
		if c.target == "binary" && !slices.Contains(e.Generic, scenario) {
			return true
		}
		return slices.ContainsFunc(e.LeftOut, func(l struct{ Scenarios, Why string }) bool {
			left, err := path.Match(l.Scenarios, scenario)
			return left && err == nil
		})
	})
	return out
}

// compare holds the failures against the expected ones, both ways.
func (e expected) compare(t *testing.T, c column, got results) {
	want := map[string]bool{}
	for _, x := range e.Failures {
		if matches(x.Target, c.target) && matches(x.Revision, c.revision) {
			for _, name := range x.Checks {
				want[name] = true
			}
		}
	}
	for scenario, checks := range got {
		for _, k := range checks {
			if name := scenario + ":" + k.ID; bad(k) && !want[name] {
				t.Errorf("%s: %s %s", name, k.Status, k.ErrorMessage)
			}
		}
	}
	for name := range want {
		scenario, id, _ := strings.Cut(name, ":")
		if !slices.ContainsFunc(got[scenario], func(k check) bool { return k.ID == id && bad(k) }) {
			t.Errorf("%s no longer fails: take it from testdata/expected.yaml", name)
		}
	}
}

// matches reports whether an entry is about one; an empty one is about all.
func matches(entry, one string) bool { return entry == "" || slices.Contains(strings.Fields(entry), one) }

func bad(k check) bool { return k.Status == "FAILURE" || k.Status == "WARNING" }

// document compares the document with the results, or writes them into it.
func document(t *testing.T, list []target, e expected, all map[column]results) {
	b, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- begin: written by make conformance -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the results", doc)
	}
	text := before + begin + table(list, all) + "\n" + reasons(list, e) + end + after
	switch {
	case text == string(b):
	case *update && !t.Failed():
		if err := os.WriteFile(doc, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	case !t.Failed():
		t.Errorf("docs/conformance.md differs from the results: run make conformance and look at the diff")
	}
}

func table(list []target, all map[column]results) string {
	var b strings.Builder
	columns, scenarios := []column{}, map[string]bool{}
	head, line := "| scenario |", "|---|"
	for _, revision := range revisions() {
		for _, to := range list {
			c := column{to.name, revision}
			columns, head, line = append(columns, c), head+fmt.Sprintf(" %s: %s |", revision, to.title), line+"---|"
			for scenario := range all[c] {
				scenarios[scenario] = true
			}
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, line)
	for _, scenario := range slices.Sorted(maps.Keys(scenarios)) {
		fmt.Fprintf(&b, "| `%s` |", scenario)
		for _, c := range columns {
			checks, ran := all[c][scenario]
			fmt.Fprintf(&b, " %s |", verdict(checks, ran))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// verdict says how the checks of a scenario went.
func verdict(checks []check, ran bool) string {
	n := map[string]int{}
	for _, k := range checks {
		n[k.Status]++
	}
	asked := n["SUCCESS"] + n["FAILURE"] + n["WARNING"]
	switch {
	case !ran:
		return ""
	case n["FAILURE"] > 0:
		return fmt.Sprintf("**fails** %d of %d", n["FAILURE"], asked)
	case n["WARNING"] > 0:
		return fmt.Sprintf("warns %d of %d", n["WARNING"], asked)
	case asked == 0:
		return "asks nothing"
	}
	return fmt.Sprintf("passes %d", asked)
}

// reasons lists what is expected to fail, and why.
func reasons(list []target, e expected) string {
	var b strings.Builder
	b.WriteString("| fails or warns | on | because of | why |\n|---|---|---|---|\n")
	for _, x := range e.Failures {
		on := []string{}
		for _, to := range list {
			if matches(x.Target, to.name) {
				on = append(on, to.title)
			}
		}
		where := strings.Join(on, "; ")
		if x.Revision != "" {
			where += " (" + x.Revision + ")"
		}
		why := strings.TrimSpace(x.Why)
		if x.Issue != "" {
			why += " " + x.Issue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.Join(x.Checks, "`<br>`"), where, x.Because, why)
	}
	b.WriteString("\nRun and not judged:\n\n")
	for _, l := range e.LeftOut {
		fmt.Fprintf(&b, "- `%s`: %s\n", l.Scenarios, strings.TrimSpace(l.Why))
	}
	return b.String()
}
