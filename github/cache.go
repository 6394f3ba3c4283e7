package github

import (
	"container/list"
	"sync"
)

// cache keeps what was used last, up to a number of bytes.
type cache[V any] struct {
	mu    sync.Mutex
	left  int
	byKey map[string]*list.Element
	order *list.List // the latest first
}

type cached[V any] struct {
	key   string
	value V
	size  int
}

func newCache[V any](bytes int) *cache[V] {
	return &cache[V]{left: bytes, byKey: map[string]*list.Element{}, order: list.New()}
}

func (c *cache[V]) get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached[V]).value, true
}

func (c *cache[V]) put(key string, v V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.drop(e)
	}
	c.byKey[key] = c.order.PushFront(cached[V]{key, v, size})
	c.left -= size
	for c.left < 0 && c.order.Len() > 0 {
		c.drop(c.order.Back())
	}
}

func (c *cache[V]) drop(e *list.Element) {
	old := c.order.Remove(e).(cached[V])
	delete(c.byKey, old.key)
	c.left += old.size
}
