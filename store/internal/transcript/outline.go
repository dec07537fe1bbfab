package transcript

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Outline returns the ids of all visible messages of a conversation; see
// store.Store.Outline for the contract.
func (r *Reader) Outline(ctx context.Context, id string) (model.Outline, error) {
	conv, err := r.sessions.Conversation(ctx, id)
	if err != nil {
		return model.Outline{}, err
	}
	o := model.Outline{Conversation: conv}
	err = r.db.ReadTx(ctx, func(q db.Querier) error {
		segments := make([][]int64, len(conv.Segments))
		for k, segment := range conv.Segments {
			ids, rewound, err := r.visibleIDs(ctx, q, segment)
			if err != nil {
				return err
			}
			llm, err := r.modelOf(ctx, q, segment)
			if err != nil {
				return err
			}
			segments[k] = ids
			o.SegmentModels = append(o.SegmentModels, llm)
			o.Rewound += rewound
		}
		return r.removeReplays(ctx, q, &o, segments)
	})
	if db.IsCorrupt(err) {
		err = r.salvageOutline(ctx, &o)
	}
	return o, r.db.WrapError("read "+id+" of", err)
}

// salvageOutline makes an outline of the messages that are left.
func (r *Reader) salvageOutline(ctx context.Context, o *model.Outline) error {
	r.db.AddNote(model.NoteDamaged)
	left, err := r.sessions.Salvage.BySession(ctx)
	if err != nil {
		return err
	}
	o.MessageIDs = nil
	o.SegmentStarts = nil
	o.SegmentModels = nil
	o.Rewound = 0
	o.ReplayCounts, o.Replays = nil, nil
	for _, segment := range o.Conversation.Segments {
		o.SegmentStarts = append(o.SegmentStarts, len(o.MessageIDs))
		if rest := left[segment]; rest != nil {
			o.MessageIDs = append(o.MessageIDs, rest.IDs...)
			o.Rewound += rest.Rewound
		}
	}
	return nil
}

// modelOf returns the model of one session, "" where its row has none.
func (r *Reader) modelOf(ctx context.Context, q db.Querier, session string) (string, error) {
	name, err := db.QueryValue(ctx, q, `SELECT `+r.db.Schema.ColumnOrNull("sessions", "s", "model")+` FROM sessions s WHERE s.id = ?`, session)
	return db.AsText(name), err
}

// visibleIDs returns the ids of the visible messages of one session in reading order,
// and how many messages were rewound. The ids come as one text: a row for each would
// take twice as long.
func (r *Reader) visibleIDs(ctx context.Context, q db.Querier, session string) (ids []int64, rewound int, err error) {
	err = db.EachRow(ctx, q, `SELECT group_concat(m.id) FILTER (WHERE `+r.db.Schema.VisibleRows("m")+`),
		count(*) FILTER (WHERE NOT `+r.db.Schema.NotRewoundRows("m")+`) FROM messages m WHERE m.session_id = ?`, []any{session}, func(row db.Row) {
		ids, rewound = sortedIDs(row[0]), int(row.Int(1))
	})
	return ids, rewound, err
}
