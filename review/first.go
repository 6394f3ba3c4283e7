package review

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/review/knowledge"
)

// What is parsed first. A review of a large repository parses the files in which
// an activity or a workflow can begin: those that hold a word without which nothing
// is declared, registered or scheduled. Any other file is parsed when a name that
// it holds is looked up, as it is in a review of a single file.

// tellers are the words that tell such a file, in normal form, each with what must
// stand somewhere in the text too ("a|b"; "" for nothing).
type tellers map[string][]string

func newTellers() tellers {
	t := tellers{}
	add := func(names, lib string) {
		for name := range strings.SplitSeq(names, "|") {
			t[lastSegment(name)] = append(t[lastSegment(name)], lib)
		}
	}
	for _, m := range knowledge.Marks() {
		add(m.Name, m.Lib)
	}
	for _, r := range knowledge.Registers() {
		add(r.Name, r.Lib)
	}
	for _, name := range knowledge.WorkflowContexts() { // what schedules by a generated method is given one
		add(name, "")
	}
	add("ignore", "idem:ignore")
	return t
}

// tell reports whether an activity or a workflow can begin in e, whose text is src.
func (t tellers) tell(e *entry, src []byte) bool {
	if e.declared {
		return true
	}
	var lower []byte
	for word := range normalWords(src) {
		if e.lang.Family == "go" && bytes.Contains(word, []byte("activit")) { // the library may be imported elsewhere
			return true
		}
		libs, ok := t[string(word)]
		if bare, is := bytes.CutSuffix(word, []byte("attribute")); !ok && is { // [ActivityTriggerAttribute]
			libs = t[string(bare)]
		}
		for _, lib := range libs {
			if lib == "" {
				return true
			}
			if lower == nil {
				lower = bytes.ToLower(src)
			}
			for alt := range strings.SplitSeq(lib, "|") {
				if bytes.Contains(lower, []byte(alt)) {
					return true
				}
			}
		}
	}
	return false
}

// normalWords yields the identifiers and other words of a text in normal form, each
// with where it begins and ends; a word that is yielded lasts until the next.
func normalWords(src []byte) iter.Seq2[[]byte, [2]int] {
	return func(yield func([]byte, [2]int) bool) {
		word := make([]byte, 0, 64)
		begin := 0
		for i := 0; i <= len(src); i++ {
			var c byte
			if i < len(src) {
				c = src[i]
			}
			switch {
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 0x80:
				word = append(word, c)
				continue
			case c >= 'A' && c <= 'Z':
				word = append(word, c+('a'-'A'))
				continue
			case c == '_' || c == '$':
				continue
			}
			if len(word) > len("async") {
				word = bytes.TrimSuffix(word, []byte("async"))
			}
			if len(word) > 0 && !yield(word, [2]int{begin, i}) {
				return
			}
			word, begin = word[:0], i+1
		}
	}
}

// glossary is what is kept of a text that is not lowered: digests of its words, in
// order. A name that is not among them is certainly not in the text.
type glossary struct {
	words []uint32
	types []uint32 // those that may be the name of a type declared here
	funcs []uint32 // those that may be the name of a function declared here, but for JavaScript
}

// usingWords come before the name of a function that is used.
var usingWords = map[string]bool{"new": true, "return": true, "await": true, "throw": true, "else": true, "in": true, "and": true, "or": true, "not": true, "yield": true, "case": true, "is": true, "do": true}

func newGlossary(src []byte) *glossary {
	g := &glossary{words: make([]uint32, 0, len(src)/8)}
	var before uint32
	declares, used := false, false
	for word, at := range normalWords(src) {
		d := wordDigest(word)
		g.words = append(g.words, d)
		if declares {
			g.types = append(g.types, d)
		}
		if !used && opens(src, at[1]) && follows(src, at[0]) {
			g.funcs = append(g.funcs, d)
		}
		declares = false
		switch string(src[at[0]:at[1]]) {
		case "class", "struct", "interface": // const Name = class …; type ( Name struct …
			g.types = append(g.types, before)
			declares = true
		case "record", "enum", "type":
			declares = true
		}
		declares = declares && at[1] < len(src) && space(src[at[1]])
		used = usingWords[string(src[at[0]:at[1]])]
		before = d
	}
	if grouped.Match(src) {
		for _, m := range firstOfLine.FindAllSubmatch(src, -1) {
			g.types = append(g.types, wordDigest([]byte(knowledge.Norm(string(m[1])))))
		}
	}
	g.words, g.types, g.funcs = ordered(g.words), ordered(g.types), ordered(g.funcs)
	return g
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// follows reports that what stands before a name may end in the type, the receiver
// or the keyword of a function that is declared.
func follows(src []byte, i int) bool {
	for i > 0 && space(src[i-1]) {
		i--
	}
	if i == 0 {
		return true
	}
	c := src[i-1]
	return c >= 0x80 || c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte(">])?*&/", c) >= 0
}

// opens reports that after the name of a function may stand its parameters, or what
// it is set to.
func opens(src []byte, i int) bool {
	for i < len(src) && space(src[i]) {
		i++
	}
	return i == len(src) || strings.IndexByte("(<[=:", src[i]) >= 0
}

// How several types are declared at once in Go: each name begins a line.
var (
	grouped     = regexp.MustCompile(`\btype\s*\(`)
	firstOfLine = regexp.MustCompile(`(?m)^\s*([\w\x80-\xff]+)`)
)

func ordered(digests []uint32) []uint32 {
	slices.Sort(digests)
	return slices.Clone(slices.Compact(digests))
}

// wordDigest is what is kept of a word in normal form.
func wordDigest(word []byte) uint32 {
	h := uint32(2166136261) // FNV-1a
	for _, c := range word {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// predeclared are names of types that a language brings along.
var predeclared = map[string]bool{"string": true, "int": true, "any": true, "error": true, "bool": true, "object": true, "number": true, "boolean": true, "void": true, "dict": true, "list": true, "str": true, "float": true, "String": true, "Object": true, "Class": true, "List": true}

// oneWord reports a name that is one word of a text, if it is in it.
func oneWord(name string) bool {
	return !strings.ContainsFunc(name, func(c rune) bool {
		return c < 0x80 && c != '_' && c != '$' && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z')
	})
}

// What a name is looked up as.
type lookup uint8

const (
	mentioned lookup = iota
	declaredType
	declaredFunc
)

// holds reports whether the text of e may hold a name, or declare what is looked
// up: false is certain.
func (r *repo) holds(e *entry, name string, as lookup) bool {
	src := r.read(e)
	switch {
	case as == declaredType && (predeclared[name] || !oneWord(name)):
		return false // no type is declared by such a name
	case src == nil || !oneWord(name):
		return bytes.Contains(src, []byte(name))
	}
	if e.glossary == nil {
		e.glossary = newGlossary(src)
	}
	in := e.glossary.words
	switch {
	case as == declaredType:
		in = e.glossary.types
	case as == declaredFunc && e.lang.Family != "js": // export, property, assignment
		in = e.glossary.funcs
	}
	_, ok := slices.BinarySearch(in, wordDigest([]byte(knowledge.Norm(name))))
	return ok
}

// many is from how many files on not every file is parsed: below, it takes no time
// worth saving.
const many = 200

// mostly reports a review of most of what may be read, and of many files: then
// everything is looked at for what tells, and nothing by the names in single files.
func mostly(targets []*entry, r *repo, c Config) bool {
	return len(c.Symbols) == 0 && len(targets) >= cmp.Or(c.many, many) && 2*len(targets) >= len(r.entries)
}

// unparsed says what was not looked at in files that tell nothing.
func unparsed(targets []*entry) []string {
	n := 0
	for _, e := range targets {
		if e.passed && !e.done {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("syntax errors in %d files that hold no word of a workflow library and that no activity leads to: they were searched, not parsed", n)}
}

// descend scans what was loaded, and loads and scans whatever extends or implements
// a type that makes its heirs activities or workflows, until nothing is new.
func (ro *roster) descend() {
	heirs := map[string]bool{}
	for more := true; more; {
		more = false
		for _, e := range ro.repo.entries {
			if e.file == nil || ro.scanned[e.file] || isSpec(e.path) {
				continue
			}
			more = true
			ro.scan(e.file)
			for _, t := range e.file.Types {
				if ro.bears(t) {
					ro.repo.heirs(e.lang.Family, t.Name, heirs)
				}
			}
		}
	}
}

// bears reports a type whose heirs are activities or workflows.
func (ro *roster) bears(t *Type) bool {
	return slices.ContainsFunc(t.Bases, func(b string) bool {
		name := knowledge.Norm(lastSegment(typeName(b)))
		return slices.ContainsFunc(ro.marks, func(m knowledge.Mark) bool { return m.Where == "base" && knowledge.Match(m.Name, name) })
	})
}

// heirs loads the files of all types that extend or implement one of a name, and
// of their heirs.
func (r *repo) heirs(family, name string, known map[string]bool) {
	if known[name] {
		return
	}
	known[name] = true
	r.mention(family, name)
	for _, t := range r.subs[family+" "+name] {
		r.heirs(family, t.Name, known)
	}
}
