// Command licences writes docs/licences.md, which says under which licence each
// module that is linked into a release stands, and with -texts the file of their
// texts that goes into every archive. A licence outside [allowed] is an error.
//
//	go run ./release/licences                    # docs/licences.md
//	go run ./release/licences -texts FILE        # the texts
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	page := flag.String("page", "docs/licences.md", "write the list to this file")
	texts := flag.String("texts", "", "write the texts of all licences to this file instead")
	image := flag.Bool("image", false, "the texts are for a Linux image: without those of the Windows program")
	flag.Parse()
	if err := run(context.Background(), *page, *texts, *image); err != nil {
		fmt.Fprintln(os.Stderr, "licences: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, page, texts string, image bool) error {
	all, err := linked(ctx)
	if err != nil {
		return err
	}
	if bad := refused(all); len(bad) > 0 {
		return fmt.Errorf("not allowed without a decision, written down in allowed():\n  %s", strings.Join(bad, "\n  "))
	}
	if texts == "" {
		return os.WriteFile(page, []byte(listing(all)), 0o644)
	}
	s, err := fullTexts(all, systemTexts(image))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(texts), 0o755); err != nil {
		return err
	}
	return os.WriteFile(texts, []byte(s), 0o644)
}

// listing is docs/licences.md.
func listing(all []part) string {
	var b strings.Builder
	b.WriteString(`# Licences of what is linked

Written by ` + "`make generate`" + ` from the licence files that the modules ship; a test compares it with what the program links on
Linux, macOS and Windows, and refuses a licence that is not known to allow it. idem-mcp itself is Apache-2.0. Every archive
of a release holds the texts, with the notices that Apache-2.0 and BSD ask for, in ` + "`THIRD_PARTY_LICENSES`" + `.

The Linux binaries are static, so they hold parts of the GNU C library (LGPL-2.1-or-later); its source is that of Debian's
glibc, and with the source of this program anyone can link it with another one. MPL-2.0 covers its own files, which are
used unchanged.

| module | version | licence |
|---|---|---|
`)
	for _, p := range all {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Path, p.Version, strings.Join(p.licences(), ", "))
	}
	return b.String()
}

// systemTexts are parts that are no Go modules, with Debian's copy of their terms.
// They are in a release, which is built on Debian, and only in its static binaries.
func systemTexts(image bool) map[string]string {
	out := map[string]string{"GNU C library (static Linux binaries)": "/usr/share/common-licenses/LGPL-2.1"}
	if !image {
		out["mingw-w64 runtime (Windows binary)"] = "/usr/share/doc/mingw-w64-x86-64-dev/copyright"
	}
	return out
}

func fullTexts(all []part, system map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString("idem-mcp is linked with the following. Its own licence is in LICENSE.\n")
	section := func(title, text string) {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), title, strings.TrimSpace(text))
	}
	for _, p := range all {
		for _, f := range p.Files {
			section(strings.TrimSpace(p.Path+" "+p.Version)+", "+f.Name, f.Text)
		}
	}
	for _, name := range sortedKeys(system) {
		text, err := os.ReadFile(system[name])
		if err != nil {
			return "", fmt.Errorf("the terms of the %s, on Debian: %w", name, err)
		}
		section(name, string(text))
	}
	return b.String(), nil
}
