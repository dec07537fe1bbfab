package sessiondb

import (
	"context"
	"slices"

	"hermes-sessions/store/internal/db"
)

// Messages returns the rows of one session's transcript by id: content decoded,
// tool_calls parsed (junk is an empty list), display_metadata as an object or nil, the
// other JSON columns as text (get_messages, store/README.md#chat-messages). Rewound messages and those archived by
// compaction are left out. An unknown session has none.
func (d *DB) Messages(ctx context.Context, id string) ([]db.Record, error) {
	out := []db.Record{}
	err := d.db.ReadTx(ctx, func(q db.Querier) error {
		return d.db.EachMessage(ctx, q, id, func(r db.Record) error {
			out = append(out, r)
			return nil
		})
	})
	return out, d.db.WrapError("read messages of", err)
}

// View is a window of a transcript around one message. Rows are as
// [DB.Messages] gives them, by id.
type View struct {
	Window        []db.Record
	Before, After int         // rows of the window on either side of the message, before the filter by roles
	Start, End    []db.Record // the first and the last messages outside the window
}

// MessagesAround returns a message of a session with up to window messages on
// either side (get_messages_around). An unknown message, or one of another
// session, has none.
func (d *DB) MessagesAround(ctx context.Context, session string, message int64, window int) (View, error) {
	return d.AnchoredView(ctx, session, message, window, 0)
}

// AnchoredView returns a message of a session with up to window messages on either side,
// and the first and the last few messages of the transcript (get_anchored_view). With
// roles it gives only messages of these, and the one in the middle; Hermes asks for
// "user" and "assistant". Messages at the ends without content are left out; an image
// counts as content (store/README.md#q3).
func (d *DB) AnchoredView(ctx context.Context, session string, message int64, window, ends int, roles ...string) (View, error) {
	window, ends = max(window, 0), max(ends, 0)
	v := View{Window: []db.Record{}, Start: []db.Record{}, End: []db.Record{}}
	err := d.db.ReadTx(ctx, func(q db.Querier) error {
		middle, err := d.messagesFrom(ctx, q, session, towardNewer, message, message, 1, "")
		if err != nil || len(middle) == 0 {
			return err
		}
		first, last, err := d.messageBounds(ctx, q, session)
		if err != nil {
			return err
		}
		before, err := d.messagesFrom(ctx, q, session, towardOlder, message-1, first, window, "")
		if err != nil {
			return err
		}
		after, err := d.messagesFrom(ctx, q, session, towardNewer, message+1, last, window, "")
		if err != nil {
			return err
		}
		v.Before, v.After = len(before), len(after)
		all := slices.Concat(before, middle, after)
		low, high := db.AsInt(all[0].Get("id")), db.AsInt(all[len(all)-1].Get("id"))
		v.Window = slices.DeleteFunc(all, func(r db.Record) bool {
			return len(roles) > 0 && r.Get("id") != message && !slices.Contains(roles, db.AsText(r.Get("role")))
		})
		if ends == 0 {
			return nil
		}
		// By comparison and not by length(), which ends at the NUL that
		// multimodal content begins with.
		hasContent := ` AND m.content IS NOT NULL AND m.content <> ''`
		args := []any{}
		if len(roles) > 0 {
			hasContent += ` AND m.role IN (` + db.Placeholders(len(roles)) + `)`
			for _, role := range roles {
				args = append(args, role)
			}
		}
		start, err := d.messagesFrom(ctx, q, session, towardNewer, first, low-1, ends, hasContent, args...)
		if err != nil {
			return err
		}
		end, err := d.messagesFrom(ctx, q, session, towardOlder, last, high+1, ends, hasContent, args...)
		if err != nil {
			return err
		}
		v.Start, v.End = append(v.Start, start...), append(v.End, end...)
		return nil
	})
	return v, d.db.WrapError("read messages of", err)
}

// messageBounds returns the first and the last id of a session's messages.
func (d *DB) messageBounds(ctx context.Context, q db.Querier, session string) (first, last int64, err error) {
	err = db.EachRow(ctx, q, `SELECT min(id), max(id) FROM messages WHERE session_id = ?`, []any{session}, func(r db.Row) {
		first, last = r.Int(0), r.Int(1)
	})
	return first, last, err
}

// scanDirection is the direction in which messages are read.
type scanDirection bool

const (
	towardNewer scanDirection = true
	towardOlder scanDirection = false
)

// messagesFrom reads up to limit messages of a session, the nearest ones from the id from
// toward the id to, and gives them in the order of their ids. rest is the rest of the
// condition, with its AND, and args are its arguments. No index before schema 23 has that
// order, so it scans the table itself first, which is mostly short: the messages of a
// session lie close together.
func (d *DB) messagesFrom(ctx context.Context, q db.Querier, session string, direction scanDirection, from, to int64, limit int, rest string, args ...any) ([]db.Record, error) {
	if limit <= 0 || (direction == towardNewer) != (from <= to) && from != to {
		return nil, nil
	}
	for span := int64(256); ; span *= 16 {
		low := from
		high := to
		order := ""
		if direction == towardOlder {
			low = to
			high = from
			order = " DESC"
		}
		whole := span > 1<<16 || high-low <= span
		column := "+m.session_id" // the "+" keeps SQLite from its index
		switch {
		case span > 1<<16:
			column = "m.session_id"
		case whole:
		case direction == towardNewer:
			high = low + span
		default:
			low = high - span
		}
		var found []db.Record
		err := d.db.ReadMessageRows(ctx, q, column+` = ? AND m.id BETWEEN ? AND ? AND `+d.db.Schema.ActiveRows("m")+rest+
			` ORDER BY m.id`+order+` LIMIT ?`, slices.Concat([]any{session, low, high}, args, []any{limit}), func(r db.Record) error {
			found = append(found, r)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if whole || len(found) == limit {
			if direction == towardOlder {
				slices.Reverse(found)
			}
			return found, nil
		}
	}
}
