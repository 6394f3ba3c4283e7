package gate

import "io"

// Hashed makes a named token of a plain one.
func Hashed(name, token string) Named { return hashed(name, token) }

// ParseTokens reads what it can of a tokens file.
func ParseTokens(r io.Reader) []Named {
	out, err := parseTokens(r)
	if err != nil {
		return nil
	}
	return out
}
