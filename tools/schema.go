package tools

import (
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
	if f.Default != "" {
		b.WriteString(`,"default":` + string(f.literal(f.Default)))
	}
	b.WriteString(`,"description":` + quote(f.Doc) + `}`)
	return b.String()
}

func quote(s string) string {
	b, _ := json.Marshal(s) // strings always marshal
	return string(b)
}

// ShallowSchema names the members of the answer, no deeper: it
// stands in tools/list, where every byte is paid for by every conversation.
func (c Capability) ShallowSchema() json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, m := range members(c.answer) {
		if i > 0 {
			b.WriteByte(',')
		}
		if m == "summary" {
			b.WriteString(`"summary":{"type":"string"}`)
			continue
		}
		b.WriteString(quote(m) + `:{}`)
	}
	b.WriteString(`},"required":["summary"]}`)
	return json.RawMessage(b.String())
}

// members are the JSON names of an answer's fields.
func members(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous:
			out = append(out, members(f.Type)...)
		case f.IsExported():
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
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
