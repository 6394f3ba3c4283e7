// Command storegen fills a state store with copies of real runs, for
// measurements: 100000 runs are about 2M events.
//
//	go run ./dapr/storetest/storegen -runs 100000 -sqlite state.db
//	go run ./dapr/storetest/storegen -runs 100000 -postgres postgres://… -table bench [-v1]
//	go run ./dapr/storetest/storegen -runs 100000 -redis 127.0.0.1:6379
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"github.com/idem-mcp/idem-mcp/dapr/storetest"
)

func main() {
	runs := flag.Int("runs", 1000, "how many runs")
	file := flag.String("sqlite", "", "a SQLite file to make")
	url := flag.String("postgres", "", "a PostgreSQL server")
	table := flag.String("table", "state", "the PostgreSQL table to make")
	v1 := flag.Bool("v1", false, "make the PostgreSQL table in the v1 layout")
	addr := flag.String("redis", "", "a Redis server")
	flag.Parse()
	if err := fill(context.Background(), *runs, *file, *url, *table, *v1, *addr); err != nil {
		fmt.Fprintln(os.Stderr, "storegen:", err)
		os.Exit(1)
	}
}

func fill(ctx context.Context, runs int, file, url, table string, v1 bool, addr string) error {
	rows, err := storetest.Rows(runs)
	switch {
	case err != nil:
		return err
	case file != "":
		return storetest.FillSQLite(ctx, file, rows)
	case url != "":
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx) //nolint:errcheck // the copy was looked at
		return storetest.FillPostgres(ctx, conn, table, v1, rows)
	case addr != "":
		return storetest.FillRedis(ctx, redis.NewClient(&redis.Options{Addr: addr}), rows)
	}
	return fmt.Errorf("name a store: -sqlite, -postgres or -redis")
}
