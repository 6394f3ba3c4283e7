package catalysttest

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

//go:embed testdata/runs
var embedded embed.FS

// run is one run as the engine recorded it.
type run struct {
	id, name, status, app, execution, parent string
	created, updated                         time.Time
	input, output, customStatus              any
	events                                   []map[string]any
}

// loadRuns reads every directory of fsys that holds a history.ndjson, newest
// run first.
func loadRuns(fsys fs.FS) ([]run, error) {
	if fsys == nil {
		var err error
		if fsys, err = fs.Sub(embedded, "testdata/runs"); err != nil {
			return nil, err
		}
	}
	paths, err := fs.Glob(fsys, "*/history.ndjson")
	if err != nil {
		return nil, err
	}
	var runs []run
	for _, p := range paths {
		r, err := loadRun(fsys, strings.TrimSuffix(p, "/history.ndjson"))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p, err)
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b run) int { return b.created.Compare(a.created) })
	return runs, nil
}

func loadRun(fsys fs.FS, dir string) (run, error) {
	var meta struct {
		InstanceID, Name, RuntimeStatus string
		CreatedAt, LastUpdatedAt        time.Time
		Input, Output, CustomStatus     any
	}
	raw, err := fs.ReadFile(fsys, dir+"/metadata.json")
	if err != nil {
		return run{}, err
	}
	if err := json.Unmarshal(raw, &meta); err != nil {
		return run{}, err
	}
	r := run{
		id: meta.InstanceID, name: meta.Name, status: meta.RuntimeStatus, app: "orders",
		created: meta.CreatedAt, updated: meta.LastUpdatedAt,
		input: meta.Input, output: meta.Output, customStatus: meta.CustomStatus,
	}
	raw, err = fs.ReadFile(fsys, dir+"/history.ndjson")
	if err != nil {
		return run{}, err
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var ev map[string]any
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber()
		if err := dec.Decode(&ev); err != nil {
			return run{}, err
		}
		r.events = append(r.events, ev)
		if started, ok := ev["executionStarted"].(map[string]any); ok {
			if w, ok := started["workflowInstance"].(map[string]any); ok {
				r.execution, _ = w["executionId"].(string)
			}
			if p, ok := started["parentInstance"].(map[string]any); ok {
				if w, ok := p["workflowInstance"].(map[string]any); ok {
					r.parent, _ = w["instanceId"].(string)
				}
			}
		}
	}
	return r, lines.Err()
}

// kinds are the protocol's names of events, and which payload each carries
// under which name: "" for none.
var kinds = map[string]string{
	"workflowStarted": "", "workflowCompleted": "", "executionStarted": "input", "executionCompleted": "output",
	"executionTerminated": "input", "executionSuspended": "input", "executionResumed": "input", "executionStalled": "",
	"taskScheduled": "input", "taskCompleted": "output", "taskFailed": "", "timerCreated": "", "timerFired": "",
	"childWorkflowInstanceCreated": "input", "childWorkflowInstanceCompleted": "output", "childWorkflowInstanceFailed": "",
	"eventSent": "input", "eventRaised": "input", "continueAsNew": "input", "genericEvent": "input",
	"detachedWorkflowInstanceCreated": "input",
}

var origins = []string{"createTimer", "externalEvent", "activityRetry", "childWorkflowRetry"}

// reshape turns a protojson event into a flat one with snake_case names.
func (s Schema) reshape(ev map[string]any) map[string]any {
	out := map[string]any{"event_id": json.Number("0"), "timestamp": ev["timestamp"]}
	if id, ok := ev["eventId"]; ok {
		out["event_id"] = id
	}
	flatten(out, "", map[string]any{"router": ev["router"]})
	for kind, payload := range kinds {
		body, ok := ev[kind].(map[string]any)
		if !ok {
			continue
		}
		inner := map[string]any{}
		s.attributes(inner, kind, payload, body)
		if s.Type == "oneof" {
			out[snake(kind)] = inner
			break
		}
		for k, v := range inner {
			out[k] = v
		}
		out[s.Type] = s.typeName(kind)
	}
	return out
}

func (s Schema) attributes(out map[string]any, kind, payload string, body map[string]any) {
	rest := map[string]any{}
	for k, v := range body {
		switch {
		case slices.Contains([]string{"input", "result", "data"}, k):
		case slices.Contains(origins, k):
			o, _ := v.(map[string]any)
			flatten(out, "origin__"+snake(k)+"_", o)
			if len(o) == 0 {
				out["origin__"+snake(k)] = map[string]any{}
			}
		case k == "workflowInstance":
			w, _ := v.(map[string]any)
			flatten(out, "", w)
		default:
			rest[k] = v
		}
	}
	flatten(out, "", rest)
	if slices.Contains([]string{"taskCompleted", "taskFailed", "childWorkflowInstanceCompleted", "childWorkflowInstanceFailed"}, kind) && out["task_scheduled_id"] == nil {
		out["task_scheduled_id"] = json.Number("0") // protojson leaves a zero out
	}
	if payload == "" {
		return
	}
	value := body["input"]
	for _, k := range []string{"result", "data"} {
		if v, ok := body[k]; ok {
			value = v
		}
	}
	out[payload] = s.value(value)
}

// value is a payload's form: a string, an object, or null when there is none.
func (s Schema) value(v any) any {
	str, ok := v.(string)
	if !ok || !s.Objects {
		return v
	}
	dec := json.NewDecoder(strings.NewReader(str))
	dec.UseNumber()
	var obj any
	if dec.Decode(&obj) != nil {
		return v
	}
	switch obj.(type) {
	case map[string]any, []any:
		return obj
	}
	return v
}

func flatten(out map[string]any, prefix string, in map[string]any) {
	for k, v := range in {
		if inner, ok := v.(map[string]any); ok {
			flatten(out, prefix+snake(k)+"_", inner)
		} else if v != nil {
			out[prefix+snake(k)] = v
		}
	}
}

func (s Schema) typeName(kind string) string {
	switch s.TypeCase {
	case "pascal":
		return strings.ToUpper(kind[:1]) + kind[1:]
	case "upper":
		return strings.ToUpper(snake(kind))
	}
	return kind
}

// snake turns taskExecutionId and instanceID into task_execution_id and
// instance_id.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		upper := r >= 'A' && r <= 'Z'
		if upper && i > 0 && !(s[i-1] >= 'A' && s[i-1] <= 'Z') {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// withhold removes payload keys at any depth, as Catalyst does at metadata, and
// credential keys, as it does at both levels.
func withhold(v any, payloads bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, in := range v {
			switch k {
			case "apiToken", "appToken", "token", "apiKey", "clientSecret", "privateKey":
				continue
			case "input", "output", "customStatus":
				if payloads {
					continue
				}
			}
			out[k] = withhold(in, payloads)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withhold(v[i], payloads)
		}
		return out
	}
	return v
}
