package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/idem-mcp/idem-mcp/dapr/store"
	"github.com/idem-mcp/idem-mcp/internal/clean"
)

const (
	field = "data"
	// probe is how many rows at a time are looked for when a run's length is
	// not known.
	probe = 200
	tries = 3
)

// The sizes of a batch: enough to hide the round trip, small enough that two
// batches and what is made of them stay far below the memory target.
const (
	batchRuns = 500
	batchRows = 10_000
)

// Load implements store.Backend.
func (b *backend) Load(ctx context.Context, location string) (store.Group, error) {
	groups, err := b.load(ctx, []string{location + store.SuffixMetadata})
	if err != nil {
		return store.Group{}, err
	}
	return groups[0], nil
}

// load reads the runs of the first of the metadata keys, as many as make a
// batch, at least one: one pipeline for the lengths, one for the rows and,
// behind them, the metadata again.
func (b *backend) load(ctx context.Context, keys []string) ([]store.Group, error) {
	before := make([]store.Group, min(len(keys), batchRuns))
	var pipe pipeline
	for i := range before {
		before[i].Location = strings.TrimSuffix(keys[i], store.SuffixMetadata)
		pipe.row(&before[i], store.RoleMetadata, 0, keys[i])
	}
	if err := b.run(ctx, &pipe); err != nil {
		return nil, err
	}
	pipe = pipeline{}
	groups := make([]store.Group, 0, len(before))
	for i := range before {
		rows := max(store.Length(before[i].Metadata), 0) + 1
		if i > 0 && len(pipe.keys)+rows > batchRows {
			break
		}
		groups = append(groups, store.Group{Location: before[i].Location})
		pipe.rows(&groups[i], 0, rows)
		pipe.ends(&groups[i])
	}
	if err := b.run(ctx, &pipe); err != nil {
		return nil, err
	}
	for i := range groups {
		if err := b.settle(ctx, &groups[i], before[i].Metadata); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// settle finishes a run whose metadata is not what it was before its rows were
// read, or says nothing of its length.
func (b *backend) settle(ctx context.Context, g *store.Group, before []byte) error {
	for try := 0; string(before) != string(g.Metadata); try++ {
		if try == tries {
			g.Moving = true
			break
		}
		before = g.Metadata
		fresh := store.Group{Location: g.Location}
		var pipe pipeline
		pipe.rows(&fresh, 0, max(store.Length(before), 0)+1)
		pipe.ends(&fresh)
		if err := b.run(ctx, &pipe); err != nil {
			return err
		}
		*g = fresh
	}
	if store.Length(g.Metadata) != store.UnknownLength {
		return nil
	}
	for from := len(g.History); ; from += probe {
		var pipe pipeline
		pipe.rows(g, from, from+probe)
		had := g.Rows()
		if err := b.run(ctx, &pipe); err != nil {
			return err
		}
		if g.Rows() == had || from+probe > store.MaxEvents {
			return nil
		}
	}
}

// pipeline is a list of rows to read and where each belongs.
type pipeline struct {
	keys  []string
	wants []want
}

type want struct {
	group *store.Group
	role  store.Role
	index int
}

func (p *pipeline) row(g *store.Group, role store.Role, index int, key string) {
	p.keys = append(p.keys, key)
	p.wants = append(p.wants, want{g, role, index})
}

// rows asks for history rows from..to, to excluded.
func (p *pipeline) rows(g *store.Group, from, to int) {
	for i := from; i < to; i++ {
		p.row(g, store.RoleHistory, i, store.HistoryKey(g.Location, i))
	}
}

// ends asks for what is read after the rows.
func (p *pipeline) ends(g *store.Group) {
	p.row(g, store.RoleStatus, 0, g.Location+store.SuffixStatus)
	p.row(g, store.RoleMetadata, 0, g.Location+store.SuffixMetadata)
}

// run reads the rows in one exchange and files them.
func (b *backend) run(ctx context.Context, p *pipeline) error {
	pipe := b.client.Pipeline()
	cmds := make([]*redis.StringCmd, len(p.keys))
	for i, k := range p.keys {
		cmds[i] = pipe.HGet(ctx, k, field)
	}
	// The first command's error is returned here too; each is looked at below.
	_, err := pipe.Exec(ctx)
	var server redis.Error
	if err != nil && !errors.As(err, &server) {
		return b.explain(ctx, err)
	}
	for i, cmd := range cmds {
		value, err := cmd.Bytes()
		w := p.wants[i]
		switch {
		case errors.Is(err, redis.Nil):
		case err == nil:
			w.group.Put(w.role, w.index, value)
		case isWrongType(err):
			w.group.Damage = append(w.group.Damage, fmt.Sprintf("row %s is not a hash", clean.Line(p.keys[i][len(w.group.Location):], 60)))
		default:
			return b.explain(ctx, err)
		}
	}
	return nil
}
