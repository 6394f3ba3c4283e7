package intents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idem-mcp/idem-mcp/internal/fault"
	"github.com/idem-mcp/idem-mcp/internal/rosqlite"
	"github.com/idem-mcp/idem-mcp/outside"
)

// Database is an operator's query on a table of theirs. It runs in a read-only
// transaction of PostgreSQL, or on a SQLite file that is opened read-only.
type Database struct {
	DSN     string // postgres://… , or the path of a SQLite file; never printed
	Query   string // one SELECT
	Timeout time.Duration
}

// Query gives every row to each.
func Query(ctx context.Context, db Database, m Mapping, each func(outside.Intent) error) (Result, error) {
	var res Result
	if db.Timeout <= 0 {
		db.Timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, db.Timeout)
	defer cancel()
	m = m.usual()
	row := func(columns []string, values []any) error {
		return res.take(intent(m, fromRow(columns, values)), each)
	}
	var err error
	if strings.HasPrefix(db.DSN, "postgres://") || strings.HasPrefix(db.DSN, "postgresql://") {
		err = queryPostgres(ctx, db, row)
	} else {
		err = querySQLite(ctx, db, row)
	}
	return res, res.check(err)
}

// failed never repeats the query, the address or what the server quotes of rows.
func failed(what string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	kind := fault.Config
	if errors.Is(err, context.DeadlineExceeded) {
		kind = fault.Unreachable
	}
	return &fault.Error{Kind: kind, What: what, Means: "no intent record was read", Do: "Try outside.intents.database and outside.intents.query by hand, with the same rights", Cause: errors.New(reason(err))}
}

// reason keeps an error's class: the texts of databases quote values.
func reason(err error) string {
	var pg interface{ SQLState() string }
	switch {
	case errors.As(err, &pg):
		return "SQLSTATE " + pg.SQLState()
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	}
	return "it was refused or is not reachable"
}

func queryPostgres(ctx context.Context, db Database, row func([]string, []any) error) error {
	c, err := pgx.ParseConfig(db.DSN)
	if err != nil {
		return &fault.Error{Kind: fault.Config, What: "outside.intents.database cannot be read", Do: "Give postgres://user@host/database; the password may stand in PGPASSWORD"}
	}
	c.RuntimeParams["default_transaction_read_only"] = "on"
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return failed("connect to the database of intents", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return failed("begin a read-only transaction", err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // nothing was written
	rows, err := tx.Query(ctx, db.Query)
	if err != nil {
		return failed("query the intents", err)
	}
	defer rows.Close()
	var columns []string
	for rows.Next() {
		if columns == nil {
			for _, d := range rows.FieldDescriptions() {
				columns = append(columns, d.Name)
			}
		}
		values, err := rows.Values()
		if err != nil {
			return failed("read an intent", err)
		}
		if err := row(columns, values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return failed("query the intents", err)
	}
	return nil
}

func querySQLite(ctx context.Context, db Database, row func([]string, []any) error) error {
	handle, frozen, err := rosqlite.Open(strings.TrimPrefix(db.DSN, "file:"))
	if err != nil {
		return failed("open the SQLite file of intents", err)
	}
	defer func() { _ = handle.Close() }() // opened for reading
	rows, err := handle.QueryContext(ctx, db.Query)
	if err != nil {
		return failed("query the intents", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err is asked for
	columns, err := rows.Columns()
	if err != nil {
		return failed("query the intents", err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return failed("read an intent", err)
		}
		if err := row(columns, values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return failed("query the intents", err)
	}
	if frozen != nil && frozen.Stale(strings.TrimPrefix(db.DSN, "file:")) {
		return &fault.Error{Kind: fault.Damaged, What: "the SQLite file of intents changed while it was read", Do: "Read it again"}
	}
	return nil
}

func fromRow(columns []string, values []any) func([]string) string {
	return func(names []string) string {
		for _, n := range names {
			for i, c := range columns {
				if !strings.EqualFold(c, n) || values[i] == nil {
					continue
				}
				switch v := values[i].(type) {
				case time.Time:
					return v.UTC().Format(time.RFC3339Nano)
				case []byte:
					return string(v)
				case string:
					return v
				default:
					return fmt.Sprint(v)
				}
			}
		}
		return ""
	}
}
