package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
	"sync"
)

// Changes returns the current version of an index and the rows that were written to it
// since an earlier version, nil when they are not known: then any row may have changed. ok
// is false when the index cannot be read.
type Changes func(ctx context.Context, earlier Version) (now Version, changed *idset.Set, ok bool, err error)

// CacheVersion belongs to a cache of facts about the rows of an index. It is the lock of
// the cache, and records the version of the index that the cache is at.
type CacheVersion struct {
	sync.Mutex
	version Version
}

// Refresh brings a cache to the current version of the index, and returns that version.
// forget removes rows from the cache, all of them where changed is nil; Refresh calls it
// with the lock held, and is itself called without. ok is false when the index cannot be
// read: the cache cannot be used then.
func (c *CacheVersion) Refresh(ctx context.Context, changes Changes, forget func(changed *idset.Set)) (now Version, ok bool, err error) {
	c.Lock()
	cached := c.version
	c.Unlock()
	now, changed, ok, err := changes(ctx, cached)
	if err != nil || !ok {
		return now, false, err
	}
	c.Lock()
	defer c.Unlock()
	if !c.IsAt(now) && c.IsAt(cached) { // else another search has refreshed it
		c.version = now
		forget(changed)
	}
	return now, true, nil
}

// IsAt reports whether the cache is at a version of the index: another search may have
// refreshed it in the meantime. The caller holds the lock.
func (c *CacheVersion) IsAt(v Version) bool { return c.version.Equal(v) }
