package snapshot

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/store/internal/db"
)

// toolCountsChunk is how many sessions one statement reads; ctx is checked between two.
const toolCountsChunk = 50

// ToolCounts counts how sessions have called tools: the calls that messages store, and the
// results without such a call. A call has failed if its result says so. Messages that were
// rewound do not count. The sessions of a damaged part of the file are left out, with a note.
// All calls of a session are of one state of the file; a session that is read later may have what
// was written since.
func (s *Sessions) ToolCounts(ctx context.Context, ids []string) ([]usage.ToolCount, error) {
	chunks := slices.Collect(slices.Chunk(ids, toolCountsChunk))
	found := make([][]usage.ToolCount, len(chunks))
	var next atomic.Int64 // each of two connections takes the next chunk
	read := func() error {
		for i := next.Add(1) - 1; i < int64(len(chunks)); i = next.Add(1) - 1 {
			var err error
			if found[i], err = s.readToolCounts(ctx, chunks[i]); db.IsCorrupt(err) {
				s.db.AddNote(db.NoteDamaged)
				found[i] = nil
			} else if err != nil {
				return s.db.WrapError("count the tool calls of", err)
			}
		}
		return nil
	}
	if err := db.ParallelIf(len(chunks) > 1, read, read); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// toolMessage is a message that calls tools, or the result of a call.
type toolMessage struct {
	id     int64
	calls  []model.ToolCall // none for a result
	answer string           // the id of the call that a result answers
	tool   string           // that a result names
	failed bool
}

// countTools counts the calls of a session. It changes the order of the messages.
func countTools(session string, messages []toolMessage) []usage.ToolCount {
	sort.Slice(messages, func(i, j int) bool { return messages[i].id < messages[j].id })
	counts, named := map[string]*usage.ToolCount{}, map[string]string{} // by tool; tools by the ids of calls
	of := func(tool string) *usage.ToolCount {
		if counts[tool] == nil {
			counts[tool] = &usage.ToolCount{Session: session, Tool: strings.Clone(tool)} // without the text it is part of
		}
		return counts[tool]
	}
	for _, m := range messages {
		for _, c := range m.calls {
			of(c.Name).Calls++
			if c.ID != "" {
				named[c.ID] = c.Name
			}
		}
		if m.calls != nil {
			continue
		}
		tool, called := named[m.answer]
		if !called {
			tool = m.tool
			of(tool).Calls++
		}
		if m.failed {
			of(tool).Failed++
		}
	}
	all := make([]usage.ToolCount, 0, len(counts))
	for _, c := range counts {
		all = append(all, *c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Tool < all[j].Tool })
	return all
}

// readToolCounts reads the counts of the sessions of one chunk.
func (s *Sessions) readToolCounts(ctx context.Context, ids []string) (all []usage.ToolCount, err error) {
	column := func(name string) string { return s.db.Schema.ColumnOrNull("messages", "m", name) }
	messages := map[string][]toolMessage{}
	// Sorted here, since SQLite would write what it sorts. The content comes first: SQLite reads its
	// pages twice where it has looked for a column behind them before.
	err = db.EachRow(ctx, s.db.Pool, `SELECT `+db.ResultFailure+`, m.id, m.session_id,
		CASE m.role WHEN 'tool' THEN coalesce(`+column("tool_name")+`, '') END, CASE m.role WHEN 'tool' THEN `+column("tool_call_id")+` ELSE `+column("tool_calls")+` END
		FROM messages m WHERE m.session_id IN (`+db.Placeholders(len(ids))+`) AND `+s.db.Schema.NotRewoundRows("m")+s.db.Schema.AndNotHidden("m")+`
		AND (m.role = 'tool' OR m.role = 'assistant' AND `+column("tool_calls")+` <> '')`, db.BindArgs(ids), func(r db.Row) {
		m := toolMessage{id: r.Int(1)}
		if r[3] != nil {
			m.tool, m.answer, m.failed = r.Text(3), r.Text(4), r[0] != nil
		} else if m.calls = model.CallHeads(r.Text(4)); m.calls == nil {
			return
		}
		messages[r.Text(2)] = append(messages[r.Text(2)], m)
	})
	for _, id := range ids {
		all = append(all, countTools(id, messages[id])...)
	}
	return all, err
}
