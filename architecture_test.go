// Package idem_test holds the conventions of the whole repository.
package idem_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/idem-mcp/idem-mcp"

type row struct {
	pattern string
	allowed []string
}

var quotedName = regexp.MustCompile("`([^`]+)`")

// table reads the import table of ARCHITECTURE.md, first row first.
func table(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	sc := bufio.NewScanner(bytes.NewReader(b))
	for sc.Scan() {
		cells := strings.Split(sc.Text(), "|")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		r := row{pattern: quotedName.FindStringSubmatch(cells[1])[1]}
		for _, m := range quotedName.FindAllStringSubmatch(cells[3], -1) {
			r.allowed = append(r.allowed, m[1])
		}
		rows = append(rows, r)
	}
	if len(rows) < 10 {
		t.Fatalf("read %d rows of the import table", len(rows))
	}
	return rows
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix) || name == strings.TrimSuffix(prefix, "/") && !strings.HasSuffix(prefix, "/")
	}
	return pattern == name
}

// TestImports compares every package's imports with the first row of the table
// that is about it.
func TestImports(t *testing.T) {
	rows := table(t)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if name == "" {
			continue // this package
		}
		i := slices.IndexFunc(rows, func(r row) bool { return matches(r.pattern, name) })
		if i < 0 {
			t.Errorf("ARCHITECTURE.md says nothing about package %s", name)
			continue
		}
		used[rows[i].pattern] = true
		for _, imp := range p.Imports {
			own, ok := strings.CutPrefix(imp, module+"/")
			if ok && !slices.ContainsFunc(rows[i].allowed, func(a string) bool { return matches(a, own) }) {
				t.Errorf("%s imports %s, which row %s of ARCHITECTURE.md does not allow", name, own, rows[i].pattern)
			}
		}
	}
}

// doors are the foreign modules that only some files may import.
var doors = map[string][]string{
	"github.com/mark3labs/mcp-go":   {"tools/serve.go", "catalyst/"},
	"github.com/google/go-github":   {"github/"},
	"github.com/tree-sitter/":       {"review/parse/", "review/lang/"},
	"github.com/spf13/":             {"cmd/"},
	"github.com/owenrumney/":        {"review/output/"},
	"github.com/jackc/pgx":          {"dapr/store/postgres/", "dapr/storetest/", "outside/intents/", "survey/"},
	"github.com/redis/go-redis":     {"dapr/store/redis/", "dapr/storetest/"},
	"github.com/google/jsonschema-": {"tools/schema.go"},
}

// TestFiles holds every Go file to the rules that concern one file.
func TestFiles(t *testing.T) {
	for path, file := range goFiles(t) {
		test := strings.HasSuffix(path, "_test.go")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte("\n")); n > 600 {
			t.Errorf("%s has %d lines, at most 600", path, n)
		}
		for _, imp := range file.Imports {
			name := strings.Trim(imp.Path.Value, `"`)
			for foreign, allowed := range doors {
				if strings.HasPrefix(name, foreign) && !test && !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(path, a) }) {
					t.Errorf("%s imports %s, which belongs behind %s", path, name, strings.Join(allowed, ", "))
				}
			}
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s has an init function", path)
			}
		}
	}
}

// TestPackageComments: one package comment per package. A rule's comment is its
// documentation, which review/rules holds to more than being there.
func TestPackageComments(t *testing.T) {
	documented := map[string]int{}
	for path, file := range goFiles(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if strings.HasPrefix(dir, "review/rules") {
			continue
		}
		if _, ok := documented[dir]; !ok {
			documented[dir] = 0
		}
		if file.Doc != nil && !strings.HasPrefix(file.Doc.Text(), "Code generated") {
			documented[dir]++
		}
	}
	for dir, n := range documented {
		if n != 1 {
			t.Errorf("package %s has %d package comments, want one", dir, n)
		}
	}
}

func goFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() && path != "." && exists(filepath.Join(path, "go.mod")) {
			return filepath.SkipDir // a module of its own, such as an example
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			files[filepath.ToSlash(path)] = f
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	documentPath = regexp.MustCompile("`((?:\\./)?[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?)`|\\]\\(([A-Za-z0-9_./-]+)\\)")
	makeTarget   = regexp.MustCompile("`make ([a-z -]+)`")
)

// TestDocuments: every path and every make target that a document names exists.
func TestDocuments(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range append(docs, more...) {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range documentPath.FindAllStringSubmatch(string(b), -1) {
			p := m[1] + m[2]
			first, _, _ := strings.Cut(strings.TrimPrefix(p, "./"), "/")
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), first)); err != nil && m[2] == "" {
				if _, err := os.Stat(first); err != nil {
					continue // the name of a module, a package or a media type
				}
			}
			if !exists(p) && !exists(filepath.Join(filepath.Dir(doc), p)) {
				t.Errorf("%s names %s, which does not exist", doc, p)
			}
		}
		for _, m := range makeTarget.FindAllStringSubmatch(string(b), -1) {
			for target := range strings.FieldsSeq(m[1]) {
				if !bytes.Contains(makefile, []byte("\n"+target+":")) {
					t.Errorf("%s names `make %s`, which does not exist", doc, target)
				}
			}
		}
	}
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

var namedTest = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)`")

// TestNamedTests: a document that rests on a test names one that exists.
func TestNamedTests(t *testing.T) {
	defined := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(b, -1) {
			defined[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedTest.FindAllSubmatch(b, -1) {
			if !defined[string(m[1])] {
				t.Errorf("%s names %s, which does not exist", doc, m[1])
			}
		}
	}
}
