//go:build !cgo

package parse

// BuiltIn reports whether this build can parse.
const BuiltIn = false

// ParseWithin returns [ErrNotBuiltIn].
func ParseWithin(Grammar, []byte, Limits) (*Tree, error) { return nil, ErrNotBuiltIn }
