// Package sqlite reads the state.sqlite store of a Dapr runtime: text keys in
// byte order, values as base64 text beside an is_binary flag.
//
// The file is opened with mode=ro and query_only. A file in WAL mode that no
// process has open (there is no -wal file beside it) is opened as immutable,
// since SQLite would otherwise create -wal and -shm files; when a writer comes
// while we read, the file is opened again and the read repeated. Every query is
// short, so that a store without WAL never holds back the engine's commits.
package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/internal/rosqlite"
)

// Config names a store.
type Config struct {
	// ConnectionString is the component's: a path or a file: URI. Its query is
	// ignored but for vfs, since we open the file in our own way.
	ConnectionString string
	// Dirs are where a relative path is looked for, in order; the working
	// directory when empty.
	Dirs []string
	// Table is the component's tableName; "state" when empty.
	Table string
	// Timeout bounds one query; 30 s when 0.
	Timeout time.Duration
	store.Config
}

// New returns a source over the store. The file is opened by the first read.
func New(c Config) (*store.Source, error) {
	b, err := newBackend(c)
	if err != nil {
		return nil, err
	}
	return store.New(b, c.Config), nil
}

type backend struct {
	path, table string
	timeout     time.Duration

	mu     sync.Mutex
	db     *sql.DB
	frozen *rosqlite.Stamp // set while the file is open as immutable
}

func newBackend(c Config) (*backend, error) {
	path, err := filePath(c.ConnectionString)
	if err != nil {
		return nil, err
	}
	table := c.Table
	if table == "" {
		table = "state"
	}
	if !regexp.MustCompile(`^[A-Za-z0-9_]+$`).MatchString(table) {
		return nil, &fault.Error{Kind: fault.Config, What: "tableName " + clean.Line(table, 100) + " is no table name", Do: "Dapr allows letters, digits and _"}
	}
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	return &backend{path: resolve(path, c.Dirs), table: table, timeout: c.Timeout}, nil
}

// filePath takes the path out of a connection string.
func filePath(conn string) (string, error) {
	if conn == "" {
		return "", &fault.Error{Kind: fault.Config, What: "the component has no connectionString", Do: "Name the SQLite file"}
	}
	path, query, _ := strings.Cut(conn, "?")
	uri := false
	if rest, ok := cutPrefixFold(path, "file:"); ok {
		uri = true
		path = rest
		if after, ok := strings.CutPrefix(path, "//localhost/"); ok {
			path = "/" + after
		} else if strings.HasPrefix(path, "///") {
			path = path[2:]
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", &fault.Error{Kind: fault.Config, What: "the connectionString's query cannot be read", Cause: err}
	}
	if strings.HasPrefix(path, ":memory:") || values.Get("mode") == "memory" {
		return "", &fault.Error{
			Kind: fault.Unsupported, What: "the store is in the memory of its sidecar",
			Means: "no other process can read it", Do: "Use the sidecar (source: sidecar, DAPR_GRPC_PORT)",
		}
	}
	if uri {
		if path, err = url.PathUnescape(path); err != nil {
			return "", &fault.Error{Kind: fault.Config, What: "the connectionString's path cannot be read", Cause: err}
		}
	}
	return path, nil
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// resolve takes the first existing place of a relative path, since it is
// relative to where the sidecar runs, which a component file does not say.
func resolve(path string, dirs []string) string {
	if filepath.IsAbs(path) || len(dirs) == 0 {
		return path
	}
	for _, d := range dirs {
		p := filepath.Join(d, path)
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	return filepath.Join(dirs[0], path)
}

// Where implements store.Backend.
func (b *backend) Where() string { return b.path + ", table " + b.table }

// Close implements store.Backend.
func (b *backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db == nil {
		return nil
	}
	err := b.db.Close()
	b.db = nil
	return err
}

// Check implements store.Backend.
func (b *backend) Check(ctx context.Context) ([]history.Detail, error) {
	var journal string
	err := b.read(ctx, func(ctx context.Context, db *sql.DB, _ bool) error {
		if err := db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal); err != nil {
			return err
		}
		var one int
		err := db.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT key, value, is_binary, expiration_time FROM %q LIMIT 1)`, b.table)).Scan(&one)
		return err
	})
	if err != nil {
		return nil, err
	}
	return []history.Detail{{Name: "layout", Value: "SQLite, journal mode " + clean.Line(journal, 20)}}, nil
}

// read runs one short piece of reading, again from its start when the file
// changed under an immutable open; frozen says that this can happen.
func (b *backend) read(ctx context.Context, f func(ctx context.Context, db *sql.DB, frozen bool) error) error {
	for try := 0; ; try++ {
		db, frozen, err := b.open(ctx)
		if err != nil {
			return err
		}
		qctx, cancel := context.WithTimeout(ctx, b.timeout)
		err = f(qctx, db, frozen != nil)
		cancel()
		if frozen != nil && frozen.Stale(b.path) && try < 3 {
			continue
		}
		if err != nil {
			return b.explain(ctx, err)
		}
		return nil
	}
}

// open returns the handle, opened anew when a writer came since an immutable
// open.
func (b *backend) open(ctx context.Context) (*sql.DB, *rosqlite.Stamp, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db != nil && (b.frozen == nil || !b.frozen.Stale(b.path)) {
		return b.db, b.frozen, nil
	}
	if b.db != nil {
		b.db.Close() //nolint:errcheck // read-only: nothing is lost
		b.db = nil
	}
	db, frozen, err := rosqlite.Open(b.path)
	if err != nil {
		return nil, nil, b.fileError(err)
	}
	b.frozen = frozen
	b.db = db
	return db, b.frozen, nil
}
