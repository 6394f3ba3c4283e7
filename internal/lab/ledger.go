package lab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
)

// What a ledger line says of a body.
const (
	Began  = "start"  // the body was entered
	Effect = "effect" // the outside world was changed
	Ended  = "end"    // the body returned
)

// Line is one thing that a body wrote outside the engine.
type Line struct {
	Instance    string `json:"instance"`
	Activity    string `json:"activity"`
	Call        string `json:"call"` // the workflow code's own name of the call
	ScheduledID int32  `json:"task_scheduled_id"`
	ExecutionID string `json:"task_execution_id"`
	What        string `json:"what"`
	Failed      bool   `json:"failed,omitempty"` // of an end
}

// Ledger is a file that bodies append to. It is safe for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	file     *os.File
	attempts map[string][]string // by call over a run and its children: the attempts seen, in order
	err      error
}

// OpenLedger creates the ledger's file.
func OpenLedger(path string) (*Ledger, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return &Ledger{file: f, attempts: map[string][]string{}}, nil
}

// Begin writes the start of a body and returns which attempt of its call it
// belongs to, from 0. A redelivered body belongs to the same attempt.
func (l *Ledger) Begin(line Line) int {
	line.What = Began
	l.Write(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	call := root(line.Instance) + "/" + line.Call
	attempt := fmt.Sprintf("%s/%d", line.Instance, line.ScheduledID)
	for i, seen := range l.attempts[call] {
		if seen == attempt {
			return i
		}
	}
	l.attempts[call] = append(l.attempts[call], attempt)
	return len(l.attempts[call]) - 1
}

// Write appends a line. An error is kept for Close.
func (l *Ledger) Write(line Line) {
	b, err := json.Marshal(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.file.Write(append(b, '\n'))
	}
	if l.err == nil {
		l.err = err
	}
}

// Close ends the ledger and returns the first error of its writes.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	return l.err
}

// ReadLedger reads a ledger back.
func ReadLedger(path string) ([]Line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	defer f.Close()
	var out []Line
	for s := bufio.NewScanner(f); ; {
		if !s.Scan() {
			return out, s.Err()
		}
		var line Line
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		out = append(out, line)
	}
}

// root is the run that an instance belongs to: the engine names the children
// of X "X:0001".
func root(instance string) string {
	r, _, _ := strings.Cut(instance, ":")
	return r
}
