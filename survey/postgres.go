package survey

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// OpenSharedIndex opens the index in a PostgreSQL database, which several processes
// may do at once. Its tables are made if need be, in the first schema of the
// connection's search path.
func OpenSharedIndex(ctx context.Context, connection string) (*Index, error) {
	config, err := pgx.ParseConfig(connection)
	if err != nil { // the cause may quote the string, password and all
		return nil, &fault.Error{Kind: fault.Config, What: "survey.index cannot be read", Do: "Give a postgres:// URL, or host=… user=… dbname=…"}
	}
	if catalysthost.Is(config.Host) {
		return nil, catalysthost.Refuse("PostgreSQL host " + clean.Line(config.Host, 200))
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	db := sql.OpenDB(connector{stdlib.GetConnector(*config)})
	db.SetMaxOpenConns(4)
	db.SetConnMaxIdleTime(time.Minute)
	x := &Index{db: db}
	if err := x.migrate(ctx, postgresDialect()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return x, nil
}

// connector makes connections that understand the statements of this package, in
// which ? stands for an argument.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	pg, ok := made.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of the kind %T", made)
	}
	return conn{pg}, nil
}

// conn rewrites what is sent over a connection to PostgreSQL.
type conn struct{ *stdlib.Conn }

func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.PrepareContext(ctx, numbered(query))
}

func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, numbered(query), args)
}

func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, numbered(query), args)
}

// CheckNamedValue implements driver.NamedValueChecker. PostgreSQL holds no text that
// is not UTF-8, nor one with a zero byte; an id can be both. Runs are told apart by
// digests, so a changed letter makes no two runs one.
func (c conn) CheckNamedValue(v *driver.NamedValue) error {
	if s, ok := v.Value.(state); ok {
		v.Value = string(s)
	}
	if s, ok := v.Value.(string); ok {
		v.Value = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
		return nil
	}
	return c.Conn.CheckNamedValue(v)
}

// numbered writes $1, $2 … for the question marks of a statement; those within
// quotes stay.
func numbered(query string) string {
	if !strings.Contains(query, "?") {
		return query
	}
	var b strings.Builder
	n, quoted := 0, false
	for _, r := range query {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == '?' && !quoted:
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
