package catalysttest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	projectName = "default"
	projectUID  = "165"
	// Organization is the name of the stand-in's organization.
	Organization = "Stand-in Organization"
)

func (s *Server) whoami(map[string]any) (any, *refusal) {
	attrs := map[string]any{"name": Organization}
	if s.opts.StatesLevel {
		attrs["dataSharingLevel"] = map[bool]string{true: "full", false: "metadata"}[s.full()]
	}
	out := map[string]any{
		"getCurrentOrgWithDetails": map[string]any{"data": map[string]any{"attributes": attrs}},
		"getCurrentUser":           map[string]any{"data": map[string]any{"attributes": map[string]any{"email": "someone@stand-in.example"}}},
	}
	if s.opts.FailedPart {
		out["getCurrentUser"] = map[string]any{"error": map[string]any{"status": 502, "message": "upstream"}}
	}
	return out, nil
}

func (s *Server) projects(map[string]any) (any, *refusal) {
	return s.wrap("listProjects", map[string]any{"items": []any{
		map[string]any{"id": "prj-" + projectUID, "name": projectName},
		map[string]any{"id": "prj-166", "name": "165"}, // a name that looks like a uid
	}}), nil
}

func (s *Server) usage(map[string]any) (any, *refusal) {
	key := func(used int, limit any) map[string]any { return map[string]any{"used": used, "limit": limit} }
	return map[string]any{"getUsage": map[string]any{"data": []any{
		map[string]any{"scope": "catalyst.per_cloud_region", "region": "us-west", "quotas": map[string]any{
			"number_of_kvstores_per_project": key(1, 1), "number_of_pubsubs_per_project": key(1, 1)}},
		map[string]any{"scope": "catalyst.per_private_region", "region": "lab", "quotas": map[string]any{
			"number_of_kvstores_per_project": key(0, 3)}},
		map[string]any{"scope": "organization", "quotas": map[string]any{
			"number_of_kvstores_per_project": key(1, -1)}},
	}}}, nil
}

// restricted is a tool that serves nothing at metadata. At full the stand-in
// has nothing to serve either and says so.
func (s *Server) restricted(map[string]any) (any, *refusal) {
	if !s.full() {
		return nil, &refusal{Kind: "DATA_SHARING_RESTRICTED", Message: "this answer needs the data-sharing level full"}
	}
	return nil, &refusal{Kind: "error", Message: "the stand-in has neither logs nor archives"}
}

func (s *Server) forbidden(map[string]any) (any, *refusal) {
	return map[string]any{"appToken": "app-token-of-the-stand-in"}, nil
}

func (s *Server) raw(map[string]any) (any, *refusal) { return map[string]any{}, nil }

// project checks the project argument: the name or the uid, which are not the
// same thing as each other.
func (s *Server) project(args map[string]any) *refusal {
	switch p, _ := args[s.opts.Schema.ProjectArg].(string); p {
	case projectName, projectUID, "prj-" + projectUID:
	default:
		return &refusal{Kind: "error", Message: "no such project"}
	}
	if s.opts.NoWorkflowStore {
		return &refusal{Kind: "error", Message: "workflow API is not supported: the project has no managed workflow store"}
	}
	return nil
}

func (s *Server) listRuns(args map[string]any) (any, *refusal) {
	if r := s.project(args); r != nil {
		return nil, r
	}
	sc := s.opts.Schema
	size := 20
	if n, ok := args[sc.SizeArg].(float64); ok {
		size = int(n)
	}
	s.mu.Lock()
	s.sizes = append(s.sizes, size)
	s.mu.Unlock()
	if s.opts.FilterLimit > 0 && size > s.opts.FilterLimit {
		return nil, &refusal{Kind: "unfilterable", Message: "the answer was cut at a size limit; ask for fewer"}
	}
	matching := slices.DeleteFunc(slices.Clone(s.runs), func(r run) bool { return !s.matches(r, args) })
	cursor, _ := args[sc.CursorArg].(string)
	offset, empty := 0, s.opts.EmptyPages
	if rest, ok := strings.CutPrefix(cursor, "at:"); ok {
		offset, _ = strconv.Atoi(rest)
	} else if rest, ok := strings.CutPrefix(cursor, "full:"); ok {
		offset, _ = strconv.Atoi(rest)
		empty = false
	}
	out := map[string]any{"runs": []any{}}
	if empty {
		out["nextCursor"] = "full:" + strconv.Itoa(offset)
		return s.wrap("listWorkflowRuns", out), nil
	}
	end := min(offset+size, len(matching))
	page := []any{}
	for _, r := range matching[min(offset, end):end] {
		page = append(page, s.record(r))
	}
	out["runs"] = page
	if end < len(matching) {
		out["nextCursor"] = "at:" + strconv.Itoa(end)
	}
	return s.wrap("listWorkflowRuns", out), nil
}

func (s *Server) matches(r run, args map[string]any) bool {
	if app, ok := args[s.opts.Schema.AppArg].(string); ok && app != r.app {
		return false
	}
	if w, ok := args["workflowName"].(string); ok && w != r.name {
		return false
	}
	if st, ok := args["status"].(string); ok && !strings.EqualFold(st, r.status) {
		return false
	}
	if t, ok := when(args["startedAfter"]); ok && r.created.Before(t) {
		return false
	}
	if t, ok := when(args["startedBefore"]); ok && r.created.After(t) {
		return false
	}
	return true
}

func when(v any) (time.Time, bool) {
	s, _ := v.(string)
	t, err := time.Parse(time.RFC3339, s)
	return t, err == nil
}

// record is what a listing tells of a run.
func (s *Server) record(r run) map[string]any {
	sc := s.opts.Schema
	out := map[string]any{
		sc.IDKey: r.id, "appId": r.app, "workflowName": r.name, sc.StatusKey: r.status,
		"createdAt": r.created.Format(time.RFC3339Nano), "lastUpdatedAt": r.updated.Format(time.RFC3339Nano),
		"executionId":  r.execution,
		"customStatus": sc.value(r.customStatus),
	}
	if r.parent != "" {
		out["parentInstanceId"] = r.parent
	}
	return out
}

func (s *Server) getRun(args map[string]any) (any, *refusal) {
	if r := s.project(args); r != nil {
		return nil, r
	}
	id, _ := args[s.opts.Schema.RunArg].(string)
	app, hasApp := args[s.opts.Schema.AppArg].(string)
	i := slices.IndexFunc(s.runs, func(r run) bool { return r.id == id && (!hasApp || r.app == app) })
	if i < 0 {
		return nil, &refusal{Kind: "NOT_FOUND", Message: "no such run"}
	}
	r := s.runs[i]
	out := s.record(r)
	out["input"], out["output"] = s.opts.Schema.value(r.input), s.opts.Schema.value(r.output)
	events := make([]any, len(r.events))
	for i, ev := range r.events {
		events[i] = s.opts.Schema.reshape(ev)
	}
	out[s.opts.Schema.Events] = events
	return s.wrap("getWorkflowRun", out), nil
}

// wrap puts an answer into the envelope of the chosen schema.
func (s *Server) wrap(operation string, v map[string]any) any {
	switch s.opts.Schema.Wrap {
	case "data":
		return map[string]any{"data": v}
	case "composed":
		return map[string]any{operation: v, "getProjectDetails": map[string]any{"error": map[string]any{"status": 503}}}
	}
	return v
}

// callOf reads the tool's name from a JSON-RPC request.
func callOf(body []byte) string {
	var req struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &req) != nil || req.Method != "tools/call" {
		return ""
	}
	return req.Params.Name
}
