package storetest

import (
	"context"
	"database/sql"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// WatchMemory samples what the Go runtime holds until the returned func is called,
// which returns the most.
func WatchMemory() func() uint64 {
	runtime.GC()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				done <- peak
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

// ReadSQLite reads the rows of a state table, does nothing with them and tells how
// many there are: what any reader of them is measured against.
func ReadSQLite(ctx context.Context, db *sql.DB, order string) (n int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT key, value, is_binary FROM state`+order)
	if err != nil {
		return 0, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is looked at
	var key, value sql.RawBytes
	var binary bool
	for ; rows.Next(); n++ {
		if err := rows.Scan(&key, &value, &binary); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}

type discard []byte

func (d *discard) ScanBytes(v []byte) error { *d = v; return nil }

// ReadPostgres is ReadSQLite for PostgreSQL. value is how the value's bytes are read.
func ReadPostgres(ctx context.Context, conn *pgx.Conn, table, value, order string) (n int, err error) {
	rows, err := conn.Query(ctx, `SELECT key, `+value+` FROM `+table+order)
	if err != nil {
		return 0, err
	}
	var k, v discard
	_, err = pgx.ForEachRow(rows, []any{&k, &v}, func() error { n++; return nil })
	return n, err
}

// ReadRedis is ReadSQLite for Redis, which has no order.
func ReadRedis(ctx context.Context, c *redis.Client) (n int, err error) {
	for cursor := uint64(0); ; {
		keys, next, err := c.Scan(ctx, cursor, "*", 5000).Result()
		if err != nil {
			return n, err
		}
		p := c.Pipeline()
		for _, k := range keys {
			p.HGet(ctx, k, "data")
		}
		if len(keys) > 0 {
			if _, err := p.Exec(ctx); err != nil {
				return n, err
			}
		}
		n += len(keys)
		if cursor = next; next == 0 {
			return n, nil
		}
	}
}
