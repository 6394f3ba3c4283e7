package history

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// maxFlatten bounds how deep an event object is flattened.
const maxFlatten = 8

// fields is a JSON object flattened to normalised keys: nested objects are
// joined to their parent's key, and case, "_" and "-" do not count. So
// activityRetry.taskExecutionId, activity_retry_task_execution_id and
// origin__activity_retry_task_execution_id differ only by a prefix. Payloads
// are kept whole and undecoded.
type fields map[string]json.RawMessage

// payloadKeys are never looked into.
var payloadKeys = map[string]bool{
	"input": true, "output": true, "result": true, "customstatus": true, "data": true, "payload": true, "tags": true,
}

func normalize(key string) string {
	clean := true
	for i := 0; i < len(key); i++ {
		if c := key[i]; c < 'a' || c > 'z' {
			clean = false
			break
		}
	}
	if clean {
		return key
	}
	var b strings.Builder
	b.Grow(len(key))
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		case c == '_' || c == '-' || c == ' ' || c == '.':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// flatten adds the members of obj to f under prefix.
func (f fields) flatten(prefix string, obj map[string]json.RawMessage, depth int) {
	for _, k := range sortedKeys(obj) { // sorted, so that two spellings of one key always resolve alike
		v, n := obj[k], normalize(k)
		key := prefix + n
		if _, taken := f[key]; !taken {
			f[key] = v
		}
		if depth >= maxFlatten || payloadKeys[n] {
			continue
		}
		if inner := object(v); inner != nil {
			f.flatten(key, inner, depth+1)
		}
	}
}

// get returns the first of the keys that is present.
func (f fields) get(keys ...string) (json.RawMessage, bool) {
	for _, k := range keys {
		if v, ok := f[k]; ok {
			return v, true
		}
	}
	return nil, false
}

// text returns a string or number member, "" when absent. A wrapper object
// {"value": …} is read through.
func (f fields) text(keys ...string) string {
	for _, k := range keys {
		if v, ok := f[k+"value"]; ok {
			if s, ok := scalar(v); ok {
				return s
			}
		}
		if v, ok := f[k]; ok {
			if s, ok := scalar(v); ok {
				return s
			}
		}
	}
	return ""
}

func scalar(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "", false
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return strings.ToValidUTF8(s, "\uFFFD"), true
	case '{', '[', 'n':
		return "", false
	}
	return string(raw), true
}

// id returns an int32 member, numeric or a quoted number.
func (f fields) id(keys ...string) (int32, bool) {
	s := f.text(keys...)
	if s == "" {
		return NoID, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return NoID, false
	}
	return int32(n), true
}

func (f fields) flag(keys ...string) bool { return f.text(keys...) == "true" }

// when returns a time member in UTC; zero when absent or not a time.
func (f fields) when(keys ...string) time.Time { return parseTime(f.text(keys...)) }

// parseTime accepts RFC 3339, the same with a space, and seconds or
// milliseconds since 1970.
func parseTime(s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999 -0700 MST"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 {
		if n > 1e11 { // later than the year 5138 in seconds: milliseconds
			return time.UnixMilli(n).UTC()
		}
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}

// payload reads a payload member as far as the level allows. absent is what an
// absent member means in this shape.
func (f fields) payload(o Options, share *Sharing, decode bool, absent Payload, keys ...string) Payload {
	raw, ok := f.get(keys...)
	if !ok {
		return absent
	}
	raw = bytes.TrimSpace(raw)
	if s := string(raw); s == "null" || s == `""` {
		return EmptyPayload()
	}
	if v, wrapped := f[keys[0]+"value"]; wrapped {
		raw = bytes.TrimSpace(v)
	}
	if !decode {
		p := WithheldPayload(share)
		if o.Fingerprint == nil {
			return p
		}
		if s, ok := scalar(raw); ok {
			return p.withPrint(o.Fingerprint, []byte(s))
		}
		return p.withPrint(o.Fingerprint, raw)
	}
	if s, ok := scalar(raw); ok {
		return SharedPayload(s)
	}
	return SharedPayload(strings.ToValidUTF8(string(raw), "\uFFFD"))
}
