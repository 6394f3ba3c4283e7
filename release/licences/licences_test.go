package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestListed: docs/licences.md names what is linked on every target, and all of it
// may be. `go list` needs the modules of every target, which a machine without a
// network may lack.
func TestListed(t *testing.T) {
	all, err := linked(t.Context())
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("run go mod download first: %v", err)
		}
		t.Fatal(err)
	}
	if len(all) < 50 || all[0].Path != "Go standard library" {
		t.Fatalf("%d parts are linked, the first is %s", len(all), all[0].Path)
	}
	for _, bad := range refused(all) {
		t.Error(bad)
	}
	page, err := os.ReadFile("../../docs/licences.md")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(page), listing(all)); d != "" {
		t.Errorf("what is linked has changed: read the licence of what is new, then make generate (-page +linked)\n%s", d)
	}
	for _, path := range []string{"github.com/danieljoos/wincred", "github.com/tree-sitter/go-tree-sitter"} { // Windows alone; cgo alone
		if !slices.ContainsFunc(all, func(p part) bool { return p.Path == path }) {
			t.Errorf("%s is not among what is linked", path)
		}
	}
}

// TestRefused: neither an unknown licence nor a missing one passes.
func TestRefused(t *testing.T) {
	mit, err := os.ReadFile("../testdata/mcpb-LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if ids := recognise(mit); !slices.Equal(ids, []string{"MIT"}) {
		t.Errorf("recognised %v", ids)
	}
	copyleft := recognise([]byte("SPDX-License-Identifier: GPL-3.0-only\n"))
	for name, files := range map[string][]licenceFile{
		"none": nil, "unreadable": {{Name: "LICENSE", Text: "Ask us.", IDs: recognise([]byte("Ask us."))}},
		"copyleft": {{Name: "LICENSE", IDs: []string{"MIT"}}, {Name: "sub/COPYING", IDs: append(copyleft, "GPL-3.0")}},
	} {
		if bad := refused([]part{{Path: "example.org/" + name, Files: files}}); len(bad) == 0 {
			t.Errorf("%s is allowed", name)
		}
	}
	if bad := refused([]part{{Path: "example.org/fine", Files: []licenceFile{{IDs: []string{"MIT"}}}}}); len(bad) > 0 {
		t.Error(bad)
	}
}

// TestTexts: every text stands in the file for the archives, those of the system's
// libraries too.
func TestTexts(t *testing.T) {
	system := filepath.Join(t.TempDir(), "copyright")
	if err := os.WriteFile(system, []byte("terms of the runtime"), 0o600); err != nil {
		t.Fatal(err)
	}
	parts := []part{{Path: "example.org/a", Version: "v1.0.0", Files: []licenceFile{{Name: "LICENSE", Text: "first text"}, {Name: "NOTICE", Text: "second text"}}}}
	text, err := fullTexts(parts, map[string]string{"the runtime": system})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.org/a v1.0.0, NOTICE\n\nsecond text", "first text", "the runtime\n", "terms of the runtime"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the texts", want)
		}
	}
	if _, err := fullTexts(parts, map[string]string{"the runtime": system + ".none"}); err == nil {
		t.Error("terms that are not there were left out")
	}
	if archives, image := systemTexts(false), systemTexts(true); len(archives) != 2 || len(image) != 1 {
		t.Errorf("system texts of archives %v, of an image %v", archives, image)
	}
}
