package print

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store"
)

// RowSource is where rows are read: one database, or several as one.
type RowSource interface {
	Records(ctx context.Context, ids []string) ([]store.Record, error)
	Notes() []model.HealthNote
	// LocalID returns the id that a session has in its own database.
	LocalID(id string) string
}

// ConversationObjects returns conversations for JSON: the raw columns of the tip, without
// the system prompt unless --full asks for it, then the values computed over the whole
// conversation.
func ConversationObjects(ctx context.Context, s RowSource, rows []model.Conversation, full bool) ([]pyjson.Object, error) {
	records, err := sessionRows(ctx, s, rows)
	if err != nil {
		return nil, err
	}
	objects := make([]pyjson.Object, len(rows))
	for i, c := range rows {
		segments := make([]any, len(c.Segments))
		for j, id := range c.Segments {
			segments[j] = s.LocalID(id)
		}
		if !full {
			records[i] = slices.DeleteFunc(records[i], func(f pyjson.Field) bool { return f.Name == "system_prompt" })
		}
		objects[i] = append(records[i][:len(records[i]):len(records[i])],
			pyjson.Field{Name: "preview", Value: c.Preview},
			pyjson.Field{Name: "last_active", Value: output.Seconds(c.LastActive)},
			pyjson.Field{Name: "root_id", Value: s.LocalID(c.RootID)},
			pyjson.Field{Name: "segments", Value: segments},
			pyjson.Field{Name: "delegates", Value: int64(c.Delegates)},
			pyjson.Field{Name: "branches", Value: int64(c.Branches)},
			pyjson.Field{Name: "workspace", Value: output.OrNull(c.Workspace())},
			pyjson.Field{Name: "expires_at", Value: output.Seconds(c.ExpiresAt)},
		)
		if s.LocalID(c.ID) != c.ID {
			objects[i] = append(objects[i], pyjson.Field{Name: "profile", Value: c.Profile})
		}
	}
	return objects, nil
}

// sessionRows reads the row of the tip of each conversation.
func sessionRows(ctx context.Context, s RowSource, of []model.Conversation) ([]store.Record, error) {
	ids := make([]string, len(of))
	for i, c := range of {
		ids[i] = c.ID
	}
	records, err := s.Records(ctx, ids)
	if isDamaged(s, err) {
		records, err = salvagedRecords(ctx, s, of)
	}
	if err == nil && len(records) != len(of) {
		err = fmt.Errorf("read the listed sessions: only %d of %d still exist", len(records), len(of))
	}
	return records, err
}

// isDamaged reports whether an error, or a note, says that part of the database cannot
// be read.
func isDamaged(s RowSource, err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && e.Kind == model.KindDamaged ||
		err == nil && slices.ContainsFunc(s.Notes(), func(n model.HealthNote) bool { return n.Kind == model.NoteDamaged })
}

// salvagedRecords reads the rows of conversations one by one. Where a row is lost, it
// returns what the messages say about the session.
func salvagedRecords(ctx context.Context, s RowSource, rows []model.Conversation) ([]store.Record, error) {
	records := make([]store.Record, len(rows))
	for i, c := range rows {
		some, err := s.Records(ctx, []string{c.ID})
		switch {
		case err == nil && len(some) == 1:
			records[i] = some[0]
		case err == nil || isDamaged(s, err):
			records[i] = store.Record{
				{Name: "id", Value: s.LocalID(c.ID)},
				{Name: "source", Value: nil},
				{Name: "title", Value: nil},
				{Name: "started_at", Value: nil},
				{Name: "message_count", Value: int64(c.Messages)},
			}
		default:
			return nil, err
		}
	}
	return records, nil
}
