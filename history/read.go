package history

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// MaxBytes is the largest export Read accepts: eight times what a run can hold
// before Dapr's default message limit stalls it, and small enough that an
// answer stays under 512 MB of memory (about ten bytes for one of the export).
const MaxBytes = 32 << 20

// KnownShapes is the sentence that an unrecognised input is answered with.
const KnownShapes = "known shapes: protojson HistoryEvents (an array, an object that holds one, or one per line), protobuf HistoryEvents, " +
	"`dapr workflow history ID -o json` or `-o yaml`, the dev dashboard's run detail, a Catalyst run answer, the Catalyst archive ({\"history\":[{\"index\":0,\"rawBase64\":…}]})"

const (
	maxSearch = 6        // levels of an object that are searched for the event list
	maxSample = 12       // events looked at to tell a list's shape
	maxPrefix = 64 << 10 // bytes of talk allowed before the JSON begins
)

// Read decodes one exported run, whatever shape it comes in. The shape is
// recognised from the content. Errors are *fault.Error of kind BadInput
// (unrecognised, empty), TooLarge or Damaged; an export that ends in the middle
// is a run whose Coverage says so.
func Read(data []byte, o Options) (*Run, error) {
	if len(data) > MaxBytes {
		return nil, &fault.Error{Kind: fault.TooLarge, What: fmt.Sprintf("read a history of %d MB", len(data)>>20),
			Do: fmt.Sprintf("The limit is %d MB: export one run per file, or read it from its state store", MaxBytes>>20)}
	}
	data = decodeUTF16(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	text := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(text) == 0:
		return nil, &fault.Error{Kind: fault.BadInput, What: "read a history: the input is empty", Do: KnownShapes}
	case text[0] == '{' || text[0] == '[':
		return readJSON(text, o)
	}
	if run := readProtoFile(data, o); run != nil {
		return run, nil
	}
	if !utf8.Valid(data[:min(len(data), 4096)]) && !utf8.Valid(data[:min(len(data), 4093)]) {
		return nil, unrecognised("binary data that is not protobuf HistoryEvents")
	}
	if run, err := readCLIYAML(text, o); run != nil || err != nil {
		return run, err
	}
	// A command's output can carry a sentence before the JSON.
	if i := bytes.IndexAny(text[:min(len(text), maxPrefix)], "{["); i >= 0 {
		if run, err := readJSON(text[i:], o); err == nil {
			return run, nil
		}
	}
	// Not its words: a file beside exported runs can hold a password.
	return nil, unrecognised(fmt.Sprintf("text of %d bytes that is neither JSON nor an export of a run", len(text)))
}

func unrecognised(saw string) error {
	return &fault.Error{Kind: fault.BadInput, What: "recognise a history: saw " + saw, Means: "nothing was read", Do: KnownShapes}
}

// decodeUTF16 converts what a Windows shell's redirection writes.
func decodeUTF16(b []byte) []byte {
	if len(b) < 2 || len(b)%2 != 0 {
		return b
	}
	var u []uint16
	switch {
	case b[0] == 0xff && b[1] == 0xfe:
		for i := 2; i < len(b); i += 2 {
			u = append(u, uint16(b[i])|uint16(b[i+1])<<8)
		}
	case b[0] == 0xfe && b[1] == 0xff:
		for i := 2; i < len(b); i += 2 {
			u = append(u, uint16(b[i+1])|uint16(b[i])<<8)
		}
	default:
		return b
	}
	return []byte(string(utf16.Decode(u)))
}

// readJSON reads the first JSON value, or all of them when they are one event a
// line. The separator is whatever JSON allows, so a line separator inside a text
// does no harm.
func readJSON(text []byte, o Options) (*Run, error) {
	end := skipValue(text, 0)
	if end < 0 {
		return readBroken(text, o)
	}
	first := json.RawMessage(text[:end:end])
	if err := checkJSON(first); err != nil {
		return nil, brokenJSON(err)
	}
	if isEvent(first) {
		return readLines(text, o)
	}
	found := search(first, 0)
	if found == nil {
		return nil, unrecognised(describe(first))
	}
	return found.read(o)
}

func brokenJSON(cause error) error {
	return &fault.Error{Kind: fault.Damaged, What: "read a history as JSON", Cause: jsonCause(cause), Means: "nothing was read", Do: "Export the run again"}
}

// readBroken reads what it can of a top-level array that ends in the middle.
func readBroken(text []byte, o Options) (*Run, error) {
	list, _ := elements(text)
	for i, raw := range list {
		if !json.Valid(raw) {
			list = list[:i]
			break
		}
	}
	shape := listShape(list)
	if shape == ShapeUnknown {
		return nil, brokenJSON(checkJSON(text))
	}
	return readPart(list, shape, fmt.Sprintf("the text ends in the middle of event %d", len(list)), o)
}

// readPart reads the events before a damage.
func readPart(list []json.RawMessage, shape Shape, missing string, o Options) (*Run, error) {
	run, err := (&find{shape: shape, list: list}).read(o)
	if err == nil && missing != "" {
		run.Coverage.Asked++
		run.Coverage.miss("%s", missing)
		run.Status = StatusUnknown
	}
	return run, err
}

// jsonCause keeps an encoding/json error short and free of input text.
func jsonCause(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s at byte %d", clean.Line(syntax.Error(), 120), syntax.Offset)
	}
	return errors.New(clean.Line(err.Error(), 160))
}

// readLines reads one event a value.
func readLines(text []byte, o Options) (*Run, error) {
	var list []json.RawMessage
	missing := ""
	for i := 0; i < len(text); i = skipSpace(text, i) {
		end := skipValue(text, i)
		err := io.ErrUnexpectedEOF
		if end > 0 {
			err = checkJSON(text[i:end])
		}
		if err != nil {
			missing = fmt.Sprintf("the text cannot be read beyond event %d (%v)", len(list)-1, jsonCause(err))
			break
		}
		list = append(list, text[i:end:end])
		i = end
	}
	shape := listShape(list)
	if shape == ShapeUnknown {
		shape = ShapeProtoJSON
	}
	return readPart(list, shape, missing, o)
}

// find is an event list found in a JSON value, with the objects around it that
// may describe the run.
type find struct {
	shape   Shape
	list    []json.RawMessage
	around  []map[string]json.RawMessage // outermost first
	problem []string                     // parts of a composed answer that failed
}

// search looks for the event list, breadth first by key, through the envelopes
// an answer comes in: JSON-RPC result, tool result content, composed answers.
func search(raw json.RawMessage, depth int) *find {
	raw = bytes.TrimSpace(raw)
	if depth > maxSearch || len(raw) == 0 {
		return nil
	}
	if raw[0] == '[' {
		list, whole := elements(raw)
		if !whole {
			return nil
		}
		if shape := listShape(list); shape != ShapeUnknown {
			return &find{shape: shape, list: list}
		}
		return searchContent(list, depth)
	}
	obj := object(raw)
	if obj == nil {
		return nil
	}
	keys := sortedKeys(obj)
	for pass := range 2 { // lists first, then deeper
		for _, k := range keys {
			v := bytes.TrimSpace(obj[k])
			if len(v) == 0 || payloadKeys[normalize(k)] && depth > 0 || (v[0] == '[') != (pass == 0) {
				continue
			}
			if f := search(v, depth+1); f != nil {
				f.around = append([]map[string]json.RawMessage{obj}, f.around...)
				return f
			}
		}
	}
	return nil
}

// searchContent looks into the text parts of a tool result.
func searchContent(list []json.RawMessage, depth int) *find {
	for i, el := range list {
		if i == maxSample {
			return nil
		}
		obj := object(el)
		text, ok := scalar(obj["text"])
		if !ok {
			continue
		}
		j := strings.IndexAny(text, "{[")
		if j < 0 || !json.Valid([]byte(text[j:])) {
			continue
		}
		if f := search(json.RawMessage(text[j:]), depth+1); f != nil {
			return f
		}
	}
	return nil
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// listShape tells from its first elements which shape a list of events has.
func listShape(list []json.RawMessage) Shape {
	votes := map[Shape]int{}
	n := min(len(list), maxSample)
	for _, raw := range list[:n] {
		votes[elementShape(raw)]++
	}
	for _, s := range []Shape{ShapeArchive, ShapeCLIJSON, ShapeProtoJSON, ShapeDashboard, ShapeCatalyst} {
		if votes[s]*2 > n {
			return s
		}
	}
	return ShapeUnknown
}

func isEvent(raw json.RawMessage) bool { return elementShape(raw) != ShapeUnknown }

// elementShape tells which shape one element of an event list has.
func elementShape(raw json.RawMessage) Shape {
	obj := object(raw)
	if obj == nil {
		return ShapeUnknown
	}
	if _, ok := obj["rawBase64"]; ok {
		return ShapeArchive
	}
	kind, oneof, named := objectKind(obj)
	_, play := obj["play"]
	_, elapsed := obj["elapsed"]
	_, sequence := obj["sequenceId"]
	_, camelID := obj["eventId"]
	_, snakeID := obj["event_id"]
	_, stamp := obj["timestamp"]
	switch {
	case play && elapsed:
		return ShapeCLIJSON
	case sequence:
		return ShapeDashboard
	case oneof != "" && !snakeID && len(typeOf(obj)) == 0:
		return ShapeProtoJSON
	case kind != KindUnknown:
		return ShapeCatalyst
	case camelID && stamp && named == "":
		return ShapeProtoJSON // an event type this reader does not know yet
	case snakeID && stamp, named != "" && stamp:
		return ShapeCatalyst
	}
	return ShapeUnknown
}

func typeOf(obj map[string]json.RawMessage) string {
	for k, v := range obj {
		if slices.Contains(typeKeys, normalize(k)) {
			s, _ := scalar(v)
			return s
		}
	}
	return ""
}

// describe names what was seen, for an error. Keys are cleaned and bounded; an
// array in an array is not looked into, as that may go on for ever.
func describe(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		list, _ := elements(raw)
		if len(list) == 0 {
			return "an empty JSON array"
		}
		first := "an array too"
		if inner := bytes.TrimSpace(list[0]); len(inner) == 0 || inner[0] != '[' {
			first = describe(inner)
		}
		return fmt.Sprintf("a JSON array of %d elements that are not events (the first is %s)", len(list), first)
	}
	obj := object(raw)
	if obj == nil {
		return "a JSON value that is not an object"
	}
	keys := sortedKeys(obj)
	if len(keys) > 8 {
		keys = append(keys[:8], "…")
	}
	return "a JSON object with the keys " + clean.Line(strings.Join(keys, ", "), 160)
}

// read decodes the list that was found.
func (f *find) read(o Options) (*Run, error) {
	if f.shape == ShapeArchive {
		return f.readArchive(o)
	}
	run := newRun(f.shape, o)
	run.Events = make([]Event, 0, len(f.list))
	readHeader(run, f.around, o)
	r := newObjectReader(run, o)
	for _, raw := range f.list {
		if f.shape == ShapeCLIJSON || f.shape == ShapeCLIYAML {
			r.addCLIRow(raw)
		} else {
			r.add(raw)
		}
	}
	settleOrder(run)
	finish(run, o)
	return run, nil
}

// settleOrder finds out whether a list that may have been sorted by a server
// still is in stored order, and turns one that is newest first.
func settleOrder(run *Run) {
	switch run.Shape {
	case ShapeCLIJSON, ShapeCLIYAML:
		restoreChildRefs(run.Events)
		return
	case ShapeProtoJSON:
		return
	}
	asc, desc := sortedByTime(run.Events)
	if desc && !asc {
		slices.Reverse(run.Events)
	}
	if asc || desc {
		run.Carries.StoredOrder = false
	}
}

// readArchive reads the Catalyst archive: protobuf events in base64, by index.
func (f *find) readArchive(o Options) (*Run, error) {
	type entry struct {
		Index     *int64 `json:"index"`
		RawBase64 string `json:"rawBase64"`
	}
	entries := make([]entry, len(f.list))
	for i, raw := range f.list {
		if err := json.Unmarshal(raw, &entries[i]); err != nil {
			entries[i] = entry{}
		}
		if entries[i].Index == nil {
			n := int64(i)
			entries[i].Index = &n
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return int(min(max(*a.Index-*b.Index, -1), 1)) })
	run := newRun(ShapeArchive, o)
	readHeader(run, f.around, o)
	d := newDecoder(run, o)
	for i, e := range entries {
		raw, err := base64.StdEncoding.DecodeString(e.RawBase64)
		if err != nil || e.RawBase64 == "" {
			run.Coverage.miss("event %d has no readable rawBase64", i)
			run.Coverage.Asked++
			continue
		}
		if i > 0 && *e.Index > *entries[i-1].Index+1 {
			run.Coverage.miss("events %d to %d are not in the archive", *entries[i-1].Index+1, *e.Index-1)
		}
		d.add(raw)
	}
	d.done()
	if len(run.Events) == 0 && len(entries) > 0 {
		return nil, &fault.Error{Kind: fault.Damaged, What: "read a Catalyst archive", Means: "none of its entries is a HistoryEvent", Do: "Export the run again"}
	}
	finish(run, o)
	return run, nil
}

// readProtoFile reads protobuf bytes: a GetInstanceHistory answer (repeated
// field 1), length-delimited events, or one event. nil: it is none of these.
func readProtoFile(data []byte, o Options) *Run {
	for _, split := range []func([]byte) [][]byte{splitRepeated, splitDelimited, func(b []byte) [][]byte { return [][]byte{b} }} {
		parts := split(data)
		if len(parts) == 0 {
			continue
		}
		run := newRun(ShapeProto, o)
		d := newDecoder(run, o)
		for _, p := range parts {
			d.add(p)
		}
		d.done()
		if !run.Coverage.Partial() && plausible(run.Events) {
			finish(run, o)
			return run
		}
	}
	return nil
}

// plausible rejects bytes that happen to parse: real events have a type and a
// time in this century.
func plausible(events []Event) bool {
	for i := range events {
		if y := events[i].At.Year(); events[i].Kind == KindUnknown || y < 2000 || y > 2200 {
			return false
		}
	}
	return len(events) > 0
}

func splitRepeated(data []byte) (parts [][]byte) {
	w := wire{buf: data}
	for {
		num, typ, _, b, ok := w.next()
		if !ok {
			break
		}
		if num != 1 || typ != wireLen {
			return nil
		}
		parts = append(parts, b)
	}
	if w.bad {
		return nil
	}
	return parts
}

func splitDelimited(data []byte) (parts [][]byte) {
	w := wire{buf: data}
	for len(w.buf) > 0 {
		n := w.varint()
		if w.bad || n == 0 || n > uint64(len(w.buf)) {
			return nil
		}
		parts = append(parts, w.take(int(n)))
	}
	return parts
}

// readCLIYAML reads `dapr workflow history -o yaml`. nil without an error: the
// text is not that.
func readCLIYAML(text []byte, o Options) (*Run, error) {
	if text[0] != '-' && !bytes.Contains(text[:min(len(text), maxPrefix)], []byte("\n- ")) {
		return nil, nil
	}
	if i := bytes.Index(text[:min(len(text), maxPrefix)], []byte("- ")); i > 0 && text[0] != '-' {
		text = text[i:]
	}
	var rows []map[string]any
	if err := yaml.Unmarshal(text, &rows); err != nil {
		return nil, nil //nolint:nilerr // text that is not YAML is left to the next reader
	}
	list := make([]json.RawMessage, 0, len(rows))
	for _, row := range rows {
		raw, err := json.Marshal(row)
		if err != nil {
			return nil, nil //nolint:nilerr // a YAML value JSON cannot hold is no row of the CLI's
		}
		list = append(list, raw)
	}
	if listShape(list) != ShapeCLIJSON {
		return nil, nil
	}
	return (&find{shape: ShapeCLIYAML, list: list}).read(o)
}
