package logs

import (
	"hash/fnv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Bounds of one parsed line.
const (
	maxFields = 256
	maxNest   = 5
)

// field is a named value of a line: a member of a JSON object (nested names are
// joined by dots), a word of logfmt, or a named group of the pattern.
type field struct{ path, value string }

// record is one line taken apart.
type record struct {
	fields []field
	idem   []field   // the words of an idem line, if there is one in it
	text   string    // free text
	at     time.Time // the container runtime's time
}

// parse takes a line apart. Whatever it cannot read stays free text.
func (r *record) parse(line string, depth int) {
	line = strings.TrimSpace(line)
	if at, rest, ok := cri(line); ok && depth == 0 {
		r.at, line = at, rest
	}
	if strings.HasPrefix(line, "{") && gjson.Valid(line) {
		r.object(gjson.Parse(line), "", 0, depth)
		return
	}
	if at := strings.Index(line, "idem event="); at >= 0 && (at == 0 || !wordByte(line[at-1])) && r.idem == nil {
		r.idem = logfmt(line[at+len("idem "):])
	}
	if r.text == "" {
		r.text = line
	}
	if r.idem == nil && len(r.fields) == 0 {
		if words := logfmt(line); len(words) > 1 {
			r.fields = words
		}
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// object takes the members of a JSON object. A string that a container runtime
// or a collector wrapped is taken apart in turn.
func (r *record) object(v gjson.Result, prefix string, nest, depth int) {
	v.ForEach(func(key, value gjson.Result) bool {
		if len(r.fields) >= maxFields {
			return false
		}
		path := key.String()
		if prefix != "" {
			path = prefix + "." + path
		}
		switch {
		case value.IsObject():
			if nest < maxNest {
				r.object(value, path, nest+1, depth)
			}
		case value.IsArray() || value.Type == gjson.Null:
		case value.Type == gjson.String:
			s := value.String()
			r.fields = append(r.fields, field{path, s})
			if depth < 3 && nest == 0 && wrapped(path) {
				r.inner(s, depth)
			} else if strings.Contains(s, "idem event=") {
				r.inner(s, 3)
			}
		default:
			r.fields = append(r.fields, field{path, value.Raw})
		}
		return true
	})
}

// shape is equal for lines that one statement of a program wrote for one call:
// made of the names of fields and of the words without digits. Never 0.
func (r *record) shape() uint32 {
	h := fnv.New32a()
	for i := range r.fields {
		h.Write([]byte(r.fields[i].path))
		h.Write([]byte{0})
	}
	for w := range tokens(r.text) {
		if !strings.ContainsAny(w, "0123456789") {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
	}
	return h.Sum32() | 1
}

// wrapped names the members under which runtimes, collectors and loggers put a
// line that somebody else wrote.
func wrapped(name string) bool {
	switch strings.ToLower(name) {
	case "log", "message", "msg", "line", "event.original", "body", "textpayload":
		return true
	}
	return false
}

// inner takes apart a line inside a line, if it is one.
func (r *record) inner(s string, depth int) {
	t := strings.TrimSpace(s)
	if strings.HasPrefix(t, "{") && gjson.Valid(t) {
		r.object(gjson.Parse(t), "", 0, depth+1)
		return
	}
	if at := strings.Index(t, "idem event="); at >= 0 && (at == 0 || !wordByte(t[at-1])) && r.idem == nil {
		r.idem = logfmt(t[at+len("idem "):])
	}
	if len(t) > len(r.text) {
		r.text = t
	}
	if depth < 3 {
		if words := logfmt(t); len(words) > 1 {
			r.fields = append(r.fields, words...)
		}
	}
}

// cri reads the prefix that container runtimes of Kubernetes write: a time, the
// stream, and F for a whole line or P for a part of one.
func cri(line string) (at time.Time, rest string, ok bool) {
	stamp, after, ok := strings.Cut(line, " ")
	if !ok || len(stamp) < 20 || len(stamp) > 40 {
		return at, line, false
	}
	for _, stream := range [...]string{"stdout ", "stderr "} {
		tail, is := strings.CutPrefix(after, stream)
		if !is || len(tail) < 2 || tail[0] != 'F' && tail[0] != 'P' || tail[1] != ' ' {
			continue
		}
		t, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil {
			return at, line, false
		}
		return t, tail[2:], true
	}
	return at, line, false
}

// logfmt reads key=value words; other words are passed over. A value may stand
// in double quotes with backslash escapes.
func logfmt(s string) []field {
	var out []field
	for i := 0; i < len(s) && len(out) < maxFields; {
		for i < len(s) && s[i] <= ' ' {
			i++
		}
		start := i
		for i < len(s) && s[i] > ' ' && s[i] != '=' && s[i] != '"' {
			i++
		}
		if i >= len(s) || s[i] != '=' || i == start {
			if i < len(s) {
				i++
			}
			for i < len(s) && s[i] > ' ' && s[i-1] != ' ' {
				i++
			}
			continue
		}
		name := s[start:i]
		var value string
		value, i = logfmtValue(s, i+1)
		out = append(out, field{name, value})
	}
	return out
}

// logfmtValue reads a value at i and returns what follows it.
func logfmtValue(s string, i int) (string, int) {
	if i >= len(s) || s[i] != '"' {
		start := i
		for i < len(s) && s[i] > ' ' {
			i++
		}
		return strings.TrimRight(s[start:i], ",;"), i
	}
	var b strings.Builder
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), i + 1
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), i
}
