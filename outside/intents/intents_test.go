package intents_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/outside"
	"github.com/idem-mcp/idem-mcp/outside/input"
	"github.com/idem-mcp/idem-mcp/outside/intents"
)

func states(list []outside.Intent) map[string]string {
	out := map[string]string{}
	for _, i := range list {
		s := i.State.String()
		if i.ID != "" {
			s += " " + i.ID
		}
		if i.HasWebhook {
			s += " webhook " + i.Webhook.String()
		}
		out[i.Key] = s
	}
	return out
}

var want = map[string]string{"k1": "pending", "k2": "succeeded ch_2", "k3": "failed", "k4": "unknown", "k5": "pending webhook succeeded"}

func TestFiles(t *testing.T) {
	for name, text := range map[string]string{
		"csv":  "Key,Status,provider_id,error,created_at,webhook_status,secret\nk1,PENDING,,,2026-11-29T14:00:00Z,,s\nk2,done,ch_2,,,,s\nk3,declined,,card declined,,,s\nk4,weird,,,,,s\nk5,claimed,,,,charge.succeeded,s\n",
		"json": `{"intents":[{"key":"k1","status":"pending"},{"key":"k2","status":"succeeded","provider_id":"ch_2"},{"key":"k3","status":"failed","error":"x"},{"key":"k4","status":7},{"key":"k5","status":"in_progress","webhook":"paid"}]}`,
	} {
		path := filepath.Join(t.TempDir(), "i")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var got []outside.Intent
		res, err := intents.Read(t.Context(), input.Files{Paths: []string{path}}, intents.Mapping{}, func(i outside.Intent) error { got = append(got, i); return nil })
		if err != nil || res.Records != 5 {
			t.Fatalf("%s: %v %+v", name, err, res)
		}
		if d := cmp.Diff(want, states(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestSQLite: a query reads; one that would write is refused and changes nothing.
func TestSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "intents.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`CREATE TABLE intents (k TEXT, status TEXT, ref TEXT, hook TEXT)`,
		`INSERT INTO intents VALUES ('k1','pending',NULL,NULL),('k2','succeeded','ch_2',NULL),('k3','failed',NULL,NULL),('k4','weird',NULL,NULL),('k5','pending',NULL,'paid')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	m := intents.Mapping{Key: []string{"k"}, ID: []string{"ref"}, Webhook: []string{"hook"}}
	var got []outside.Intent
	each := func(i outside.Intent) error { got = append(got, i); return nil }
	if _, err := intents.Query(t.Context(), intents.Database{DSN: path, Query: "SELECT * FROM intents"}, m, each); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, states(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"DELETE FROM intents", "UPDATE intents SET k = 'x' RETURNING k", "WITH a AS (SELECT 1) INSERT INTO intents SELECT 1,2,3,4 FROM a", "SELECT * FROM nowhere"} {
		if _, err := intents.Query(t.Context(), intents.Database{DSN: path, Query: q}, m, each); err == nil {
			t.Errorf("%s was not refused", q)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Error("the file changed")
	}
	if _, err := intents.Query(t.Context(), intents.Database{DSN: path + "x", Query: "SELECT 1"}, m, each); fault.KindOf(err) != fault.Config {
		t.Errorf("error %v", err)
	}
}

// TestPostgres reads a table of values and is refused a write. It runs where
// IDEM_MCP_TEST_POSTGRES names a database.
func TestPostgres(t *testing.T) {
	dsn := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./outside/...")
	}
	var got []outside.Intent
	each := func(i outside.Intent) error { got = append(got, i); return nil }
	query := `SELECT * FROM (VALUES ('k1','pending',NULL,NULL),('k2','succeeded','ch_2',NULL),('k3','failed',NULL,NULL),('k4','weird',NULL,NULL),('k5','pending',NULL,'paid')) AS t(key,status,provider_id,webhook)`
	if _, err := intents.Query(t.Context(), intents.Database{DSN: dsn, Query: query}, intents.Mapping{}, each); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, states(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, q := range []string{"CREATE TABLE idem_intents_test (a int)", "SELECT 1; CREATE TABLE idem_intents_test (a int)"} {
		if _, err := intents.Query(t.Context(), intents.Database{DSN: dsn, Query: q}, intents.Mapping{}, each); err == nil {
			t.Errorf("%s was not refused", q)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("key,status\nk,pending\n"))
	f.Add([]byte(`{"key":"k","status":"failed","error":"x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "i")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := intents.Read(t.Context(), input.Files{Paths: []string{path}}, intents.Mapping{}, func(i outside.Intent) error {
			outside.Decide(&i, outside.None, nil, false)
			return nil
		})
		if err != nil && fault.KindOf(err) != fault.BadInput {
			t.Fatal(err)
		}
	})
}
