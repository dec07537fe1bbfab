package snapshot

import (
	"context"
	"hermes-sessions/store/internal/db"
)

func (s *Sessions) ReadSnapshot(ctx context.Context) (*Snapshot, error) {
	c := s.newSnapshot()
	was := s.CachedSnapshot()
	err := s.db.PairTx(ctx, func(q, beside db.Querier) error { return s.fillSnapshot(ctx, q, beside, was, c) })
	if db.IsCorrupt(err) {
		c, err = s.salvageSnapshot(ctx)
		return c, s.db.WrapError("read the sessions", err)
	}
	if err != nil {
		return nil, s.db.WrapError("read the sessions", err)
	}
	s.linkConversations(c)
	return c, nil
}

// fillSnapshot reads the sessions, and what the messages say of them beside,
// where there is a second transaction of the same moment. What an older catalog,
// if there is one, knows of whose the messages are is taken over as far as it
// is true.
func (s *Sessions) fillSnapshot(ctx context.Context, q, beside db.Querier, was, c *Snapshot) error {
	carry := was != nil && was.MessageSessions.Load() != nil
	var said []messageStats
	hear := func(q db.Querier) (err error) {
		said, err = s.queryMessageStats(ctx, q, "", nil, carry)
		return err
	}
	fill := func() error {
		n, err := s.db.QueryValue(ctx, q, `SELECT count(*) FROM sessions`)
		if err != nil {
			return err
		}
		all := newTableBuilder(int(db.AsInt(n)))
		if err := s.eachSession(ctx, q, "", nil, all.add); err != nil {
			return err
		}
		c.SessionTable = all.build()
		if !s.db.Schema.CanRefresh() || !c.idsDistinct() {
			return nil
		}
		now, _, _, err := s.readFingerprint(ctx, q, nil)
		switch {
		case err == nil:
			c.fingerprint = &now
		case !db.IsCorrupt(err): // else an index is damaged that nothing else needs here
			return err
		}
		return nil
	}
	var err error
	if beside != nil {
		err = db.Parallel(fill, func() error { return hear(beside) })
	} else if err = fill(); err == nil {
		err = hear(q)
	}
	if err == nil {
		err = s.applyMessageStats(ctx, q, c.SessionTable, said)
	}
	if err == nil && carry {
		if err = s.carryMessageSessions(ctx, q, was, c, said); db.IsCorrupt(err) {
			err = nil // a search reads around it
		}
	}
	return err
}
