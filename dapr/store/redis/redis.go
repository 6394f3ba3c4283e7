// Package redis reads the state.redis store of a Dapr runtime: one hash a key,
// the value's bytes in its field "data".
//
// Redis orders no keys, so a window of names is one SCAN over the whole
// keyspace that keeps the lowest names; rows come in one pipeline for some
// hundred runs. There is no snapshot: each run's metadata is read before and
// after its rows, and a run that changed meanwhile is read again, then told as
// moving.
package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"iter"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/history"
	"github.com/idem-mcp/idem-mcp/internal/catalysthost"
	"github.com/idem-mcp/idem-mcp/internal/clean"
	"github.com/idem-mcp/idem-mcp/internal/fault"
)

// Config names a store. Only Hosts must be set.
type Config struct {
	Hosts    []string // host or host:port
	Username string
	Password string // never printed
	DB       int
	Cluster  bool
	// Master is the Sentinel master's name; then Hosts are Sentinels.
	Master           string
	SentinelUsername string
	SentinelPassword string
	TLS              *tls.Config // nil: none
	// Timeout bounds one exchange; 30 s when 0.
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
	client  redis.UniversalClient
	where   string
	timeout time.Duration
}

// quiet stops the driver, once, from writing dial failures to standard error on
// its own: they come back as errors.
var quiet = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

// silent is the driver's logger.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

func newBackend(c Config) (*backend, error) {
	if len(c.Hosts) == 0 {
		return nil, &fault.Error{Kind: fault.Config, What: "the component has no redisHost"}
	}
	addrs := make([]string, len(c.Hosts))
	for i, h := range c.Hosts {
		addrs[i] = h
		if _, _, err := net.SplitHostPort(h); err != nil {
			addrs[i] = net.JoinHostPort(h, "6379")
		}
		if catalysthost.Is(addrs[i]) {
			return nil, catalysthost.Refuse("Redis host " + clean.Line(h, 200))
		}
	}
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	quiet()
	client := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: addrs, DB: c.DB, Username: c.Username, Password: c.Password, TLSConfig: c.TLS,
		MasterName: c.Master, SentinelUsername: c.SentinelUsername, SentinelPassword: c.SentinelPassword, IsClusterMode: c.Cluster,
		DialTimeout: 5 * time.Second, ReadTimeout: c.Timeout, WriteTimeout: c.Timeout, DialerRetries: 1, MaxRetries: 1,
		ContextTimeoutEnabled: true, PoolSize: 4, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	client.AddHook(readOnly{})
	where := strings.Join(addrs, ",")
	if !c.Cluster {
		where += fmt.Sprintf(", database %d", c.DB)
	}
	return &backend{client: client, where: clean.Line(where, 300), timeout: c.Timeout}, nil
}

// readOnly refuses every command but the reads this package makes and what a
// connection needs.
type readOnly struct{}

func (readOnly) allow(cmd redis.Cmder) error {
	switch cmd.Name() {
	case "scan", "hget", "info", "ping", "hello", "auth", "select", "client", "cluster", "readonly", "command":
		return nil
	}
	return fmt.Errorf("command %s is not a read", cmd.Name())
}

// DialHook implements redis.Hook.
func (readOnly) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (r readOnly) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := r.allow(cmd); err != nil {
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (r readOnly) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			if err := r.allow(cmd); err != nil {
				cmd.SetErr(err)
				return err
			}
		}
		return next(ctx, cmds)
	}
}

// Where implements store.Backend.
func (b *backend) Where() string { return b.where }

// Close implements store.Backend.
func (b *backend) Close() error { return b.client.Close() }

// Check implements store.Backend: one step of a scan, which needs the rights
// that listing needs.
func (b *backend) Check(ctx context.Context) ([]history.Detail, error) {
	err := b.nodes(ctx, func(ctx context.Context, c redis.Cmdable) error {
		_, _, err := c.Scan(ctx, 0, pattern(""), 10).Result()
		return err
	})
	if err != nil {
		return nil, b.explain(ctx, err)
	}
	return []history.Detail{{Name: "layout", Value: "Redis, a hash a key"}}, nil
}

// nodes calls f for every server that holds keys, one after the other.
func (b *backend) nodes(ctx context.Context, f func(context.Context, redis.Cmdable) error) error {
	c, ok := b.client.(*redis.ClusterClient)
	if !ok {
		return f(ctx, b.client)
	}
	turn := make(chan struct{}, 1)
	return c.ForEachMaster(ctx, func(ctx context.Context, n *redis.Client) error {
		turn <- struct{}{}
		defer func() { <-turn }()
		return f(ctx, n)
	})
}

// pattern matches the metadata keys of an app's workflows, of all apps' when it
// is empty.
func pattern(app string) string {
	if app == "" {
		return "*dapr.internal.*.workflow||*||metadata"
	}
	return "*dapr.internal.*." + escape(app) + ".workflow||*||metadata"
}

const scanCount = 5000

// scan calls f for every key that matches.
func (b *backend) scan(ctx context.Context, match string, f func(key string)) error {
	err := b.nodes(ctx, func(ctx context.Context, c redis.Cmdable) error {
		var cursor uint64
		for {
			keys, next, err := c.Scan(ctx, cursor, match, scanCount).Result()
			if err != nil {
				return err
			}
			for _, k := range keys {
				f(k)
			}
			if next == 0 {
				return nil
			}
			cursor = next
		}
	})
	if err != nil {
		return b.explain(ctx, err)
	}
	return nil
}

// Windows of names: the first is small, so that a first run comes quickly, the
// others large, because each costs a pass over the keyspace.
const (
	firstWindow = 1_000
	window      = 100_000
)

// Scan implements store.Backend: in the byte order of the keys.
func (b *backend) Scan(ctx context.Context, q store.Query) iter.Seq2[[]store.Group, error] {
	return func(yield func([]store.Group, error) bool) {
		l := lowest{limit: firstWindow}
		if q.After != "" {
			l.after = q.After + store.SuffixMetadata
		}
		for {
			if err := b.scan(ctx, pattern(q.App), l.add); err != nil {
				yield(nil, err)
				return
			}
			names := l.sorted()
			for rest := names; len(rest) > 0; {
				groups, err := b.load(ctx, rest)
				if !yield(groups, err) || err != nil {
					return
				}
				rest = rest[len(groups):]
			}
			if len(names) < l.limit {
				return
			}
			l = lowest{limit: window, after: names[len(names)-1]}
		}
	}
}

// lowest keeps the limit lowest keys above after, with memory for twice as
// many. A scan may give a key twice.
type lowest struct {
	limit int
	after string
	bound string // when set, no key above it can be among the lowest
	keys  []string
}

func (l *lowest) add(key string) {
	if key <= l.after || (l.bound != "" && key > l.bound) {
		return
	}
	if l.keys = append(l.keys, key); len(l.keys) >= 2*l.limit {
		l.sorted()
	}
}

func (l *lowest) sorted() []string {
	slices.Sort(l.keys)
	l.keys = slices.Compact(l.keys)
	if len(l.keys) >= l.limit {
		clear(l.keys[l.limit:])
		l.keys = l.keys[:l.limit]
		l.bound = l.keys[l.limit-1]
	}
	return l.keys
}

// Find implements store.Backend.
func (b *backend) Find(ctx context.Context, instance string) ([]string, error) {
	seen := map[string]bool{}
	var out []string
	err := b.scan(ctx, "*dapr.internal.*.workflow||"+escape(instance)+"||*", func(key string) {
		if name, _, _, ok := store.ParseKey(key); ok && name.Instance == instance && !seen[name.Location()] {
			seen[name.Location()] = true
			out = append(out, name.Location())
		}
	})
	return out, err
}

// escape makes s match itself in a glob pattern.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(s)
}
