package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// drainTime bounds how long a server that lost its input still answers what it
// was asked.
const drainTime = time.Minute

// drain stands between a stdio server and its pipes. The library cancels every
// running call when its input ends, so that `printf … | idem-mcp serve` would
// get an error in place of the answer; drain holds the end of the input back
// until every request read so far is answered. It also completes a last line
// that has no line feed, which the library would drop.
type drain struct {
	ctx  context.Context
	in   *bufio.Reader
	out  io.Writer
	rest []byte

	mu      sync.Mutex
	waiting map[string]bool // ids of requests without a response
	idle    chan struct{}   // closed and renewed whenever waiting becomes empty
}

func newDrain(ctx context.Context, in io.Reader, out io.Writer) *drain {
	return &drain{ctx: ctx, in: bufio.NewReader(in), out: out, waiting: map[string]bool{}, idle: make(chan struct{})}
}

type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// Read passes whole lines on.
func (d *drain) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		line, err := d.in.ReadBytes('\n')
		if len(line) == 0 {
			if err == io.EOF {
				d.wait()
			}
			return 0, err
		}
		if line[len(line)-1] != '\n' {
			line = append(line, '\n')
		}
		var e envelope
		if json.Unmarshal(line, &e) == nil && e.Method != "" && len(e.ID) > 0 {
			d.mu.Lock()
			d.waiting[string(e.ID)] = true
			d.mu.Unlock()
		}
		d.rest = line
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Write passes a response on and strikes its request off.
func (d *drain) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	for line := range bytes.Lines(p) {
		var e envelope
		if json.Unmarshal(line, &e) != nil || e.Method != "" {
			continue
		}
		d.mu.Lock()
		delete(d.waiting, string(e.ID))
		if len(d.waiting) == 0 {
			close(d.idle)
			d.idle = make(chan struct{})
		}
		d.mu.Unlock()
	}
	return n, err
}

func (d *drain) wait() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	for {
		d.mu.Lock()
		n, idle := len(d.waiting), d.idle
		d.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-idle:
		case <-limit.C:
			return
		case <-d.ctx.Done():
			return
		}
	}
}
