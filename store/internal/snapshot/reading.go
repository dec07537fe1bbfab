package snapshot

import (
	"context"
	"errors"
	"iter"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/btree"
	"hermes-sessions/store/internal/db"
)

// ReadSnapshot reads every session. Where pages are damaged it reads the rest.
func (s *Sessions) ReadSnapshot(ctx context.Context) (*Snapshot, error) {
	var snap *Snapshot
	fill := func(q, parallel db.Querier) (err error) {
		if snap, err = s.newSnapshot(ctx, q); err == nil {
			err = s.fillSnapshot(ctx, q, parallel, snap)
		}
		return err
	}
	err := s.db.PairTx(ctx, fill)
	if err == nil {
		var sound bool
		if sound, err = s.Indexes.trust(ctx, snap.doubts); err == nil && !sound {
			err = s.db.PairTx(ctx, fill)
		}
	}
	if db.IsCorrupt(err) || err == nil && s.db.IndexesBypassed.Load() && snap.doubts.any() {
		s.db.BypassIndexes() // those of a damaged file may lack rows as well
		snap, err = s.salvageSnapshot(ctx)
		return snap, s.db.WrapError("read the sessions of", err)
	}
	if err != nil {
		return nil, s.db.WrapError("read the sessions of", err)
	}
	if snap.doubts.orphaned > 0 {
		s.db.AddNote(model.NoteDangling)
	}
	snap.linkConversations(s.db.Schema)
	return snap, nil
}

// seqTo returns the numbers from 0 up to n, without n.
func seqTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// fillSnapshot reads the sessions, and in parallel the counts of their messages, where
// there is a second transaction of the same version of the file. The goroutine that has
// read the counts then helps with the sessions. Once a search has needed
// the message → session map, it is made of the same pages as the counts.
func (s *Sessions) fillSnapshot(ctx context.Context, q, parallel db.Querier, snap *Snapshot) error {
	var stats []messageStats
	var byStats *MessageSessionsBuilder
	if s.ReadsMessageSessions.Load() {
		byStats = &MessageSessionsBuilder{}
	}
	mapped, unordered := false, false
	scan, err := s.newSharedScan(ctx, q)
	if err != nil {
		return err
	}
	readStats := func(q db.Querier) (err error) {
		stats, mapped, err = readAllMessageStats(ctx, q, s.db.Schema, byStats)
		if errors.Is(err, btree.ErrUnordered) {
			unordered, err = true, nil
		}
		return err
	}
	if parallel != nil {
		err = db.Parallel(func() error { return scan.forward(ctx, q) }, func() error {
			if err := readStats(parallel); err != nil {
				return err
			}
			return scan.backward(ctx, parallel)
		})
	} else if err = readStats(q); err == nil {
		err = scan.forward(ctx, q)
	}
	if err == nil {
		snap.Table, err = scan.table(ctx, q)
	}
	if err == nil {
		err = s.readIDs(ctx, q, snap)
	}
	if unordered {
		snap.doubts.addOrder()
	}
	if err == nil {
		var all []int32
		var lost doubts
		if all, lost, err = s.applyMessageStats(ctx, q, snap.Table, stats); err == nil {
			snap.doubts.add(lost)
			snap.doubts.add(s.Indexes.doubtCounts(snap.Table, seqTo(snap.Len()), all))
			err = s.Indexes.addNewest(ctx, q, &snap.doubts)
		}
	}
	if err != nil {
		return err
	}
	var m *MessageSessions // nil where it is not known which messages were deleted
	if mapped {
		m = byStats.buildFor(snap, stats)
		snap.MessageSessions.Store(m)
	}
	s.RoleSets.dropDeleted(m)
	return nil
}

// readIDs reads the ids of the sessions by their index, for the doubts, and the fingerprint
// where the snapshot can be refreshed.
func (s *Sessions) readIDs(ctx context.Context, q db.Querier, snap *Snapshot) error {
	refreshable := s.db.Schema.CanRefresh() && snap.IDsDistinct()
	var ids any
	var now fingerprint
	var err error
	if refreshable {
		now, ids, _, err = s.readFingerprint(ctx, q, nil)
	} else {
		ids, err = db.QueryValue(ctx, q, sessionIDsQuery(s.db))
	}
	switch {
	case err == nil:
		if refreshable {
			snap.fingerprint = &now
		}
		snap.doubts.addIDs(snap.Table, db.AsText(ids), s.Indexes.seed)
		if readsIDsByIndex(s.db) && !linesSorted(db.AsText(ids)) {
			snap.doubts.addOrder()
		}
	case db.IsCorrupt(err): // an index that nothing else here needs
		snap.doubts.badIDs++
	default:
		return err
	}
	return nil
}
