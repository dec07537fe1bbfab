package ui

import lru "container/list"

// drawing is a finished part of a transcript.
type drawing struct {
	lines []string // without the margin
	hits  []int    // lines with a marked word
	taps  []int    // lines that fold or unfold when clicked
	cut   bool     // there is more than is shown
}

// size estimates the memory of a drawing, in bytes.
func (d drawing) size() int {
	n := 64 + 16*len(d.lines)
	for _, l := range d.lines {
		n += len(l)
	}
	return n
}

// drawings keeps the drawings that were used last, up to a number of bytes.
type drawings[K comparable] struct {
	limit int
	bytes int
	order *lru.List // of kept[K], newest first
	of    map[K]*lru.Element
}

type kept[K comparable] struct {
	key  K
	d    drawing
	size int
}

func newDrawings[K comparable](limit int) *drawings[K] {
	return &drawings[K]{limit: limit, order: lru.New(), of: map[K]*lru.Element{}}
}

func (c *drawings[K]) get(k K) (drawing, bool) {
	e, ok := c.of[k]
	if !ok {
		return drawing{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(kept[K]).d, true
}

// has is get without counting as a use.
func (c *drawings[K]) has(k K) bool { _, ok := c.of[k]; return ok }

func (c *drawings[K]) put(k K, d drawing) {
	if c.has(k) {
		return
	}
	l := kept[K]{k, d, d.size()}
	c.of[k] = c.order.PushFront(l)
	// The newest stays whatever its size: it is about to be shown.
	for c.bytes += l.size; c.bytes > c.limit && c.order.Len() > 1; {
		old := c.order.Remove(c.order.Back()).(kept[K])
		delete(c.of, old.key)
		c.bytes -= old.size
	}
}
