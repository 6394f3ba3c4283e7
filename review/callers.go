package review

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// callersOf reads the files that may register or schedule what one target
// defines, so that reviewing a single file still finds its activities and call
// sites: those that speak of activities and mention one of its names.
func (ro *roster) callersOf(e *entry) {
	var names [][]byte
	for _, fn := range e.file.Funcs {
		if fn.Parent == nil && len(fn.Name) > 2 {
			names = append(names, []byte(fn.Name))
		}
	}
	for _, t := range e.file.Types {
		names = append(names, []byte(t.Name))
	}
	names = append(names, []byte(moduleWord(e.path)))
	for range 3 { // files that hand on what they import are found by who imports them
		var next [][]byte
		for _, other := range slices.Clone(ro.repo.entries) {
			if !other.done && other.lang.Family == e.lang.Family {
				src := ro.repo.read(other)
				if !bytes.Contains(src, []byte("ctivit")) {
					continue
				}
				if slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(src, n) }) {
					if f := ro.repo.load(other); f != nil && slices.ContainsFunc(f.Imports, func(im Import) bool { return im.Export }) {
						next = append(next, []byte(moduleWord(other.path)))
					}
				}
			}
			if other.file != nil {
				ro.scan(other.file)
			}
		}
		if names = next; len(names) == 0 {
			return
		}
	}
}

// moduleWord is the word an import of the file ends in.
func moduleWord(p string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if stem == "index" && strings.Contains(p, "/") {
		return path.Base(path.Dir(p))
	}
	return stem
}
