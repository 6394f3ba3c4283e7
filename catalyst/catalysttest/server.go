package catalysttest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a running stand-in.
type Server struct {
	// URL is the MCP endpoint, which is also the OAuth resource.
	URL string
	// Issuer is the authorization server's.
	Issuer string

	opts Options
	runs []run
	http *http.Server
	done chan struct{}
	auth *authServer

	mu     sync.Mutex
	faults []*Fault
	calls  []string
	sizes  []int
}

// Start listens and serves until Close.
func Start(o Options) (*Server, error) {
	o = o.withDefaults()
	runs, err := loadRuns(o.Runs)
	if err != nil {
		return nil, fmt.Errorf("stand-in: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("stand-in: %w", err)
	}
	base := "http://" + l.Addr().String()
	s := &Server{URL: base + "/mcp", Issuer: base + "/mcp-auth", opts: o, runs: copies(runs, o.Copies), done: make(chan struct{})}
	s.auth = newAuthServer(s.Issuer, s.URL, o)
	mux := http.NewServeMux()
	s.auth.routes(mux)
	mux.Handle("/mcp", s.guard(s.mcpHandler()))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { defer close(s.done); _ = s.http.Serve(l) }()
	return s, nil
}

func copies(runs []run, n int) []run {
	var out []run
	for i := range n {
		for _, r := range runs {
			if i > 0 {
				r.id = fmt.Sprintf("%s#%d", r.id, i+1)
			}
			out = append(out, r)
		}
	}
	return out
}

// Close stops the server and breaks off what is still being answered.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// ClientID is the registered client.
func (s *Server) ClientID() string { return s.opts.ClientID }

// SetLevel changes the organization's data-sharing level, as an administrator
// can while clients are connected.
func (s *Server) SetLevel(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Full = full
}

func (s *Server) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Full
}

// Inject adds a fault; they are used in the order given.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal removes all faults.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Calls returns the names of the tools called so far, prefixes left out.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// PageSizes returns the page sizes that listings asked for.
func (s *Server) PageSizes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sizes)
}

// RunIDs returns the ids served, newest run first.
func (s *Server) RunIDs() []string {
	ids := make([]string, len(s.runs))
	for i, r := range s.runs {
		ids[i] = r.id
	}
	return ids
}

// PayloadStrings returns every payload in the served histories, for tests that
// look for what must not appear.
func (s *Server) PayloadStrings() []string {
	var out []string
	add := func(v any) {
		if str, ok := v.(string); ok && str != "" {
			out = append(out, str)
		}
	}
	for _, r := range s.runs {
		add(r.input)
		add(r.output)
		add(r.customStatus)
		for _, ev := range r.events {
			for kind := range kinds {
				if body, ok := ev[kind].(map[string]any); ok {
					add(body["input"])
					add(body["result"])
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// takeIf returns the next fault for a tool ("" for a request that calls none):
// one of the transport, or a refusal.
func (s *Server) takeIf(tool string, transport bool) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Tool != "" && f.Tool != tool || slices.Contains(transportFaults, f.Kind) != transport {
			continue
		}
		out := *f
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				s.faults = slices.Delete(s.faults, i, i+1)
			}
		}
		return out, true
	}
	return Fault{}, false
}

func (s *Server) called(tool string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, tool)
}

func (s *Server) plainName(tool string) string { return strings.TrimPrefix(tool, s.opts.Schema.Prefix) }
