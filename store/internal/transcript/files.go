package transcript

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/store/internal/db"
)

// fileCall is a tool call with files, while its result has not been read.
type fileCall struct {
	message int64
	folder  string
	uses    []files.Use
	failed  bool
}

// filesBatch is how many messages one statement reads; ctx is checked between two.
const filesBatch = 2_000

// Files returns the files that a conversation has worked on; see store.Store.Files.
func (r *Reader) Files(ctx context.Context, id string) ([]files.File, error) {
	o, err := r.Outline(ctx, id)
	if err != nil {
		return nil, err
	}
	folders, err := r.folders(ctx, o.Conversation.Segments)
	if err != nil {
		return nil, r.db.WrapError("read the folders of", err)
	}
	var calls []*fileCall
	byID := map[string]*fileCall{}
	for chunk := range slices.Chunk(o.MessageIDs, filesBatch) {
		err := r.eachToolMessage(ctx, chunk, func(m model.Message, failure string) {
			if failure != "" && byID[m.ToolCallID] != nil {
				byID[m.ToolCallID].failed = true
			}
			for _, c := range m.Calls {
				if uses := files.Of(c); len(uses) > 0 {
					call := &fileCall{message: m.ID, folder: folders[m.SessionID], uses: uses}
					calls = append(calls, call)
					if c.ID != "" {
						byID[c.ID] = call
					}
				}
			}
		})
		if db.IsCorrupt(err) {
			r.db.AddNote(model.NoteDamaged) // the files of these messages are missing
			continue
		}
		if err != nil {
			return nil, r.db.WrapError("read the tool calls of", err)
		}
	}
	log := files.NewLog(o.Conversation.CWD)
	for _, c := range calls {
		for _, use := range c.uses {
			log.Add(c.folder, c.message, use, c.failed)
		}
	}
	return log.Files(), nil
}

// eachToolMessage calls each with the messages that call tools or are results;
// failure is [model.StoredFailure] of a result. A message has only its ids and calls.
func (r *Reader) eachToolMessage(ctx context.Context, ids []int64, each func(m model.Message, failure string)) error {
	column := func(name string) string { return r.db.Schema.ColumnOrNull("messages", "m", name) }
	return db.EachRow(ctx, r.db.Pool, `SELECT m.id, m.session_id, `+column("tool_calls")+`, `+column("tool_call_id")+`,
		`+db.ResultFailure+`
		FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value
		WHERE m.role = 'tool' OR `+column("tool_calls")+` <> '' ORDER BY j.key`, []any{db.JSONList(slices.Values(ids))}, func(row db.Row) {
		m := model.Message{ID: row.Int(0), SessionID: row.Text(1), ToolCallID: row.Text(3), Calls: db.CallsOf(row[2])}
		each(m, row.Text(4))
	})
}

// folders returns the folders of sessions by their ids, without the sessions that have none.
func (r *Reader) folders(ctx context.Context, ids []string) (map[string]string, error) {
	folders := map[string]string{}
	if !r.db.Schema.Has("sessions", "cwd") {
		return folders, nil
	}
	err := db.EachRow(ctx, r.db.Pool, `SELECT id, cwd FROM sessions WHERE cwd <> '' AND id IN (`+db.Placeholders(len(ids))+`)`, db.BindArgs(ids), func(row db.Row) {
		folders[row.Text(0)] = row.Text(1)
	})
	return folders, err
}
