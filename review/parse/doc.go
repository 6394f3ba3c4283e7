// Package parse turns source bytes into a flat syntax tree. It is the only
// package that knows tree-sitter; languages read its [Node] values and lower
// them, nothing else in the program sees syntax.
//
// The whole tree is copied out of C in one call into one slice in preorder:
// walking it afterwards costs no cgo crossing, and no C memory outlives
// [Parse]. A build without cgo has the same API and [Parse] returns
// [ErrNotBuiltIn].
package parse

import (
	"errors"
	"time"
)

// ErrNotBuiltIn is returned by [Parse] in a build without cgo.
var ErrNotBuiltIn = errors.New("code review is not in this build: it needs cgo (build with CGO_ENABLED=1 and a C compiler)")

// ErrTooDeep is returned for nesting that no person writes; lowering recurses,
// so depth is bounded here, once.
var ErrTooDeep = errors.New("nested too deeply")

// ErrTooMuch is returned for text that takes the parser too long or becomes a
// tree that no file of a person becomes: recovery from broken text can cost far
// more than its size.
var ErrTooMuch = errors.New("too much to parse")

// Limits bound what one file may cost. A zero field is the bound of [Parse].
type Limits struct {
	Time  time.Duration // 0: 5 s
	Nodes uint32        // 0: 2 million
}

func (l Limits) orDefault() Limits {
	if l.Time <= 0 {
		l.Time = 5 * time.Second
	}
	if l.Nodes == 0 {
		l.Nodes = 2_000_000
	}
	return l
}

// Parse reads src. Syntax errors are not an error: [Tree.Errors] counts them
// and the rest of the file is there.
func Parse(g Grammar, src []byte) (*Tree, error) { return Within(g, src, Limits{}) }

// MaxDepth is the deepest tree that is read.
const MaxDepth = 2000

// Grammar names a language tree-sitter can read.
type Grammar uint8

// The grammars in the build.
const (
	Python Grammar = iota
	CSharp
	Java
	Go
	JavaScript
	TypeScript
	TSX
	grammarCount
)
