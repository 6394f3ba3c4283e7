package review

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// declared is the older form of Azure Functions: a folder is a function, named
// after it; function.json beside the source says what triggers it.
func (ro *roster) declared(f *File) {
	fn := ro.repo.folderFunc(f)
	if fn == nil || !isFolderEntry(f.Path) {
		return
	}
	b, err := fs.ReadFile(ro.repo.fsys, path.Join(path.Dir(f.Path), "function.json"))
	if err != nil || len(b) > maxFile {
		return
	}
	switch b = bytes.ToLower(b); {
	case bytes.Contains(b, []byte(`"activitytrigger"`)):
		ro.enter(&candidate{name: path.Base(path.Dir(f.Path)), framework: "durable", fn: fn})
	case bytes.Contains(b, []byte(`"orchestrationtrigger"`)):
		ro.workflows[fn] = true
	}
}

// isFolderEntry reports the file that stands for its folder.
func isFolderEntry(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	return stem == "index" || stem == "__init__"
}

// folderFunc is the one function that a file hands out: what a script exports as
// its default, main of a Python module.
func (r *repo) folderFunc(f *File) *Func {
	m := &module{files: []*File{f}}
	switch r.family(f) {
	case "python":
		return m.fn("main")
	case "js":
		if fn := r.exportedFunc(m, "default", 0); fn != nil {
			return fn
		}
		file, v := r.exportedValue(m, "default", 0)
		if v == nil || v.Op != OpLambda {
			return nil
		}
		if v.Func.File == nil {
			v.Func.File = file
		}
		return v.Func
	}
	return nil
}

// folderNamed is the function of a file that is asked for by the name of the
// file or, when the file stands for it, of its folder.
func (ro *roster) folderNamed(f *File, symbols []string) *candidate {
	name := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
	if isFolderEntry(f.Path) {
		name = path.Base(path.Dir(f.Path))
	}
	if !slices.Contains(symbols, name) {
		return nil
	}
	if fn := ro.repo.folderFunc(f); fn != nil && !fn.Abstract {
		return &candidate{name: name, fn: fn}
	}
	return nil
}
