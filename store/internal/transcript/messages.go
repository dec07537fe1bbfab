package transcript

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// MessagesByID reads messages in the order of ids; see store.Store.MessagesByID.
func (r *Reader) MessagesByID(ctx context.Context, ids []int64) ([]model.Message, error) {
	return r.messagesByID(ctx, r.db.Pool, ids)
}

// messagesByID reads messages in chunks, around damaged pages where necessary.
func (r *Reader) messagesByID(ctx context.Context, q db.Querier, ids []int64) ([]model.Message, error) {
	found := make(map[int64]model.Message, len(ids))
	for chunk := range slices.Chunk(ids, 500) {
		err := r.db.ReadMessages(ctx, q, chunk, found)
		if db.IsCorrupt(err) {
			err = r.sessions.Salvage.ReadMessages(ctx, chunk, found)
		}
		if err == nil {
			err = r.sessions.Salvage.AddLost(ctx, q, chunk, found)
		}
		if err != nil {
			return nil, r.db.WrapError("read messages of", err)
		}
	}
	out := make([]model.Message, 0, len(ids))
	for _, id := range ids {
		if m, ok := found[id]; ok {
			out = append(out, m)
		}
	}
	return out, nil
}

// Tail reads the last n visible messages of a conversation, oldest first. All ids come
// from an index, and messages are read from the end until n visible ones are found.
func (r *Reader) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	snap, err := r.sessions.FamilySnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	m, ok := snap.ConversationOf(id)
	if !ok {
		return nil, r.db.NotFoundError(id)
	}
	var tail []model.Message // newest first
	err = r.db.ReadTx(ctx, func(q db.Querier) error {
		for _, segment := range slices.Backward(m.Segments) {
			// Visibility is checked from the end on.
			ids, err := r.messageIDs(ctx, q, segment)
			if err != nil {
				return err
			}
			for len(ids) > 0 && len(tail) < n {
				from := max(0, len(ids)-n-8)
				found := map[int64]model.Message{}
				if err := r.db.ReadMessages(ctx, q, ids[from:], found); err != nil {
					return err
				}
				for _, id := range slices.Backward(ids[from:]) {
					if m, ok := found[id]; ok && db.IsVisible(m) && len(tail) < n {
						tail = append(tail, m)
					}
				}
				ids = ids[:from]
			}
			if len(tail) >= n {
				break
			}
		}
		return nil
	})
	if db.IsCorrupt(err) {
		o, err := r.Outline(ctx, id)
		if err != nil {
			return nil, err
		}
		return r.MessagesByID(ctx, o.MessageIDs[max(0, len(o.MessageIDs)-n):])
	}
	slices.Reverse(tail)
	return tail, r.db.WrapError("read "+id+" of", err)
}

// MessagesNear reads visible messages around one, or from the end, without an outline;
// see store.Store.MessagesNear for the contract.
func (r *Reader) MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error) {
	snap, err := r.sessions.FamilySnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	m, ok := snap.ConversationOf(id)
	if !ok {
		return nil, r.db.NotFoundError(id)
	}
	segments := m.Segments
	k := len(segments) - 1
	var read []model.Message
	err = r.db.ReadTx(ctx, func(q db.Querier) error {
		if at != 0 {
			session, err := db.QueryValue(ctx, q, `SELECT session_id FROM messages WHERE id = ?`, at)
			if k = slices.Index(segments, db.AsText(session)); err != nil || k < 0 {
				return err
			}
		}
		ids, err := r.messageIDs(ctx, q, segments[k])
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
		if err := r.db.ReadMessages(ctx, q, ids[from:to], found); err != nil {
			return err
		}
		for _, id := range ids[from:to] {
			if m, ok := found[id]; ok && db.IsVisible(m) {
				read = append(read, m)
			}
		}
		return nil
	})
	return read, r.db.WrapError("read "+id+" of", err)
}

// maxReplayPrefix is the number of messages at the beginning of a segment among which
// there may be copies of the segment before it: compression keeps a few dozen.
const maxReplayPrefix = 256

// messageIDs returns the ids of all messages of one session, invisible ones too, in
// reading order. It takes a fifth of the time of visibleIDs.
func (r *Reader) messageIDs(ctx context.Context, q db.Querier, session string) ([]int64, error) {
	list, err := db.QueryValue(ctx, q, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, session)
	return sortedIDs(list), err
}

// sortedIDs returns the ids of a group_concat: no index before schema 23 has their order.
func sortedIDs(list any) []int64 {
	return slices.Sorted(snapshot.ParseIDList([]byte(db.AsText(list))))
}
