package review

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Doc is a rule's documentation: the package comment of its folder, and the
// marked parts of its example files.
type Doc struct {
	Summary  string // one sentence
	What     string
	Why      string
	Fine     string
	Instead  string
	Examples []Example
}

// Example is what a rule reports and the cure, in one language.
type Example struct {
	Extension string // py, go, cs, java, ts
	Bad, Good string
}

// Headings are the sections every rule documents, in this order.
var Headings = []string{"What it does", "Why is this bad", "When it is fine", "Use instead"}

// Doc reads the rule's documentation.
func (r *Rule) Doc() (Doc, error) {
	if r.Files == nil {
		return Doc{}, fmt.Errorf("rule %s: no files", r.Slug)
	}
	return ReadDoc(r.Files)
}

// ReadDoc reads the documentation in a rule's folder.
func ReadDoc(files fs.FS) (Doc, error) {
	src, err := fs.ReadFile(files, "rule.go")
	if err != nil {
		return Doc{}, err
	}
	var d Doc
	into := &d.Summary
	sections := map[string]*string{Headings[0]: &d.What, Headings[1]: &d.Why, Headings[2]: &d.Fine, Headings[3]: &d.Instead}
	for line := range strings.SplitSeq(string(src), "\n") {
		text, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		text = strings.TrimPrefix(text, " ")
		if h, ok := strings.CutPrefix(text, "# "); ok {
			if into = sections[h]; into == nil {
				return Doc{}, fmt.Errorf("heading %q is none of %q", h, Headings)
			}
			continue
		}
		*into += text + "\n"
	}
	for _, s := range []*string{&d.Summary, &d.What, &d.Why, &d.Fine, &d.Instead} {
		*s = strings.TrimSpace(*s)
	}
	if _, rest, ok := strings.Cut(d.Summary, " reports "); ok { // "Package x reports …"
		d.Summary = "Reports " + rest
	}
	d.Examples, err = examples(files)
	return d, err
}

func examples(files fs.FS) ([]Example, error) {
	bad, err := fs.Glob(files, "testdata/bad.*")
	if err != nil {
		return nil, err
	}
	slices.Sort(bad)
	var out []Example
	for _, b := range bad {
		ext := strings.TrimPrefix(path.Ext(b), ".")
		e := Example{Extension: ext}
		for name, to := range map[string]*string{b: &e.Bad, "testdata/good." + ext: &e.Good} {
			src, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			*to = shown(string(src))
		}
		out = append(out, e)
	}
	return out, nil
}

var expectation = regexp.MustCompile(`\s*(?:#|//)\s*(?:want|miss|noise)\b.*$`)

// shown is the part of an example file between the [doc] marks, without the
// comments that only the test reads.
func shown(src string) string {
	var out []string
	in := false
	for line := range strings.SplitSeq(src, "\n") {
		switch {
		case strings.HasSuffix(line, "[doc]"):
			in = true
		case strings.HasSuffix(line, "[/doc]"):
			in = false
		case in:
			out = append(out, expectation.ReplaceAllString(line, ""))
		}
	}
	return dedent(out)
}

// dedent takes the indentation that all lines share.
func dedent(lines []string) string {
	common := -1
	for _, l := range lines {
		if t := strings.TrimLeft(l, " \t"); t != "" && (common < 0 || len(l)-len(t) < common) {
			common = len(l) - len(t)
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(common, 0), len(l)):]
	}
	return strings.Join(lines, "\n")
}
