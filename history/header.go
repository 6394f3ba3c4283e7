package history

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// ParseHeader reads a run's metadata document: the Dapr HTTP API's or an SDK's
// metadata as JSON, one row of `dapr workflow list -o json`, a Catalyst run
// record. It fails (BadInput) when the document names no instance id.
func ParseHeader(data []byte, o Options) (Header, error) {
	run := newRun(ShapeUnknown, o)
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	obj := object(data)
	if obj == nil || checkJSON(data) != nil {
		return Header{}, &fault.Error{Kind: fault.BadInput, What: "read a run's metadata: not a JSON object"}
	}
	readHeader(run, []map[string]json.RawMessage{obj}, o)
	if run.Ref.Instance == "" {
		return Header{}, &fault.Error{Kind: fault.BadInput, What: "read a run's metadata: it names no instance id"}
	}
	return run.Header, nil
}

// Adopt completes the run's header with what h, read from metadata beside the
// history, knows. The metadata wins over the events, not over the request.
func (r *Run) Adopt(h Header) {
	if r.Ref.Instance == "" {
		r.Ref.Instance = h.Ref.Instance
	}
	if r.Ref.App == "" {
		r.Ref.App = h.Ref.App
	}
	if h.Workflow != "" {
		r.Workflow = h.Workflow
	}
	if h.Status != StatusUnknown {
		r.Status = h.Status
	}
	if !h.Created.IsZero() {
		r.Created = h.Created
	}
	if !h.Updated.IsZero() {
		r.Updated = h.Updated
	}
	if h.Parent != "" {
		r.Parent = h.Parent
	}
	if h.Generation != 0 {
		r.Generation = h.Generation
		r.Carries.Generation = true
	}
	if h.Failure != nil && r.Failure == nil {
		r.Failure = h.Failure
	}
	if h.CustomStatus.State() != PayloadNotRecorded {
		r.CustomStatus = h.CustomStatus
	}
	if h.HistoryLen >= 0 {
		r.HistoryLen = h.HistoryLen
		if h.HistoryLen != len(r.Events) && h.Generation != 0 {
			r.Coverage.Asked = max(h.HistoryLen, r.Coverage.Asked)
			r.Coverage.miss("the metadata counts %d events and the history holds %d: it was being written, or rows are missing", h.HistoryLen, len(r.Events))
		}
	}
}

// readHeader takes the run's record from the objects around the event list and
// the objects inside them. Ids that disagree leave the id unknown.
func readHeader(run *Run, around []map[string]json.RawMessage, o Options) {
	var records []fields
	ids := map[string]bool{}
	for _, obj := range around {
		records = append(records, recordsIn(obj, 0)...)
	}
	for _, f := range records {
		if id := instanceOf(f); id != "" {
			ids[id] = true
		}
	}
	for _, f := range records {
		if run.Ref.Instance == "" && len(ids) == 1 {
			run.Ref.Instance = instanceOf(f)
		}
		if run.Ref.App == "" {
			run.Ref.App = f.text("appid", "appidname")
		}
		if run.Ref.Execution == "" {
			run.Ref.Execution = f.text("executionid")
		}
	}
	for _, f := range records {
		readRecord(run, f, o)
	}
	if o.Ref.Instance != "" {
		run.Ref.Instance = o.Ref.Instance
	}
}

func instanceOf(f fields) string { return f.text("instanceid", "runid", "workflowinstanceid") }

// maxRecordDepth is how deep a run's record may be nested in an answer.
const maxRecordDepth = 4

// recordsIn returns obj and the objects nested in it, lists and payloads left
// out, each with the members of its direct children joined on.
func recordsIn(obj map[string]json.RawMessage, depth int) []fields {
	out := []fields{headerFields(obj)}
	if depth >= maxRecordDepth {
		return out
	}
	for _, k := range sortedKeys(obj) {
		switch normalize(k) {
		case "input", "output", "customstatus", "tags", "failuredetails", "parentinstance":
			continue
		}
		if inner := object(obj[k]); inner != nil {
			out = append(out, recordsIn(inner, depth+1)...)
		}
	}
	return out
}

func readRecord(run *Run, f fields, o Options) {
	if run.Workflow == "" {
		run.Workflow = f.text("workflowname", "workflow")
		if run.Workflow == "" && run.Ref.Instance != "" {
			run.Workflow = f.text("name")
		}
	}
	if run.Status == StatusUnknown {
		run.Status = ParseStatus(f.text("runtimestatus", "status", "workflowstatus"))
	}
	if run.Created.IsZero() {
		run.Created = f.when("createdat", "created", "createdtimestamp")
	}
	if run.Updated.IsZero() {
		run.Updated = f.when("lastupdatedat", "lastupdate", "lastupdated", "updatedat", "lastupdatedtimestamp")
	}
	if run.Parent == "" {
		run.Parent = f.text("parentinstanceid")
	}
	if g, err := strconv.ParseInt(f.text("generation", "storemetadatarowgeneration"), 10, 64); err == nil && run.Generation == 0 {
		run.Generation = g
		run.Carries.Generation = true
	}
	if n, ok := f.id("historylength", "storemetadatarowhistorylength"); ok && run.HistoryLen < 0 {
		run.HistoryLen = int(n)
	}
	if run.Failure == nil {
		run.Failure = failureOf(f, "failuredetails", 0)
	}
	r := newObjectReader(run, o)
	record := func(p *Payload, keys ...string) {
		if p.State() == PayloadNotRecorded {
			*p = f.payload(r.o, &run.Sharing, r.decode, Payload{}, keys...)
		}
	}
	record(&run.CustomStatus, "customstatus")
	record(&run.Input, "input")
	record(&run.Output, "output", "result")
}

// headerFields flattens a record without the lists in it.
func headerFields(obj map[string]json.RawMessage) fields {
	f := fields{}
	flat := map[string]json.RawMessage{}
	for k, v := range obj {
		if v = bytes.TrimSpace(v); len(v) > 0 && v[0] != '[' {
			flat[k] = v
		}
	}
	// Two levels are enough for {"run":{…}} and storeMetadataRow.
	f.flatten("", flat, maxFlatten-1)
	return f
}
