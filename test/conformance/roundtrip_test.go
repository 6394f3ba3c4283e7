package conformance_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The tools of revision 2026-07-28 that need something from the client: they
// answer "input required" and are called again with it.

func question(prompt string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: tokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}}}
}

// form asks for one field.
func form(message, field, kind string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field}}}
}

// entered is the field of an accepted form, nil without one.
func entered(given mcp.InputResponses, id, field string) any {
	r := server.ElicitationResponse(given, id)
	if r == nil || r.Action != mcp.ElicitationResponseActionAccept {
		return nil
	}
	content, _ := r.Content.(map[string]any)
	return content[field]
}

// sign makes a state that nobody else can make; signed tells whether it is ours.
func sign(state string) string {
	m := hmac.New(sha256.New, []byte("a key of this test"))
	m.Write([]byte(state))
	return state + "." + hex.EncodeToString(m.Sum(nil))
}

func signed(state string) bool {
	plain, _, _ := strings.Cut(state, ".")
	return hmac.Equal([]byte(sign(plain)), []byte(state))
}

func addRoundTripTools(s *server.MCPServer) {
	// ask adds a tool that is done when done says so, and asks until then.
	ask := func(name string, done func(mcp.CallToolParams) (string, error), request func(mcp.CallToolParams) *server.InputRequestBuilder) {
		tool(s, name, func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := done(req.Params)
			switch {
			case err != nil:
				return nil, err
			case answer != "":
				return text("%s", answer), nil
			}
			return request(req.Params).ToolResult(), nil
		})
	}
	asking := func(b *server.InputRequestBuilder) func(mcp.CallToolParams) *server.InputRequestBuilder {
		return func(mcp.CallToolParams) *server.InputRequestBuilder { return b }
	}
	greeting := func(p mcp.CallToolParams) (string, error) {
		if name, ok := entered(p.InputResponses, "user_name", "name").(string); ok {
			return "Hello, " + name + "!", nil
		}
		return "", nil
	}
	name := form("What is your name?", "name", "string")
	ask("test_input_required_result_elicitation", greeting, asking(server.NewInputRequestBuilder("").Elicit("user_name", name)))
	ask("test_streaming_elicitation", greeting, asking(server.NewInputRequestBuilder("").Elicit("user_name", name)))
	ask("test_input_required_result_sampling", func(p mcp.CallToolParams) (string, error) {
		if server.SamplingResponse(p.InputResponses, "capital_question") != nil {
			return "answered", nil
		}
		return "", nil
	}, asking(server.NewInputRequestBuilder("").Sample("capital_question", question("What is the capital of France?", 100))))
	ask("test_input_required_result_list_roots", func(p mcp.CallToolParams) (string, error) {
		if r := server.RootsResponse(p.InputResponses, "client_roots"); r != nil && len(r.Roots) > 0 {
			return "root " + r.Roots[0].URI, nil
		}
		return "", nil
	}, asking(server.NewInputRequestBuilder("").Roots("client_roots")))
	confirmed := func(p mcp.CallToolParams) (string, error) {
		if p.RequestState != "" && !signed(p.RequestState) {
			return "", errors.New("the state is not one of this server")
		}
		if ok, _ := entered(p.InputResponses, "confirm", "ok").(bool); ok && p.RequestState != "" {
			return "state-ok", nil
		}
		return "", nil
	}
	confirm := asking(server.NewInputRequestBuilder(sign("confirm")).Elicit("confirm", form("Please confirm", "ok", "boolean")))
	ask("test_input_required_result_request_state", confirmed, confirm)
	ask("test_input_required_result_tampered_state", confirmed, confirm)
	ask("test_input_required_result_multiple_inputs", func(p mcp.CallToolParams) (string, error) {
		if g, err := greeting(p); g == "" || err != nil || server.RootsResponse(p.InputResponses, "client_roots") == nil || server.SamplingResponse(p.InputResponses, "greeting") == nil {
			return "", err
		}
		return "all three", nil
	}, asking(server.NewInputRequestBuilder(sign("three")).Elicit("user_name", name).Sample("greeting", question("Generate a greeting", 50)).Roots("client_roots")))
	ask("test_input_required_result_multi_round", func(p mcp.CallToolParams) (string, error) {
		if color, ok := entered(p.InputResponses, "step2", "color").(string); ok && p.RequestState == sign("two") {
			return "color " + color, nil
		}
		return "", nil
	}, func(p mcp.CallToolParams) *server.InputRequestBuilder {
		if _, ok := entered(p.InputResponses, "step1", "name").(string); ok && p.RequestState == sign("one") {
			return server.NewInputRequestBuilder(sign("two")).Elicit("step2", form("Step 2: What is your favorite color?", "color", "string"))
		}
		return server.NewInputRequestBuilder(sign("one")).Elicit("step1", form("Step 1: What is your name?", "name", "string"))
	})
	addCapabilityTools(s)
	prompt(s, "test_input_required_result_prompt", func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if given, ok := entered(req.Params.InputResponses, "user_context", "context").(string); ok {
			return said("In the context of " + given), nil
		}
		return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?", "context", "string")).PromptResult(), nil
	})
}

// addCapabilityTools adds tools that look at what the client says it can do.
func addCapabilityTools(s *server.MCPServer) {
	tool(s, "test_input_required_result_capabilities", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		b := server.NewInputRequestBuilder("")
		info := server.RequestProtocolInfoFromContext(ctx)
		if info == nil || info.ClientCapabilities == nil {
			return text("no capabilities"), nil
		}
		if info.ClientCapabilities.Sampling != nil {
			b.Sample("question", question("What is the capital of France?", 100))
		}
		if info.ClientCapabilities.Elicitation != nil {
			b.Elicit("user_name", form("What is your name?", "name", "string"))
		}
		return b.ToolResult(), nil
	})
	tool(s, "test_missing_capability", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if info := server.RequestProtocolInfoFromContext(ctx); info == nil || info.ClientCapabilities == nil || info.ClientCapabilities.Sampling == nil {
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		}
		return text("sampling is declared"), nil
	})
}
