package transcript

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Outline gives the skeleton of the conversation that session id belongs to:
// the ids of all visible messages, segment by segment, in the order in which
// they were written (by id, as clocks step back), without the copies that
// compression made.
func (t *Reader) Outline(ctx context.Context, id string) (model.Outline, error) {
	return t.outline(ctx, id, true)
}

// outline is Outline, with the copies where they are not to be left out.
func (t *Reader) outline(ctx context.Context, id string, once bool) (model.Outline, error) {
	conv, err := t.sessions.Conversation(ctx, id)
	if err != nil {
		return model.Outline{}, err
	}
	o := model.Outline{Conversation: conv}
	err = t.db.ReadTx(ctx, func(q db.Querier) error {
		segments := make([][]int64, len(conv.Segments))
		for k, segment := range conv.Segments {
			ids, rewound, err := t.visibleIDs(ctx, q, segment)
			if err != nil {
				return err
			}
			llm, err := t.modelOf(ctx, q, segment)
			if err != nil {
				return err
			}
			segments[k] = ids
			o.SegmentModels = append(o.SegmentModels, llm)
			o.Rewound += rewound
		}
		return t.removeReplays(ctx, q, &o, segments, once)
	})
	if db.IsCorrupt(err) {
		err = t.sessions.SalvageOutline(ctx, &o)
	}
	return o, t.db.WrapError("read "+id+" of", err)
}

// modelOf gives the model of one session, "" where its row has none.
func (t *Reader) modelOf(ctx context.Context, q db.Querier, session string) (llm string, err error) {
	rows, err := q.QueryContext(ctx, `SELECT `+t.db.Schema.ColumnOrNull("sessions", "s", "model")+` FROM sessions s WHERE s.id = ?`, session)
	if err != nil {
		return "", err
	}
	err = db.ScanRecords(rows, func(r db.Record) error {
		llm = db.AsText(r[0].Value)
		return nil
	})
	return llm, err
}

// visibleIDs gives the visible messages of one session in reading order. The
// ids come in one text: a row each would take twice as long.
func (t *Reader) visibleIDs(ctx context.Context, q db.Querier, session string) (ids []int64, rewound int, err error) {
	rows, err := q.QueryContext(ctx, `SELECT group_concat(m.id) FILTER (WHERE `+t.db.Schema.VisibleRows("m")+`),
		count(*) FILTER (WHERE NOT `+t.db.Schema.SaidByPeople("m")+`) FROM messages m WHERE m.session_id = ?`, session)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var list any
		if err := rows.Scan(&list, &rewound); err != nil {
			return nil, 0, err
		}
		if ids, err = idList(list); err != nil {
			return nil, 0, err
		}
	}
	return ids, rewound, rows.Err()
}

// messageIDs gives the messages of one session, those too that are not shown, in
// reading order. It takes a fifth of the time of visibleIDs.
func (t *Reader) messageIDs(ctx context.Context, q db.Querier, session string) ([]int64, error) {
	rows, err := q.QueryContext(ctx, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, session)
	if err != nil {
		return nil, err
	}
	var list any
	err = db.ScanRecords(rows, func(r db.Record) error {
		list = r[0].Value
		return nil
	})
	if err != nil {
		return nil, err
	}
	return idList(list)
}

// idList reads the ids of a group_concat, sorted: no index before schema 23
// has the order of ids.
func idList(list any) ([]int64, error) {
	var ids []int64
	for digits := range strings.SplitSeq(db.AsText(list), ",") {
		if digits == "" {
			continue // there are none
		}
		id, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// MessagesByID reads messages in the order of ids; those gone are left out.
// Hidden, rewound and archived ones are given too: who has an id means it.
func (t *Reader) MessagesByID(ctx context.Context, ids []int64) ([]model.Message, error) {
	return t.messagesByID(ctx, t.db.Pool, ids)
}

func (t *Reader) messagesByID(ctx context.Context, q db.Querier, ids []int64) ([]model.Message, error) {
	found := make(map[int64]model.Message, len(ids))
	for chunk := range slices.Chunk(ids, 500) {
		err := t.db.ReadMessages(ctx, q, chunk, found)
		if db.IsCorrupt(err) {
			err = t.sessions.SalvageMessages(ctx, chunk, found)
		}
		if err != nil {
			return nil, t.db.WrapError("read messages of", err)
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

// Tail reads the last n visible messages of the conversation that session id
// belongs to, oldest first. It is much faster than an outline of a long one.
func (t *Reader) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	c, err := t.sessions.FamilySnapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	m, ok := c.ConversationOf(id)
	if !ok {
		return nil, t.db.NotFoundError(id)
	}
	var tail []model.Message // newest first
	err = t.db.ReadTx(ctx, func(q db.Querier) error {
		for _, segment := range slices.Backward(m.Segments) {
			// All ids come from an index alone; what is visible is found out
			// from the end on.
			ids, err := t.messageIDs(ctx, q, segment)
			if err != nil {
				return err
			}
			for len(ids) > 0 && len(tail) < n {
				from := max(0, len(ids)-n-8)
				found := map[int64]model.Message{}
				if err := t.db.ReadMessages(ctx, q, ids[from:], found); err != nil {
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
		o, err := t.Outline(ctx, id)
		if err != nil {
			return nil, err
		}
		return t.MessagesByID(ctx, o.MessageIDs[max(0, len(o.MessageIDs)-n):])
	}
	slices.Reverse(tail)
	return tail, t.db.WrapError("read "+id+" of", err)
}
