package snapshot

import (
	"context"
	"hermes-sessions/store/internal/db"
	"sync"
)

// snapshotCache keeps the newest catalog and what was found out about its rows.
type snapshotCache struct {
	mu       sync.Mutex
	readLock chan struct{} // held while a catalog is read
	newest   *Snapshot
	previews map[previewKey]preview
}

// CurrentSnapshot gives the catalog, read anew if others have changed the file.
func (s *Sessions) CurrentSnapshot(ctx context.Context) (*Snapshot, error) {
	select {
	case s.cache.readLock <- struct{}{}:
		defer func() { <-s.cache.readLock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Asked before reading: a change in between is then seen next time.
	version, err := s.db.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.CachedSnapshot(); c != nil && c.DataVersion == version && !c.stale {
		return c, nil
	}
	c, err := s.ReadSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	c.DataVersion = version
	s.cacheSnapshot(c)
	return c, nil
}

// CachedSnapshot gives the catalog if there is one, however old.
func (s *Sessions) CachedSnapshot() *Snapshot {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.cache.newest
}

// cacheSnapshot keeps a catalog, unless there is one of a later moment, or a whole one.
func (s *Sessions) cacheSnapshot(c *Snapshot) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	was := s.cache.newest
	if was == nil || c.DataVersion > was.DataVersion || c.DataVersion == was.DataVersion && was.stale {
		s.cache.newest = c
	}
}

// ReadSnapshotTx runs f inside one read transaction, with a catalog of the same moment:
// what f finds was there at one time, whatever others write. The catalog may be
// one that has caught up.
func (s *Sessions) ReadSnapshotTx(ctx context.Context, f func(db.Querier, *Snapshot) error) (err error) {
	c, asked := s.CachedSnapshot(), int64(0) // the version from before the moment, once it is of use
	if c == nil {
		if c, err = s.CurrentSnapshot(ctx); err != nil {
			return err
		}
	}
	for {
		var now int64
		old, damaged := false, false
		err := s.db.ReadTx(ctx, func(q db.Querier) error {
			// The moment is that of the first question.
			rows, err := s.db.CachedStatements(q).QueryContext(ctx, `SELECT 1 FROM sqlite_master LIMIT 1`)
			if err == nil {
				err = db.ScanRecords(rows, func(db.Record) error { return nil })
			}
			if err != nil {
				return err
			}
			if now, err = s.db.DataVersion(ctx); err != nil {
				return err
			}
			if now == c.DataVersion && !(c.stale && c.ownWrites != s.db.OwnWrites.Load()) {
				return f(q, c)
			}
			if asked == 0 {
				old = true // whether the write was before the moment is not known
				return nil
			}
			fresh, err := s.refresh(ctx, q, c)
			if damaged = db.IsCorrupt(err); damaged {
				return nil
			}
			if err != nil {
				return err
			}
			if now == asked {
				fresh.DataVersion = asked
				s.cacheSnapshot(fresh)
			} // else somebody wrote just now, and it serves this call alone
			return f(q, fresh)
		})
		switch {
		case err != nil || !old && !damaged:
			return err
		case damaged: // what is left is read slowly, and not all at one moment
			if c, err = s.CurrentSnapshot(ctx); err != nil {
				return err
			}
			return s.db.ReadTx(ctx, func(q db.Querier) error { return f(q, c) })
		}
		c, asked = s.CachedSnapshot(), now
	}
}
