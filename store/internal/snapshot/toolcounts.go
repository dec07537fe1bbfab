package snapshot

import (
	"context"
	"slices"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/store/internal/db"
)

// toolCountsChunk is how many sessions one statement reads; ctx is checked between two.
const toolCountsChunk = 50

// ToolCounts counts how sessions have called tools: the calls that messages store, and the
// results without such a call. A call has failed if its result says so. Messages that were
// rewound do not count. The sessions of a damaged part of the file are left out, with a note.
func (s *Sessions) ToolCounts(ctx context.Context, ids []string) ([]usage.ToolCount, error) {
	var some, others []usage.ToolCount
	half := len(ids) / 2
	err := db.ParallelIf(half >= toolCountsChunk,
		func() (err error) { some, err = s.toolCounts(ctx, ids[:half]); return err },
		func() (err error) { others, err = s.toolCounts(ctx, ids[half:]); return err })
	return append(some, others...), err
}

// toolCounts is ToolCounts on one connection.
func (s *Sessions) toolCounts(ctx context.Context, ids []string) (all []usage.ToolCount, err error) {
	for chunk := range slices.Chunk(ids, toolCountsChunk) {
		found, err := s.readToolCounts(ctx, chunk)
		if db.IsCorrupt(err) {
			s.db.AddNote(db.NoteDamaged)
			continue
		}
		if err != nil {
			return nil, s.db.WrapError("count the tool calls of", err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// sessionTools are the calls of a session while its messages are read.
type sessionTools struct {
	tools map[string]*usage.ToolCount
	names map[string]string // of calls, by their ids
}

// of returns the count of a tool, zero at first.
func (t *sessionTools) of(session, name string) *usage.ToolCount {
	if t.tools[name] == nil {
		t.tools[name] = &usage.ToolCount{Session: session, Tool: name}
	}
	return t.tools[name]
}

// readToolCounts reads the counts of the sessions of one chunk.
func (s *Sessions) readToolCounts(ctx context.Context, ids []string) ([]usage.ToolCount, error) {
	column := func(name string) string { return s.db.Schema.ColumnOrNull("messages", "m", name) }
	sessions := map[string]*sessionTools{}
	err := db.EachRow(ctx, s.db.Pool, `SELECT m.session_id, m.role, `+column("tool_name")+`, `+column("tool_calls")+`, `+column("tool_call_id")+`,
		`+db.ResultEnds+`
		FROM messages m WHERE m.session_id IN (`+db.Placeholders(len(ids))+`)
		AND `+s.db.Schema.NotRewoundRows("m")+s.db.Schema.AndNotHidden("m")+` AND m.role IN ('assistant', 'tool') ORDER BY m.id`, db.BindArgs(ids), func(r db.Row) {
		session := r.Text(0)
		t := sessions[session]
		if t == nil {
			t = &sessionTools{map[string]*usage.ToolCount{}, map[string]string{}}
			sessions[session] = t
		}
		if r.Text(1) == "assistant" {
			for _, c := range db.CallsOf(r[3]) {
				t.of(session, c.Name).Calls++
				if c.ID != "" {
					t.names[c.ID] = c.Name
				}
			}
			return
		}
		called, ok := t.names[r.Text(4)]
		if !ok {
			called = r.Text(2)
			t.of(session, called).Calls++
		}
		if model.StoredFailure(r.Text(5)) != "" {
			t.of(session, called).Failed++
		}
	})
	var all []usage.ToolCount
	for _, id := range ids {
		if t := sessions[id]; t != nil {
			from := len(all)
			for _, c := range t.tools {
				all = append(all, *c)
			}
			found := all[from:]
			sort.Slice(found, func(i, j int) bool { return found[i].Tool < found[j].Tool })
		}
	}
	return all, err
}
