// Package spans reads exported traces: OTLP JSON (an export request, or the lines
// of a collector's file exporter) and Zipkin JSON. Dapr's engine makes one span
// "activity||<name>" for each execution of an activity, with the instance id in
// durabletask.task.instance_id and the scheduled id in durabletask.task.task_id:
// two spans with the same ids are two bodies.
package spans

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/records"
)

// The names that the engine uses.
const (
	prefix       = "activity||"
	instanceName = "durabletask.task.instance_id"
	taskName     = "durabletask.task.task_id"
)

// Result is what was read.
type Result struct {
	Files      int            `json:"files"`
	Spans      int            `json:"spans"`
	Activities int            `json:"activity_spans"`
	Matched    int            `json:"matched"` // of a run that was read
	Broken     []input.Broken `json:"-"`
}

// Read feeds the index with the activity spans of the files.
func Read(ctx context.Context, files input.Files, x *outside.Index) (Result, error) {
	var res Result
	broken, err := files.Each(ctx, func(name string, r io.Reader) error {
		res.Files++
		_, err := records.ReadRaw(name, r, []string{"resourceSpans", "resource_spans"}, func(raw string) error {
			res.record(gjson.Parse(raw), x)
			return ctx.Err()
		})
		return err
	})
	res.Broken = broken
	return res, err
}

// record reads one resource's spans (OTLP) or one span (Zipkin).
func (res *Result) record(v gjson.Result, x *outside.Index) {
	scopes := first(v, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
	if !scopes.Exists() {
		if v.Get("traceId").Exists() {
			res.add(zipkin(v), x)
		}
		return
	}
	scopes.ForEach(func(_, scope gjson.Result) bool {
		scope.Get("spans").ForEach(func(_, span gjson.Result) bool {
			res.add(otlp(span), x)
			return true
		})
		return true
	})
}

func first(v gjson.Result, names ...string) gjson.Result {
	for _, n := range names {
		if f := v.Get(n); f.Exists() {
			return f
		}
	}
	return gjson.Result{}
}

func (res *Result) add(s outside.Sighting, x *outside.Index) {
	res.Spans++
	if s.Activity == "" {
		return
	}
	res.Activities++
	if a, ok := x.Activity(s.Activity); ok {
		s.Activity = a // Zipkin writes names in lower case
	}
	if x.Add(&s) {
		res.Matched++
	}
}

func otlp(span gjson.Result) outside.Sighting {
	s := outside.Sighting{Class: outside.Whole, Task: history.NoID}
	s.Activity, _ = strings.CutPrefix(span.Get("name").String(), prefix)
	if s.Activity == span.Get("name").String() {
		s.Activity = ""
		return s
	}
	s.Body = first(span, "spanId", "span_id").String()
	s.At, s.Until = nanos(first(span, "startTimeUnixNano", "start_time_unix_nano")), nanos(first(span, "endTimeUnixNano", "end_time_unix_nano"))
	span.Get("attributes").ForEach(func(_, a gjson.Result) bool {
		value := first(a.Get("value"), "stringValue", "string_value", "intValue", "int_value")
		switch a.Get("key").String() {
		case instanceName:
			s.Instance = value.String()
		case taskName:
			s.Task = number(value.String())
		}
		return true
	})
	switch code := span.Get("status.code"); code.String() {
	case "2", "STATUS_CODE_ERROR":
		s.Failed = true
	case "1", "STATUS_CODE_OK":
		s.Succeeded = true
	}
	return s
}

func zipkin(span gjson.Result) outside.Sighting {
	s := outside.Sighting{Class: outside.Whole, Task: history.NoID}
	name := span.Get("name").String()
	s.Activity, _ = strings.CutPrefix(name, prefix)
	if s.Activity == name {
		s.Activity = ""
		return s
	}
	s.Body = span.Get("id").String()
	if us := span.Get("timestamp").Int(); us > 0 {
		s.At = time.UnixMicro(us).UTC()
		s.Until = s.At.Add(time.Duration(span.Get("duration").Int()) * time.Microsecond)
	}
	tags := span.Get("tags")
	tags.ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case instanceName:
			s.Instance = v.String()
		case taskName:
			s.Task = number(v.String())
		case "error":
			s.Failed = true
		}
		return true
	})
	return s
}

func nanos(v gjson.Result) time.Time {
	n, err := strconv.ParseInt(v.String(), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func number(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		return history.NoID
	}
	return int32(n)
}
