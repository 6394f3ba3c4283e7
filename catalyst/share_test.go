package catalyst_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/catalyst"
	"github.com/idem-mcp/idem-mcp/catalyst/catalysttest"
	"github.com/idem-mcp/idem-mcp/history"
)

const childEnv = "CATALYST_TEST_SERVER"

// TestMain lets the test binary be one of several processes that share a sign-in.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	src, err := catalyst.New(catalyst.Config{
		Server: os.Getenv(childEnv), ClientID: "stand-in-client", TokenFile: os.Getenv("CATALYST_TEST_FILE"), NoKeyring: true,
		Getenv: func(string) string { return "" }, RetryBase: time.Millisecond,
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for {
		if _, err := os.Stat(os.Getenv("CATALYST_TEST_FILE") + ".stop"); err == nil {
			os.Exit(0)
		}
		if _, err := src.Projects(context.Background()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Print(".")
		time.Sleep(5 * time.Millisecond)
	}
}

// output keeps what a process printed and counts its finished calls.
type output struct {
	mu    sync.Mutex
	text  strings.Builder
	calls atomic.Int64
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls.Add(int64(bytes.Count(p, []byte("."))))
	o.text.WriteString(strings.ReplaceAll(string(p), ".", ""))
	return len(p), nil
}

// TestSharedSignIn: eight processes read through one stored sign-in while its
// access token dies fifty times. The stand-in signs everybody out when a spent
// refresh token is shown to it, so one unlocked renewal would end the test.
func TestSharedSignIn(t *testing.T) {
	s := start(t, catalysttest.Options{})
	c := config(t, s)
	if _, err := catalyst.Login(t.Context(), c, browser(t)); err != nil {
		t.Fatal(err)
	}
	var outs [8]output
	var cmds [8]*exec.Cmd
	for i := range cmds {
		cmds[i] = exec.CommandContext(t.Context(), os.Args[0])
		cmds[i].Env = append(os.Environ(), childEnv+"="+s.URL, "CATALYST_TEST_FILE="+c.TokenFile)
		cmds[i].Stdout, cmds[i].Stderr = &outs[i], &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.Now().Add(time.Minute)
	for n := 0; n < 50 && time.Now().Before(deadline); n = s.AuthStats().Rotations {
		s.ExpireTokens()
		var before [8]int64
		for i := range outs {
			before[i] = outs[i].calls.Load()
		}
		for i := range outs { // every process ends a call that began after the expiry
			for outs[i].calls.Load() < before[i]+2 && time.Now().Before(deadline) {
				time.Sleep(2 * time.Millisecond)
			}
		}
	}
	if err := os.WriteFile(c.TokenFile+".stop", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range cmds {
		if err := cmds[i].Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, outs[i].text.String())
		}
		for _, token := range s.Tokens() {
			if strings.Contains(outs[i].text.String(), token) {
				t.Errorf("process %d printed a token", i)
			}
		}
	}
	if st := s.AuthStats(); st.Rotations < 50 || st.Reused != 0 {
		t.Errorf("%+v", st)
	}
	if _, err := source(t, c).Run(t.Context(), history.Ref{Instance: "s1-01-seq-3"}); err != nil {
		t.Errorf("signed out after all: %v", err)
	}
}
