package catalysttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

var transportFaults = []string{"429", "500", "502", "503", "504", "403", "reset", "half", "slow", "huge", "html", "redirect", "echo", "echo-answer"}

// guard checks the bearer and makes faults of the transport happen.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			http.Error(w, "Accept must contain text/event-stream", http.StatusBadRequest)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if _, ok := s.auth.scopeOf(r); !ok {
			s.auth.challenge(w)
			return
		}
		if f, ok := s.takeIf(s.plainName(callOf(body)), true); ok {
			s.misbehave(w, r, f.Kind, body)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refusalFault is a refusal that a test asked for.
func (s *Server) refusalFault(tool string) (refusal, bool) {
	f, ok := s.takeIf(tool, false)
	if !ok {
		return refusal{}, false
	}
	msg := "refused on purpose by the stand-in"
	if f.Kind == "ORG_MISMATCH" {
		msg = "the token is for organization Other, the project belongs to " + Organization
	}
	return refusal{Kind: f.Kind, Message: msg, Retryable: f.Retryable, form: f.Form}, true
}

func (s *Server) misbehave(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	switch kind {
	case "429", "500", "502", "503", "504", "403":
		var code int
		_, _ = fmt.Sscan(kind, &code)
		http.Error(w, "on purpose", code)
	case "echo":
		http.Error(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"bad header `+r.Header.Get("Authorization")+`"}}`, http.StatusBadRequest)
	case "echo-answer":
		var req struct {
			ID any `json:"id"`
		}
		_ = json.Unmarshal(body, &req)
		said := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		doc, _ := json.Marshal(map[string]any{"instanceId": "echo", "runtimeStatus": "FAILED", "events": []any{map[string]any{
			"type": "executionStarted", "event_id": -1, "timestamp": "2026-11-29T14:00:00Z", "name": said}, map[string]any{
			"type": "taskFailed", "event_id": -1, "timestamp": "2026-11-29T14:00:01Z", "failure_details_error_message": "header was " + said}}})
		writeJSON(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": map[string]any{
			"resultType": "complete", "content": []any{map[string]any{"type": "text", "text": string(doc)}}}})
	case "html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html><body>Please sign in to the proxy</body></html>")
	case "redirect":
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
	case "reset":
		panic(http.ErrAbortHandler)
	case "half":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "5000")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"runs\":[`)
	case "slow":
		w.Header().Set("Content-Type", "application/json")
		for range 600 {
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	case "huge":
		s.huge(w)
	}
}

// huge answers with 200 MB of JSON.
func (s *Server) huge(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"`)
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 200 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
	_, _ = io.WriteString(w, `"}]}}`)
}
