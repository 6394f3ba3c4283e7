package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
)

// TestReadAgain: a writer that comes in the middle of a read of an immutable
// file makes the read begin again, on a file opened anew.
func TestReadAgain(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "state.db")
	writer, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(query string) {
		t.Helper()
		if _, err := writer.ExecContext(ctx, query); err != nil {
			t.Fatal(err)
		}
	}
	write("PRAGMA journal_mode=WAL")
	write("CREATE TABLE state (n INTEGER)")
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := newBackend(Config{ConnectionString: path})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var seen []int
	var immutable []bool
	err = b.read(ctx, func(ctx context.Context, db *sql.DB, frozen bool) error {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM state").Scan(&n); err != nil {
			return err
		}
		seen, immutable = append(seen, n), append(immutable, frozen)
		if len(seen) == 1 {
			writer, _ = sql.Open("sqlite", "file:"+path)
			t.Cleanup(func() { writer.Close() })
			write("INSERT INTO state VALUES (1)")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen[1] != 1 || !immutable[0] || immutable[1] {
		t.Errorf("read %v, immutable %v; want a second read that sees the row", seen, immutable)
	}
}
