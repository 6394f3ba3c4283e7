package catalyst

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// answer is what a tool said, with the JSON found in it: the structured
// content when there is one, else the first JSON document in the text. doc is
// nil when the answer holds no JSON.
type answer struct {
	doc  json.RawMessage
	text string // text content that holds no JSON
}

// newAnswer chooses between the contents of a result. Servers put a sentence
// before the JSON now and then, so the text is searched for its first document.
func newAnswer(structured json.RawMessage, texts []string) answer {
	structured = bytes.TrimSpace(structured)
	if len(structured) > 0 && (structured[0] == '{' || structured[0] == '[') {
		return answer{doc: structured}
	}
	for _, t := range texts {
		if doc := jsonIn(t); doc != nil {
			return answer{doc: doc}
		}
	}
	return answer{text: strings.Join(texts, "\n")}
}

// jsonIn returns the JSON document in s: s itself, or what follows a sentence.
// nil when nothing in s is a whole document that reaches its end.
func jsonIn(s string) json.RawMessage {
	b := bytes.TrimSpace([]byte(s))
	for tries := 0; tries < 16; tries++ {
		i := bytes.IndexAny(b, "{[")
		if i < 0 {
			return nil
		}
		b = b[i:]
		dec := json.NewDecoder(bytes.NewReader(b))
		var doc json.RawMessage
		if dec.Decode(&doc) == nil && len(bytes.Trim(b[dec.InputOffset():], " \t\r\n`")) == 0 {
			return doc
		}
		b = b[1:]
	}
	return nil
}

// normal is a property name without case, "_" and "-": projectId, ProjectId and
// project_id are one.
func normal(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// object is a JSON object read by normalised member name.
type object map[string]json.RawMessage

func asObject(raw json.RawMessage) (object, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil, false
	}
	o := make(object, len(m))
	for k, v := range m {
		n := normal(k)
		if _, dup := o[n]; dup && k != n {
			continue // the plain spelling wins, so that the result does not depend on map order
		}
		o[n] = v
	}
	return o, true
}

// str returns the first of names that holds a non-empty string or a number.
func (o object) str(names ...string) string {
	for _, n := range names {
		raw, ok := o[n]
		if !ok || len(raw) == 0 {
			continue
		}
		if s, ok := jsonString(raw); ok && s != "" {
			return s
		}
		if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
			return string(raw)
		}
	}
	return ""
}

// has reports whether any of names is a member.
func (o object) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := o[n]; return ok })
}

// failedParts names the parts of a composed answer that are missing or failed:
// members that are null, or objects that hold only an error.
func failedParts(doc json.RawMessage) []string {
	var m map[string]json.RawMessage
	if json.Unmarshal(doc, &m) != nil {
		return nil
	}
	var failed []string
	for k, v := range m {
		if k == "error" || !strings.ContainsAny(k, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			continue // a composed answer is keyed by operation ids, which are camelCase
		}
		o, ok := asObject(v)
		if !ok || !o.has("error", "errors") {
			continue
		}
		if o.has("data", "items", "result") {
			continue
		}
		failed = append(failed, k)
	}
	slices.Sort(failed)
	return failed
}

// rows finds the list of a listing: the first array, breadth first, under one
// of names or holding objects that keep accepts. found tells an empty list from
// no list at all.
func rows(doc json.RawMessage, names []string, keep func(object) bool) (list []json.RawMessage, found bool) {
	type level = []json.RawMessage
	current := level{doc}
	var empty bool
	for depth := 0; depth < 5 && len(current) > 0; depth++ {
		var next level
		for _, raw := range current {
			raw = bytes.TrimSpace(raw)
			if len(raw) == 0 {
				continue
			}
			if raw[0] == '[' {
				if items, ok := rowArray(raw, keep); ok {
					if len(items) > 0 {
						return items, true
					}
					empty = true
				}
				continue
			}
			var m map[string]json.RawMessage
			if raw[0] != '{' || json.Unmarshal(raw, &m) != nil {
				continue
			}
			for _, k := range sortedKeys(m) {
				v := bytes.TrimSpace(m[k])
				if len(v) == 0 {
					continue
				}
				named := slices.Contains(names, normal(k))
				if string(v) == "null" && named {
					empty = true // Go servers write an empty list as null
				}
				if v[0] == '[' && string(bytes.TrimSpace(v[1:])) == "]" && !named {
					continue // an empty list of something else
				}
				next = append(next, v)
			}
		}
		current = next
	}
	return nil, empty
}

func rowArray(raw json.RawMessage, keep func(object) bool) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	for _, it := range items {
		o, ok := asObject(it)
		if !ok || !keep(unwrapRow(o)) {
			return nil, false
		}
	}
	return items, true
}

// unwrapRow looks through {"attributes":{…}} and {"metadata":{…},"spec":{…}}
// wrappers: their members join the row's own, which win.
func unwrapRow(o object) object {
	out := make(object, len(o))
	for _, w := range []string{"status", "spec", "metadata", "attributes", "data", "run", "workflow", "project", "app"} {
		if in, ok := asObject(o[w]); ok {
			for k, v := range in {
				out[k] = v
			}
		}
	}
	for k, v := range o {
		if _, isObject := asObject(v); isObject {
			if _, taken := out[k]; taken {
				continue
			}
		}
		out[k] = v
	}
	return out
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// nextCursor finds where a listing goes on; nil when it says that it ends.
// Strings and numbers are sent back as they came.
func nextCursor(doc json.RawMessage) any {
	top, ok := asObject(doc)
	if !ok {
		return nil
	}
	levels := []object{top}
	for depth := 0; depth < 3; depth++ {
		var deeper []object
		for _, o := range levels {
			for _, n := range []string{"nextcursor", "nexttoken", "nextpagetoken", "continuationtoken", "nextpage", "next", "nextpagecursor", "endcursor"} {
				if c := cursorValue(o[n]); c != nil && !saysLast(o) {
					return c
				}
			}
			for _, k := range slices.Sorted(mapKeys(o)) {
				if in, ok := asObject(o[k]); ok {
					deeper = append(deeper, in)
				}
			}
		}
		levels = deeper
	}
	return nil
}

func mapKeys(o object) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range o {
			if !yield(k) {
				return
			}
		}
	}
}

// saysLast reports a page that gives a cursor of its end and says that nothing
// follows.
func saysLast(o object) bool {
	for _, n := range []string{"hasmore", "hasnextpage", "hasnext"} {
		if string(o[n]) == "false" {
			return true
		}
	}
	return false
}

func cursorValue(raw json.RawMessage) any {
	if s, ok := jsonString(raw); ok {
		if s == "" {
			return nil
		}
		return s
	}
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return json.Number(raw)
	}
	return nil
}

// notRecognised is the error of an answer whose form is unknown. The answer
// itself is not quoted: its text may hold what the organization withholds.
func notRecognised(what, want string) error {
	return &fault.Error{
		Kind:  fault.Damaged,
		What:  what + ": I did not recognise this answer (" + want + ")",
		Means: "nothing was read from it, which is not the same as nothing being there",
		Do:    "Report the tool's name and the names of the answer's members (not their values) as an issue; meanwhile a run's JSON can be given inline",
	}
}
