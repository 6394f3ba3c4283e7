package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences under which a part may be linked, by SPDX id. All let
// the program be given away in binary form if their text comes along; those of MPL-2.0
// ask for the source of their own files, which is public and unchanged.
// GooglePatentsFile is a grant beside BSD-3-Clause.
func allowed() []string {
	return []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "blessing", "CC0-1.0", "GooglePatentsFile", "ICU", "ISC", "MIT", "MPL-2.0", "Unlicense"}
}

// A part is a module that is linked, or the standard library.
type part struct {
	Path, Version string
	Files         []licenceFile
}

type licenceFile struct {
	Name string // below the module
	Text string
	IDs  []string // what was recognised in it
}

// licences are the ids of all files, each one time.
func (p part) licences() []string {
	ids := map[string]bool{}
	for _, f := range p.Files {
		for _, id := range f.IDs {
			ids[id] = true
		}
	}
	return sortedKeys(ids)
}

// refused says what keeps a part from being linked.
func refused(all []part) []string {
	var bad []string
	for _, p := range all {
		if len(p.licences()) == 0 {
			bad = append(bad, p.Path+" "+p.Version+": no licence was recognised")
		}
		for _, id := range p.licences() {
			if !slices.Contains(allowed(), id) {
				bad = append(bad, p.Path+" "+p.Version+": "+id)
			}
		}
	}
	return bad
}

// pkg is what `go list` says of a package.
type pkg struct {
	Dir      string
	Standard bool
	CgoFiles []string
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// targets are those of .goreleaser.yaml, as far as they differ in what they link.
func targets() [][]string {
	return [][]string{
		{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1"}, {"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=1"},
		{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=1"}, {"GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0"},
	}
}

// linked are the parts of the program on any target, by path.
func linked(ctx context.Context) ([]part, error) {
	dirs := map[string]map[string]bool{} // module root, then folders that may hold a licence
	parts := map[string]part{}
	for _, env := range targets() {
		pkgs, err := list(ctx, env)
		if err != nil {
			return nil, err
		}
		for _, p := range pkgs {
			if p.Standard || p.Module == nil || p.Module.Main {
				continue
			}
			root := p.Module.Dir
			if dirs[root] == nil {
				dirs[root] = map[string]bool{root: true}
				parts[root] = part{Path: p.Module.Path, Version: p.Module.Version}
			}
			for dir := p.Dir; strings.HasPrefix(dir, root) && dir != root; dir = filepath.Dir(dir) {
				dirs[root][dir] = true
			}
			if len(p.CgoFiles) > 0 { // C sources lie in folders of their own
				if err := below(p.Dir, dirs[root]); err != nil {
					return nil, err
				}
			}
		}
	}
	out := []part{{Path: "Go standard library"}}
	var err error
	if out[0].Files, err = licenceFiles(runtime.GOROOT(), map[string]bool{runtime.GOROOT(): true}); err != nil { //nolint:staticcheck // the Go that builds is the Go that is linked
		return nil, err
	}
	for root, p := range parts {
		if p.Files, err = licenceFiles(root, dirs[root]); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortFunc(out[1:], func(a, b part) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func list(ctx context.Context, env []string) ([]pkg, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,CgoFiles,Module", "github.com/idem-mcp/idem-mcp/cmd/idem-mcp")
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w: %s", strings.Join(env, " "), err, strings.TrimSpace(stderr.String()))
	}
	var out []pkg
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		}
		out = append(out, p)
	}
}

func below(dir string, into map[string]bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			into[path] = true
		}
		return err
	})
}

var licenceName = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|copyright|notice|patents)|-licen[cs]e(\.|$)`)

// licenceFiles reads the licence files in dirs, which are below root.
func licenceFiles(root string, dirs map[string]bool) ([]licenceFile, error) {
	var out []licenceFile
	for _, dir := range sortedKeys(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !licenceName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			out = append(out, licenceFile{Name: filepath.ToSlash(name), Text: string(text), IDs: recognise(text)})
		}
	}
	return out, nil
}

// recognise names the licences in a text. A link alone is not one.
func recognise(text []byte) []string {
	ids := map[string]bool{}
	for _, m := range licensecheck.Scan(text).Match {
		if !m.IsURL {
			ids[m.ID] = true
		}
	}
	return sortedKeys(ids)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
