package transcript

import lru "container/list"

// rendered is a finished item of a transcript: its lines, and what the screen needs to
// know about them.
type rendered struct {
	lines      []string    // without the margin
	hits       []int       // lines with a highlighted match
	results    []lineRange // of the results of its tool calls, by call
	foldPoints []int       // lines that fold or unfold when clicked
	failures   []int       // lines that say that a tool call failed, without that of a run
	cut        bool        // the item has more text than is shown
	rough      bool        // code without colors or text cut short; rendering again in the background completes it
}

// lineRange is a range of lines, [from, to).
type lineRange struct{ from, to int }

// size estimates the memory that a rendered item takes, in bytes.
func (r rendered) size() int {
	n := 64 + 16*(len(r.lines)+len(r.results))
	for _, l := range r.lines {
		n += len(l)
	}
	return n
}

// renderCache is an LRU cache of rendered items, limited by their size in bytes.
type renderCache[K comparable] struct {
	limit int
	bytes int
	order *lru.List // of cached[K], most recently used first
	of    map[K]*lru.Element
}

type cached[K comparable] struct {
	key  K
	d    rendered
	size int
}

// newRenderCache makes an empty cache of at most limit bytes.
func newRenderCache[K comparable](limit int) *renderCache[K] {
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

// finished reports whether the cache has an item that needs no more work. The call
// does not count as a use.
func (c *renderCache[K]) finished(k K) bool {
	e, ok := c.of[k]
	return ok && !e.Value.(cached[K]).d.rough
}

// put adds a rendered item. It replaces a rough one; any other entry stays.
func (c *renderCache[K]) put(k K, r rendered) {
	if e, ok := c.of[k]; ok {
		if old := e.Value.(cached[K]); old.d.rough && !r.rough {
			c.bytes -= old.size
			c.order.Remove(e)
		} else {
			return
		}
	}
	entry := cached[K]{k, r, r.size()}
	c.of[k] = c.order.PushFront(entry)
	// The newest stays, however large: it is about to be shown.
	for c.bytes += entry.size; c.bytes > c.limit && c.order.Len() > 1; {
		old := c.order.Remove(c.order.Back()).(cached[K])
		delete(c.of, old.key)
		c.bytes -= old.size
	}
}
