package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

const (
	maxBlob = 8 << 20
	maxRead = 1 << 30 // of one repository, in all
)

// store reads the blobs of a repository through one process. It is safe for
// concurrent use; reads queue.
type store struct {
	ctx context.Context // the life of the process, which outlasts the call that starts it
	dir string

	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	read int64
	dead error
}

var errTooLarge = errors.New("larger than what is read of a file or of a commit")

func (s *store) blob(object string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil && s.cmd == nil {
		s.dead = s.start()
	}
	if s.dead != nil {
		return nil, s.dead
	}
	b, err := s.ask(object)
	if err != nil && !errors.Is(err, errMissing) {
		s.dead = errors.Join(err, s.ctx.Err()) // the stream is no longer in step
	}
	return b, err
}

func (s *store) start() error {
	s.cmd = command(s.ctx, s.dir, "cat-file", "--batch")
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.out = bufio.NewReader(out)
	return s.cmd.Start()
}

var errMissing = errors.New("the object is not in this repository")

// ask sends one object id and reads "<id> <type> <size>", the bytes and a line end.
func (s *store) ask(object string) ([]byte, error) {
	if _, err := io.WriteString(s.in, object+"\n"); err != nil {
		return nil, err
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(line)
	if len(f) == 2 && f[1] == "missing" {
		return nil, errMissing
	}
	if len(f) != 3 || f[0] != object || f[1] != "blob" {
		return nil, fmt.Errorf("git answers %q", strings.TrimSpace(line))
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return nil, err
	}
	if s.read += size; size > maxBlob || s.read > maxRead {
		return nil, errTooLarge
	}
	b := make([]byte, size+1)
	if _, err := io.ReadFull(s.out, b); err != nil {
		return nil, err
	}
	return b[:size], nil
}

func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.in.Close()
		_ = s.cmd.Wait() // ended by the closed input or the cancelled context
	}
	s.dead = errors.New("closed")
}
