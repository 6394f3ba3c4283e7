package review

import (
	"bytes"
	"path"
)

// Types whose parts stand in several files are one type: the methods of a Go
// type in the files of its package, the parts of a partial class in C#.

// merged is the type that t is a part of: t itself if it is the first part.
func (r *repo) merged(family string, f *File, t *Type) *Type {
	key := ""
	switch {
	case isTest(f.Path):
		return t
	case family == "go":
		key = path.Dir(f.Path) + " " + f.Package + " " + t.Name
	case f.Language == "csharp" && bytes.Contains(f.src, []byte("partial ")) && partial(f.src, t.Name):
		key = "partial " + f.Package + " " + t.Name
	default:
		return t
	}
	if r.wholes == nil {
		r.wholes = map[string]*Type{}
	}
	whole := r.wholes[key]
	if whole == nil {
		r.wholes[key] = t
		return t
	}
	for _, m := range t.Methods {
		m.Owner = whole
	}
	whole.Methods = append(whole.Methods, t.Methods...)
	whole.Fields = append(whole.Fields, t.Fields...)
	whole.Annotations = append(whole.Annotations, t.Annotations...)
	whole.Bases = append(whole.Bases, t.Bases...)
	for _, b := range t.Bases {
		k := family + " " + lastSegment(typeName(b))
		r.subs[k] = append(r.subs[k], whole)
	}
	if whole.Line == 0 || t.Line != 0 && t.File.Path < whole.File.Path { // declared there, whichever was read first
		whole.File, whole.Line, whole.EndLine, whole.Interface = t.File, t.Line, t.EndLine, t.Interface
	}
	return whole
}

func partial(src []byte, name string) bool {
	for _, kind := range []string{"class ", "record ", "struct ", "interface "} {
		if bytes.Contains(src, []byte("partial "+kind+name)) {
			return true
		}
	}
	return false
}

// complete reads the files that may hold further parts of a Go type.
func (r *repo) complete(t *Type) {
	if t.File == nil || t.File.Language != "go" {
		return
	}
	dir := path.Dir(t.File.Path)
	if r.whole[dir] {
		return
	}
	if r.whole == nil {
		r.whole = map[string]bool{}
	}
	r.whole[dir] = true
	r.siblings(t.File)
}

// folder lists the Go files of a folder.
func (r *repo) folder(dir string) []*entry {
	if r.folders == nil {
		r.folders = map[string][]*entry{}
		for _, e := range r.entries {
			if e.lang.Family == "go" {
				d := path.Dir(e.path)
				r.folders[d] = append(r.folders[d], e)
			}
		}
	}
	return r.folders[dir]
}
