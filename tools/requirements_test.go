package tools_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idem-mcp/idem-mcp/tools"
)

var (
	named    = regexp.MustCompile("`([^`]+)`")
	goTest   = regexp.MustCompile(`^(?:([a-z]+)\.)?((?:Test|Fuzz)[A-Z]\w*)$`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// TestRequirements: whatever docs/requirements.md names exists, every line names
// something, and what is called open is not there yet.
func TestRequirements(t *testing.T) {
	tests := goTests(t)
	d := deps(t, "../examples/runs/s1-01-seq-3")
	known := map[string]bool{}
	rows := 0
	for n, line := range strings.Split(string(readFile(t, "../docs/requirements.md")), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 2 || strings.HasPrefix(line, "| requirement") {
			continue
		}
		rows++
		carried := cells[len(cells)-1]
		names := named.FindAllStringSubmatch(carried, -1)
		if len(names) == 0 {
			t.Errorf("line %d names nothing that carries it: %s", n+1, line)
		}
		open := strings.Contains(carried, "**open**")
		for _, m := range names {
			there, asked := known[m[1]]
			if !asked {
				there = carries(t, d, tests, m[1])
				known[m[1]] = there
			}
			switch {
			case open && strings.HasPrefix(m[1], "idem_") && there:
				t.Errorf("line %d is called open, and %s is there: say what carries it", n+1, m[1])
			case !there && !(open && strings.HasPrefix(m[1], "idem_")):
				t.Errorf("line %d names %s, which does not exist", n+1, m[1])
			}
		}
	}
	if rows < 90 {
		t.Errorf("%d requirements were read", rows)
	}
}

// carries reports whether name is a tool, a test, a path, or a topic that
// idem_explain knows.
func carries(t *testing.T, d tools.Deps, tests map[string]bool, name string) bool {
	t.Helper()
	if strings.HasPrefix(name, "idem_") {
		for _, c := range tools.All() {
			if c.Name == name {
				return true
			}
		}
		return false
	}
	if goTest.MatchString(name) {
		return tests[name]
	}
	if strings.Contains(name, "/") || strings.HasSuffix(name, ".md") {
		_, err := os.Stat(filepath.Join("..", filepath.FromSlash(name)))
		return err == nil
	}
	if _, err := os.Stat(filepath.Join("../examples/runs", name)); err == nil {
		return true
	}
	return byName(t, "explain").Call(t.Context(), d, arguments(t, map[string]string{"topic": name})).Err == nil
}

// goTests are the tests and fuzz targets of the repository, by name and by
// package.name.
func goTests(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(b), -1) {
			found[m[1]], found[filepath.Base(filepath.Dir(path))+"."+m[1]] = true, true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
