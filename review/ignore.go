package review

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// ignores are the patterns of .gitignore and .idemignore files, each holding
// below its own folder; later and deeper ones decide.
type ignores struct {
	fsys  fs.FS
	rules []ignoreRule
}

type ignoreRule struct {
	dir    string // where the file stands, "" for the root
	shape  *regexp.Regexp
	negate bool
	folder bool // only folders
	base   bool // compared with the last part of a path
}

// enter reads the ignore files of a folder.
func (ig *ignores) enter(dir string) {
	for _, n := range []string{".gitignore", ".idemignore"} {
		b, err := fs.ReadFile(ig.fsys, path.Join(dir, n))
		if err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(b), "\n") {
			line = strings.TrimRight(line, " \t\r")
			if line == "" || line[0] == '#' {
				continue
			}
			r := ignoreRule{}
			if dir != "." {
				r.dir = dir
			}
			line, r.negate = strings.CutPrefix(line, "!")
			line, r.folder = strings.CutSuffix(line, "/")
			r.base = !strings.Contains(line, "/")
			if r.shape = glob(strings.TrimPrefix(line, "/")); r.shape != nil {
				ig.rules = append(ig.rules, r)
			}
		}
	}
}

func (ig *ignores) match(p string, dir bool) bool {
	hit := false
	for _, r := range ig.rules {
		rel := p
		if r.dir != "" {
			var below bool
			if rel, below = strings.CutPrefix(p, r.dir+"/"); !below {
				continue
			}
		}
		if r.folder && !dir {
			continue
		}
		if r.base {
			rel = path.Base(rel)
		}
		if r.shape.MatchString(rel) {
			hit = !r.negate
		}
	}
	return hit
}

// glob turns a pattern of an ignore file into an expression, nil if it is none.
func glob(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[' || c == ']':
			b.WriteByte(c)
		case c == '!' && i > 0 && pattern[i-1] == '[':
			b.WriteByte('^')
		case c == '-':
			b.WriteByte(c)
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return nil
	}
	return re
}
