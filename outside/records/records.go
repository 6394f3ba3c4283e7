// Package records reads tables as people export them: CSV with a heading, JSON
// arrays, JSON lines, and a JSON object around a list. Which one it is, is read
// from the content. Only the fields that are asked for are looked at.
package records

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/idem-mcp/idem-mcp/outside/input"
)

// Bounds of one record.
const (
	maxRecord  = 8 << 20
	maxColumns = 2000
	maxNest    = 8 // of objects around a list
)

// Record gives the value of the first of the alternatives that the record has;
// empty when it has none. Names of nested JSON are joined by dots; headings of
// CSV compare without case.
type Record func(alternatives []string) string

// Read calls each with every record. A stream that ends inside a record, or
// holds something else, is a *input.Broken: what was read before it counts.
func Read(name string, r io.Reader, each func(Record) error) (int, error) {
	return read(name, r, isList, func(rec Record, _ json.RawMessage) error { return each(rec) })
}

// ReadRaw is Read for JSON only: each gets the text of every record. Lists are
// looked for under the given names.
func ReadRaw(name string, r io.Reader, lists []string, each func(raw string) error) (int, error) {
	return read(name, r, func(n string) bool { return slices.Contains(lists, n) }, func(_ Record, raw json.RawMessage) error {
		if raw == nil {
			return errShape
		}
		return each(string(raw))
	})
}

// taker gets a record and, of JSON, its text.
type taker func(Record, json.RawMessage) error

func read(name string, r io.Reader, list func(string) bool, each taker) (int, error) {
	c := &counted{r: r}
	b := bufio.NewReaderSize(c, 64<<10)
	first, err := firstByte(b)
	if errors.Is(err, io.EOF) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n := 0
	count := func(rec Record, raw json.RawMessage) error {
		n++
		c.spent = 0
		return each(rec, raw)
	}
	if first == '{' || first == '[' {
		err = reader{dec: json.NewDecoder(b), depth: new(int), isList: list, each: count}.values()
	} else {
		err = readCSV(b, count)
	}
	var syntax *json.SyntaxError
	var parse *csv.ParseError
	switch {
	case errors.As(err, &syntax), errors.As(err, &parse), errors.Is(err, errTooLarge), errors.Is(err, errShape), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return n, &input.Broken{Name: name, Why: fmt.Sprintf("it cannot be read beyond its record %d: %s", n, why(err))}
	}
	return n, err
}

var (
	errTooLarge = errors.New("one record is larger than 8 MB")
	errShape    = errors.New("it holds something else than records")
)

// why never repeats what stands in the file.
func why(err error) string {
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, errShape):
		return err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it breaks off"
	}
	return "it is not well-formed"
}

// counted bounds how much is read for one record, so that a decoder cannot be
// made to buffer a whole file.
type counted struct {
	r     io.Reader
	spent int
}

func (c *counted) Read(p []byte) (int, error) {
	if c.spent > maxRecord {
		return 0, errTooLarge
	}
	n, err := c.r.Read(p)
	c.spent += n
	return n, err
}

func firstByte(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', 0xef, 0xbb, 0xbf:
			continue
		}
		return c, b.UnreadByte()
	}
}

// lists are the members under which APIs put the list that was asked for.
func isList(name string) bool {
	switch strings.ToLower(name) {
	case "data", "items", "results", "records", "rows", "payments", "charges", "transactions", "transaction_details", "events", "messages", "notificationitems", "intents", "objects", "list", "value":
		return true
	}
	return false
}

// reader reads JSON values one after the other.
type reader struct {
	dec    *json.Decoder
	depth  *int
	isList func(name string) bool
	each   taker
}

func (r reader) values() error {
	for {
		t, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['):
			if err := r.elements(); err != nil {
				return err
			}
		case json.Delim('{'):
			own, listed, err := r.object()
			if err != nil {
				return err
			}
			if listed {
				continue
			}
			if err := r.each(fromJSON(own), own); err != nil {
				return err
			}
		default:
			return errShape
		}
	}
}

// elements reads the rest of an array.
func (r reader) elements() error {
	dec := r.dec
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		if err := r.each(fromJSON(raw), raw); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// object reads the rest of an object. The lists in it are read record by record; without
// any it gives the object itself.
func (r reader) object() (own json.RawMessage, listed bool, err error) {
	var b bytes.Buffer
	b.WriteByte('{')
	dec := r.dec
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, listed, err
		}
		name, _ := key.(string)
		raw, inside, err := r.member(name)
		if err != nil {
			return nil, listed, err
		}
		if inside {
			listed = true
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, listed, err
		}
		b.Write(quoted)
		b.WriteByte(':')
		b.Write(raw)
	}
	if _, err := dec.Token(); err != nil {
		return nil, listed, err
	}
	b.WriteByte('}')
	return b.Bytes(), listed, nil
}

// member reads one value of an object.
func (r reader) member(name string) (raw json.RawMessage, listed bool, err error) {
	dec := r.dec
	if !r.isList(name) || *r.depth >= maxNest {
		err = dec.Decode(&raw)
		return raw, false, err
	}
	t, err := dec.Token()
	if err != nil {
		return nil, false, err
	}
	switch t {
	case json.Delim('['):
		return nil, true, r.elements()
	case json.Delim('{'):
		*r.depth++
		defer func() { *r.depth-- }()
		return r.object()
	}
	raw, err = json.Marshal(t)
	return raw, false, err
}

// fromJSON reads members by dotted names.
func fromJSON(raw []byte) Record {
	return func(alternatives []string) string {
		for _, a := range alternatives {
			if v := gjson.GetBytes(raw, escaped(a)); v.Exists() && v.Type != gjson.Null && !v.IsObject() && !v.IsArray() {
				return v.String()
			}
		}
		return ""
	}
}

// escaped keeps gjson from reading wildcards and modifiers in a name.
func escaped(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "|", `\|`, "#", `\#`, "@", `\@`, "!", `\!`, "{", `\{`, "}", `\}`).Replace(path)
}

func readCSV(b *bufio.Reader, each taker) error {
	head, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	r := csv.NewReader(b)
	r.ReuseRecord, r.FieldsPerRecord, r.LazyQuotes = true, -1, true
	for _, sep := range [...]byte{';', '\t', '|'} {
		if bytes.Count(line, []byte{sep}) > bytes.Count(line, []byte{byte(r.Comma)}) {
			r.Comma = rune(sep)
		}
	}
	first, err := r.Read()
	if err != nil {
		return err
	}
	if len(first) < 2 || len(first) > maxColumns {
		return errShape
	}
	column := map[string]int{}
	for i, h := range first {
		column[strings.ToLower(strings.TrimSpace(h))] = i
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(func(alternatives []string) string {
			for _, a := range alternatives {
				if i, ok := column[strings.ToLower(a)]; ok && i < len(row) && row[i] != "" {
					return row[i]
				}
			}
			return ""
		}, nil); err != nil {
			return err
		}
	}
}

// Alternatives reads a configured list of names: "a, b".
func Alternatives(s string) []string {
	var out []string
	for _, a := range strings.Split(s, ",") {
		if a = strings.TrimSpace(a); a != "" {
			out = append(out, a)
		}
	}
	return out
}
