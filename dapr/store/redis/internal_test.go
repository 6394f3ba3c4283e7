package redis

import (
	"context"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestWritesAreRefused: the client itself refuses what is no read, before a
// byte is sent (nothing listens at the address).
func TestWritesAreRefused(t *testing.T) {
	b, err := newBackend(Config{Hosts: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx := context.Background()
	for _, err := range []error{
		b.client.Set(ctx, "k", "v", 0).Err(),
		b.client.HSet(ctx, "k", "f", "v").Err(),
		b.client.Del(ctx, "k").Err(),
		b.client.Eval(ctx, "return 1", nil).Err(),
		b.client.FlushDB(ctx).Err(),
		b.client.Do(ctx, "CONFIG", "SET", "a", "b").Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), "is not a read") {
			t.Errorf("%v", err)
		}
	}
	_, err = b.client.Pipelined(ctx, func(p redis.Pipeliner) error { p.HGet(ctx, "k", "f"); p.Del(ctx, "k"); return nil })
	if err == nil || !strings.Contains(err.Error(), "is not a read") {
		t.Errorf("pipeline: %v", err)
	}
}

// TestLowest keeps the lowest names whatever the order and however often they
// come.
func TestLowest(t *testing.T) {
	l := lowest{limit: 3, after: "b"}
	for _, k := range []string{"z", "c", "a", "y", "c", "b", "x", "d", "d", "f", "e", "z"} {
		l.add(k)
	}
	if got := strings.Join(l.sorted(), ""); got != "cde" {
		t.Errorf("%s, want cde", got)
	}
}
