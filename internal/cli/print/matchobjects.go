package print

import (
	"context"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// MatchObjects returns matches for JSON. The id of a best hit is null where the
// title, the id or the source matched.
func MatchObjects(ctx context.Context, s RowSource, matches []model.Match, full bool) ([]pyjson.Object, error) {
	rows := make([]model.Conversation, len(matches))
	for i, m := range matches {
		rows[i] = m.Conversation
	}
	objects, err := ConversationObjects(ctx, s, rows, full)
	if err != nil {
		return nil, err
	}
	for i, m := range matches {
		var id any
		if m.Best.MessageID != 0 {
			id = m.Best.MessageID
		}
		missing := make([]any, len(m.Missing))
		for j, word := range m.Missing {
			missing[j] = word
		}
		objects[i] = append(objects[i],
			pyjson.Field{Name: "match", Value: m.Tier().String()},
			pyjson.Field{Name: "missing", Value: missing},
			pyjson.Field{Name: "hits", Value: int64(m.Hits)},
			pyjson.Field{Name: "best", Value: pyjson.Object{
				{Name: "id", Value: id},
				{Name: "session_id", Value: s.LocalID(m.Best.SessionID)},
				{Name: "role", Value: output.OrNull(m.Best.Role)},
				{Name: "snippet", Value: withMarkers(m.Best.Snippet)},
				{Name: "timestamp", Value: output.Seconds(m.Best.At)},
				{Name: "tool_name", Value: output.OrNull(m.Best.ToolName)},
				{Name: "source", Value: m.Source},
				{Name: "model", Value: output.OrNull(m.Model)},
				{Name: "session_started", Value: output.Seconds(m.StartedAt)},
			}})
	}
	return objects, nil
}
