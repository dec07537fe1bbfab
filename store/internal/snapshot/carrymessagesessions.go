package snapshot

import (
	"context"
	"slices"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// maxRereadSessions is how many sessions are read again one by one at most.
const maxRereadSessions = 100

// messageSessionsUpdate is a message → session map made of an older one, and the sums
// that verify it.
type messageSessionsUpdate struct {
	MessageSessionsBuilder
	snapshot *Snapshot
	// By session, the sum of the ids of its messages in the table, less the sum of
	// those in the map; the last is for messages without a session.
	idSumDiff []float64
}

// carryMessageSessions makes the message → session map of c from that of an older
// snapshot, in the read transaction of c. Sessions whose messages do not have the sum
// of ids that the table has are read again. With too many of them c has no map, and a
// search reads a new one.
func (s *Sessions) carryMessageSessions(ctx context.Context, db db.Querier, was, c *Snapshot, now []messageStats) error {
	old := was.MessageSessions.Load()
	d := &messageSessionsUpdate{
		MessageSessionsBuilder: MessageSessionsBuilder{
			MessageSessions: MessageSessions{messageIDs: *old.messageIDs.Clone(), PageCount: old.PageCount, MessageCount: old.MessageCount, orphanCount: old.orphanCount},
			pageBuilders:    make([]*sessionPageBuilder, len(old.pages)),
		},
		snapshot: c, idSumDiff: make([]float64, c.Len()+1),
	}
	for _, a := range now {
		*d.diffOf(c.SessionNumber(a.id)) += a.idSum
	}
	d.carryPages(was, old)
	if err := d.readNewer(ctx, db); err != nil {
		return err
	}
	odd := map[int32]bool{} // sessions with a wrong sum
	for i, left := range d.idSumDiff {
		if left != 0 {
			odd[int32(i)] = true
		}
	}
	if len(odd) > maxRereadSessions || d.idSumDiff[c.Len()] != 0 {
		return nil
	}
	if err := d.rereadSessions(ctx, db, odd); err != nil {
		return err
	}
	o := d.Build()
	c.MessageSessions.Store(o)
	s.dropRolesOfDeleted(o)
	return nil
}

// diffOf returns the place of a session's sum.
func (d *messageSessionsUpdate) diffOf(session int32) *float64 {
	if session == orphaned {
		return &d.idSumDiff[d.snapshot.Len()]
	}
	return &d.idSumDiff[session]
}

// carryPages copies the pages of the older map, with the positions that the sessions
// have now. Messages of removed sessions are unmapped.
func (d *messageSessionsUpdate) carryPages(was *Snapshot, old *MessageSessions) {
	numbers := make([]int32, was.Len())
	for i := range numbers {
		numbers[i] = d.snapshot.SessionNumber(was.ID(i))
	}
	for n, page := range old.pages {
		if page == nil {
			continue
		}
		d.pageBuilders[n] = new(sessionPageBuilder)
		for k := range d.pageBuilders[n] {
			session, id := page.sessionAt(int64(k)), int64(n*MessagesPerPage+k)
			if session >= 0 {
				if session = numbers[session]; session == orphaned { // its session was removed
					session = unmapped
					d.messageIDs.Remove(id)
				}
			}
			if d.pageBuilders[n][k] = session; session != unmapped {
				*d.diffOf(session) -= float64(id)
			}
		}
	}
}

// readNewer reads the messages with greater ids than the last one of the map.
func (d *messageSessionsUpdate) readNewer(ctx context.Context, q db.Querier) error {
	last, _ := d.messageIDs.Before(fts.MaxRowid + 1)
	return db.EachRow(ctx, q, `SELECT id, session_id FROM messages WHERE id > ?`, []any{last}, func(r db.Row) {
		n := d.snapshot.SessionNumber(r.Text(1))
		id := r.Int(0)
		*d.diffOf(n) -= float64(id)
		d.Add(n, slices.Values([]int64{id}))
	})
}

// rereadSessions removes the messages of some sessions from the map and reads them
// again, one session at a time.
func (d *messageSessionsUpdate) rereadSessions(ctx context.Context, q db.Querier, some map[int32]bool) error {
	if len(some) == 0 {
		return nil
	}
	for n, page := range d.pageBuilders {
		for k := range MessagesPerPage {
			if page != nil && some[page[k]] {
				page[k] = unmapped
				d.messageIDs.Remove(int64(n*MessagesPerPage + k))
			}
		}
	}
	for i := range some {
		ids, err := db.QueryValue(ctx, q, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, d.snapshot.ID(int(i)))
		if err != nil {
			return err
		}
		d.Add(i, ParseIDList([]byte(db.AsText(ids))))
	}
	return nil
}
