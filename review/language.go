package review

import (
	"path"
	"strings"
)

// Language is one source language: a value, made by its package.
type Language struct {
	Name       string   // python, csharp, java, go, javascript, typescript
	Family     string   // languages whose files see each other: javascript and typescript are "js"
	Extensions []string // with the dot
	Comment    string   // the line comment marker
	// Lower turns source into the common form. Syntax errors are counted in
	// File.Errors; an error means that nothing could be read.
	Lower func(path string, src []byte) (*File, error)
	// Module lists the file or folder paths, without extension and relative to
	// the root, that an import written in the file from may mean; most likely
	// first. A path that starts with "*/" may stand below any folder.
	Module func(from, imported string) []string
	// Globals are names that every body sees without import.
	Globals []string
}

// Reads reports whether the language's files end like name.
func (l *Language) Reads(name string) bool {
	ext := path.Ext(name)
	for _, e := range l.Extensions {
		if strings.EqualFold(e, ext) {
			return true
		}
	}
	return false
}
