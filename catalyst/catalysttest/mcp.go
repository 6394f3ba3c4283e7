package catalysttest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// toolDef is one tool of the stand-in. Its answer is a JSON value, or a refusal.
type toolDef struct {
	name, scope string
	props       map[string]any
	required    []string
	answer      func(s *Server, args map[string]any) (any, *refusal)
}

// refusal is an answer that refuses.
type refusal struct {
	Kind      string `json:"kind"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	form      string
}

type scopeKey struct{}

// mcpHandler is the MCP endpoint behind the bearer check.
func (s *Server) mcpHandler() http.Handler {
	m := server.NewMCPServer("catalyst-stand-in", "0", server.WithToolCapabilities(false), server.WithToolFilter(s.visible))
	for _, d := range s.tools() {
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": d.props, "required": slices.Concat([]string{}, d.required)})
		if err != nil {
			panic(err) // literals below
		}
		t := mcp.NewToolWithRawSchema(s.opts.Schema.Prefix+d.name, "Stand-in for Catalyst's "+d.name+".", schema)
		if !s.opts.NoAnnotations {
			readOnly := d.scope == scopeRead
			t.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &readOnly}
		}
		m.AddTool(t, s.handler(d))
	}
	return server.NewStreamableHTTPServer(m, server.WithStateLess(true),
		server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)),
		server.WithHTTPContextFunc(func(ctx context.Context, r *http.Request) context.Context {
			scope, _ := s.auth.scopeOf(r)
			return context.WithValue(ctx, scopeKey{}, scope)
		}))
}

// visible hides write tools from who may not write.
func (s *Server) visible(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	scope, _ := ctx.Value(scopeKey{}).(string)
	writes := map[string]bool{}
	for _, d := range s.tools() {
		writes[s.opts.Schema.Prefix+d.name] = d.scope == scopeWrite
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool {
		return writes[t.Name] && !slices.Contains(strings.Fields(scope), scopeWrite)
	})
}

func (s *Server) handler(d toolDef) server.ToolHandlerFunc {
	return func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.called(d.name)
		if f, ok := s.refusalFault(d.name); ok {
			return s.refuse(f), nil
		}
		args := req.GetArguments()
		for _, r := range d.required {
			if _, ok := args[r]; !ok {
				return s.refuse(refusal{Kind: "error", Message: "missing " + r}), nil
			}
		}
		for a := range args {
			if _, ok := d.props[a]; !ok {
				return s.refuse(refusal{Kind: "error", Message: "unknown argument " + a}), nil
			}
		}
		v, ref := d.answer(s, args)
		if ref != nil {
			return s.refuse(*ref), nil
		}
		return s.result(withhold(v, !s.full())), nil
	}
}

// refuse writes a refusal in one of the forms that are possible.
func (s *Server) refuse(r refusal) *mcp.CallToolResult {
	body := map[string]any{"error": r}
	raw, _ := json.Marshal(body)
	switch r.form {
	case "bare":
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(r.Kind + ": " + r.Message)}}
	case "structured":
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: body, IsError: true}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(raw))}, IsError: true}
}

func (s *Server) result(v any) *mcp.CallToolResult {
	raw, err := json.Marshal(v)
	if err != nil {
		return mcp.NewToolResultError("the stand-in cannot write its answer")
	}
	text := []mcp.Content{mcp.NewTextContent(string(raw))}
	switch s.opts.Schema.Content {
	case "structured":
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: v}
	case "both":
		return &mcp.CallToolResult{Content: text, StructuredContent: v}
	case "sentence":
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("Here is what was found [1 result]:\n" + string(raw))}}
	}
	return &mcp.CallToolResult{Content: text}
}

func str(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func integer(description string) map[string]any {
	return map[string]any{"type": "integer", "description": description}
}

// tools is the published list, as far as it matters here, with three tools that
// a reader must not call: two that write and one that returns a credential.
func (s *Server) tools() []toolDef {
	if s.opts.Raw {
		return []toolDef{{name: "listWorkflowRuns", answer: (*Server).raw}, {name: "getWorkflowRun", answer: (*Server).raw}}
	}
	sc := s.opts.Schema
	project := map[string]any{sc.ProjectArg: str("The project's id.")}
	with := func(more map[string]any) map[string]any {
		out := map[string]any{}
		for k, v := range project {
			out[k] = v
		}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	one := with(map[string]any{sc.RunArg: str("The run's id."), sc.AppArg: str("The app identity's name.")})
	need := []string{sc.ProjectArg, sc.RunArg}
	if sc.RunArg == "both" {
		delete(one, "both")
		one["runId"], one["instanceId"] = str("The run's id."), str("The instance's id.")
		need = need[:1]
	}
	if sc.AppNeeded {
		need = append(need, sc.AppArg)
	}
	run := with(nil)
	for k, v := range one {
		run[k] = v
	}
	run["includeData"] = map[string]any{"type": "boolean"}
	list := with(map[string]any{
		sc.AppArg:       str("Only this app identity."),
		"workflowName":  str("Only this workflow."),
		"status":        map[string]any{"type": "string", "enum": []string{"running", "completed", "failed", "terminated", "suspended", "canceled"}},
		sc.SizeArg:      integer("Runs a page."),
		sc.CursorArg:    str("Where to go on."),
		"startedAfter":  str("RFC 3339."),
		"startedBefore": str("RFC 3339."),
		"includeData":   map[string]any{"type": "boolean"},
	})
	needToList := []string{sc.ProjectArg}
	if sc.AppToList {
		needToList = append(needToList, sc.AppArg)
	}
	return []toolDef{
		{name: "catalyst_whoami", scope: scopeRead, props: map[string]any{}, answer: (*Server).whoami},
		{name: "catalyst_list_projects", scope: scopeRead, props: map[string]any{}, answer: (*Server).projects},
		{name: "catalyst_list_workflow_runs", scope: scopeRead, props: list, required: needToList, answer: (*Server).listRuns},
		{name: "catalyst_get_workflow_run", scope: scopeRead, props: run, required: need, answer: (*Server).getRun},
		{name: "catalyst_export_workflow_run", scope: scopeRead, props: one, required: need, answer: (*Server).restricted},
		{name: "catalyst_get_logs", scope: scopeRead, props: project, required: []string{sc.ProjectArg}, answer: (*Server).restricted},
		{name: "catalyst_get_usage", scope: scopeRead, props: map[string]any{}, answer: (*Server).usage},
		{name: "catalyst_get_connection", scope: scopeRead, props: project, answer: (*Server).forbidden},
		{name: "catalyst_rerun_workflow_run", scope: scopeWrite, props: one, answer: (*Server).forbidden},
		{name: "catalyst_terminate_workflow_run", scope: scopeWrite, props: one, answer: (*Server).forbidden},
	}
}
