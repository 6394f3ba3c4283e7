package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// JSON-RPC error codes.
const (
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
	internalError  = -32603
)

// maxURI bounds the address of a resource, which the library compares with every
// template.
const maxURI = 4096

// oneAnswerEach stands between HTTP and the library. Nothing is pushed and no
// session is kept, so only a POST means anything, and every request gets one
// answer. What the library would do with the rest is wrong here:
//
//   - It keeps running requests by the id that the client chose, and by no session
//     in this server: "cancelled" of one client would end another's request of that
//     number. It is accepted and not acted on, as the protocol allows; a client that
//     hangs up ends its request.
//   - Its stream of changes holds one message here, which it loses about half the
//     time (mark3labs/mcp-go#969). There are no changes, so there is no stream.
//   - It writes nothing at all when a request's time is up.
//   - It calls a batch bad JSON.
func oneAnswerEach(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "only POST is served here: there are no sessions and no streams", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body) // bounded by the gate
		if err != nil {
			status := http.StatusBadRequest
			if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(w, "the request could not be read: "+err.Error(), status)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var e envelope
		switch {
		case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")):
			writeError(w, http.StatusBadRequest, nil, invalidRequest, "batches are not served: send one message in each request")
			return
		case json.Unmarshal(body, &e) != nil: // told by the library
		case e.Method == "notifications/cancelled" && e.notifies():
			w.WriteHeader(http.StatusAccepted)
			return
		case e.Method == "subscriptions/listen" && !e.notifies():
			writeError(w, http.StatusNotFound, e.ID, methodNotFound, "there is nothing to subscribe to: what is listed here does not change")
			return
		case e.Method == "resources/read" && len(uriOf(body)) > maxURI:
			writeError(w, http.StatusBadRequest, e.ID, invalidParams, fmt.Sprintf("uri is longer than %d bytes", maxURI))
			return
		}
		once := &observed{ResponseWriter: w}
		next.ServeHTTP(once, r)
		if !once.wrote && errors.Is(r.Context().Err(), context.DeadlineExceeded) {
			writeError(w, http.StatusOK, e.ID, internalError, "there was no answer within the time that this server allows a request: ask for less (limit, a filter, one run), or have serve.limits.seconds raised")
		}
	})
}

// notifies reports whether a message is a notification to the library.
func (e envelope) notifies() bool { return len(e.ID) == 0 || string(e.ID) == "null" }

func uriOf(body []byte) string {
	var m struct {
		Params struct{ URI string } `json:"params"`
	}
	_ = json.Unmarshal(body, &m) // told by the library
	return m.Params.URI
}

func writeError(w http.ResponseWriter, status int, id json.RawMessage, code int, message string) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct { // the client has gone away
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{code, message}})
}

// observed knows whether anything was written. It cannot flush, so the library
// does not begin a stream.
type observed struct {
	http.ResponseWriter
	wrote bool
}

func (o *observed) WriteHeader(status int) {
	o.wrote = true
	o.ResponseWriter.WriteHeader(status)
}

func (o *observed) Write(p []byte) (int, error) {
	o.wrote = true
	return o.ResponseWriter.Write(p)
}
