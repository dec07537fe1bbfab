package snapshot

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// sessionRoles is the roles and tools in the transcript of a session, and whether it
// has reasoning and failed tool calls.
type sessionRoles struct {
	Roles, Tools      []string
	reasoning, failed bool
}

func (v sessionRoles) hasRoleOrTool(f query.Filter) bool {
	switch {
	case f.Field == query.FieldHas && f.Value == "tool":
		return len(v.Tools) > 0
	case f.Field == query.FieldHas && f.Value == "failed":
		return v.failed
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
			for _, names := range [][]string{v.Roles, v.Tools} {
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
		CASE m.role WHEN 'tool' THEN substr(m.content, 1, `+strconv.Itoa(model.MaxFailure)+`) END
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
	for rows.Next() {
		var id, role, name, calls, thought, result any
		if err := rows.Scan(&id, &role, &name, &calls, &thought, &result); err != nil {
			return nil, err
		}
		v := found[db.AsText(id)]
		add(&v.Roles, db.AsText(role))
		for _, n := range ToolNames(name, calls) {
			add(&v.Tools, n)
		}
		v.reasoning = v.reasoning || db.AsBool(thought)
		v.failed = v.failed || model.FailureOf(db.AsText(result)) != ""
		found[db.AsText(id)] = v
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
	if stored := db.AsText(calls); stored != "" {
		decoded, _ := model.DecodeCalls(stored) // calls that cannot be decoded name no tool
		for _, c := range decoded {
			names = append(names, c.Name)
		}
	}
	return names
}
