package parse

import (
	"iter"
	"sync"
)

type raw struct {
	start, end       uint32
	row, endRow      uint32
	size             uint32 // nodes in this subtree, itself included
	symbol, field    uint16
	named, bad, miss uint8
	_                uint8
}

// Tree is a parsed file. It is read-only and safe for concurrent use.
type Tree struct {
	text    string
	nodes   []raw
	symbols []string
	fields  []string
	errors  int
}

// spare holds the node lists of trees that were released: a list is as long as the
// file has tokens, and a fresh one for each file costs more than it takes to fill.
var spare sync.Pool

// newNodes returns a node list of a length.
func newNodes(n int) []raw {
	if p, ok := spare.Get().(*[]raw); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]raw, n)
}

// Release gives the nodes back, of which none may be used afterwards. Texts stay.
func (t *Tree) Release() {
	if nodes := t.nodes; nodes != nil {
		t.nodes = nil
		spare.Put(&nodes)
	}
}

// Root is the node of the whole file.
func (t *Tree) Root() Node {
	if len(t.nodes) == 0 {
		return Node{}
	}
	return Node{t: t}
}

// Errors counts the places the grammar could not read.
func (t *Tree) Errors() int { return t.errors }

// Len is the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Node is one syntax node. The zero Node is "none": every method may be called
// on it and answers empty, so lowering needs no nil checks.
type Node struct {
	t *Tree
	i int
}

// OK reports whether there is a node.
func (n Node) OK() bool { return n.t != nil }

// Kind is the grammar's name of the node, "" for none.
func (n Node) Kind() string {
	if n.t == nil {
		return ""
	}
	r := &n.t.nodes[n.i]
	if int(r.symbol) >= len(n.t.symbols) {
		return "ERROR"
	}
	return n.t.symbols[r.symbol]
}

// Named reports whether the node is more than punctuation or a keyword.
func (n Node) Named() bool { return n.t != nil && n.t.nodes[n.i].named != 0 }

// Bad reports whether the node is a syntax error or was invented by recovery.
func (n Node) Bad() bool {
	return n.t != nil && (n.t.nodes[n.i].bad != 0 || n.t.nodes[n.i].miss != 0)
}

// Start and End are byte offsets.
func (n Node) Start() int {
	if n.t == nil {
		return 0
	}
	return int(n.t.nodes[n.i].start)
}

// End is the offset after the last byte.
func (n Node) End() int {
	if n.t == nil {
		return 0
	}
	return int(n.t.nodes[n.i].end)
}

// Line is the 1-based first line, 0 for none.
func (n Node) Line() int {
	if n.t == nil {
		return 0
	}
	return int(n.t.nodes[n.i].row) + 1
}

// EndLine is the 1-based last line, 0 for none.
func (n Node) EndLine() int {
	if n.t == nil {
		return 0
	}
	return int(n.t.nodes[n.i].endRow) + 1
}

// Text is the source of the node.
func (n Node) Text() string {
	if n.t == nil {
		return ""
	}
	return n.t.text[n.Start():n.End()]
}

// All yields the children, punctuation included.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.t == nil {
			return
		}
		end := n.i + int(n.t.nodes[n.i].size)
		for c := n.i + 1; c < end; c += int(n.t.nodes[c].size) {
			if !yield(Node{n.t, c}) {
				return
			}
		}
	}
}

// Children yields the named children.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := range n.All() {
			if c.Named() && !yield(c) {
				return
			}
		}
	}
}

// Field is the first child with this field name, or none.
func (n Node) Field(name string) Node {
	for c := range n.All() {
		if c.FieldName() == name {
			return c
		}
	}
	return Node{}
}

// Fields yields every child with this field name.
func (n Node) Fields(name string) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := range n.All() {
			if c.FieldName() == name && !yield(c) {
				return
			}
		}
	}
}

// FieldName is the field this node fills in its parent, "" if none.
func (n Node) FieldName() string {
	if n.t == nil {
		return ""
	}
	f := n.t.nodes[n.i].field
	if int(f) >= len(n.t.fields) {
		return ""
	}
	return n.t.fields[f]
}

// First is the first named child, or the first of one of the kinds given.
func (n Node) First(kinds ...string) Node {
	for c := range n.All() {
		if len(kinds) == 0 && c.Named() {
			return c
		}
		for _, k := range kinds {
			if c.Kind() == k {
				return c
			}
		}
	}
	return Node{}
}

// Last is the last named child.
func (n Node) Last() Node {
	var last Node
	for c := range n.Children() {
		last = c
	}
	return last
}

// Has reports whether a direct child has this kind (keywords included).
func (n Node) Has(kind string) bool { return n.First(kind).OK() }
