package review

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFile is the largest file that is read.
const maxFile = 5 << 20

// skipFolders are not anybody's source.
var skipFolders = map[string]string{
	"node_modules": "vendored", "vendor": "vendored", "third_party": "vendored", ".git": "version control", ".venv": "vendored", "venv": "vendored", "site-packages": "vendored",
	"dist": "generated", "build": "generated", "target": "generated", "bin": "generated", "obj": "generated", "out": "generated", "__pycache__": "generated", ".next": "generated", ".yarn": "vendored", ".pnp": "vendored", "coverage": "generated",
}

// SkipsFolder reports a folder by whose name nothing in it is anybody's source: it
// is not entered unless it is named.
func SkipsFolder(name string) bool { return skipFolders[name] != "" }

// otherSource are extensions of source that no language here reads: files like
// these are counted, so that an answer does not look complete when it is not.
var otherSource = map[string]string{
	".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".rb": "Ruby", ".php": "PHP", ".rs": "Rust", ".swift": "Swift", ".fs": "F#", ".vb": "Visual Basic",
	".groovy": "Groovy", ".clj": "Clojure", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".cpp": "C++", ".cc": "C++", ".c": "C", ".dart": "Dart", ".pl": "Perl", ".lua": "Lua",
	".py": "Python", ".go": "Go", ".cs": "C#", ".java": "Java", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript", ".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript",
}

// UnreadLanguage is the language of source that none of the languages reads, ""
// for what they read and what is no source.
func UnreadLanguage(p string, languages []*Language) string {
	if languageOf(languages, p) != nil {
		return ""
	}
	return otherSource[strings.ToLower(path.Ext(p))]
}

// walk lists the files that can be read, and notes what is skipped.
func (r *repo) walk(ctx context.Context, c Config, res *Result) error {
	w := &walker{repo: r, paths: c.Paths, languages: c.Languages, res: res, ignore: &ignores{fsys: c.Files}, other: map[string]int{}}
	entries, err := fs.ReadDir(c.Files, ".")
	if err != nil {
		return err
	}
	err = w.folder(ctx, ".", entries)
	for lang, n := range w.other {
		w.skip("*", strconv.Itoa(n)+" files in "+lang+", which is not read")
	}
	for _, p := range c.Paths {
		if _, err := fs.Stat(c.Files, p); err != nil {
			w.skip(p, "not there, or outside of what may be read")
		}
	}
	return err
}

// walker goes through the folders.
type walker struct {
	repo      *repo
	paths     []string // what was named
	languages []*Language
	res       *Result
	ignore    *ignores
	other     map[string]int // files in languages that are not read
}

func (w *walker) skip(p, why string) { w.res.Skipped = append(w.res.Skipped, Skipped{p, why}) }

// folder looks at the entries of one folder and goes into its folders.
func (w *walker) folder(ctx context.Context, dir string, entries []fs.DirEntry) error {
	w.ignore.enter(dir)
	declared := slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == "function.json" })
	for _, d := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := path.Join(dir, d.Name())
		if !d.IsDir() {
			w.file(p, d, declared)
			continue
		}
		if !w.enters(p, d.Name()) {
			continue
		}
		below, err := fs.ReadDir(w.repo.fsys, p)
		if err != nil {
			w.skip(p, "cannot be read")
			continue
		}
		if err := w.folder(ctx, p, below); err != nil {
			return err
		}
	}
	return nil
}

// enters reports whether a folder is looked into, and notes why not.
func (w *walker) enters(p, name string) bool {
	if askedFor(w.paths, p) {
		return true
	}
	if why := skipFolders[name]; why != "" {
		if why != "version control" {
			w.skip(p+"/", why+" folder")
		}
		return false
	}
	if w.ignore.match(p, true) {
		w.skip(p+"/", "ignored")
		return false
	}
	return true
}

// file adds a file that can be read. declared: function.json stands beside it.
func (w *walker) file(p string, d fs.DirEntry, declared bool) {
	asked := askedFor(w.paths, p)
	if !d.Type().IsRegular() {
		if asked {
			w.skip(p, "a symbolic link or no regular file")
		}
		return
	}
	l := languageOf(w.languages, p)
	switch {
	case w.ignore.match(p, false) && !asked:
	case l == nil && asked:
		w.skip(p, "unknown language")
	case l == nil:
		if path.Base(p) == "go.mod" {
			w.repo.goMods = append(w.repo.goMods, p)
		}
		if lang := otherSource[strings.ToLower(path.Ext(p))]; lang != "" {
			w.other[lang]++
		}
	default:
		if info, err := d.Info(); err == nil && info.Size() > maxFile {
			w.skip(p, "larger than 5 MB")
			return
		}
		e := w.repo.add(p, l)
		e.declared = declared && isFolderEntry(p)
	}
}

// askedFor reports whether the path is named, or holds what is named: that is
// read even where it would be skipped.
func askedFor(paths []string, p string) bool {
	return slices.ContainsFunc(paths, func(want string) bool {
		return want == p || strings.HasPrefix(want, p+"/")
	})
}

func languageOf(all []*Language, p string) *Language {
	for _, l := range all {
		if l.Reads(p) {
			return l
		}
	}
	return nil
}

// targets are the entries to report on, by path.
func (r *repo) targets(paths []string) []*entry {
	var out []*entry
	for _, e := range r.entries {
		if len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool {
			return p == "." || e.path == p || strings.HasPrefix(e.path, p+"/")
		}) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int { return strings.Compare(a.path, b.path) })
	return out
}

// unreadable says why a text is not source, "" if it is.
func unreadable(b []byte) string {
	switch {
	case len(b) > maxFile:
		return "larger than 5 MB"
	case bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0:
		return "binary, or an encoding other than UTF-8"
	case !utf8.Valid(b):
		return "an encoding other than UTF-8"
	case generated(b[:min(len(b), 2000)]):
		return "generated"
	}
	return ""
}

// widened is b in UTF-8: text in a one-byte code page, which compilers of C# and
// Java take, is read as Latin-1; only its comments and literals can be off.
func widened(b []byte) []byte {
	if utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

func generated(head []byte) bool {
	if bytes.Contains(head, []byte("Code generated by sqlc")) {
		return false // the statements of the application
	}
	for _, mark := range []string{"DO NOT EDIT", "<auto-generated", "@generated", "Generated by the protocol buffer compiler"} {
		if bytes.Contains(head, []byte(mark)) {
			return true
		}
	}
	return false
}

// index finds where lines start, once.
func (f *File) index() {
	if f.lines == nil {
		f.lines = []int{0}
		for i, c := range f.src {
			if c == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	}
}

// Quote is the source line, trimmed and bounded.
func (f *File) Quote(line int) string {
	f.index()
	if line < 1 || line > len(f.lines) {
		return ""
	}
	start, end := f.lines[line-1], len(f.src)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	return clip(strings.TrimSpace(string(f.src[start:end])), 200)
}
