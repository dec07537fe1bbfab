package snapshot

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// sessionRoles is the roles and tools in the transcript of a session, the tools of which
// a call failed, and whether it has reasoning.
type sessionRoles struct {
	Roles, Tools, Failed []string
	reasoning            bool
}

func (v sessionRoles) hasRoleOrTool(f query.Filter) bool {
	switch {
	case f.Field == query.FieldHas && f.Value == "tool":
		return len(v.Tools) > 0
	case f.Field == query.FieldHas && f.Value == "failed":
		return len(v.Failed) > 0
	case f.Field == query.FieldFailed:
		return slices.ContainsFunc(v.Failed, f.Matches)
	case f.Field == query.FieldHas:
		return v.reasoning
	case f.Field == query.FieldTool:
		return query.MessagePasses([]query.Filter{f}, "", v.Tools)
	}
	return slices.ContainsFunc(v.Roles, func(role string) bool { return query.MessagePasses([]query.Filter{f}, role, nil) })
}

// sessionRolesCache caches the roles of sessions.
type sessionRolesCache struct {
	mu        sync.Mutex
	bySession map[previewKey]sessionRoles
	toolNames map[string]string // each name in memory once
}

// maxSessionRoles bounds the memory of the cache.
const maxSessionRoles = 200_000

// SessionRolesOf gives the roles of sessions, from the cache or the file. Those that
// were read before a cancellation are cached.
func (s *Sessions) SessionRolesOf(ctx context.Context, c *Snapshot, ids []string) (map[string]sessionRoles, error) {
	roles := make(map[string]sessionRoles, len(ids))
	var missing []string
	h := &s.sessionRoles
	h.mu.Lock()
	for _, id := range ids {
		if v, ok := h.bySession[c.PreviewKey(id)]; ok {
			roles[id] = v
		} else {
			missing = append(missing, id)
		}
	}
	h.mu.Unlock()
	for chunk := range slices.Chunk(missing, 100) {
		found, err := s.readSessionRoles(ctx, chunk)
		if db.IsCorrupt(err) {
			s.db.AddNote(db.NoteDamaged) // these sessions match no role
			continue
		}
		if err != nil {
			return nil, s.db.WrapError("look through messages", err)
		}
		h.mu.Lock()
		if h.bySession == nil || len(h.bySession) > maxSessionRoles {
			h.bySession, h.toolNames = map[previewKey]sessionRoles{}, map[string]string{}
		}
		for _, id := range chunk {
			v := found[id]
			for _, names := range [][]string{v.Roles, v.Tools, v.Failed} {
				for i, n := range names {
					if _, ok := h.toolNames[n]; !ok {
						h.toolNames[n] = n
					}
					names[i] = h.toolNames[n]
				}
			}
			h.bySession[c.PreviewKey(id)], roles[id] = v, v
		}
		h.mu.Unlock()
	}
	return roles, nil
}

// readSessionRoles reads the roles of sessions.
func (s *Sessions) readSessionRoles(ctx context.Context, ids []string) (map[string]sessionRoles, error) {
	var reasoning []string
	for _, c := range reasoningColumns {
		if table, column, _ := strings.Cut(c, "."); s.db.Schema.Has(table, column) {
			reasoning = append(reasoning, "m."+column+" <> ''")
		}
	}
	args := db.BindArgs(ids)
	rows, err := s.db.Pool.QueryContext(ctx, `SELECT m.session_id, m.role, `+
		s.db.Schema.ColumnOrNull("messages", "m", "tool_name")+`, `+s.db.Schema.ColumnOrNull("messages", "m", "tool_calls")+`, `+
		`coalesce(`+strings.Join(append(reasoning, "0"), " OR ")+`, 0),
		CASE m.role WHEN 'tool' THEN CASE WHEN m.content < char(1) THEN m.content ELSE substr(m.content, 1, `+strconv.Itoa(model.MaxFailure)+`) END END,
		`+s.db.Schema.ColumnOrNull("messages", "m", "tool_call_id")+`
		FROM messages m WHERE m.session_id IN (`+db.Placeholders(len(ids))+`)
		AND `+s.db.Schema.NotRewoundRows("m")+s.db.Schema.AndNotHidden("m")+` AND m.role <> 'session_meta'`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]sessionRoles{}
	add := func(to *[]string, name string) {
		if name != "" && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	callNames := map[[2]string]string{} // session and id of a call → its tool
	var unnamed [][2]string             // calls that failed, where their results do not name the tool
	for rows.Next() {
		var id, role, name, calls, thought, result, callID any
		if err := rows.Scan(&id, &role, &name, &calls, &thought, &result, &callID); err != nil {
			return nil, err
		}
		v := found[db.AsText(id)]
		add(&v.Roles, db.AsText(role))
		add(&v.Tools, db.AsText(name))
		for _, c := range callsOf(calls) {
			add(&v.Tools, c.Name)
			callNames[[2]string{db.AsText(id), c.ID}] = c.Name
		}
		v.reasoning = v.reasoning || db.AsBool(thought)
		if model.StoredFailure(db.AsText(result)) != "" {
			if tool := db.AsText(name); tool != "" {
				add(&v.Failed, tool)
			} else {
				unnamed = append(unnamed, [2]string{db.AsText(id), db.AsText(callID)})
			}
		}
		found[db.AsText(id)] = v
	}
	for _, call := range unnamed {
		v := found[call[0]]
		add(&v.Failed, cmp.Or(callNames[call], "unknown"))
		found[call[0]] = v
	}
	return found, rows.Err()
}

// ToolNames gives the tools that a message names: the one that answers, or
// those that are called.
func ToolNames(name, calls any) []string {
	var names []string
	if n := db.AsText(name); n != "" {
		names = append(names, n)
	}
	for _, c := range callsOf(calls) {
		names = append(names, c.Name)
	}
	return names
}

// callsOf gives the stored tool calls of a message. Those that cannot be decoded are left
// out.
func callsOf(stored any) []model.ToolCall {
	calls, _ := model.DecodeCalls(db.AsText(stored))
	return calls
}
