package transcript

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// maxReplayPrefix is behind how many messages of a segment no copies stand that
// compression made of the segment before it: it keeps a few dozen.
const maxReplayPrefix = 256

// MessagesNear reads visible messages of one segment of the conversation that
// session id belongs to, up to n around message at, or the last n when at is
// 0; oldest first. They are what an outline has there, at a fifth of its time.
// There are none where only the outline can tell: near the beginning of a
// segment, which may repeat the one before it.
func (t *Reader) MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error) {
	c, err := t.sessions.FamilySnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	m, ok := c.ConversationOf(id)
	if !ok {
		return nil, t.db.NotFoundError(id)
	}
	segments := m.Segments
	k := len(segments) - 1
	var read []model.Message
	err = t.db.ReadTx(ctx, func(q db.Querier) error {
		if at != 0 {
			var session string
			rows, err := q.QueryContext(ctx, `SELECT session_id FROM messages WHERE id = ?`, at)
			if err != nil {
				return err
			}
			err = db.ScanRecords(rows, func(r db.Record) error {
				session = db.AsText(r[0].Value)
				return nil
			})
			if k = slices.Index(segments, session); err != nil || k < 0 {
				return err
			}
		}
		ids, err := t.messageIDs(ctx, q, segments[k])
		if err != nil {
			return err
		}
		from, to := max(0, len(ids)-n), len(ids)
		if at != 0 {
			place, ok := slices.BinarySearch(ids, at)
			if !ok {
				return nil
			}
			from, to = max(0, place-n/2), min(place+n/2, len(ids))
		}
		if k > 0 && from < maxReplayPrefix {
			return nil
		}
		found := map[int64]model.Message{}
		if err := t.db.ReadMessages(ctx, q, ids[from:to], found); err != nil {
			return err
		}
		for _, id := range ids[from:to] {
			if m, ok := found[id]; ok && db.IsVisible(m) {
				read = append(read, m)
			}
		}
		return nil
	})
	return read, t.db.WrapError("read "+id+" of", err)
}
