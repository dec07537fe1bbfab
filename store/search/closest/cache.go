package closest

import (
	"context"
	"slices"
	"sync"
)

// Cache caches the words that were looked up last: while a query is typed only its
// last word changes. The zero value is empty. It may be used by several goroutines.
type Cache struct {
	mu      sync.Mutex
	version any          // see [Source.Version]; all words were looked up at it
	words   []cachedWord // the last used at the end
}

// cachedWord is a word that was looked up.
type cachedWord struct {
	key   typedWord
	word  *word
	bytes int
}

// maxCachedBytes bounds the memory of a cache. A word that is everywhere takes 300 KB at a
// million messages, so a question of nine such words fits.
const maxCachedBytes = 3 << 20

// lookUp returns a word from the cache, or calls find where the cache does not have it at
// the current version.
func (c *Cache) lookUp(ctx context.Context, s Source, key typedWord, find func(context.Context, Source) (*word, error)) (*word, error) {
	version := s.Version()
	if w := c.get(version, key); w != nil {
		return w, nil
	}
	w, err := find(ctx, s)
	if err == nil && version != nil {
		c.put(version, key, w)
	}
	return w, err
}

// get returns a word that was looked up at a version, nil for none.
func (c *Cache) get(version any, key typedWord) *word {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.words, func(w cachedWord) bool { return w.key == key })
	if version == nil || c.version != version || at < 0 {
		return nil
	}
	w := c.words[at]
	c.words = append(slices.Delete(c.words, at, at+1), w) // the last used is the last to go
	return w.word
}

// put adds a word, and drops those that were not used for longest where the cache grows too
// large.
func (c *Cache) put(version any, key typedWord, w *word) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		c.version, c.words = version, nil
	}
	c.words = append(c.words, cachedWord{key, w, w.size()})
	bytes := 0
	for i, w := range slices.Backward(c.words) {
		if bytes += w.bytes; bytes > maxCachedBytes {
			c.words = slices.Delete(c.words, 0, i+1)
			break
		}
	}
}

// size estimates the memory of a word.
func (w *word) size() int {
	bytes := 200
	for _, u := range w.units {
		bytes += 300 + 8*len(u.conversations) + 4*len(u.titles) + 8*len(u.ids) + u.rows.Bytes()
	}
	return bytes
}
