package survey_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/idem-mcp/idem-mcp/dapr/store/sqlite"
	"github.com/idem-mcp/idem-mcp/survey"
)

// sharedConfig is that of everybody in TestKilledShared: many partitions, short steps.
func sharedConfig(database, address, store string) (survey.Config, error) {
	src, err := sqlite.New(sqlite.Config{ConnectionString: store})
	return survey.Config{
		Dir: "unused", Source: src, Page: 150, PageTime: time.Second, Partition: 200, RetryTime: 50 * time.Millisecond, Database: database,
		Hub: func() (grpc.ClientConnInterface, error) {
			return grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		},
	}, err
}

func hostVictim(of string) error {
	database, address, _ := strings.Cut(of, "\n")
	ctx, stop := testContext()
	defer stop()
	on, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return survey.Host(ctx, on, survey.HostConfig{Database: database, LockTime: 2 * time.Second, Log: toStderr})
}

func workerVictim(of string) error {
	p := strings.SplitN(of, "\n", 3)
	c, err := sharedConfig(p[0], p[1], p[2])
	if err != nil {
		return err
	}
	ctx, stop := testContext()
	defer stop()
	c.Log = toStderr
	for { // the database may be away when it begins
		if err = survey.New(c).Work(ctx); ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func toStderr(level, text string) { fmt.Fprintln(os.Stderr, time.Now().Format("05.000"), level, text) }

// process is one that is killed and begun again.
type process struct {
	as   string
	cmd  *exec.Cmd
	said strings.Builder
}

func (p *process) begin(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.CommandContext(context.Background(), exe) //nolint:gosec // this test again
	p.cmd.Env = append(os.Environ(), victimVariable+"="+p.as)
	p.cmd.Stderr = &p.said
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	_ = p.cmd.Wait()         // killed, so it ended with an error
}

// TestKilledShared kills the engine host, a worker or every connection to the
// database at random moments while surveys go on. Each must end with the index of an
// undisturbed survey in one process over SQLite. More of it:
//
//	IDEM_MCP_SURVEY_KILLS=200 IDEM_MCP_SURVEY_RUNS=20000 scripts/services go test ./survey -run TestKilledShared -v -timeout 60m
func TestKilledShared(t *testing.T) {
	t.Parallel()
	kills, runs := number("IDEM_MCP_SURVEY_KILLS", 10), number("IDEM_MCP_SURVEY_RUNS", 1200)
	database := database(t)
	store := filepath.Join(t.TempDir(), "state.db")
	fill(t, store, runs)
	want := surveyedOnce(t, store)
	address := freePort(t)
	all := []*process{{as: "host\n" + database + "\n" + address}, {as: "worker\n" + database + "\n" + address + "\n" + store}, {as: "worker\n" + database + "\n" + address + "\n" + store}}
	for _, p := range all {
		p.begin(t)
	}
	defer func() {
		for _, p := range all {
			p.kill()
			if t.Failed() {
				t.Log(strings.SplitN(p.as, "\n", 2)[0] + ":\n" + last(p.said.String(), 3000))
			}
		}
	}()
	c, err := sharedConfig(database, address, store)
	if err != nil {
		t.Fatal(err)
	}
	v := openWith(t, c)
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano()))) //nolint:gosec // moments, not secrets
	killed, ended := map[string]int{}, 0
	pause := 600 // at most, in milliseconds; of a long survey longer, so that it goes on in between
	if runs > 5000 {
		pause = 4000
	}
	for done := 0; done < kills || ended == 0; {
		s := begun(t, v)
		for s.State == survey.Running {
			time.Sleep(time.Duration(random.IntN(pause)) * time.Millisecond)
			if done < kills {
				done++
				killed[killOne(t, random, all, database)]++
			}
			now, err := v.Survey(t.Context(), s.ID)
			if err == nil { // the connection may be one that was ended
				s = now
			}
			if time.Since(s.Moved) > time.Minute && time.Since(s.Started) > time.Minute {
				t.Fatalf("it does not move: %+v", s)
			}
		}
		if s.State != survey.Done {
			t.Fatalf("%+v", s)
		}
		ended++
		compareShared(t, database, want)
	}
	t.Logf("%d kills (%v), %d surveys of %d runs ended, each with the index of an undisturbed one", kills, killed, ended, runs)
}

func last(s string, n int) string { return s[max(0, len(s)-n):] }

// begun starts a survey; the host may be away.
func begun(t *testing.T, v *survey.Surveyor) survey.Survey {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		s, _, err := v.Start(t.Context(), survey.Scope{})
		if err == nil {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func killOne(t *testing.T, random *rand.Rand, all []*process, database string) string {
	t.Helper()
	n := random.IntN(len(all) + 1)
	if n < len(all) {
		all[n].kill()
		all[n].begin(t)
		return strings.SplitN(all[n].as, "\n", 2)[0]
	}
	conn := connect(t, database)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	return "connections"
}

func connect(t *testing.T, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// compareShared compares the index and empties it for the next survey.
func compareShared(t *testing.T, database, want string) {
	t.Helper()
	x, err := survey.OpenSharedIndex(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	got, err := x.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	differ(t, got, want)
	conn := connect(t, database)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `TRUNCATE surveys, runs, tallies, calls, unread, listed, parts, sums, sum_attempts`); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	on, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	return on.Addr().String()
}
