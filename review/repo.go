package review

import (
	"context"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// repo is the source text that may be read, and who is defined where in it. A
// file is lowered when it is asked for by path or when a name is looked up that
// its text contains, so reviewing one file does not lower the repository.
type repo struct {
	fsys    fs.FS
	entries []*entry
	byPath  map[string]*entry
	funcs   map[string][]*Func // family + name
	types   map[string][]*Type
	subs    map[string][]*Type // family + base name: who extends or implements it
	asked   map[asked]bool
	keys    map[string]bool     // properties that are keys of a data model
	stems   map[string][]*entry // by the last part of a path without extension, and by folder
	modules map[string]*module  // what an import in a file means
	wholes  map[string]*Type    // types whose parts stand in several files
	whole   map[string]bool     // Go folders that were read for them
	folders map[string][]*entry // the Go files of a folder
	goMods  []string            // the paths of the go.mod files
	goRead  []goModule
	loaded  int
}

// asked is a name that was looked up.
type asked struct {
	family, name string
	as           lookup
}

type entry struct {
	path string
	lang *Language
	text []byte
	file *File
	done bool
	why  string // why it could not be read

	declared bool      // function.json beside it says what it is
	glossary *glossary // of its text, while it is not lowered
	passed   bool      // its text was read, and no activity or workflow can begin in it

	lowered *File // made ahead by lowerAll
	failure error
}

func newRepo(fsys fs.FS) *repo {
	return &repo{fsys: fsys, byPath: map[string]*entry{}, funcs: map[string][]*Func{}, types: map[string][]*Type{}, subs: map[string][]*Type{}, asked: map[asked]bool{}, modules: map[string]*module{}}
}

func (r *repo) add(p string, l *Language) *entry {
	if e := r.byPath[p]; e != nil {
		return e
	}
	e := &entry{path: p, lang: l}
	r.byPath[p] = e
	r.entries = append(r.entries, e)
	return e
}

// read fetches the text of e, once.
func (r *repo) read(e *entry) []byte {
	if e.text != nil || e.done {
		return e.text
	}
	b, err := fs.ReadFile(r.fsys, e.path)
	if err != nil {
		e.done, e.why = true, "cannot be read"
		return nil
	}
	if e.lang.Name == "csharp" || e.lang.Name == "java" {
		b = widened(b)
	}
	if why := unreadable(b); why != "" {
		e.done, e.why = true, why
		return nil
	}
	e.text = b
	return b
}

// load lowers e, once, and enters what it defines.
func (r *repo) load(e *entry) *File {
	if e.done {
		return e.file
	}
	src := r.read(e)
	if e.done {
		return nil
	}
	e.done = true
	f, err := e.lowered, e.failure
	if f == nil && err == nil {
		f, err = e.lang.Lower(e.path, src)
	}
	e.lowered = nil
	if err != nil {
		e.why = err.Error()
		return nil
	}
	f.Path, f.Language, f.src = e.path, e.lang.Name, src
	e.file, e.text, e.glossary = f, nil, nil
	r.loaded++
	r.globalUsings(e, f)
	r.enter(e.lang.Family, f)
	return f
}

// lowerAll reads and lowers the entries on every processor, those that tell where
// tellers are given. Lowering a file looks at nothing but its text; what files
// define is entered in order by load.
func (r *repo) lowerAll(ctx context.Context, entries []*entry, first tellers) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, e := range entries {
		g.Go(func() error {
			src := r.read(e)
			switch {
			case e.done:
			case first != nil && !first.tell(e, src):
				e.passed, e.glossary = true, newGlossary(src)
			default:
				e.lowered, e.failure = e.lang.Lower(e.path, src)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// globalUsings adds the imports that other C# files make for the whole project:
// files named for it, in the folder of f or above.
func (r *repo) globalUsings(e *entry, f *File) {
	if e.lang.Name != "csharp" || usingsFile(e.path) {
		return
	}
	for _, other := range r.entries {
		dir := path.Dir(other.path)
		if !usingsFile(other.path) || dir != "." && !strings.HasPrefix(f.Path, dir+"/") {
			continue
		}
		if g := r.load(other); g != nil {
			f.Imports = append(f.Imports, g.Imports...)
		}
	}
}

func usingsFile(p string) bool {
	b := strings.ToLower(path.Base(p))
	return strings.HasSuffix(b, "usings.cs") || b == "imports.cs" || b == "using.cs"
}

func (r *repo) enter(family string, f *File) {
	for _, fn := range f.Funcs {
		fn.File = f
		if fn.Name != "" {
			r.funcs[family+" "+fn.Name] = append(r.funcs[family+" "+fn.Name], fn)
		}
	}
	if f.Top != nil {
		f.Top.File = f
	}
	for i, t := range f.Types {
		t.File = f
		if whole := r.merged(family, f, t); whole != t {
			f.Types[i] = whole
			continue
		}
		r.types[family+" "+t.Name] = append(r.types[family+" "+t.Name], t)
		for _, b := range t.Bases {
			k := family + " " + lastSegment(typeName(b))
			r.subs[k] = append(r.subs[k], t)
		}
	}
}

// mention lowers every file of the family whose text contains name.
func (r *repo) mention(family, name string) { r.lower(family, name, mentioned) }

// lower lowers every file of the family whose text contains name as what is looked
// up.
func (r *repo) lower(family, name string, as lookup) {
	at := asked{family, name, as}
	if len(name) < 2 || r.asked[at] || r.asked[asked{family, name, mentioned}] || r.loaded == len(r.entries) {
		return
	}
	r.asked[at] = true
	for _, e := range r.entries {
		if !e.done && e.lang.Family == family && r.holds(e, name, as) {
			r.load(e)
		}
	}
}

func (r *repo) funcsNamed(family, name string) []*Func {
	r.lower(family, name, declaredFunc)
	return r.funcs[family+" "+name]
}

func (r *repo) typesNamed(family, name string) []*Type {
	r.lower(family, name, declaredType)
	return r.types[family+" "+name]
}

// typeNamed is the type that code in file from means by name: of several, the
// one in the same file, folder, or the nearest folder.
func (r *repo) typeNamed(from *File, name string) *Type {
	full := typeName(name)
	name = lastSegment(full)
	if name == "" {
		return nil
	}
	if head, _, ok := strings.Cut(full, "."); ok && from.Language != "csharp" && from.Language != "java" {
		for _, im := range from.Imports {
			if im.Name != head {
				continue
			}
			if m := r.module(from, im.Path); m != nil {
				return m.typ(name)
			}
			if from.Language == "go" {
				return nil // a type of another module
			}
		}
	}
	all := r.typesNamed(r.family(from), name)
	if from.Language == "java" {
		all = visibleTypes(from, full, name, all)
	}
	return nearest(from, all, func(t *Type) *File { return t.File })
}

// implementers are the non-abstract types that extend or implement t.
func (r *repo) implementers(t *Type) []*Type {
	family := r.family(t.File)
	r.mention(family, t.Name)
	var out []*Type
	for _, s := range r.subs[family+" "+t.Name] {
		if s.Interface || isTest(s.File.Path) && !isTest(t.File.Path) {
			continue
		}
		if family == "java" && !slices.ContainsFunc(s.Bases, func(b string) bool {
			return lastSegment(typeName(b)) == t.Name && r.typeNamed(s.File, b) == t
		}) {
			continue // implements another type of that name
		}
		out = append(out, s)
	}
	if len(out) == 0 && t.Interface && family == "go" {
		out = r.satisfying(t)
	}
	slices.SortFunc(out, func(a, b *Type) int {
		return strings.Compare(a.File.Path+" "+a.Name, b.File.Path+" "+b.Name)
	})
	return out
}

// satisfying finds the Go types that have every method of the interface.
func (r *repo) satisfying(t *Type) []*Type {
	if len(t.Methods) == 0 {
		return nil
	}
	var out []*Type
	for _, fn := range r.funcsNamed("go", t.Methods[0].Name) {
		if fn.Owner == nil || fn.Owner.Interface || isTest(fn.File.Path) || slices.Contains(out, fn.Owner) {
			continue
		}
		r.complete(fn.Owner) // its methods stand in several files
		ok := true
		for _, m := range t.Methods {
			ok = ok && slices.ContainsFunc(fn.Owner.Methods, func(have *Func) bool { return have.Name == m.Name })
		}
		if ok {
			out = append(out, fn.Owner)
		}
	}
	return out
}

func (r *repo) family(f *File) string {
	if e := r.byPath[f.Path]; e != nil {
		return e.lang.Family
	}
	return f.Language
}

// method finds a method of t or of what it extends.
func (r *repo) method(t *Type, name string) *Func {
	for range 6 {
		if t == nil {
			return nil
		}
		r.complete(t)
		for _, m := range t.Methods {
			if m.Name == name {
				return m
			}
		}
		next := (*Type)(nil)
		for _, b := range t.Bases {
			bt := r.typeNamed(t.File, b)
			if bt == nil || bt == t {
				continue
			}
			if !bt.Interface {
				next = bt
				break
			}
			for _, m := range bt.Methods { // a default method
				if m.Name == name && !m.Abstract {
					return m
				}
			}
		}
		t = next
	}
	return nil
}

// overload finds the method of t that takes n arguments, else any of the name.
func (r *repo) overload(t *Type, name string, n int) *Func {
	first := r.method(t, name)
	if first == nil || first.Owner == nil {
		return first
	}
	for _, m := range first.Owner.Methods {
		if m.Name == name && len(m.Params) == n {
			return m
		}
	}
	return first
}

// field finds a field of t or of what it extends.
func (r *repo) field(t *Type, name string) (Field, bool) {
	for range 6 {
		if t == nil {
			break
		}
		r.complete(t)
		for _, f := range t.Fields {
			if f.Name == name {
				return f, true
			}
		}
		next := (*Type)(nil)
		for _, b := range t.Bases {
			if bt := r.typeNamed(t.File, b); bt != nil && bt != t {
				next = bt
				break
			}
		}
		t = next
	}
	return Field{}, false
}

// module is the code an import means: the files of a Go package or folder, or
// one file.
type module struct{ files []*File }

// module finds the files of the repository that an import means, nil when it
// is code from elsewhere.
func (r *repo) module(from *File, imported string) *module {
	e := r.byPath[from.Path]
	if e == nil || e.lang.Module == nil {
		return nil
	}
	k := from.Path + " " + imported
	if m, ok := r.modules[k]; ok {
		return m
	}
	r.modules[k] = nil
	if e.lang.Family == "go" {
		dir, outside := r.goFolder(imported)
		if outside {
			return nil
		}
		if dir != "" {
			if m := r.at(e.lang, from, dir); m != nil {
				r.modules[k] = m
				return m
			}
		}
	}
	for _, want := range e.lang.Module(from.Path, imported) {
		if m := r.at(e.lang, from, want); m != nil {
			r.modules[k] = m
			break
		}
	}
	return r.modules[k]
}

// stemmed lists the files that a path without extension may end in.
func (r *repo) stemmed(tail string) []*entry {
	if r.stems == nil {
		r.stems = map[string][]*entry{}
		for _, e := range r.entries {
			base := path.Base(e.path)
			stem := strings.TrimSuffix(base, path.Ext(base))
			r.stems[stem] = append(r.stems[stem], e)
			if e.lang.Family == "go" {
				dir := "/" + path.Base(path.Dir(e.path))
				r.stems[dir] = append(r.stems[dir], e)
			}
		}
	}
	base := path.Base(tail)
	if len(r.stems["/"+base]) == 0 {
		return r.stems[base]
	}
	return append(slices.Clone(r.stems[base]), r.stems["/"+base]...)
}

func (r *repo) at(l *Language, from *File, want string) *module {
	var hits []*entry
	if tail, anywhere := strings.CutPrefix(want, "*/"); anywhere {
		for _, e := range r.stemmed(tail) {
			if e.lang.Family != l.Family || slices.Contains(hits, e) {
				continue
			}
			stem := strings.TrimSuffix(e.path, path.Ext(e.path))
			dir := path.Dir(e.path)
			if stem == tail || strings.HasSuffix(stem, "/"+tail) || (l.Family == "go" && (dir == tail || strings.HasSuffix(dir, "/"+tail))) {
				hits = append(hits, e)
			}
		}
	} else {
		for _, e := range r.stemmed(want) {
			if e.lang.Family == l.Family && (strings.TrimSuffix(e.path, path.Ext(e.path)) == want || l.Family == "go" && path.Dir(e.path) == want) {
				hits = append(hits, e)
			}
		}
	}
	if len(hits) == 0 {
		return nil
	}
	if l.Family != "go" {
		best := nearest(from, hits, func(e *entry) *File { return &File{Path: e.path} })
		if f := r.load(best); f != nil {
			return &module{[]*File{f}}
		}
		return nil
	}
	best := path.Dir(nearest(from, hits, func(e *entry) *File { return &File{Path: e.path} }).path)
	m := &module{}
	for _, e := range hits {
		if path.Dir(e.path) == best && !isTest(e.path) {
			if f := r.load(e); f != nil {
				m.files = append(m.files, f)
			}
		}
	}
	return m
}

func (m *module) fn(name string) *Func {
	for _, f := range m.files {
		for _, fn := range f.Funcs {
			if fn.Name == name && fn.Parent == nil && (fn.Owner == nil || fn.Static && f.Language == "java") {
				return fn
			}
		}
	}
	return nil
}

func (m *module) typ(name string) *Type {
	for _, f := range m.files {
		for _, t := range f.Types {
			if t.Name == name {
				return t
			}
		}
	}
	return nil
}

// siblings are the other files whose top-level names a file sees: its Go
// package.
func (r *repo) siblings(f *File) []*File {
	if r.family(f) != "go" {
		return []*File{f}
	}
	out := []*File{f}
	for _, e := range r.folder(path.Dir(f.Path)) {
		if e.path != f.Path && !isTest(e.path) {
			if s := r.load(e); s != nil && s.Package == f.Package {
				out = append(out, s)
			}
		}
	}
	return out
}

// nearest picks the candidate whose file shares the longest path with from; of
// equals the first by path. Tests lose against everything else.
func nearest[T any](from *File, all []T, file func(T) *File) T {
	var best T
	score, at := -1, ""
	for _, c := range all {
		p := file(c).Path
		s := shared(from.Path, p) * 2
		if !isTest(p) || isTest(from.Path) {
			s++
		}
		if s > score || (s == score && p < at) {
			best, score, at = c, s, p
		}
	}
	return best
}

// shared counts the leading folders two paths have in common; the same file
// counts more than any folder.
func shared(a, b string) int {
	if a == b {
		return 1000
	}
	n := 0
	for {
		i, j := strings.IndexByte(a, '/'), strings.IndexByte(b, '/')
		if i < 0 || i != j || a[:i] != b[:j] {
			if i < 0 && j < 0 {
				n++
			}
			return n
		}
		a, b = a[i+1:], b[j+1:]
		n++
	}
}

// isSpec reports a test of JavaScript, whose activities are stand-ins.
func isSpec(p string) bool {
	base := path.Base(p)
	return strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}

func isTest(p string) bool {
	base := strings.ToLower(path.Base(p))
	dir := "/" + strings.ToLower(path.Dir(p)) + "/"
	return strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") ||
		strings.HasSuffix(base, "tests.cs") || strings.HasSuffix(base, "test.cs") || strings.HasSuffix(base, "test.java") || strings.HasSuffix(base, "tests.java") || strings.HasSuffix(base, "_test.py") ||
		strings.Contains(dir, "/test/") || strings.Contains(dir, "/tests/") || strings.Contains(dir, "/__tests__/")
}
