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
				s.db.AddNote(model.NoteDamaged)
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
			counts[tool] = &usage.ToolCount{Session: session, Tool: tool}
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
	messages, names := map[string]*[]toolMessage{}, map[string]string{}
	intern := func(name string) string { // each name in memory once
		if _, ok := names[name]; !ok {
			name = strings.Clone(name)
			names[name] = name
		}
		return names[name]
	}
	var session string // of the last message
	var its *[]toolMessage
	// Sorted here, since SQLite would write what it sorts. The content comes first: SQLite reads its
	// pages twice where it has looked for a column behind them before.
	err = db.VisitRows(ctx, s.db.Pool, []string{
		`CASE m.role WHEN 'tool' THEN coalesce(m.content, '') END`, `m.id`, `m.session_id`, column("tool_name"), column("tool_call_id"), column("tool_calls"),
	}, `FROM messages m WHERE m.session_id IN (`+db.Placeholders(len(ids))+`) AND `+s.db.Schema.NotRewoundRows("m")+s.db.Schema.AndNotHidden("m")+`
		AND (m.role = 'tool' OR m.role = 'assistant' AND `+column("tool_calls")+` <> '')`, db.BindArgs(ids), func(r db.Row) {
		m := toolMessage{id: r.Int(1)}
		if r[0] != nil {
			m.tool = intern(r.Text(3))
			m.answer = strings.Clone(r.Text(4))
			m.failed = model.StoredFailure(r.Text(0)) != ""
		} else if m.calls = model.CallHeads(r.Text(5)); m.calls == nil {
			return
		}
		for i, c := range m.calls {
			m.calls[i] = model.ToolCall{ID: strings.Clone(c.ID), Name: intern(c.Name)}
		}
		if of := r.Text(2); its == nil || of != session {
			session = strings.Clone(of)
			if its = messages[session]; its == nil {
				few := make([]toolMessage, 0, 16)
				its = &few
				messages[session] = its
			}
		}
		*its = append(*its, m)
	})
	for _, id := range ids {
		if its := messages[id]; its != nil {
			all = append(all, countTools(id, *its)...)
		}
	}
	return all, err
}
