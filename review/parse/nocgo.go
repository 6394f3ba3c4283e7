//go:build !cgo

package parse

// BuiltIn reports whether this build can parse.
const BuiltIn = false

// Within returns [ErrNotBuiltIn].
func Within(Grammar, []byte, Limits) (*Tree, error) { return nil, ErrNotBuiltIn }
