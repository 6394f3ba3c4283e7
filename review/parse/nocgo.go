//go:build !cgo

package parse

// BuiltIn reports whether this build can parse.
const BuiltIn = false

// Parse returns [ErrNotBuiltIn].
func Parse(Grammar, []byte) (*Tree, error) { return nil, ErrNotBuiltIn }
