package snapshot

import (
	"context"
	"time"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
)

// lookUpShare is how many messages of the map are read in the time that one is looked up in.
const lookUpShare = 10

// ReadMatched calls each with messages that match, in no order, and the ids of their sessions,
// without a map of all messages. of is about how many the file has. Where that is faster, it
// reads the stats of all sessions on the way, for [Snapshot.KeepStats].
func (s *Sessions) ReadMatched(ctx context.Context, q db.Querier, messages *idset.Set, of int64, each func(message int64, session string)) ([]messageStats, error) {
	if int64(messages.Len()) > of/lookUpShare {
		var found []MessageSession
		stats, err := messageStatsByPages(ctx, q, s.db.Schema, func(at int32, id int64) {
			if messages.Has(id) {
				found = append(found, MessageSession{id, at})
			}
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			for _, m := range found {
				each(m.Message, stats[m.Session].id)
			}
			return stats, nil
		}
	}
	return nil, s.ReadSessionIDs(ctx, q, messages, each)
}

// EachParent calls each with the sessions that have a parent, and its id.
func (s *Sessions) EachParent(ctx context.Context, q db.Querier, each func(session, parent string)) error {
	if !s.db.Schema.Has("sessions", "parent_session_id") {
		return nil
	}
	return db.EachRow(ctx, q, `SELECT id, parent_session_id FROM sessions WHERE parent_session_id IS NOT NULL`, nil, func(r db.Row) {
		each(r.Text(0), r.Text(1))
	})
}

// afterAll is later than every time that [db.AsTime] reads: the year 10000.
var afterAll = time.Unix(253402300800, 0)

// EachLastActive calls each with some sessions and when they were active last, or a later time
// where one of their times is no number of seconds: the greatest value need not be the latest.
func (s *Sessions) EachLastActive(ctx context.Context, q db.Querier, ids []string, each func(id string, at time.Time)) error {
	return db.InChunks(ids, func(where string, args []any) error {
		return db.EachRow(ctx, q, `SELECT s.id, coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id), s.started_at), `+
			s.db.Schema.ColumnOrNull("sessions", "s", "last_activity_at")+` FROM sessions s WHERE s.id `+where, args, func(r db.Row) {
			for _, v := range r[1:] {
				if v == nil || isTime(v) {
					each(r.Text(0), db.AsTime(v))
				} else {
					each(r.Text(0), afterAll)
				}
			}
		})
	})
}
