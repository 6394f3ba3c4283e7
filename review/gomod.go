package review

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// goModule is what a go.mod says: which import paths are folders of the
// repository, and which are other modules.
type goModule struct {
	dir, path string
	requires  []string
}

// goModules are the modules of the repository, read once.
func (r *repo) goModules() []goModule {
	if r.goMods == nil || r.goRead != nil {
		return r.goRead
	}
	for _, p := range r.goMods {
		b, err := fs.ReadFile(r.fsys, p)
		if err != nil || len(b) > maxFile {
			continue
		}
		m := goModule{dir: path.Dir(p)}
		for line := range bytes.Lines(b) {
			f := strings.Fields(string(line))
			switch {
			case len(f) >= 2 && f[0] == "module":
				m.path = strings.Trim(f[1], `"`)
			case len(f) >= 3 && f[0] == "require":
				m.requires = append(m.requires, f[1])
			case len(f) >= 2 && strings.Contains(f[0], ".") && strings.HasPrefix(f[1], "v"):
				m.requires = append(m.requires, f[0])
			}
		}
		if m.path != "" {
			r.goRead = append(r.goRead, m)
		}
	}
	return r.goRead
}

// goFolder is the folder of an import path: one of a module of the repository.
// outside reports a path of another module.
func (r *repo) goFolder(imported string) (dir string, outside bool) {
	best := -1
	for _, m := range r.goModules() {
		if rest, ok := under(imported, m.path); ok && len(m.path) > best {
			dir, best = path.Join(m.dir, rest), len(m.path)
		}
	}
	if best >= 0 {
		return dir, false
	}
	for _, m := range r.goModules() {
		for _, req := range m.requires {
			if _, ok := under(imported, req); ok {
				return "", true
			}
		}
	}
	return "", false
}

func under(p, root string) (string, bool) {
	if p == root {
		return "", true
	}
	return strings.CutPrefix(p, root+"/")
}
