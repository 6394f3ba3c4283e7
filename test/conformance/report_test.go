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

// surprises are the failures that are not expected, and the expected ones that do
// not happen.
func (e expected) surprises(c column, got results) []string {
	want := map[string]bool{}
	for _, x := range e.Failures {
		if matches(x.Target, c.target) && matches(x.Revision, c.revision) {
			for _, name := range x.Checks {
				want[name] = true
			}
		}
	}
	var out []string
	for scenario, checks := range got {
		for _, k := range checks {
			if name := scenario + ":" + k.ID; bad(k) && !want[name] {
				out = append(out, fmt.Sprintf("%s: %s %s", name, k.Status, k.ErrorMessage))
			}
		}
	}
	for name := range want {
		scenario, id, _ := strings.Cut(name, ":")
		if !slices.ContainsFunc(got[scenario], func(k check) bool { return k.ID == id && bad(k) }) {
			out = append(out, name+" no longer fails: take it from testdata/expected.yaml")
		}
	}
	slices.Sort(out)
	return out
}

// matches reports whether an entry is about one; an empty one is about all.
func matches(entry, one string) bool {
	return entry == "" || slices.Contains(strings.Fields(entry), one)
}

// TestSurprises: a list of what is known to fail is worth something only if it is
// complete and nothing on it has been mended.
func TestSurprises(t *testing.T) {
	e := expected{Failures: []failure{{Target: "one two", Revision: "r", Checks: []string{"s:a"}}, {Checks: []string{"s:w"}}}}
	failing := []check{{ID: "a", Status: "FAILURE"}, {ID: "w", Status: "WARNING"}, {ID: "ok", Status: "SUCCESS"}}
	for _, c := range []struct {
		column column
		checks []check
		want   int
	}{
		{column{"two", "r"}, failing, 0},
		{column{"three", "r"}, failing, 1},                                                 // a fails and is expected elsewhere
		{column{"two", "r"}, failing[1:], 1},                                               // a is gone
		{column{"two", "r"}, []check{{ID: "a", Status: "SUCCESS"}, failing[1]}, 1},         // a passes
		{column{"two", "r"}, append([]check{{ID: "b", Status: "FAILURE"}}, failing...), 1}, // b is new
		{column{"two", "r"}, nil, 2},
	} {
		if got := e.surprises(c.column, results{"s": c.checks}); len(got) != c.want {
			t.Errorf("%v %v: %q", c.column, c.checks, got)
		}
	}
}

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
	text := before + begin + table(list, all) + reasons(list, e) + end + after
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

// table is what came of every scenario, a table for each revision.
func table(list []target, all map[column]results) string {
	var b strings.Builder
	for _, revision := range revisions() {
		scenarios := map[string]bool{}
		fmt.Fprintf(&b, "### %s\n\n| scenario |", revision)
		for _, to := range list {
			fmt.Fprintf(&b, " %s |", to.title)
			for scenario := range all[column{to.name, revision}] {
				scenarios[scenario] = true
			}
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(list)) + "\n")
		for _, scenario := range slices.Sorted(maps.Keys(scenarios)) {
			fmt.Fprintf(&b, "| `%s` |", scenario)
			for _, to := range list {
				checks, ran := all[column{to.name, revision}][scenario]
				fmt.Fprintf(&b, " %s |", verdict(checks, ran))
			}
			b.WriteString("\n")
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
	b.WriteString("### What fails or warns, and why\n\n| check | on | because of | why |\n|---|---|---|---|\n")
	for _, x := range e.Failures {
		on := []string{}
		for _, to := range list {
			if matches(x.Target, to.name) {
				on = append(on, to.title)
			}
		}
		where := strings.Join(on, ", ")
		if x.Revision != "" {
			where += "; " + x.Revision
		}
		why := x.Why
		if x.Issue != "" {
			why += ". Upstream: " + x.Issue
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.Join(x.Checks, "`<br>`"), where, x.Because, why)
	}
	b.WriteString("\nRun and not judged:\n\n")
	for _, l := range e.LeftOut {
		fmt.Fprintf(&b, "- `%s`: %s\n", l.Scenarios, l.Why)
	}
	return b.String()
}
