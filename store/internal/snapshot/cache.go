package snapshot

import (
	"context"
	"sync"

	"hermes-sessions/store/internal/db"
)

// snapshotCache keeps the newest snapshot, and the previews of its rows.
type snapshotCache struct {
	mu       sync.Mutex
	readLock chan struct{} // held while a snapshot is read
	newest   *Snapshot
	previews map[previewKey]preview
}

// CurrentSnapshot returns the cached snapshot, or a new one where another process has
// changed the file or the cached one was only refreshed.
func (s *Sessions) CurrentSnapshot(ctx context.Context) (*Snapshot, error) {
	select {
	case s.cache.readLock <- struct{}{}:
		defer func() { <-s.cache.readLock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// Read before the sessions: a change in between is then seen by the next call.
	version, err := s.db.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if snap := s.CachedSnapshot(); snap != nil && snap.DataVersion == version && !snap.stale {
		return snap, nil
	}
	c, err := s.ReadSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	c.DataVersion = version
	s.cacheSnapshot(c)
	return c, nil
}

// isCurrent reports whether the cached snapshot is one of all sessions as they are now.
func (s *Sessions) isCurrent(ctx context.Context) (bool, error) {
	version, err := s.db.DataVersion(ctx)
	snap := s.CachedSnapshot()
	return err == nil && snap != nil && snap.DataVersion == version && !snap.stale, err
}

// CachedSnapshot returns the cached snapshot, however old; nil where there is none.
func (s *Sessions) CachedSnapshot() *Snapshot {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return s.cache.newest
}

// cacheSnapshot puts a snapshot into the cache, unless the cache has one of a later
// version of the file, or one of the same version that is not stale.
func (s *Sessions) cacheSnapshot(snap *Snapshot) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	old := s.cache.newest
	if old == nil || snap.DataVersion > old.DataVersion || snap.DataVersion == old.DataVersion && old.stale {
		s.cache.newest = snap
	}
}

// ReadSnapshotTx runs f inside a read transaction, with a snapshot that agrees with it,
// whatever other processes write at the same time. The snapshot may be a refreshed one.
func (s *Sessions) ReadSnapshotTx(ctx context.Context, f func(db.Querier, *Snapshot) error) (err error) {
	snap, asked := s.CachedSnapshot(), int64(0) // the DataVersion before the transaction, 0 in the first round
	if snap == nil {
		if snap, err = s.CurrentSnapshot(ctx); err != nil {
			return err
		}
	}
	for {
		var now int64
		old, damaged := false, false
		err := s.db.ReadTx(ctx, func(q db.Querier) error {
			// The first read begins the transaction.
			_, err := db.QueryValue(ctx, s.db.CachedStatements(q), `SELECT 1 FROM sqlite_master LIMIT 1`)
			if err != nil {
				return err
			}
			if now, err = s.db.DataVersion(ctx); err != nil {
				return err
			}
			if now == snap.DataVersion && !(snap.stale && snap.ownWrites != s.db.OwnWrites.Load()) {
				return f(q, snap)
			}
			if asked == 0 {
				old = true // the write may be before or after the begin: try again
				return nil
			}
			fresh, err := s.refresh(ctx, q, snap)
			if damaged = db.IsCorrupt(err); damaged {
				return nil
			}
			if err != nil {
				return err
			}
			if now == asked {
				fresh.DataVersion = asked
				s.cacheSnapshot(fresh)
			} // else another write followed, and the snapshot is for this call alone
			return f(q, fresh)
		})
		switch {
		case err != nil || !old && !damaged:
			return err
		case damaged: // the readable rest is read slowly, not in one transaction
			if snap, err = s.CurrentSnapshot(ctx); err != nil {
				return err
			}
			return s.db.ReadTx(ctx, func(q db.Querier) error { return f(q, snap) })
		}
		snap, asked = s.CachedSnapshot(), now
	}
}
