package survey_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/survey"
)

// opener makes a Surveyor with short steps, of an index and an engine that belong to
// a folder. It is closed with the test.
type opener func(t *testing.T, dir string, src history.Source) *survey.Surveyor

// Every behaviour holds wherever a survey runs: in one process; in one process with
// small partitions; there with the index in PostgreSQL; and on the engine host over
// PostgreSQL, with two workers that speak gRPC to it.
func everywhere(t *testing.T, test func(t *testing.T, open opener)) {
	t.Helper()
	t.Parallel()
	for name, open := range map[string]opener{"in process": open, "partitions": openParts, "shared index": openShared, "workers": openWorkers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "shared index" || name == "workers" {
				server(t)
			}
			test(t, open)
		})
	}
}

func TestAnswersAreTheTally(t *testing.T)         { everywhere(t, testAnswersAreTheTally) }
func TestSecondSurvey(t *testing.T)               { everywhere(t, testSecondSurvey) }
func TestShorterNeverReplacesLonger(t *testing.T) { everywhere(t, testShorterNeverReplacesLonger) }
func TestUnchangedIsNotReadAgain(t *testing.T)    { everywhere(t, testUnchangedIsNotReadAgain) }
func TestUnreadable(t *testing.T)                 { everywhere(t, testUnreadable) }
func TestSourceGoesAway(t *testing.T)             { everywhere(t, testSourceGoesAway) }
func TestCancel(t *testing.T)                     { everywhere(t, testCancel) }
func TestScope(t *testing.T)                      { everywhere(t, testScope) }
func TestMarksOfAStore(t *testing.T)              { everywhere(t, testMarksOfAStore) }

// short are steps that are over soon.
func short(dir string, src history.Source) survey.Config {
	return survey.Config{Dir: dir, Source: src, Page: 40, PageTime: time.Second, RetryTime: 10 * time.Millisecond}
}

func openWith(t *testing.T, c survey.Config) *survey.Surveyor {
	t.Helper()
	v := survey.New(c)
	t.Cleanup(func() {
		if err := v.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return v
}

func open(t *testing.T, dir string, src history.Source) *survey.Surveyor {
	t.Helper()
	return openWith(t, short(dir, src))
}

func openParts(t *testing.T, dir string, src history.Source) *survey.Surveyor {
	t.Helper()
	c := short(dir, src)
	c.Partition = 25
	return openWith(t, c)
}

func openShared(t *testing.T, dir string, src history.Source) *survey.Surveyor {
	t.Helper()
	c := short(dir, src)
	c.Partition, c.Database = 25, database(t)
	return openWith(t, c)
}

func openWorkers(t *testing.T, dir string, src history.Source) *survey.Surveyor {
	t.Helper()
	c := short(dir, src)
	c.Partition, c.Database = 25, database(t)
	ctx, stop := context.WithCancel(context.Background())
	address, ended := host(t, ctx, c.Database, "127.0.0.1:0")
	for range 2 {
		of := c
		of.Hub = dial(t, address)
		w := openWith(t, of)
		done := make(chan error, 1)
		go func() { done <- w.Work(ctx) }()
		t.Cleanup(func() {
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c.Hub = dial(t, address)
	return openWith(t, c)
}

// host serves an engine until ctx ends.
func host(t *testing.T, ctx context.Context, database, address string) (at string, ended <-chan error) {
	t.Helper()
	on, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() {
		over <- survey.Host(ctx, on, survey.HostConfig{Database: database, LockTime: 3 * time.Second})
	}()
	return on.Addr().String(), over
}

func dial(t *testing.T, address string) func() (grpc.ClientConnInterface, error) {
	t.Helper()
	c, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return func() (grpc.ClientConnInterface, error) { return c, nil }
}

// server is the address of a real PostgreSQL.
func server(t testing.TB) string {
	t.Helper()
	s := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if s == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./survey (make test does)")
	}
	return s
}

var databases atomic.Int64

// database makes one for the test alone.
func database(t testing.TB) string {
	t.Helper()
	ctx := context.Background()
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("survey_%d_%d", os.Getpid(), databases.Add(1))
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		conn.Close(ctx)
	})
	u.Path = "/" + name
	return u.String()
}

// A worker of another source refuses a survey, and says which both are.
func TestWorkersReadOneSource(t *testing.T) {
	t.Parallel()
	c := short(t.TempDir(), &fake{runs: load(t)})
	c.Database = database(t)
	ctx, stop := context.WithCancel(context.Background())
	address, ended := host(t, ctx, c.Database, "127.0.0.1:0")
	c.Hub = dial(t, address)
	of := c
	of.Source = files(t, "../examples/runs")
	w := openWith(t, of)
	done := make(chan error, 1)
	go func() { done <- w.Work(ctx) }()
	s := run(t, openWith(t, c), survey.Scope{})
	if s.State != survey.Failed && s.State != survey.Running || !strings.Contains(s.Reason, "is not of the source of this worker") {
		t.Errorf("%+v", s)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A shared engine needs a shared index.
func TestSharedEngineNeedsSharedIndex(t *testing.T) {
	t.Parallel()
	c := short(t.TempDir(), &fake{runs: load(t)})
	c.Hub = dial(t, "127.0.0.1:1")
	if _, _, err := openWith(t, c).Start(t.Context(), survey.Scope{}); err == nil || !strings.Contains(err.Error(), "survey.index") {
		t.Error(err)
	}
}
