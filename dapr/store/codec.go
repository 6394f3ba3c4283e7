package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// AppendText appends to dst the bytes that a store wrote as text: base64 when
// the row says that they are binary (SQLite, PostgreSQL v1), else as they are
// (the JSON that runtimes before 1.16 wrote).
func AppendText(dst, text []byte, binary bool) ([]byte, error) {
	if !binary {
		return append(dst, text...), nil
	}
	out, err := base64.StdEncoding.AppendDecode(dst, text)
	if err != nil {
		return dst, fmt.Errorf("not base64 although the row says binary: %w", err)
	}
	return out, nil
}

// customStatus reads a custom status row: a protobuf StringValue or, from old
// runtimes, a JSON string.
func customStatus(raw []byte) (string, error) {
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	var out string
	for len(raw) > 0 {
		num, typ, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return "", protowire.ParseError(n)
		}
		raw = raw[n:]
		if num == 1 && typ == protowire.BytesType {
			v, n := protowire.ConsumeBytes(raw)
			if n < 0 {
				return "", protowire.ParseError(n)
			}
			out, raw = string(v), raw[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(num, typ, raw); n < 0 {
			return "", protowire.ParseError(n)
		}
		raw = raw[n:]
	}
	if !utf8.ValidString(out) {
		return "", fmt.Errorf("not UTF-8")
	}
	return out, nil
}
