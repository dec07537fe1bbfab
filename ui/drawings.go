package ui

import lru "container/list"

// drawing is a finished part of a transcript.
type drawing struct {
	lines []string // without the margin
	hits  []int    // lines with a marked word
	taps  []int    // lines that fold or unfold when clicked
	cut   bool     // there is more than is shown
	rough bool     // something takes time and is still to be drawn
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

// finished reports whether there is a drawing that needs no more work. Asking
// does not count as a use.
func (c *drawings[K]) finished(k K) bool {
	e, ok := c.of[k]
	return ok && !e.Value.(kept[K]).d.rough
}

// put keeps a drawing, in the place of a rough one.
func (c *drawings[K]) put(k K, d drawing) {
	if e, ok := c.of[k]; ok {
		if old := e.Value.(kept[K]); old.d.rough && !d.rough {
			c.bytes -= old.size
			c.order.Remove(e)
		} else {
			return
		}
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
