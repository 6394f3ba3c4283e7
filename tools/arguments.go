package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/nearest"
)

// Field is one argument, read from the tags of an input struct:
//
//	doc:"…"      what it is (required)
//	brief:"…"    the same in the schema, where every byte is paid for; "-": its
//	             name and bounds say enough there
//	enum:"a,b"   the allowed values
//	min, max     bounds of an integer; max alone bounds a string's length
//	default:"…"  used when the argument is absent or null
//	shell:"runs" a boolean whose flag may name exported runs to read
type Field struct {
	Name    string
	Doc     string
	Brief   string
	Kind    string // "string", "integer", "boolean", "strings" or "text"
	Enum    []string
	Min     int
	Max     int
	Default string
	Runs    bool
}

// The longest string argument, unless a field says otherwise.
const maxString = 512

// Page is the paging every capability has, always by these names.
type Page struct {
	Format string   `json:"response_format" enum:"concise,detailed" default:"concise" doc:"concise, or detailed with everything that fits" brief:"-"`
	Limit  int      `json:"limit" min:"1" max:"1000" doc:"at most so many" brief:"-"`
	Cursor string   `json:"cursor" max:"4096" doc:"the cursor of the answer before, to continue it" brief:"-"`
	Fields []string `json:"fields" doc:"only these members of the answer; summary, coverage, truncated, narrow and cursor are always there" brief:"of the answer, to keep"`
}

func (p Page) detailed() bool { return p.Format == "detailed" }

// wants reports whether the caller asked for a member: a scan need not stop
// because findings do not fit that nobody asked for.
func (p Page) wants(member string) bool {
	return len(p.Fields) == 0 || slices.Contains(p.Fields, member)
}

// fields are the members of the answer that the caller asked for; none: all.
func (p Page) fields() []string { return p.Fields }

// Which chooses one run.
type Which struct {
	Run     string `json:"run" doc:"run (instance) id, or its location in a listing" brief:"id, or location in a listing"`
	App     string `json:"app" doc:"app id" brief:"-"`
	History Inline `json:"history" max:"3000000" doc:"a run's history as JSON text, e.g. the whole answer of catalyst_get_workflow_run; instead of run" brief:"instead of run: its history as JSON, e.g. the answer of catalyst_get_workflow_run"`
}

// Select chooses many runs.
type Select struct {
	Workflow string   `json:"workflow" doc:"workflow name" brief:"-"`
	Status   []string `json:"status" enum:"running,completed,failed,terminated,suspended,canceled,pending,stalled,continued_as_new" doc:"statuses" brief:"-"`
	Since    string   `json:"since" doc:"created since: RFC 3339, or an age such as 24h or 7d" brief:"RFC 3339 or age (24h, 7d)"`
	Until    string   `json:"until" doc:"created until" brief:"-"`
	Text     string   `json:"text" doc:"part of the run id or workflow name" brief:"in run id or workflow name"`
}

// Inline is text that a caller pasted. Clients that send the JSON itself in
// place of a string mean the same.
type Inline string

// UnmarshalJSON takes a string's content, and anything else as it stands.
func (s *Inline) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		err := json.Unmarshal(b, (*string)(s))
		if *s == "" {
			*s = " " // pasted, and empty: not the same as not given
		}
		return err
	}
	*s = Inline(b)
	return nil
}

func fieldsOf(t reflect.Type) []Field {
	var out []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			out = append(out, fieldsOf(sf.Type)...)
			continue
		}
		f := Field{Name: sf.Tag.Get("json"), Doc: sf.Tag.Get("doc"), Brief: sf.Tag.Get("brief"), Default: sf.Tag.Get("default"), Max: maxString, Runs: sf.Tag.Get("shell") == "runs"}
		if e := sf.Tag.Get("enum"); e != "" {
			f.Enum = strings.Split(e, ",")
		}
		switch {
		case sf.Type == reflect.TypeFor[Inline]():
			f.Kind = "text"
		case sf.Type.Kind() == reflect.Slice:
			f.Kind = "strings"
		case sf.Type.Kind() == reflect.Int:
			f.Kind = "integer"
		case sf.Type.Kind() == reflect.Bool:
			f.Kind = "boolean"
		default:
			f.Kind = "string"
		}
		if n, err := strconv.Atoi(sf.Tag.Get("min")); err == nil {
			f.Min = n
		}
		if n, err := strconv.Atoi(sf.Tag.Get("max")); err == nil {
			f.Max = n
		}
		out = append(out, f)
	}
	// A capability may override a shared field by declaring it first.
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(f Field) bool {
		again := seen[f.Name]
		seen[f.Name] = true
		return again
	})
}

// badArgument is an argument that cannot be used.
type badArgument struct {
	what    string
	allowed []string
	do      string
}

func (e *badArgument) Error() string { return e.what }

// decode checks raw against the fields and fills in.
func decode(fields []Field, raw json.RawMessage, in any) error {
	given := map[string]json.RawMessage{}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &given); err != nil {
			return &badArgument{what: "the arguments are not a JSON object"}
		}
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return unknownArgument(name, names)
		}
	}
	for _, f := range fields {
		v, ok := given[f.Name]
		if ok && string(v) == "null" {
			delete(given, f.Name)
			ok = false
		}
		if !ok {
			if f.Default != "" {
				given[f.Name] = f.literal(f.Default)
			}
			continue
		}
		if err := f.check(v); err != nil {
			return err
		}
		if f.Kind == "strings" && v[0] == '"' {
			given[f.Name] = slices.Concat(json.RawMessage("["), v, json.RawMessage("]"))
		}
	}
	checked, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("encode the arguments: %w", err)
	}
	if err := json.Unmarshal(checked, in); err != nil {
		return fmt.Errorf("decode the arguments: %w", err)
	}
	return nil
}

func unknownArgument(name string, known []string) error {
	e := &badArgument{what: fmt.Sprintf("there is no argument %q", clean.Line(name, 60)), allowed: known, do: "The arguments are " + strings.Join(known, ", ")}
	if n := nearest.Of(name, known); n != "" {
		e.do = fmt.Sprintf("Did you mean %q? %s", n, e.do)
	}
	return e
}

// literal is the JSON of a value that is written as text, in a tag or a flag.
func (f Field) literal(s string) json.RawMessage {
	if f.Kind == "integer" || f.Kind == "boolean" {
		return json.RawMessage(s)
	}
	b, _ := json.Marshal(s) // strings always marshal
	return b
}

func (f Field) check(v json.RawMessage) error {
	switch f.Kind {
	case "integer":
		n, err := strconv.Atoi(string(v))
		if err != nil || n < f.Min || n > f.Max {
			return &badArgument{what: fmt.Sprintf("%s must be a whole number from %d to %d", f.Name, f.Min, f.Max)}
		}
	case "boolean":
		if s := string(v); s != "true" && s != "false" {
			return &badArgument{what: f.Name + " must be true or false"}
		}
	case "text":
		if len(v) > f.Max {
			do := "Export the run to a file and use the command: idem-mcp duplicates FILE"
			if f.Name == "code" {
				do = "Write it to files and use the command: idem-mcp review FILE"
			}
			return &badArgument{what: fmt.Sprintf("%s is longer than %d bytes", f.Name, f.Max), do: do}
		}
	case "strings":
		list, err := f.strings(v)
		if err != nil {
			return err
		}
		if len(list) > 32 {
			return &badArgument{what: f.Name + " has more than 32 members"}
		}
		for _, s := range list {
			if err := f.checkString(s); err != nil {
				return err
			}
		}
	default:
		var s string
		if json.Unmarshal(v, &s) != nil {
			return &badArgument{what: f.Name + " must be a string", allowed: f.Enum}
		}
		return f.checkString(s)
	}
	return nil
}

// strings reads a list. One string alone means a list of it: that is how an
// assistant writes it when it copies a suggested call.
func (f Field) strings(v json.RawMessage) ([]string, error) {
	var one string
	if json.Unmarshal(v, &one) == nil {
		return []string{one}, nil
	}
	var list []string
	if json.Unmarshal(v, &list) != nil {
		return nil, &badArgument{what: f.Name + " must be a list of strings", allowed: f.Enum}
	}
	return list, nil
}

func (f Field) checkString(s string) error {
	if len(s) > f.Max {
		return &badArgument{what: fmt.Sprintf("%s is longer than %d bytes", f.Name, f.Max)}
	}
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, s) {
		e := &badArgument{what: fmt.Sprintf("%s cannot be %q", f.Name, clean.Line(s, 60)), allowed: f.Enum, do: "It can be " + strings.Join(f.Enum, ", ")}
		if n := nearest.Of(s, f.Enum); n != "" {
			e.do = fmt.Sprintf("Did you mean %q? %s", n, e.do)
		}
		return e
	}
	return nil
}

// filter turns the arguments into a history.Filter.
func (s Select) filter(app, cursor string, now time.Time) (history.Filter, error) {
	f := history.Filter{App: app, Workflow: s.Workflow, Text: s.Text, Cursor: cursor}
	for _, name := range s.Status { // the enum admits only known names
		f.Status = append(f.Status, history.ParseStatus(name))
	}
	var err error
	if f.Since, err = instant("since", s.Since, now); err != nil {
		return f, err
	}
	if f.Until, err = instant("until", s.Until, now); err != nil {
		return f, err
	}
	if !f.Since.IsZero() && !f.Until.IsZero() && !f.Until.After(f.Since) {
		return f, &badArgument{what: "until is not after since, so no run can match", do: "Exchange them"}
	}
	return f, nil
}

func (s Select) empty() bool {
	return s.Workflow == "" && len(s.Status) == 0 && s.Since == "" && s.Until == "" && s.Text == ""
}

// instant reads a time: RFC 3339, a day, or an age before now.
func instant(name, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range [...]string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	age := s
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			age = strconv.Itoa(n*24) + "h"
		}
	}
	d, err := time.ParseDuration(age)
	if err != nil || d < 0 {
		return time.Time{}, &badArgument{what: fmt.Sprintf("%s %q is not a time", name, clean.Line(s, 60)), do: "Give RFC 3339 such as 2026-11-29T14:00:00Z, a day, or an age such as 90m, 24h, 7d"}
	}
	return now.Add(-d).UTC(), nil
}

// cursorAt reads a cursor that counts members of one answer, such as "event:50".
func cursorAt(prefix, cursor string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(cursor, prefix))
	if err != nil || n < 0 || !strings.HasPrefix(cursor, prefix) {
		return 0, &badArgument{what: fmt.Sprintf("the cursor %q is none of this answer", clean.Line(cursor, 40)), do: "Pass the cursor of the answer before unchanged, or leave it out to start again"}
	}
	return n, nil
}
