package redis_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/dapr/store/redis"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// database is the one these tests empty and use.
const database = 9

func server(t testing.TB) string {
	t.Helper()
	s := os.Getenv("IDEM_MCP_TEST_REDIS")
	if s == "" {
		t.Skip("IDEM_MCP_TEST_REDIS names no server; run: scripts/services go test ./dapr/...")
	}
	return s
}

// fresh returns a writer to the emptied database.
func fresh(t testing.TB) *goredis.Client {
	t.Helper()
	c := goredis.NewClient(&goredis.Options{Addr: server(t), DB: database})
	empty := func() {
		if err := c.FlushDB(context.Background()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	empty()
	t.Cleanup(func() { empty(); c.Close() })
	return c
}

func put(t testing.TB, c *goredis.Client, rows ...sourcetest.Row) {
	t.Helper()
	p := c.Pipeline()
	for _, r := range rows {
		p.HSet(context.Background(), r.Key, "data", r.Value, "version", 1)
	}
	if _, err := p.Exec(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, c redis.Config) *store.Source {
	t.Helper()
	if c.Hosts == nil {
		c.Hosts = []string{server(t)}
	}
	c.DB = database
	s, err := redis.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) {
	server(t)
	sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
		c := fresh(t)
		for _, r := range w.Runs {
			put(t, c, r.Rows()...)
		}
		conf := redis.Config{Config: store.Config{Options: history.Options{Sharing: history.Sharing{Level: w.Level, How: "set by the test"}}}}
		switch w.Fault {
		case sourcetest.Unreachable:
			conf.Hosts = []string{"127.0.0.1:1"}
		case sourcetest.Forbidden:
			conf.Username, conf.Password = "nobody", "pw"
			if err := c.Do(context.Background(), "ACL", "SETUSER", "nobody", "reset", "on", ">pw", "~*", "-@all", "+ping", "+select").Err(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Do(context.Background(), "ACL", "DELUSER", "nobody") })
		}
		return open(t, conf)
	})
}

func TestUntidy(t *testing.T) {
	server(t)
	ctx := context.Background()
	one := sourcetest.Runs(t)[0]
	prefix := one.Rows()[0].Key[:len(one.Rows()[0].Key)-len("metadata")]
	meta := func(raw string) func(c *goredis.Client) error {
		return func(c *goredis.Client) error { return c.HSet(ctx, prefix+"metadata", "data", raw).Err() }
	}
	for _, c := range []struct {
		name   string
		change func(c *goredis.Client) error
		events int
		says   string
	}{
		{"untouched", func(*goredis.Client) error { return nil }, 12, ""},
		{"rows missing", func(c *goredis.Client) error {
			return c.Del(ctx, prefix+"history-000003", prefix+"history-000004").Err()
		}, 10, "2 of 12 history rows"},
		{"no metadata row", func(c *goredis.Client) error { return c.Del(ctx, prefix+"metadata").Err() }, 12, "no metadata row"},
		{"metadata unreadable", meta("\x80\x80"), 12, "metadata row cannot be read"},
		{"metadata claims 2^40 events", meta("\x10\x80\x80\x80\x80\x80\x20\x18\x01"), 12, "metadata row cannot be read"},
		{"one row more than metadata says", meta("\x10\x0b\x18\x01"), 12, "1 history rows beyond the 11"},
		{"old JSON metadata", meta(`{"InboxLength":0,"HistoryLength":12,"Generation":1}`), 12, ""},
		{"generation 3", meta("\x10\x0c\x18\x03"), 12, "generation 3"},
		{"a row that is no hash", func(c *goredis.Client) error {
			if err := c.Del(ctx, prefix+"history-000002").Err(); err != nil {
				return err
			}
			return c.Set(ctx, prefix+"history-000002", "x", 0).Err()
		}, 11, "row ||history-000002 is not a hash"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fresh(t)
			put(t, w, one.Rows()...)
			if err := c.change(w); err != nil {
				t.Fatal(err)
			}
			s := open(t, redis.Config{})
			run, err := s.Run(ctx, history.Ref{Instance: one.Instance})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(run.Coverage.Missing, "; ")
			if len(run.Events) != c.events || !strings.Contains(said, c.says) || (c.says == "") != (said == "") {
				t.Errorf("%d events, coverage %q; want %d and %q", len(run.Events), said, c.events, c.says)
			}
			for bulk, err := range s.Histories(ctx, history.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(run.Coverage, bulk.Coverage); diff != "" {
					t.Errorf("alone and in bulk differ (-alone +bulk)\n%s", diff)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	w := fresh(t)
	one := sourcetest.Runs(t)[0]
	put(t, w, one.RowsOf("orders", "prj-165")...)
	for _, c := range []struct {
		name string
		conf redis.Config
		kind fault.Kind
		says string
	}{
		{"wrong password", redis.Config{Username: "someone", Password: "hunter2"}, fault.SignIn, "redisPassword"},
		{"Catalyst namespace", redis.Config{}, fault.Unsupported, "catalyst source"},
		{"silent", redis.Config{Hosts: []string{silent(t)}, Timeout: 200 * time.Millisecond}, fault.Unreachable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.conf)
			_, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
			if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", fault.KindOf(err), err)
			}
			if strings.Contains(fmt.Sprint(err, s.Describe(context.Background())), "hunter2") {
				t.Errorf("the password is told: %v", err)
			}
		})
	}
}

// silent is a server that takes connections and never answers.
func silent(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// TestConfig needs no server.
func TestConfig(t *testing.T) {
	if _, err := redis.New(redis.Config{}); fault.KindOf(err) != fault.Config {
		t.Errorf("no host: %v", err)
	}
	if _, err := redis.New(redis.Config{Hosts: []string{"redis.cloud.r1.diagrid.io:6379"}}); fault.KindOf(err) != fault.Unsupported {
		t.Errorf("Catalyst host: %v", err)
	}
}

// TestMoving reads a run that a writer keeps changing: it comes back consistent,
// or says that it moved; never that rows are missing.
func TestMoving(t *testing.T) {
	w := fresh(t)
	ctx := context.Background()
	one := sourcetest.Runs(t)[0]
	put(t, w, one.Rows()...)
	rows := one.Rows()
	prefix := rows[0].Key[:len(rows[0].Key)-len("metadata")]
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 1; ; n = n%11 + 1 { // the run shrinks and grows as by continue-as-new, in transactions
			select {
			case <-stop:
				return
			default:
			}
			p := w.TxPipeline()
			p.HSet(ctx, prefix+"metadata", "data", string([]byte{0x10, byte(n), 0x18, 1}))
			for i := range 12 {
				key := fmt.Sprintf("%shistory-%06d", prefix, i)
				if i < n {
					p.HSet(ctx, key, "data", one.Events[i])
				} else {
					p.Del(ctx, key)
				}
			}
			if _, err := p.Exec(ctx); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	s := open(t, redis.Config{})
	torn := 0
	for range 300 {
		run, err := s.Run(ctx, history.Ref{Instance: one.Instance})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(run.Coverage.Missing, "; ")
		if len(run.Events) != run.HistoryLen && !strings.Contains(said, "written to while it was read") {
			torn++
		}
	}
	close(stop)
	<-done
	if torn > 0 {
		t.Errorf("%d of 300 reads were torn and did not say so", torn)
	}
}

// TestForeignKeys finds runs among a million keys that are none, more of them
// than the first window holds.
func TestForeignKeys(t *testing.T) {
	w := fresh(t)
	ctx := context.Background()
	for i := 0; i < 1_000_000; i += 10_000 {
		p := w.Pipeline()
		for j := range 10_000 {
			p.Do(ctx, "SET", fmt.Sprintf("zz||Actor||%d||metadata", i+j), "v")
		}
		if _, err := p.Exec(ctx); err != nil {
			t.Fatal(err)
		}
	}
	one := sourcetest.Runs(t)[0]
	for i := range 2500 {
		r := one
		r.Instance = fmt.Sprintf("run-%05d", i)
		put(t, w, r.Rows()...)
	}
	s := open(t, redis.Config{})
	start := time.Now()
	n := 0
	for h, err := range s.Runs(ctx, history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("run-%05d", n); h.Ref.Instance != want {
			t.Fatalf("run %d is %s, want %s", n, h.Ref.Instance, want)
		}
		n++
	}
	if n != 2500 {
		t.Errorf("%d runs, want 2500", n)
	}
	t.Logf("listed among 1M foreign keys in %s", time.Since(start))
}
