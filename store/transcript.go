package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"hermes-sessions/model"
)

// Outline gives the skeleton of the conversation that session id belongs to:
// the ids of all visible messages, segment by segment, in the order in which
// they were written (by id, as clocks step back), without the copies that
// compression made.
func (s *Store) Outline(ctx context.Context, id string) (model.Outline, error) {
	return s.outline(ctx, id, true)
}

// outline is Outline, with the copies where they are not to be left out.
func (s *Store) outline(ctx context.Context, id string, once bool) (model.Outline, error) {
	conv, err := s.Conversation(ctx, id)
	if err != nil {
		return model.Outline{}, err
	}
	o := model.Outline{Conversation: conv}
	err = s.snapshot(ctx, func(q queryer) error {
		segments := make([][]int64, len(conv.Segments))
		for k, segment := range conv.Segments {
			ids, rewound, err := s.visibleIDs(ctx, q, segment)
			if err != nil {
				return err
			}
			llm, err := s.modelOf(ctx, q, segment)
			if err != nil {
				return err
			}
			segments[k] = ids
			o.Models = append(o.Models, llm)
			o.Rewound += rewound
		}
		return s.stitch(ctx, q, &o, segments, once)
	})
	if corrupt(err) {
		err = s.salvageOutline(ctx, &o)
	}
	return o, s.wrap("read "+id+" of", err)
}

// modelOf gives the model of one session, "" where its row has none.
func (s *Store) modelOf(ctx context.Context, q queryer, session string) (llm string, err error) {
	rows, err := q.QueryContext(ctx, `SELECT `+s.schema.column("sessions", "s", "model")+` FROM sessions s WHERE s.id = ?`, session)
	if err != nil {
		return "", err
	}
	err = eachRecord(rows, func(r Record) error {
		llm = text(r[0].Value)
		return nil
	})
	return llm, err
}

// visibleIDs gives the visible messages of one session in reading order. The
// ids come in one text: a row each would take twice as long.
func (s *Store) visibleIDs(ctx context.Context, q queryer, session string) (ids []int64, rewound int, err error) {
	rows, err := q.QueryContext(ctx, `SELECT group_concat(m.id) FILTER (WHERE `+s.schema.visible("m")+`),
		count(*) FILTER (WHERE NOT `+s.schema.said("m")+`) FROM messages m WHERE m.session_id = ?`, session)
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

// allIDs gives the messages of one session, those too that are not shown, in
// reading order. It takes a fifth of the time of visibleIDs.
func (s *Store) allIDs(ctx context.Context, q queryer, session string) ([]int64, error) {
	rows, err := q.QueryContext(ctx, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, session)
	if err != nil {
		return nil, err
	}
	var list any
	err = eachRecord(rows, func(r Record) error {
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
	for digits := range strings.SplitSeq(text(list), ",") {
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
func (s *Store) MessagesByID(ctx context.Context, ids []int64) ([]model.Message, error) {
	return s.messagesByID(ctx, s.db, ids)
}

func (s *Store) messagesByID(ctx context.Context, db queryer, ids []int64) ([]model.Message, error) {
	found := make(map[int64]model.Message, len(ids))
	for chunk := range slices.Chunk(ids, 500) {
		err := s.readMessages(ctx, db, chunk, found)
		if corrupt(err) {
			err = s.salvageMessages(ctx, chunk, found)
		}
		if err != nil {
			return nil, s.wrap("read messages of", err)
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
func (s *Store) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	c, err := s.familyOf(ctx, id)
	if err != nil {
		return nil, err
	}
	m, ok := c.conversationOf(id)
	if !ok {
		return nil, s.notFound(id)
	}
	var tail []model.Message // newest first
	err = s.snapshot(ctx, func(q queryer) error {
		for _, segment := range slices.Backward(m.Segments) {
			// All ids come from an index alone; what is visible is found out
			// from the end on.
			ids, err := s.allIDs(ctx, q, segment)
			if err != nil {
				return err
			}
			for len(ids) > 0 && len(tail) < n {
				from := max(0, len(ids)-n-8)
				found := map[int64]model.Message{}
				if err := s.readMessages(ctx, q, ids[from:], found); err != nil {
					return err
				}
				for _, id := range slices.Backward(ids[from:]) {
					if m, ok := found[id]; ok && visible(m) && len(tail) < n {
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
	if corrupt(err) {
		o, err := s.Outline(ctx, id)
		if err != nil {
			return nil, err
		}
		return s.MessagesByID(ctx, o.IDs[max(0, len(o.IDs)-n):])
	}
	slices.Reverse(tail)
	return tail, s.wrap("read "+id+" of", err)
}

// visible says of a message what [schema.visible] says of a row.
func visible(m model.Message) bool {
	return !m.Rewound && !m.Compacted && m.Kind != "hidden" && m.Role != "session_meta"
}

// messageColumns are the columns of [model.Message] in the order in which
// scanMessage takes them.
var messageColumns = [...]string{
	"id", "session_id", "role", "content", "tool_calls", "tool_call_id", "tool_name", "timestamp", "finish_reason",
	"reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items",
	"display_kind", "observed", "active", "compacted",
}

func (s *Store) readMessages(ctx context.Context, q queryer, ids []int64, found map[int64]model.Message) error {
	names := make([]string, len(messageColumns))
	for i, name := range messageColumns {
		names[i] = s.schema.column("messages", "m", name)
	}
	// One statement for any number of ids is prepared once.
	rows, err := s.prepared(q).QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+`
		FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, list(slices.Values(ids)))
	if err != nil {
		return err
	}
	defer rows.Close()
	values := make([]any, len(messageColumns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		m := scanMessage(values)
		found[m.ID] = m
	}
	return rows.Err()
}

func scanMessage(v []any) model.Message {
	m := model.Message{
		ID: number(v[0]), SessionID: text(v[1]), Role: text(v[2]),
		ToolCallID: text(v[5]), ToolName: text(v[6]), At: moment(v[7]), Finish: text(v[8]),
		Kind: text(v[13]), Observed: truth(v[14]),
	}
	if inactive := v[15] != nil && !truth(v[15]); inactive {
		m.Compacted = truth(v[16])
		m.Rewound = !m.Compacted
	}
	var broken [3]string
	m.Content, broken[0] = model.DecodeContent(text(v[3]))
	m.Calls, broken[1] = model.DecodeCalls(text(v[4]))
	m.Reasoning, broken[2] = model.DecodeReasoning(text(v[9]), text(v[10]), text(v[11]), text(v[12]))
	m.Broken = strings.Join(slices.DeleteFunc(broken[:], func(s string) bool { return s == "" }), "; ")
	return m
}
