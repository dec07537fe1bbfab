package snapshot

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/store/internal/db"
)

// snapshotCache keeps the newest snapshot, and the previews of its rows.
type snapshotCache struct {
	mu       sync.Mutex
	readLock chan struct{} // held while a snapshot is read
	newest   *Snapshot
	outdated *Snapshot // the last one that was to be read anew
	renewals int64     // how many were
	previews map[previewKey]preview
	family   atomic.Pointer[Snapshot] // the last one that was read, see [Sessions.FamilySnapshot]
}

// CurrentSnapshot returns the cached snapshot, or a new one where another process has
// changed the file or the cached one was only refreshed.
func (s *Sessions) CurrentSnapshot(ctx context.Context) (*Snapshot, error) {
	unlock, err := s.lockReading(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
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

// lockReading waits until no other snapshot is being read.
func (s *Sessions) lockReading(ctx context.Context) (unlock func(), err error) {
	select {
	case s.cache.readLock <- struct{}{}:
		return func() { <-s.cache.readLock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// RecentSnapshot is CurrentSnapshot for a list that is shown beside a writer: where many
// sessions are in memory it reads what has changed, and all of them only now and then. What
// the fingerprint does not cover may then be as old as [renewAfter] allows.
func (s *Sessions) RecentSnapshot(ctx context.Context) (*Snapshot, error) {
	snap, err := s.refreshCached(ctx)
	if snap == nil && err == nil {
		return s.CurrentSnapshot(ctx)
	}
	return snap, err
}

// refreshCached brings the cached snapshot up to date; nil where all sessions are to be read.
func (s *Sessions) refreshCached(ctx context.Context) (fresh *Snapshot, err error) {
	unlock, err := s.lockReading(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	was := s.CachedSnapshot()
	if was == nil || s.renewalDue(was) || s.db.IndexesBypassed.Load() || was.ownWrites != s.db.OwnWrites.Load() {
		return nil, nil
	}
	version, err := s.db.DataVersion(ctx)
	if err != nil || was.DataVersion == version {
		return was, err
	}
	err = s.db.ReadTx(ctx, func(q db.Querier) (err error) {
		fresh, err = refresher{s}.refreshChanged(ctx, q, was)
		return err
	})
	if db.IsCorrupt(err) || err == nil && fresh == nil {
		return nil, nil
	}
	if err != nil {
		return nil, s.db.WrapError("read the changed sessions of", err)
	}
	fresh.DataVersion = version
	s.cacheSnapshot(fresh)
	return fresh, nil
}

// fewSessions are read as quickly as what has changed in them.
const fewSessions = 1_000

// renewAfter is how long after all sessions were read they are read again, if others have
// changed since: for so long that reading them takes a hundredth of the time.
func renewAfter(sessions int) time.Duration {
	if sessions < fewSessions {
		return 0
	}
	return time.Duration(sessions) * 3 * time.Millisecond
}

// renewalDue reports whether it is time to read all sessions again.
func (s *Sessions) renewalDue(snap *Snapshot) bool {
	return s.db.Clock().Sub(snap.readAt) >= renewAfter(snap.Len())
}

// Renewals returns a number that grows when the sessions in memory were refreshed and it is
// time to read all of them: a list that shows them is then to be read again.
func (s *Sessions) Renewals() int64 {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if snap := s.cache.newest; snap != nil && snap.stale && snap != s.cache.outdated && s.renewalDue(snap) {
		s.cache.outdated = snap
		s.cache.renewals++
	}
	return s.cache.renewals
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
