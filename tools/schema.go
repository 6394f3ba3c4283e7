package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/idem-mcp/idem-mcp/history"
)

// InputSchema is the JSON Schema of a capability's arguments, in the order of
// the input struct.
func (c Capability) InputSchema() json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, f := range c.Fields {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", quote(f.Name), f.schema())
	}
	b.WriteString(`},"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

func (f Field) schema() string {
	var b strings.Builder
	enum := ""
	if len(f.Enum) > 0 {
		list, _ := json.Marshal(f.Enum) // strings always marshal
		enum = `,"enum":` + string(list)
	}
	switch f.Kind {
	case "strings":
		fmt.Fprintf(&b, `{"type":"array","items":{"type":"string"%s}`, enum)
	case "integer":
		fmt.Fprintf(&b, `{"type":"integer","minimum":%d,"maximum":%d`, f.Min, f.Max)
	case "boolean":
		b.WriteString(`{"type":"boolean"`)
	default:
		b.WriteString(`{"type":"string"` + enum)
	}
	if doc := cmp.Or(f.Brief, f.Doc); doc != "-" {
		b.WriteString(`,"description":` + quote(doc))
	}
	return b.String() + "}"
}

func quote(s string) string {
	b, _ := json.Marshal(s) // strings always marshal
	return string(b)
}

// ShallowSchema names the members that this answer has beyond those of every
// answer, no deeper: it stands in tools/list, where every byte is paid for by
// every conversation. It admits the others.
func (c Capability) ShallowSchema() json.RawMessage {
	common := members(reflect.TypeFor[Answer]())
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	comma := ""
	for _, m := range c.Members() {
		if !slices.Contains(common, m) {
			b.WriteString(comma + quote(m) + `:{}`)
			comma = ","
		}
	}
	b.WriteString(`},"required":["summary"]}`)
	return json.RawMessage(b.String())
}

// Members are the JSON names of the answer's members, in order, each once: a
// tool's own may stand in for a common one.
func (c Capability) Members() []string {
	var out []string
	for _, m := range members(c.answer) {
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// members are the JSON names of a struct's fields.
func members(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous:
			out = append(out, members(f.Type)...)
		case f.IsExported():
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" { // for the text alone
				continue
			}
			out = append(slices.DeleteFunc(out, func(have string) bool { return have == name }), name) // it hides an embedded one
		}
	}
	return out
}

// FullSchema is the complete JSON Schema of the answer, as published in
// docs/schema.
func (c Capability) FullSchema() (*jsonschema.Schema, error) {
	payload := &jsonschema.Schema{
		Type: "object", Required: []string{"state"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Description: "value only when shared; level and how_known only when withheld",
		Properties: map[string]*jsonschema.Schema{
			"state":     {Type: "string", Enum: []any{"not_recorded", "shared", "empty", "withheld"}},
			"value":     {Type: "string"},
			"level":     {Type: "string"},
			"how_known": {Type: "string"},
		},
	}
	s, err := jsonschema.ForType(c.answer, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[history.Payload]():   payload,
		reflect.TypeFor[json.RawMessage]():   {},
		reflect.TypeFor[map[string]any]():    {Type: "object"},
		reflect.TypeFor[map[string]string](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}},
	}})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", c.Name, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = c.Name
	return s, nil
}
