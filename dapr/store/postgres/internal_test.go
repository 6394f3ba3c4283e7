package postgres

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestWritesAreRefused: the server itself refuses a write in the transactions
// that everything here is read in.
func TestWritesAreRefused(t *testing.T) {
	server := os.Getenv("IDEM_MCP_TEST_POSTGRES")
	if server == "" {
		t.Skip("IDEM_MCP_TEST_POSTGRES names no server; run: scripts/services go test ./dapr/...")
	}
	b, err := newBackend(Config{ConnectionString: server, Table: "pg_catalog.pg_class"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.layout = &layout{table: "x"}
	err = b.read(context.Background(), func(ctx context.Context, tx pgx.Tx, _ *layout) error {
		_, err := tx.Exec(ctx, "CREATE TABLE refused (n int)")
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "25006") {
		t.Errorf("%v", err)
	}
}
