package survey

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/idem-mcp/idem-mcp/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Index is what surveys know of runs. Its statements are those that SQLite and
// PostgreSQL share; what differs stands in dialect. Several processes may use one
// index.
type Index struct {
	db *sql.DB
}

// dialect holds the words of a schema in which databases differ.
type dialect struct{ id, clustered string }

func sqliteDialect() dialect {
	return dialect{id: "INTEGER PRIMARY KEY", clustered: "WITHOUT ROWID"}
}

// OpenIndex opens the index in a SQLite file, which it makes if need be. A commit
// is on the disk before the engine is told of it: a lost one would leave a gap
// behind a cursor that has moved on.
func OpenIndex(ctx context.Context, path string) (*Index, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "make the folder of the survey's index", Do: "Set survey.dir to a folder that can be written", Cause: err}
	}
	db, err := sql.Open("sqlite", fileURL(path, "busy_timeout(20000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-16000)", "wal_autocheckpoint(8000)")+"&_txlock=immediate")
	if err != nil {
		return nil, indexFault("open", err)
	}
	db.SetMaxOpenConns(4)
	x := &Index{db: db}
	if err := x.migrate(ctx, sqliteDialect()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return x, nil
}

// fileURL names a SQLite file whatever characters its path has.
func fileURL(path string, pragmas ...string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	q := url.Values{"_pragma": pragmas}
	u.RawQuery = q.Encode()
	return u.String()
}

// Close frees the file.
func (x *Index) Close() error { return x.db.Close() }

// migrate brings the schema up to date, one version a transaction. Two processes
// that open a new index at once do it after each other.
func (x *Index) migrate(ctx context.Context, d dialect) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if _, err := x.db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL PRIMARY KEY)`); err != nil {
		return indexFault("prepare", err)
	}
	var newest int
	if err := x.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM schema_version`).Scan(&newest); err != nil {
		return indexFault("read the version of", err)
	}
	if newest > len(files) {
		return &fault.Error{Kind: fault.Config, What: fmt.Sprintf("the survey's index has schema %d, and this program knows %d", newest, len(files)), Means: "it was made by a newer version", Do: "Use that version, or another survey.dir"}
	}
	for v := newest + 1; v <= len(files); v++ {
		text, err := migrations.ReadFile("migrations/" + strconv.Itoa(v) + ".sql")
		if err != nil {
			return err
		}
		script := strings.NewReplacer("{{id}}", d.id, "{{clustered}}", d.clustered).Replace(string(text))
		if err := x.apply(ctx, v, script); err != nil {
			return indexFault(fmt.Sprintf("bring to schema %d", v), err)
		}
	}
	return nil
}

func (x *Index) apply(ctx context.Context, version int, script string) error {
	return x.change(ctx, func(tx *sql.Tx) error {
		var there int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM schema_version WHERE version = ?`, version).Scan(&there); err != nil || there > 0 {
			return err
		}
		if _, err := tx.ExecContext(ctx, script); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO schema_version (version) VALUES (?) ON CONFLICT DO NOTHING`, version)
		return err
	})
}

// change runs f in a transaction.
func (x *Index) change(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func indexFault(doing string, err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	return &fault.Error{Kind: fault.Unreachable, What: doing + " the survey's index", Means: "nothing is known of surveys", Do: "Look whether survey.dir can be written and has room", Cause: err}
}
