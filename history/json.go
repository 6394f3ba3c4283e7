package history

import (
	"bytes"
	"encoding/json"
	"io"
)

// Splitting JSON without copying it. encoding/json copies every level of a
// document that is taken apart with RawMessage, which for a large export would
// be several times its size. What is split here was validated by encoding/json
// before (checkJSON), so these functions only look for ends.

// skipSpace returns the index of the first byte from i on that is not white
// space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at b[i], -1 when it
// does not end.
func skipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// skipValue returns the index after the JSON value that begins at b[i], -1 when
// the text ends first.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		default:
			if depth == 0 {
				end := i + bytes.IndexAny(b[i:], ",]} \n\t\r")
				if end < i {
					return len(b)
				}
				return max(end, i+1)
			}
		}
		i++
	}
	return -1
}

// elements splits a JSON array. whole is false when the text ends inside it; the
// elements before the end are still returned.
func elements(b []byte) (list []json.RawMessage, whole bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '[' {
		return nil, false
	}
	for i = skipSpace(b, i+1); i < len(b) && b[i] != ']'; {
		end := skipValue(b, i)
		if end < 0 {
			return list, false
		}
		list = append(list, b[i:end:end])
		if i = skipSpace(b, end); i < len(b) && b[i] == ',' {
			i = skipSpace(b, i+1)
		} else if i < len(b) && b[i] != ']' {
			return list, false
		}
	}
	return list, i < len(b)
}

// object splits a JSON object into its members, values undecoded and not
// copied; nil when raw is not an object. Of a repeated key the last value
// counts, as in encoding/json.
func object(raw json.RawMessage) map[string]json.RawMessage {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return nil
	}
	m := make(map[string]json.RawMessage, 8)
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] == '"'; {
		end := skipString(raw, i)
		if end < 0 {
			return nil
		}
		key := string(raw[i+1 : end-1])
		if bytes.IndexByte(raw[i:end], '\\') >= 0 && json.Unmarshal(raw[i:end], &key) != nil {
			return nil
		}
		if i = skipSpace(raw, end); i >= len(raw) || raw[i] != ':' {
			return nil
		}
		i = skipSpace(raw, i+1)
		if end = skipValue(raw, i); end < 0 {
			return nil
		}
		m[key] = raw[i:end:end]
		if i = skipSpace(raw, end); i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	if i >= len(raw) || raw[i] != '}' {
		return nil
	}
	return m
}

// checkJSON returns what encoding/json has against a value, nil when it is
// valid. A value that is not nested deeper than its scanner allows is valid
// without being decoded.
func checkJSON(b []byte) error {
	if json.Valid(b) {
		return nil
	}
	var probe struct{}
	if err := json.Unmarshal(b, &probe); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
