package search

import (
	"context"
	"maps"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/snippet"
)

// bestHits returns the best hit of each conversation of found. That is the newest
// message of the best rank, see [hitScore]. When it matches by its tool calls alone, or
// in a text that Hermes inserted, up to maxCandidates-1 earlier messages are tried
// for one that was said and matches by its text. The messages are read at every key: a
// cache of those of the last page would save half a millisecond of it.
func (e *Engine) bestHits(ctx context.Context, conn db.Querier, q query.Query, h *hitCounter, found []int32) (map[int32]model.Hit, error) {
	best := make(map[int32]model.Hit, len(found))
	next := make(map[int32]int64, len(found))
	for round := range maxCandidates {
		wanted := map[int64]int32{}
		for _, n := range found {
			if hit, ok := best[n]; ok && hit.Kind != model.HitTool && !hit.Inserted() {
				continue
			}
			id, ok := h.nextCandidate(n, round, next[n])
			if ok {
				wanted[id], next[n] = n, id
			}
		}
		if len(wanted) == 0 {
			break
		}
		for chunk := range slices.Chunk(slices.Sorted(maps.Keys(wanted)), snippetReadBatch) {
			read, err := e.snippetSources(ctx, conn, chunk)
			if err != nil {
				return nil, err
			}
			for _, hit := range snippet.Hits(q, read, snippet.Width, round > 0) {
				n := wanted[hit.MessageID]
				if old, ok := best[n]; !ok || snippet.Better(hit, old) {
					best[n] = hit
				}
			}
		}
	}
	return best, nil
}

// maxCandidates is how many messages of a conversation are tried as its best hit.
const maxCandidates = 4

// nextCandidate returns the message to try as the best hit of a conversation: in round
// 0 the newest of the best rank, then the newest one before last that is not of a
// tool. last is the message of the round before. ok is false when there is none.
func (h *hitCounter) nextCandidate(n int32, round int, last int64) (id int64, ok bool) {
	s := &h.scores[n]
	if round == 0 {
		return s.bestHit & maxBestID, s.bestHit != 0
	}
	if round >= int(s.bySpeakers) {
		return 0, false
	}
	for id, ok = h.ids.Before(last); ok; id, ok = h.ids.Before(id) {
		if !h.roles.FromTools.Has(id) && h.conversationOf(h.sessionOf(id)) == n {
			return id, true
		}
	}
	return 0, false
}

// snippetReadBatch is how many messages are read at a time, which bounds the memory.
const snippetReadBatch = 200

// snippetSources reads messages. One whose row is damaged is given with its id alone,
// and noted in the health of the database.
func (e *Engine) snippetSources(ctx context.Context, q db.Querier, ids []int64) ([]snippet.Source, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	read, err := e.readSnippetSources(ctx, q, ids)
	if db.IsCorrupt(err) {
		e.db.AddNote(model.NoteDamaged)
		read = nil
		for _, id := range ids {
			one, err := e.readSnippetSources(ctx, e.db.Pool, []int64{id})
			switch {
			case db.IsCorrupt(err):
				one = []snippet.Source{{Hit: model.Hit{MessageID: id}}}
			case err != nil:
				return nil, e.db.WrapError("read messages of", err)
			}
			read = append(read, one...)
		}
		return read, nil
	}
	return read, e.db.WrapError("read messages of", err)
}

// readSnippetSources reads messages by one statement. Deleted ones are left out.
func (e *Engine) readSnippetSources(ctx context.Context, q db.Querier, ids []int64) (read []snippet.Source, err error) {
	column := func(name string) string { return e.db.Schema.ColumnOrNull("messages", "m", name) }
	// One statement serves any number of ids, so it is prepared once.
	read = make([]snippet.Source, 0, len(ids))
	err = db.EachRow(ctx, e.db.CachedStatements(q), `SELECT m.id, m.session_id, m.role, m.content, `+
		column("tool_calls")+`, `+column("tool_name")+`, `+column("timestamp")+`
		FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(slices.Values(ids))}, func(r db.Row) {
		content, _ := model.DecodeContent(r.Text(3)) // what cannot be decoded is given as it is stored
		read = append(read, snippet.Source{
			Hit: model.Hit{
				MessageID: r.Int(0), SessionID: r.Text(1), Role: r.Text(2),
				ToolName: r.Text(5), At: r.Time(6),
			},
			Body: content.Text, ToolCalls: r.Text(4),
		})
	})
	return read, err
}
