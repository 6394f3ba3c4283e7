package output

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review"
)

// The elements that the readers of JUnit reports have in common; the schema in
// testdata says the same.
type (
	testSuites struct {
		XMLName  xml.Name    `xml:"testsuites"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Suites   []testSuite `xml:"testsuite"`
	}
	testSuite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		File     string     `xml:"file,attr,omitempty"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Name    string  `xml:"name,attr"`
		Class   string  `xml:"classname,attr"`
		Time    string  `xml:"time,attr"`
		Skipped *told   `xml:"skipped"`
		Failure *told   `xml:"failure"`
		Out     *string `xml:"system-out"`
	}
	told struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes one test for each activity, in a suite for each file. A test
// fails for the findings that the build fails for; its output holds the others.
// A file that could not be read is a skipped test: it neither passed nor failed.
func JUnit(r *Report) ([]byte, error) {
	out := testSuites{Name: "idem-mcp review"}
	byFile := map[string]*testSuite{}
	var files []string
	for i := range r.Units {
		u := &r.Units[i]
		if u.Verdict == review.Gone {
			continue
		}
		s := byFile[u.File]
		if s == nil {
			s = &testSuite{Name: u.File, File: u.File}
			byFile[u.File] = s
			files = append(files, u.File)
		}
		c := r.test(u)
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	slices.Sort(files)
	for _, f := range files {
		out.Suites = append(out.Suites, *byFile[f])
	}
	if len(r.Gaps) > 0 {
		s := testSuite{Name: "not reviewed"}
		for _, g := range r.Gaps {
			s.Tests, s.Skipped = s.Tests+1, s.Skipped+1
			s.Cases = append(s.Cases, testCase{Name: g.File, Class: "not reviewed", Time: "0", Skipped: &told{Message: g.Reason}})
		}
		out.Suites = append(out.Suites, s)
	}
	for _, s := range out.Suites {
		out.Tests, out.Failures = out.Tests+s.Tests, out.Failures+s.Failures
	}
	b, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

func (r *Report) test(u *review.Unit) testCase {
	c := testCase{Name: u.Name, Class: strings.ReplaceAll(strings.TrimPrefix(u.File, "/"), "/", "."), Time: "0"}
	if u.Workflow {
		c.Name = "workflow " + u.Name
	}
	var failing, others []string
	var first *review.Change
	for i := range u.Changes {
		x := &u.Changes[i]
		text := fmt.Sprintf("%s %s %s:%d %s\n  %s", x.Rule, x.Severity, x.File, x.Line, x.Quote, says(&x.Finding))
		if p := through(&x.Finding); p != "" {
			text += "\n  reached through " + p
		}
		if x.Status != "" {
			status := string(x.Status)
			if x.Worse {
				status += ", and its call site gained a retry policy"
			}
			text = status + ": " + text
		}
		if r.Fails(*x) {
			if first == nil {
				first = x
			}
			failing = append(failing, text)
		} else {
			others = append(others, text)
		}
	}
	if first != nil {
		c.Failure = &told{Message: first.Message, Type: first.Rule + " " + first.Slug, Text: strings.Join(failing, "\n")}
		if n := len(failing); n > 1 {
			c.Failure.Message += fmt.Sprintf(" (and %d more)", n-1)
		}
	}
	if len(others) > 0 {
		text := strings.Join(others, "\n")
		c.Out = &text
	}
	return c
}
