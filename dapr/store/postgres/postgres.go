// Package postgres reads the state.postgresql store of a Dapr runtime, in the
// layouts of component versions v1 (jsonb, base64 text beside isbinary) and v2
// (bytea). Which one a table has is read from the table, not believed.
//
// Every query runs in its own short transaction, REPEATABLE READ READ ONLY, so
// that one run's metadata and history are of one moment and no snapshot is held
// open while a reader thinks.
package postgres

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Config names a store.
type Config struct {
	// ConnectionString is the component's; never printed.
	ConnectionString string
	// Table is the table as Dapr would write it into its SQL: "state",
	// "public.state"; "state" when empty.
	Table string
	// ExecMode is the component's queryExecMode; pgx's default when empty.
	// Behind PgBouncer use exec or simple_protocol.
	ExecMode string
	// Timeout bounds one query; 60 s when 0.
	Timeout time.Duration
	store.Config
}

// New returns a source over the store; it connects with the first read.
func New(c Config) (*store.Source, error) {
	b, err := newBackend(c)
	if err != nil {
		return nil, err
	}
	return store.New(b, c.Config), nil
}

type backend struct {
	pool    *pgxpool.Pool
	table   string // as configured
	where   string
	timeout time.Duration

	mu     sync.Mutex
	layout *layout
}

// layout is what a table turned out to be.
type layout struct {
	table string // quoted by the server
	v1    bool
}

// execModes are Dapr's names of pgx's modes.
func execModes() map[string]pgx.QueryExecMode {
	return map[string]pgx.QueryExecMode{
		"": pgx.QueryExecModeCacheStatement, "cache_statement": pgx.QueryExecModeCacheStatement,
		"cache_describe": pgx.QueryExecModeCacheDescribe, "describe_exec": pgx.QueryExecModeDescribeExec,
		"exec": pgx.QueryExecModeExec, "simple_protocol": pgx.QueryExecModeSimpleProtocol,
	}
}

func newBackend(c Config) (*backend, error) {
	if c.ConnectionString == "" {
		return nil, &fault.Error{Kind: fault.Config, What: "the component has no connectionString"}
	}
	pc, err := pgxpool.ParseConfig(c.ConnectionString)
	if err != nil {
		// The cause may quote the string, password and all.
		return nil, &fault.Error{Kind: fault.Config, What: "the component's connectionString cannot be read", Do: "Give host=… user=… database=…, or a postgres:// URL"}
	}
	host := pc.ConnConfig.Host
	if catalysthost.Is(host) {
		return nil, catalysthost.Refuse("PostgreSQL host " + clean.Line(host, 200))
	}
	mode, ok := execModes()[c.ExecMode]
	if !ok {
		return nil, &fault.Error{Kind: fault.Config, What: "queryExecMode " + clean.Line(c.ExecMode, 60) + " is not known", Do: "Dapr knows cache_statement, cache_describe, describe_exec, exec and simple_protocol"}
	}
	pc.ConnConfig.DefaultQueryExecMode = mode
	pc.MaxConns = 2
	if pc.ConnConfig.ConnectTimeout == 0 {
		pc.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), pc)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Config, What: "the component's connectionString cannot be used"}
	}
	if c.Table == "" {
		c.Table = "state"
	}
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	where := net.JoinHostPort(host, strconv.Itoa(int(pc.ConnConfig.Port))) + "/" + pc.ConnConfig.Database + ", table " + c.Table
	return &backend{pool: pool, table: c.Table, where: clean.Line(where, 300), timeout: c.Timeout}, nil
}

// Where implements store.Backend.
func (b *backend) Where() string { return b.where }

// Close implements store.Backend.
func (b *backend) Close() error {
	b.pool.Close()
	return nil
}

// Check implements store.Backend.
func (b *backend) Check(ctx context.Context) ([]history.Detail, error) {
	version, name := "", "v2 (bytea)"
	err := b.read(ctx, func(ctx context.Context, tx pgx.Tx, l *layout) error {
		if l.v1 {
			name = "v1 (jsonb)"
		}
		var one int
		if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT %s FROM %s s LIMIT 1) x`, l.columns(), l.table)).Scan(&one); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SHOW server_version`).Scan(&version)
	})
	if err != nil {
		return nil, err
	}
	return []history.Detail{{Name: "layout", Value: "PostgreSQL " + name}, {Name: "server version", Value: clean.Line(version, 60)}}, nil
}

// read runs f in one read-only transaction of one moment.
func (b *backend) read(ctx context.Context, f func(context.Context, pgx.Tx, *layout) error) error {
	qctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err := pgx.BeginTxFunc(qctx, b.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		l, err := b.look(qctx, tx)
		if err != nil {
			return err
		}
		return f(qctx, tx, l)
	})
	if err != nil {
		return b.explain(ctx, err)
	}
	return nil
}

// look finds out the table's proper name and layout, once.
func (b *backend) look(ctx context.Context, tx pgx.Tx) (*layout, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.layout != nil {
		return b.layout, nil
	}
	// The server reads the name as it stands in Dapr's own SQL and quotes it,
	// so that ours cannot be made to mean anything else.
	var table, value *string
	const query = `SELECT to_regclass($1)::text,
		(SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'value' AND NOT attisdropped)`
	if err := tx.QueryRow(ctx, query, b.table).Scan(&table, &value); err != nil {
		return nil, err
	}
	switch {
	case table == nil:
		return nil, &fault.Error{
			Kind: fault.Config, What: "there is no table " + clean.Line(b.table, 100) + " in " + b.where,
			Do: "Set the component's tableName (v1) or tablePrefix (v2), or the schema in it; a runtime that never ran makes no table",
		}
	case value == nil || (*value != "bytea" && *value != "jsonb"):
		return nil, &fault.Error{
			Kind: fault.Config, What: "table " + *table + " in " + b.where + " is not the one a Dapr runtime writes",
			Do: "Set the component's tableName (v1) or tablePrefix (v2)",
		}
	}
	b.layout = &layout{table: *table, v1: *value == "jsonb"}
	return b.layout, nil
}

// columns are a row's value and whether it is base64 text; v2 holds plain bytes.
func (l *layout) columns() string {
	if l.v1 {
		// #>> '{}' takes a JSON string out of its quotes and leaves objects.
		return `convert_to(s.value #>> '{}', 'UTF8'), s.isbinary`
	}
	return `s.value, false`
}

func (l *layout) alive() string {
	if l.v1 {
		return `(s.expiredate IS NULL OR s.expiredate >= CURRENT_TIMESTAMP)`
	}
	return `(s.expires_at IS NULL OR s.expires_at >= now())`
}
