package survey_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/dapr/storetest"
	"github.com/idem-mcp/idem-mcp/survey"
)

// The survey that is killed runs in a process of its own: this test again, told by
// the environment what to do.
const victimVariable = "IDEM_MCP_TEST_SURVEY_VICTIM"

func TestMain(m *testing.M) {
	if at := os.Getenv(victimVariable); at != "" {
		if err := become(at); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// pages are short and locks shorter, so that a kill comes in the middle of
// something and costs little.
func killable(dir, store string) (*survey.Surveyor, error) {
	src, err := sqlite.New(sqlite.Config{ConnectionString: store})
	if err != nil {
		return nil, err
	}
	return survey.New(survey.Config{Dir: dir, Source: src, Page: 150, PageTime: time.Second, LockTime: 300 * time.Millisecond, RetryTime: 20 * time.Millisecond}), nil
}

// become is what the environment says: an engine host, a worker, or a whole survey.
func become(at string) error {
	kind, rest, _ := strings.Cut(at, "\n")
	switch kind {
	case "host":
		return hostVictim(rest)
	case "worker":
		return workerVictim(rest)
	}
	return victim(at)
}

func victim(at string) error {
	dir, store, _ := strings.Cut(at, "\n")
	v, err := killable(dir, store)
	if err != nil {
		return err
	}
	ctx, stop := testContext()
	defer stop()
	s, _, err := v.Start(ctx, survey.Scope{})
	if err != nil {
		return err
	}
	s, err = v.Wait(ctx, s.ID, func(survey.Survey) {})
	if err == nil && s.State != survey.Done {
		err = errors.New("the survey is " + string(s.State) + ": " + s.Reason)
	}
	return errors.Join(err, v.Close(ctx))
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

// TestKilled kills the process of a survey at random moments until it has ended,
// over and over. The index must then be that of an undisturbed survey. More of it:
//
//	IDEM_MCP_SURVEY_KILLS=200 IDEM_MCP_SURVEY_RUNS=20000 go test ./survey -run TestKilled -v -timeout 60m
func TestKilled(t *testing.T) {
	kills, runs := number("IDEM_MCP_SURVEY_KILLS", 10), number("IDEM_MCP_SURVEY_RUNS", 600)
	store := filepath.Join(t.TempDir(), "state.db")
	fill(t, store, runs)
	want := surveyedOnce(t, store)
	if n := strings.Count(want, "\n") + 1; n < 2*runs {
		t.Fatalf("the undisturbed index has %d lines", n)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano()))) //nolint:gosec // moments, not secrets
	killed, ended := 0, 0
	for dir := t.TempDir(); killed < kills || ended == 0; {
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Env = append(os.Environ(), victimVariable+"="+dir+"\n"+store)
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		var moment <-chan time.Time
		if killed < kills {
			moment = time.After(time.Duration(random.IntN(900)) * time.Millisecond)
		}
		select {
		case err := <-over:
			if err != nil {
				t.Fatalf("%v: %s", err, said.String())
			}
			ended++
			compare(t, dir, store, want)
			dir = t.TempDir()
		case <-moment:
			killed++
			_ = cmd.Process.Kill()   // it may have ended by itself
			<-over                   //nolint:errcheck // killed, so it ended with an error
			if done(t, dir, store) { // killed after the end: the next process would begin a second survey
				ended++
				compare(t, dir, store, want)
				dir = t.TempDir()
			}
		}
	}
	t.Logf("%d kills, %d surveys of %d runs ended, each with the index of an undisturbed one", killed, ended, runs)
}

// done reports whether the survey in a folder has ended.
func done(t *testing.T, dir, store string) bool {
	t.Helper()
	v, err := killable(dir, store)
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.Survey(t.Context(), "")
	if closed := v.Close(t.Context()); closed != nil {
		t.Fatal(closed)
	}
	return err == nil && s.State == survey.Done
}

func fill(t testing.TB, store string, runs int) {
	t.Helper()
	rows, err := storetest.Rows(runs)
	if err == nil {
		err = storetest.FillSQLite(t.Context(), store, rows)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func surveyedOnce(t *testing.T, store string) string {
	t.Helper()
	dir := t.TempDir()
	if err := victim(dir + "\n" + store); err != nil {
		t.Fatal(err)
	}
	return dump(t, dir, store)
}

func dump(t *testing.T, dir, store string) string {
	t.Helper()
	v, err := killable(dir, store)
	if err != nil {
		t.Fatal(err)
	}
	x, err := v.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := x.Dump(t.Context())
	if err := errors.Join(err, v.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	return text
}

func compare(t *testing.T, dir, store, want string) {
	t.Helper()
	differ(t, dump(t, dir, store), want)
}

func differ(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%d lines, an undisturbed survey has %d; the first that differs:\n%s\n%s", len(g), len(w), g[i], w[i])
		}
	}
	t.Fatalf("%d lines, an undisturbed survey has %d", len(g), len(w))
}
