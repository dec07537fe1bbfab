package transcript

import lru "container/list"

// rendered is a finished part of a transcript.
type rendered struct {
	Lines      []string // without the margin
	hits       []int    // lines with a marked word
	foldPoints []int    // lines that fold or unfold when clicked
	cut        bool     // there is more than is shown
	rough      bool     // something takes time and is still to be drawn
}

// size estimates the memory of a drawing, in bytes.
func (d rendered) size() int {
	n := 64 + 16*len(d.Lines)
	for _, l := range d.Lines {
		n += len(l)
	}
	return n
}

// renderCache keeps the drawings that were used last, up to a number of bytes.
type renderCache[K comparable] struct {
	limit int
	Bytes int
	order *lru.List // of kept[K], newest first
	of    map[K]*lru.Element
}

type cached[K comparable] struct {
	key  K
	d    rendered
	size int
}

func NewRenderCache[K comparable](limit int) *renderCache[K] {
	return &renderCache[K]{limit: limit, order: lru.New(), of: map[K]*lru.Element{}}
}

func (c *renderCache[K]) get(k K) (rendered, bool) {
	e, ok := c.of[k]
	if !ok {
		return rendered{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached[K]).d, true
}

// finished reports whether there is a drawing that needs no more work. Asking
// does not count as a use.
func (c *renderCache[K]) finished(k K) bool {
	e, ok := c.of[k]
	return ok && !e.Value.(cached[K]).d.rough
}

// put keeps a drawing, in the place of a rough one.
func (c *renderCache[K]) put(k K, d rendered) {
	if e, ok := c.of[k]; ok {
		if old := e.Value.(cached[K]); old.d.rough && !d.rough {
			c.Bytes -= old.size
			c.order.Remove(e)
		} else {
			return
		}
	}
	l := cached[K]{k, d, d.size()}
	c.of[k] = c.order.PushFront(l)
	// The newest stays whatever its size: it is about to be shown.
	for c.Bytes += l.size; c.Bytes > c.limit && c.order.Len() > 1; {
		old := c.order.Remove(c.order.Back()).(cached[K])
		delete(c.of, old.key)
		c.Bytes -= old.size
	}
}
