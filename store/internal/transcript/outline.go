package transcript

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Outline returns the ids of all visible messages of a conversation; see
// store.Store.Outline for the contract.
func (t *Reader) Outline(ctx context.Context, id string) (model.Outline, error) {
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
		return t.removeReplays(ctx, q, &o, segments)
	})
	if db.IsCorrupt(err) {
		err = t.salvageOutline(ctx, &o)
	}
	return o, t.db.WrapError("read "+id+" of", err)
}

// salvageOutline makes an outline of the messages that are left.
func (t *Reader) salvageOutline(ctx context.Context, o *model.Outline) error {
	t.db.AddNote(db.NoteDamaged)
	left, err := t.sessions.Salvage.BySession(ctx)
	if err != nil {
		return err
	}
	o.MessageIDs, o.SegmentStarts, o.SegmentModels, o.Rewound = nil, nil, nil, 0
	o.ReplayCounts, o.Replays = nil, nil
	for _, segment := range o.Conversation.Segments {
		o.SegmentStarts = append(o.SegmentStarts, len(o.MessageIDs))
		if r := left[segment]; r != nil {
			o.MessageIDs = append(o.MessageIDs, r.IDs...)
			o.Rewound += r.Rewound
		}
	}
	return nil
}

// modelOf returns the model of one session, "" where its row has none.
func (t *Reader) modelOf(ctx context.Context, q db.Querier, session string) (string, error) {
	name, err := db.QueryValue(ctx, q, `SELECT `+t.db.Schema.ColumnOrNull("sessions", "s", "model")+` FROM sessions s WHERE s.id = ?`, session)
	return db.AsText(name), err
}

// visibleIDs returns the ids of the visible messages of one session in reading order,
// and how many messages were rewound. The ids come as one text: a row for each would
// take twice as long.
func (t *Reader) visibleIDs(ctx context.Context, q db.Querier, session string) (ids []int64, rewound int, err error) {
	err = db.EachRow(ctx, q, `SELECT group_concat(m.id) FILTER (WHERE `+t.db.Schema.VisibleRows("m")+`),
		count(*) FILTER (WHERE NOT `+t.db.Schema.NotRewoundRows("m")+`) FROM messages m WHERE m.session_id = ?`, []any{session}, func(r db.Row) {
		ids, rewound = sortedIDs(r[0]), int(r.Int(1))
	})
	return ids, rewound, err
}
