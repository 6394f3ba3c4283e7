package postgres_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/dapr/store/postgres"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/history/sourcetest"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// server returns the address of a real PostgreSQL.
func server(t testing.TB) string {
	t.Helper()
	s := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if s == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./dapr/...")
	}
	return s
}

// table is a state table in a schema of its own.
type table struct {
	conn *pgx.Conn
	name string // with schema
	v1   bool
}

func create(t testing.TB, v1 bool) table {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server(t))
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("t%d", time.Now().UnixNano())
	tab := table{conn: conn, name: schema + ".state", v1: v1}
	tab.exec(t, "CREATE SCHEMA "+schema)
	t.Cleanup(func() {
		tab.exec(t, "DROP SCHEMA "+schema+" CASCADE")
		conn.Close(ctx)
	})
	if v1 {
		tab.exec(t, `CREATE TABLE `+tab.name+` (key text NOT NULL PRIMARY KEY, value jsonb NOT NULL, isbinary boolean NOT NULL,
			insertdate TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW(), updatedate TIMESTAMP WITH TIME ZONE NULL, expiredate TIMESTAMP WITH TIME ZONE)`)
	} else {
		tab.exec(t, `CREATE TABLE `+tab.name+` (key text NOT NULL PRIMARY KEY, value bytea NOT NULL, etag uuid NOT NULL DEFAULT gen_random_uuid(),
			created_at timestamp with time zone NOT NULL DEFAULT now(), updated_at timestamp with time zone, expires_at timestamp with time zone)`)
	}
	return tab
}

func (tab table) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := tab.conn.Exec(context.Background(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func (tab table) put(t testing.TB, rows ...sourcetest.Row) {
	t.Helper()
	b := &pgx.Batch{}
	for _, r := range rows {
		if tab.v1 {
			text, _ := json.Marshal(base64.StdEncoding.EncodeToString(r.Value))
			b.Queue(`INSERT INTO `+tab.name+` (key, value, isbinary) VALUES ($1, $2, true)`, r.Key, string(text))
		} else {
			b.Queue(`INSERT INTO `+tab.name+` (key, value) VALUES ($1, $2)`, r.Key, r.Value)
		}
	}
	if err := tab.conn.SendBatch(context.Background(), b).Close(); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, c postgres.Config) *store.Source {
	t.Helper()
	s, err := postgres.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func layouts(t *testing.T, f func(t *testing.T, v1 bool)) {
	t.Run("v1", func(t *testing.T) { f(t, true) })
	t.Run("v2", func(t *testing.T) { f(t, false) })
}

func TestContract(t *testing.T) {
	server(t)
	layouts(t, func(t *testing.T, v1 bool) {
		sourcetest.Run(t, func(t *testing.T, w sourcetest.World) history.Source {
			tab := create(t, v1)
			for _, r := range w.Runs {
				tab.put(t, r.Rows()...)
			}
			c := postgres.Config{ConnectionString: server(t), Table: tab.name}
			c.Options.Sharing = history.Sharing{Level: w.Level, How: "set by the test"}
			switch w.Fault {
			case sourcetest.Unreachable:
				c.ConnectionString = "host=127.0.0.1 port=1 user=postgres password=secret dbname=postgres connect_timeout=2"
			case sourcetest.Forbidden:
				c.ConnectionString = asNobody(t, tab)
			}
			return open(t, c)
		})
	})
}

// asNobody makes a role that may use the schema and read nothing in it.
func asNobody(t testing.TB, tab table) string {
	t.Helper()
	schema, _, _ := strings.Cut(tab.name, ".")
	role := "nobody_" + schema
	tab.exec(t, "CREATE ROLE "+role+" LOGIN PASSWORD 'pw'")
	tab.exec(t, "GRANT USAGE ON SCHEMA "+schema+" TO "+role)
	t.Cleanup(func() { tab.exec(t, "REVOKE USAGE ON SCHEMA "+schema+" FROM "+role); tab.exec(t, "DROP ROLE "+role) })
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, "pw")
	return u.String()
}

//go:embed testdata/state-v2.tsv
var realRows []byte

// TestRealStore reads rows that a Dapr 1.18 runtime wrote (key, value in hex).
func TestRealStore(t *testing.T) {
	server(t)
	layouts(t, func(t *testing.T, v1 bool) {
		tab := create(t, v1)
		var rows []sourcetest.Row
		for line := range bytes.Lines(realRows) {
			key, value, _ := strings.Cut(strings.TrimRight(string(line), "\n"), "\t")
			raw, err := hex.DecodeString(value)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, sourcetest.Row{Key: key, Value: raw})
		}
		tab.put(t, rows...)
		s := open(t, postgres.Config{ConnectionString: server(t), Table: tab.name})
		var got []string
		for run, err := range s.Histories(context.Background(), history.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s/%s %s %s gen=%d events=%d/%d %s", run.Ref.App, run.Ref.Instance, run.Workflow, run.Status,
				run.Generation, len(run.Events), run.HistoryLen, strings.Join(run.Coverage.Missing, "; "))))
		}
		want := []string{
			"orders-pg/s7-pg-01-clean OrderWorkflow completed gen=1 events=9/9",
			"orders-pg/s7-pg-02-retry InvoiceWorkflow completed gen=1 events=18/18",
			"orders-pg/s7-pg-06-can ImportWorkflow completed gen=3 events=6/6 this is generation 3: the events of earlier ones (continued as new, or the id used again) are not kept",
			"orders-pg/s7-pg-07-daprdkill TransferWorkflow completed gen=1 events=6/6",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestUntidy(t *testing.T) {
	server(t)
	one := sourcetest.Runs(t)[0]
	layouts(t, func(t *testing.T, v1 bool) {
		set := func(raw string) string { // an UPDATE in the layout's encoding
			b, _ := hex.DecodeString(raw)
			if v1 {
				return `SET value = '"` + base64.StdEncoding.EncodeToString(b) + `"'`
			}
			return `SET value = '\x` + raw + `'`
		}
		oldJSON := `SET value = '{"InboxLength":0,"HistoryLength":12,"Generation":1}'`
		if v1 {
			oldJSON += ", isbinary = false"
		}
		for _, c := range []struct {
			name, change string
			events       int
			says         string
		}{
			{"untouched", "SELECT 1", 12, ""},
			{"rows missing", "DELETE FROM %s WHERE key ~ 'history-00000[34]$'", 10, "2 of 12 history rows"},
			{"no metadata row", "DELETE FROM %s WHERE key LIKE '%%metadata'", 12, "no metadata row"},
			{"metadata unreadable", "UPDATE %s " + set("8080") + " WHERE key LIKE '%%metadata'", 12, "metadata row cannot be read"},
			{"metadata claims 2^40 events", "UPDATE %s " + set("108080808080201801") + " WHERE key LIKE '%%metadata'", 12, "metadata row cannot be read"},
			{"one row more than metadata says", "UPDATE %s " + set("100b1801") + " WHERE key LIKE '%%metadata'", 12, "1 history rows beyond the 11"},
			{"not an event", "UPDATE %s " + set("ffffffff") + " WHERE key LIKE '%%history-000002'", 11, "damaged"},
			{"old JSON metadata", "UPDATE %s " + oldJSON + " WHERE key LIKE '%%metadata'", 12, ""},
			{"generation 3", "UPDATE %s " + set("100c1803") + " WHERE key LIKE '%%metadata'", 12, "generation 3"},
		} {
			t.Run(c.name, func(t *testing.T) {
				tab := create(t, v1)
				tab.put(t, one.Rows()...)
				change := c.change
				if strings.Contains(change, "%s") {
					change = fmt.Sprintf(change, tab.name)
				}
				tab.exec(t, change)
				s := open(t, postgres.Config{ConnectionString: server(t), Table: tab.name})
				run, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
				if err != nil {
					t.Fatal(err)
				}
				said := strings.Join(run.Coverage.Missing, "; ")
				if len(run.Events) != c.events || !strings.Contains(said, c.says) || (c.says == "") != (said == "") {
					t.Errorf("%d events, coverage %q; want %d and %q", len(run.Events), said, c.events, c.says)
				}
				n := 0
				for bulk, err := range s.Histories(context.Background(), history.Filter{}) {
					if err != nil {
						t.Fatal(err)
					}
					n++
					if diff := cmp.Diff(run.Coverage, bulk.Coverage); diff != "" {
						t.Errorf("alone and in bulk differ (-alone +bulk)\n%s", diff)
					}
				}
				if (n == 0) != (c.name == "no metadata row") {
					t.Errorf("%d runs listed", n)
				}
			})
		}
	})
}

func TestFaults(t *testing.T) {
	tab := create(t, false)
	one := sourcetest.Runs(t)[0]
	tab.put(t, one.RowsOf("orders", "prj-165")...)
	tab.exec(t, "CREATE TABLE "+strings.Replace(tab.name, ".state", ".other", 1)+" (key text, value text)")
	u, _ := url.Parse(server(t))
	u.User = url.UserPassword("postgres", "wrong-password")
	wrong := u.String()
	u, _ = url.Parse(server(t))
	u.Path = "/nosuchdb"
	for _, c := range []struct {
		name string
		conf postgres.Config
		kind fault.Kind
		says string
	}{
		{"wrong password", postgres.Config{ConnectionString: wrong, Table: tab.name}, fault.SignIn, "user and password"},
		{"no such database", postgres.Config{ConnectionString: u.String(), Table: tab.name}, fault.Config, "database"},
		{"no such table", postgres.Config{ConnectionString: server(t), Table: "nosuchtable"}, fault.Config, "tablePrefix"},
		{"a name that is SQL", postgres.Config{ConnectionString: server(t), Table: "state; DROP TABLE x"}, fault.Config, ""},
		{"another table", postgres.Config{ConnectionString: server(t), Table: strings.Replace(tab.name, ".state", ".other", 1)}, fault.Config, "not the one"},
		{"Catalyst namespace", postgres.Config{ConnectionString: server(t), Table: tab.name}, fault.Unsupported, "catalyst source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.conf)
			_, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
			if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", fault.KindOf(err), err)
			}
			for _, secret := range []string{"secret", "wrong-password"} {
				if strings.Contains(fmt.Sprint(err, s.Describe(context.Background())), secret) {
					t.Errorf("the password is told: %v", err)
				}
			}
		})
	}
}

// TestConfig needs no server.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		conf postgres.Config
		kind fault.Kind
	}{
		{postgres.Config{}, fault.Config},
		{postgres.Config{ConnectionString: "postgres://u:hunter2@host:port/db"}, fault.Config},
		{postgres.Config{ConnectionString: "host=h password=hunter2 sslmode=maybe"}, fault.Config},
		{postgres.Config{ConnectionString: "host=h", ExecMode: "fast"}, fault.Config},
		{postgres.Config{ConnectionString: "host=pg.cloud.r1.diagrid.io"}, fault.Unsupported},
	} {
		_, err := postgres.New(c.conf)
		if fault.KindOf(err) != c.kind || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", c.conf.Table, err)
		}
	}
}

// TestExecModes reads in every mode that a component can ask for.
func TestExecModes(t *testing.T) {
	tab := create(t, true)
	one := sourcetest.Runs(t)[0]
	tab.put(t, one.Rows()...)
	for _, mode := range []string{"cache_describe", "describe_exec", "exec", "simple_protocol"} {
		s := open(t, postgres.Config{ConnectionString: server(t), Table: tab.name, ExecMode: mode})
		run, err := s.Run(context.Background(), history.Ref{Instance: one.Instance})
		if err != nil || len(run.Events) != 12 {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestForeignKeys finds a few runs among a million rows that are none, under a
// linguistic collation.
func TestForeignKeys(t *testing.T) {
	tab := create(t, false)
	tab.exec(t, `INSERT INTO `+tab.name+` (key, value) SELECT CASE i % 3 WHEN 0 THEN 'orders||cart-'||i WHEN 1 THEN 'zz||Actor||'||i||'||metadata'
		ELSE 'orders||dapr.internal.default.orders.activity||x::0::'||i||'||activityState' END, 'v' FROM generate_series(1, 1000000) i`)
	runs := sourcetest.Runs(t)
	for _, r := range runs {
		tab.put(t, r.Rows()...)
	}
	s := open(t, postgres.Config{ConnectionString: server(t), Table: tab.name})
	start := time.Now()
	n := 0
	for _, err := range s.Runs(context.Background(), history.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != len(runs) {
		t.Errorf("%d runs, want %d", n, len(runs))
	}
	t.Logf("listed among 1M foreign rows in %s", time.Since(start))
}

// TestDroppedConnection cuts every connection in the middle of a scan.
func TestDroppedConnection(t *testing.T) {
	tab := create(t, false)
	one := sourcetest.Runs(t)[0]
	for i := range 2000 {
		r := one
		r.Instance = fmt.Sprintf("run-%05d", i)
		tab.put(t, r.Rows()...)
	}
	proxy, cut := forward(t, server(t))
	s := open(t, postgres.Config{ConnectionString: proxy, Table: tab.name})
	n, failed := 0, error(nil)
	for _, err := range s.Runs(context.Background(), history.Filter{}) {
		if err != nil {
			failed = err
			continue
		}
		if n++; n == 10 {
			cut()
		}
	}
	if fault.KindOf(failed) != fault.Unreachable || n == 0 || n == 2000 {
		t.Errorf("after %d runs: %s: %v", n, fault.KindOf(failed), failed)
	}
	if failed != nil && !strings.Contains(failed.Error(), fmt.Sprintf("after %d runs", n)) {
		t.Errorf("how much was read is not told: %v", failed)
	}
}

// forward is a TCP relay to the server that can be cut for good.
func forward(t testing.TB, to string) (address string, cut func()) {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns, host := make(chan net.Conn, 100), u.Host
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", host)
			if err != nil {
				in.Close()
				continue
			}
			conns <- in
			conns <- out
			go pipe(in, out)
			go pipe(out, in)
		}
	}()
	cut = func() {
		l.Close()
		for {
			select {
			case c := <-conns:
				c.Close()
			default:
				return
			}
		}
	}
	t.Cleanup(cut)
	u.Host = l.Addr().String()
	return u.String(), cut
}

func pipe(dst, src net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			dst.Close()
			return
		}
		if _, err := dst.Write(buf[:n]); err != nil {
			return
		}
	}
}

// TestStamps: a run's mark changes with every write of its metadata row, and with
// nothing else; the marks come in the order of the runs and go on from a cursor.
func TestStamps(t *testing.T) {
	server(t)
	layouts(t, func(t *testing.T, v1 bool) {
		tab := create(t, v1)
		runs, err := sourcetest.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs[:5] {
			tab.put(t, r.Rows()...)
		}
		s := open(t, postgres.Config{ConnectionString: server(t), Table: tab.name})
		stamps := func(f history.Filter) (cursors []string, marks map[string]string) {
			marks = map[string]string{}
			for st, err := range s.Stamps(t.Context(), f) {
				if err != nil {
					t.Fatal(err)
				}
				cursors = append(cursors, st.Ref.Cursor())
				marks[st.Ref.Cursor()] = st.Mark
			}
			return cursors, marks
		}
		var listed []string
		for h, err := range s.Runs(t.Context(), history.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			listed = append(listed, h.Ref.Cursor())
		}
		cursors, before := stamps(history.Filter{})
		if diff := cmp.Diff(listed, cursors); diff != "" {
			t.Errorf("the marks are not of the runs: %s", diff)
		}
		if rest, _ := stamps(history.Filter{Cursor: cursors[1]}); !cmp.Equal(rest, cursors[2:]) {
			t.Errorf("after the second: %v", rest)
		}
		tab.exec(t, `UPDATE `+tab.name+` SET value = value WHERE key = $1`, cursors[2]+store.SuffixMetadata)
		_, after := stamps(history.Filter{})
		for i, c := range cursors {
			if before[c] == "" || (before[c] != after[c]) != (i == 2) {
				t.Errorf("run %d: mark %q, then %q", i, before[c], after[c])
			}
		}
	})
}
