package catalyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// The read tools this program may call. A tool that is not here is never
// called, whatever it is annotated with; a tool that is here is called only if
// the server declares it read-only.
const (
	toolWhoami       = "catalyst_whoami"
	toolListProjects = "catalyst_list_projects"
	toolListRuns     = "catalyst_list_workflow_runs"
	toolGetRun       = "catalyst_get_workflow_run"
	toolExportRun    = "catalyst_export_workflow_run"
	toolUsage        = "catalyst_get_usage"
)

var readTools = []string{toolWhoami, toolListProjects, toolListRuns, toolGetRun, toolExportRun, toolUsage}

// session is the connection to the MCP server and the tools found there.
type session struct {
	config  Config
	http    *http.Client
	secrets *secrets
	level   *levelEvidence
	slots   chan struct{}
	dial    chan struct{} // one connects at a time; waiting for it can be cancelled

	mu        sync.Mutex // guards what follows, never held while waiting
	mcp       *client.Client
	tools     map[string]tool
	unusable  map[string]string // our tools that may not be called, and why
	toolNames int               // how many tools the server lists
}

func newSession(c Config, server *url.URL, auth *authorizer, level *levelEvidence) *session {
	return &session{
		config: c,
		http: &http.Client{
			Transport:     &exchange{base: c.Transport, auth: auth, server: server, maxAnswer: c.MaxAnswer, retryBase: c.RetryBase},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		secrets: auth.secrets,
		level:   level,
		slots:   make(chan struct{}, c.Concurrency),
		dial:    make(chan struct{}, 1),
	}
}

// connect opens the connection and reads the tool list, once, within the time
// of one call.
func (s *session) connect(ctx context.Context) (*client.Client, error) {
	if c := s.connected(); c != nil {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	select {
	case s.dial <- struct{}{}:
		defer func() { <-s.dial }()
	case <-ctx.Done():
		return nil, s.callFault(ctx, "connect to Catalyst", ctx.Err(), nil)
	}
	if c := s.connected(); c != nil {
		return c, nil
	}
	c, err := client.NewStreamableHttpClient(s.config.Server,
		transport.WithHTTPBasicClient(s.http),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, configFault("catalyst.url is not an address", nil)
	}
	callCtx, failed := withFailure(ctx)
	var init mcp.InitializeRequest
	init.Params.ClientInfo = mcp.Implementation{Name: "idem-mcp", Version: s.config.Version}
	if _, err := c.Initialize(callCtx, init); err != nil {
		_ = c.Close()
		return nil, s.callFault(ctx, "connect to Catalyst", err, failed)
	}
	list, err := c.ListTools(callCtx, mcp.ListToolsRequest{})
	if err != nil {
		_ = c.Close()
		return nil, s.callFault(ctx, "list Catalyst's tools", err, failed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose(list.Tools)
	s.mcp = c
	return c, nil
}

func (s *session) connected() *client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mcp
}

// choose, called with mu held, picks our tools from the server's by the end of their names, since
// clients and proxies put prefixes before them.
func (s *session) choose(listed []mcp.Tool) {
	s.tools, s.unusable, s.toolNames = map[string]tool{}, map[string]string{}, len(listed)
	for _, name := range readTools {
		var found []mcp.Tool
		for _, t := range listed {
			if t.Name == name {
				found = []mcp.Tool{t}
				break
			}
			if head, ok := strings.CutSuffix(t.Name, name); ok && !isAlnum(head[len(head)-1]) {
				found = append(found, t)
			}
		}
		switch {
		case len(found) == 0:
		case len(found) > 1:
			s.unusable[name] = "several tools of the server end in this name"
		case found[0].Annotations.ReadOnlyHint == nil || !*found[0].Annotations.ReadOnlyHint:
			s.unusable[name] = "the server does not declare it read-only"
		default:
			s.tools[name] = newTool(name, found[0])
		}
	}
}

func isAlnum(b byte) bool { return isWordByte(b) && b != '_' && b != '-' }

func newTool(name string, t mcp.Tool) tool {
	out := tool{name: name, serverAs: t.Name, props: map[string]property{}, required: t.InputSchema.Required}
	for p, v := range t.InputSchema.Properties {
		var pr property
		if raw, err := json.Marshal(v); err == nil {
			_ = json.Unmarshal(raw, &pr) // a property of an unknown form takes anything
		}
		out.props[p] = pr
	}
	if raw, err := json.Marshal(t.InputSchema); err == nil {
		out.schema = string(raw)
	}
	return out
}

// tool returns one of our tools, or why it cannot be called.
func (s *session) tool(ctx context.Context, name string) (tool, error) {
	if _, err := s.connect(ctx); err != nil {
		return tool{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tools[name]; ok {
		return t, nil
	}
	if why, ok := s.unusable[name]; ok {
		return tool{}, &fault.Error{Kind: fault.Unsupported, What: "call " + name + ": " + why, Means: "it was not called, since this program only reads", Do: "Use a Catalyst server whose tools carry readOnlyHint"}
	}
	if s.toolNames > 0 && len(s.tools)+len(s.unusable) == 0 {
		return tool{}, &fault.Error{Kind: fault.Unsupported, What: "call " + name + ": the server shows none of the catalyst_ tools (raw operations, as some self-hosted installs do)", Means: "raw operations carry no read-only declaration and are refused", Do: "Use a Catalyst server with the published tools"}
	}
	return tool{}, &fault.Error{Kind: fault.Unsupported, What: "call " + name + ": the server does not show this tool to this sign-in", Means: "nothing was read", Do: "Sign in with the scope " + scopeRead + " (`idem-mcp login`)"}
}

// call makes one call and returns what it said. A refusal is an error; it is
// tried once more only if the server said that trying again can help.
func (s *session) call(ctx context.Context, what, name string, args ...argument) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	t, err := s.tool(ctx, name)
	if err != nil {
		return answer{}, err
	}
	bound, err := t.bind(args...)
	if err != nil {
		return answer{}, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return answer{}, s.callFault(ctx, what, ctx.Err(), nil)
	}
	a, refusal, err := s.once(ctx, what, t, bound)
	if err == nil && refusal != nil && refusal.Retryable {
		select {
		case <-time.After(s.config.RetryBase):
			a, refusal, err = s.once(ctx, what, t, bound)
		case <-ctx.Done():
		}
	}
	switch {
	case err != nil:
		return answer{}, err
	case refusal != nil:
		s.level.refused(refusal.Kind)
		return answer{}, refusalFault(what, refusal)
	}
	return a, nil
}

// once calls the tool and reconnects one time when the server has forgotten
// the session.
func (s *session) once(ctx context.Context, what string, t tool, args map[string]any) (answer, *Refusal, error) {
	for reconnected := false; ; reconnected = true {
		c, err := s.connect(ctx)
		if err != nil {
			return answer{}, nil, err
		}
		callCtx, failed := withFailure(ctx)
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = t.serverAs, args
		res, err := c.CallTool(callCtx, req)
		if errors.Is(err, transport.ErrSessionTerminated) && !reconnected {
			s.disconnect(c)
			continue
		}
		if err != nil {
			return answer{}, nil, s.callFault(ctx, what, err, failed)
		}
		return s.read(res)
	}
}

// read turns a result into an answer or a refusal.
func (s *session) read(res *mcp.CallToolResult) (answer, *Refusal, error) {
	var texts []string
	for _, c := range res.Content {
		if t, ok := mcp.AsTextContent(c); ok {
			texts = append(texts, string(s.secrets.scrub([]byte(t.Text))))
		}
	}
	a := newAnswer(s.secrets.scrub(res.RawStructuredContent), texts)
	text := a.text
	if res.IsError {
		text = strings.Join(texts, "\n")
	}
	return a, refusalIn(a.doc, text, res.IsError), nil
}

// callFault types the error of a call that gave no result.
func (s *session) callFault(ctx context.Context, what string, err error, failed *failure) error {
	if failed != nil {
		if cause := failed.get(); cause != nil {
			err = cause
		}
	}
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return fmt.Errorf("%s: %w", what, f)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &fault.Error{Kind: fault.Unreachable, What: fmt.Sprintf("%s: no answer within %s", what, s.config.CallTimeout), Means: "nothing was read", Do: "Ask for less, or again later"}
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, transport.ErrLegacySSEServer), errors.Is(err, transport.ErrSessionTerminated):
		return &fault.Error{Kind: fault.Damaged, What: what + ": there is no MCP server at this address", Means: "nothing was read", Do: "Check catalyst.url; the address is compared byte for byte"}
	}
	// A JSON-RPC error arrives as text, sometimes after a sentinel's.
	text := s.secrets.errorText(err.Error())
	_, rest, _ := strings.Cut(text, ": ")
	for _, t := range []string{text, rest} {
		if r := refusalInText(t); r != nil {
			s.level.refused(r.Kind)
			return refusalFault(what, r)
		}
	}
	for _, protocol := range []error{mcp.ErrInvalidParams, mcp.ErrInvalidRequest, mcp.ErrMethodNotFound, mcp.ErrInternalError} {
		if errors.Is(err, protocol) {
			return &fault.Error{Kind: fault.Unknown, What: what + ": the server refused the call", Cause: cleanCause(s.secrets, err), Means: "nothing was read, which is not the same as nothing being there"}
		}
	}
	return &fault.Error{Kind: fault.Damaged, What: what + ": the server gave no usable answer", Cause: cleanCause(s.secrets, err), Means: "nothing of it is used", Do: "Try again; check catalyst.url"}
}

func (s *session) disconnect(c *client.Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mcp == c {
		s.mcp = nil
		_ = c.Close()
	}
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mcp != nil {
		_ = s.mcp.Close()
		s.mcp = nil
	}
}

// refusedTools lists the tools that the server shows and this program will not
// call, with the reason.
func (s *session) refusedTools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for name, why := range s.unusable {
		out = append(out, clean.Line(name+": "+why, 200))
	}
	slices.Sort(out)
	return out
}
