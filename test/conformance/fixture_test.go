package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// fixture is a server with the tools, resources and prompts that scenarios of the
// suite ask for by name. It is written as far as the library allows; what it
// cannot answer, the library cannot. Without sessions it has no tools that ask the
// client for something while they run: such a question would never be answered.
func fixture(sessions bool) *server.MCPServer {
	s := server.NewMCPServer("idem-mcp-fixture", "1.0.0",
		server.WithToolCapabilities(true), server.WithPromptCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithLogging(), server.WithElicitation(), server.WithCompletions())
	s.EnableSampling()
	addContentTools(s)
	addSchemaTools(s)
	if sessions {
		addClientTools(s)
	}
	addNotifyingTools(s)
	addRoundTripTools(s)
	addFixtureResources(s)
	addFixturePrompts(s)
	return s
}

const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" // a PNG of one pixel
	silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="                                     // a WAV without samples
)

func tool(s *server.MCPServer, name string, h server.ToolHandlerFunc, arguments ...mcp.ToolOption) {
	s.AddTool(mcp.NewTool(name, append(arguments, mcp.WithDescription("What the scenario about "+name+" asks for"))...), h)
}

func text(format string, values ...any) *mcp.CallToolResult {
	return mcp.NewToolResultText(fmt.Sprintf(format, values...))
}

func addContentTools(s *server.MCPServer) {
	embedded := mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."})
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":            {mcp.NewTextContent("This is a simple text response for testing.")},
		"test_image_content":          {mcp.NewImageContent(pixel, "image/png")},
		"test_audio_content":          {mcp.NewAudioContent(silence, "audio/wav")},
		"test_embedded_resource":      {embedded},
		"test_multiple_content_types": {mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(pixel, "image/png"), embedded},
	} {
		tool(s, name, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	tool(s, "test_error_handling", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
}

// addSchemaTools adds tools whose input schema is what is looked at.
func addSchemaTools(s *server.MCPServer) {
	for name, schema := range map[string]string{
		"test_custom_headers": `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`,
		"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
			"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
			"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
			"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
			"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
			"additionalProperties":false}`,
	} {
		s.AddTool(mcp.NewToolWithRawSchema(name, "What the scenario about "+name+" asks for", json.RawMessage(schema)),
			func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("called"), nil })
	}
}

// addClientTools adds tools that ask the client for something while they run, as
// revisions before 2026-07-28 do it.
func addClientTools(s *server.MCPServer) {
	tool(s, "test_sampling", func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: question(req.GetString("prompt", ""), 100)}) //nolint:staticcheck // deprecated in 2026-07-28, asked for by scenarios of 2025-11-25
		if err != nil {
			return nil, err
		}
		return text("LLM response: %v", r.Content), nil
	}, mcp.WithString("prompt", mcp.Required()))
	ask := func(name string, schema func(mcp.CallToolRequest) (string, map[string]any), arguments ...mcp.ToolOption) {
		tool(s, name, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			message, properties := schema(req)
			r, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: message,
				RequestedSchema: map[string]any{"type": "object", "properties": properties}}})
			if err != nil {
				return nil, err
			}
			return text("Elicitation completed: action=%s, content=%v", r.Action, r.Content), nil
		}, arguments...)
	}
	ask("test_elicitation", func(req mcp.CallToolRequest) (string, map[string]any) {
		return req.GetString("message", ""), map[string]any{"username": map[string]any{"type": "string"}, "email": map[string]any{"type": "string"}}
	}, mcp.WithString("message", mcp.Required()))
	ask("test_elicitation_sep1034_defaults", func(mcp.CallToolRequest) (string, map[string]any) {
		return "Defaults of every type", map[string]any{
			"name":     map[string]any{"type": "string", "default": "John Doe"},
			"age":      map[string]any{"type": "integer", "default": 30},
			"score":    map[string]any{"type": "number", "default": 95.5},
			"status":   map[string]any{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
			"verified": map[string]any{"type": "boolean", "default": true},
		}
	})
	ask("test_elicitation_sep1330_enums", func(mcp.CallToolRequest) (string, map[string]any) {
		titled := []any{map[string]any{"const": "value1", "title": "First Option"}, map[string]any{"const": "value2", "title": "Second Option"}, map[string]any{"const": "value3", "title": "Third Option"}}
		plain := []string{"option1", "option2", "option3"}
		return "Enums of every kind", map[string]any{
			"untitledSingle": map[string]any{"type": "string", "enum": plain},
			"titledSingle":   map[string]any{"type": "string", "oneOf": titled},
			"legacyEnum":     map[string]any{"type": "string", "enum": []string{"opt1", "opt2", "opt3"}, "enumNames": []string{"Option One", "Option Two", "Option Three"}},
			"untitledMulti":  map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": plain}},
			"titledMulti":    map[string]any{"type": "array", "items": map[string]any{"anyOf": titled}},
		}
	})
}

// addNotifyingTools adds tools that tell the client something while they run.
func addNotifyingTools(s *server.MCPServer) {
	logging := func(pause time.Duration) server.ToolHandlerFunc {
		return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				n := mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", line)
				if err := s.SendLogMessageToClient(ctx, n); err != nil {
					return nil, err
				}
				time.Sleep(pause)
			}
			return text("Tool with logging executed successfully"), nil
		}
	}
	tool(s, "test_tool_with_logging", logging(100*time.Millisecond)) // the scenario counts what arrives while the tool runs
	tool(s, "test_logging_tool", logging(0))                         // here nothing may arrive, and the answer is awaited for half a second
	tool(s, "test_tool_with_progress", func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
			return text("no progress token"), nil
		}
		for _, progress := range []int{0, 50, 100} {
			err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": req.Params.Meta.ProgressToken, "progress": progress, "total": 100})
			if err != nil {
				return nil, err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return text("done"), nil
	})
	tool(s, "test_trigger_tool_change", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tool(s, "test_changed", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("called"), nil })
		s.DeleteTools("test_changed")
		return text("changed"), nil
	})
	tool(s, "test_trigger_prompt_change", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		prompt(s, "test_changed", func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return said("called"), nil })
		s.DeletePrompts("test_changed")
		return text("changed"), nil
	})
}

func addFixtureResources(s *server.MCPServer) {
	add := func(uri, mime string, c mcp.ResourceContents) {
		s.AddResource(mcp.NewResource(uri, strings.TrimPrefix(uri, "test://"), mcp.WithMIMEType(mime)),
			func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{c}, nil
			})
	}
	add("test://static-text", "text/plain", mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	add("test://static-binary", "image/png", mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: pixel})
	add("test://watched-resource", "text/plain", mcp.TextResourceContents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "watched"})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id, _, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, "test://template/"), "/")
			body := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: body}}, nil
		})
}

func prompt(s *server.MCPServer, name string, h server.PromptHandlerFunc, arguments ...mcp.PromptOption) {
	s.AddPrompt(mcp.NewPrompt(name, append(arguments, mcp.WithPromptDescription("What the scenario about "+name+" asks for"))...), h)
}

func said(texts ...string) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{}
	for _, t := range texts {
		r.Messages = append(r.Messages, mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(t)))
	}
	return r
}

func addFixturePrompts(s *server.MCPServer) {
	prompt(s, "test_simple_prompt", func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return said("This is a simple prompt for testing."), nil
	})
	prompt(s, "test_prompt_with_arguments", func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return said(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", req.Params.Arguments["arg1"], req.Params.Arguments["arg2"])), nil
	}, mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument()))
	prompt(s, "test_prompt_with_embedded_resource", func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		r := said("Please process the embedded resource above.")
		resource := mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."})
		r.Messages = append([]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, resource)}, r.Messages...)
		return r, nil
	}, mcp.WithArgument("resourceUri", mcp.RequiredArgument()))
	prompt(s, "test_prompt_with_image", func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		r := said("Please analyze the image above.")
		r.Messages = append([]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewImageContent(pixel, "image/png"))}, r.Messages...)
		return r, nil
	})
}
