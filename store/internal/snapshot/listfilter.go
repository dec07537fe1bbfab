package snapshot

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// ListFilter judges conversations by a list query: sources, folder and filters.
type ListFilter struct {
	query      query.ListOptions
	acceptsAll bool                           // nothing is asked but the scope
	bySession  func(*model.Conversation) bool // what the sessions' rows tell
	byMessages func(*model.Conversation) bool // what only messages tell, nil for nothing
	Hints      []string                       // filters that match nothing in this file, and why
}

// NewListFilter makes the judgement of a query over the conversations of a shelf. words
// says that messages are searched too: filters on messages are then about
// those that are found, and not about the conversation.
func (s *Sessions) NewListFilter(ctx context.Context, c *Snapshot, all *ConversationIndex, q query.ListOptions, words bool) (*ListFilter, error) {
	v := &ListFilter{query: q}
	var cheap, deep []query.Filter
	for _, f := range q.Filters {
		hint := s.db.Schema.CannotFilter(f)
		if hint != "" && !slices.Contains(v.Hints, hint) {
			v.Hints = append(v.Hints, hint)
		}
		switch {
		case f.OnMessages() && words:
		case s.db.Schema.FilterNeedsMessages(f) && hint == "":
			deep = append(deep, f)
		default:
			cheap = append(cheap, f)
		}
	}
	lacks := func(f query.Filter) bool { return s.db.Schema.CannotFilter(f) != "" }
	nobody := func(string, query.Filter) bool { return false }
	v.acceptsAll = len(cheap)+len(deep)+len(q.Sources)+len(q.ExcludeSources) == 0 && q.CWD == ""
	v.bySession = query.Predicate(cheap, s.db.Clock(), lacks, nobody)
	if len(deep) == 0 {
		return v, nil
	}
	// Messages are read only where all else fits.
	var ids []string
	for _, m := range all.All() {
		if m.Messages > 0 && v.inScope(m) {
			ids = append(ids, m.Segments...)
		}
	}
	voices, err := s.SessionRolesOf(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	v.byMessages = query.Predicate(deep, s.db.Clock(), lacks, func(id string, f query.Filter) bool {
		return voices[id].hasRoleOrTool(f)
	})
	return v, nil
}

// matches tests all that the query asks but the scope.
func (v *ListFilter) matches(m *model.Conversation) bool {
	return v.acceptsAll || v.inScope(m) && (v.byMessages == nil || v.byMessages(m))
}

// MatcherFor gives the test for the numbers of conversations, one at a time.
func (v *ListFilter) MatcherFor(all *ConversationIndex) func(n int32) bool {
	if v.acceptsAll {
		return func(int32) bool { return true }
	}
	var m model.Conversation
	return func(n int32) bool {
		all.fill(&m, n)
		return v.matches(&m)
	}
}

// ScopesShown says which scopes belong to the answer.
func ScopesShown(q query.ListOptions) (shows [model.ScopeAll + 1]bool) {
	for scope := range shows {
		shows[scope] = q.ShowsScope(model.Scope(scope))
	}
	return shows
}

func (v *ListFilter) inScope(m *model.Conversation) bool {
	return v.query.AdmitsSource(m) && v.bySession(m)
}

// RoleFilterPredicate gives the judgement of filters over the conversations that sessions
// belong to.
func (s *Sessions) RoleFilterPredicate(ctx context.Context, fs []query.Filter) (func(session string) bool, error) {
	if len(fs) == 0 {
		return func(string) bool { return true }, nil
	}
	c, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.NewListFilter(ctx, c, c.Conversations, query.ListOptions{Filters: fs}, true)
	if err != nil {
		return nil, err
	}
	return func(id string) bool {
		m, ok := c.ConversationOf(id)
		return ok && v.matches(&m)
	}, nil
}

// sessionRoles is who speaks in a session's transcript.
type sessionRoles struct {
	Roles, Tools []string
	reasoning    bool
}

func (v sessionRoles) hasRoleOrTool(f query.Filter) bool {
	switch {
	case f.Field == query.FieldHas && f.Value == "tool":
		return len(v.Tools) > 0
	case f.Field == query.FieldHas:
		return v.reasoning
	case f.Field == query.FieldTool:
		return query.MessagePasses([]query.Filter{f}, "", v.Tools)
	}
	return slices.ContainsFunc(v.Roles, func(role string) bool { return query.MessagePasses([]query.Filter{f}, role, nil) })
}

// sessionRolesCache keeps the voices that were heard.
type sessionRolesCache struct {
	mu        sync.Mutex
	bySession map[previewKey]sessionRoles
	toolNames map[string]string // each name in memory once
}

// maxSessionRoles bounds the memory of what was heard.
const maxSessionRoles = 200_000

// SessionRolesOf listens to sessions, in the memory first. What was heard before a
// cancellation is not lost.
func (s *Sessions) SessionRolesOf(ctx context.Context, c *Snapshot, ids []string) (map[string]sessionRoles, error) {
	heard := make(map[string]sessionRoles, len(ids))
	var missing []string
	h := &s.sessionRoles
	h.mu.Lock()
	for _, id := range ids {
		if v, ok := h.bySession[c.PreviewKey(id)]; ok {
			heard[id] = v
		} else {
			missing = append(missing, id)
		}
	}
	h.mu.Unlock()
	for chunk := range slices.Chunk(missing, 100) {
		found, err := s.readSessionRoles(ctx, chunk)
		if db.IsCorrupt(err) {
			s.db.AddNote(db.NoteDamaged) // and these say nothing
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
			h.bySession[c.PreviewKey(id)], heard[id] = v, v
		}
		h.mu.Unlock()
	}
	return heard, nil
}

// readSessionRoles reads who speaks in sessions.
func (s *Sessions) readSessionRoles(ctx context.Context, ids []string) (map[string]sessionRoles, error) {
	var reasoning []string
	for _, c := range db.ReasoningColumns() {
		if table, column, _ := strings.Cut(c, "."); s.db.Schema.Has(table, column) {
			reasoning = append(reasoning, "m."+column+" <> ''")
		}
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	rows, err := s.db.Pool.QueryContext(ctx, `SELECT m.session_id, m.role, `+
		s.db.Schema.ColumnOrNull("messages", "m", "tool_name")+`, `+s.db.Schema.ColumnOrNull("messages", "m", "tool_calls")+`, `+
		`coalesce(`+strings.Join(append(reasoning, "0"), " OR ")+`, 0)
		FROM messages m WHERE m.session_id IN (`+strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")+`)
		AND `+s.db.Schema.SaidByPeople("m")+s.db.Schema.UnlessHidden("m")+` AND m.role <> 'session_meta'`, args...)
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
		var id, role, name, calls, thought any
		if err := rows.Scan(&id, &role, &name, &calls, &thought); err != nil {
			return nil, err
		}
		v := found[db.AsText(id)]
		add(&v.Roles, db.AsText(role))
		for _, n := range ToolNames(name, calls) {
			add(&v.Tools, n)
		}
		v.reasoning = v.reasoning || db.AsBool(thought)
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
		decoded, _ := model.DecodeCalls(stored) // what can not be decoded names nothing
		for _, c := range decoded {
			names = append(names, c.Name)
		}
	}
	return names
}

// AddToolTerm adds the tool that a query asks for to its words: messages that name
// it hold it, so the index leaves fewer to be looked at.
func AddToolTerm(q query.Query) query.Query {
	var tools []match.Term
	for _, f := range q.Filters {
		if f.Field == query.FieldTool && !f.Not {
			tools = append(tools, match.Term{Text: f.Value, Prefix: f.Prefix})
		}
	}
	if len(tools) != 1 || tools[0].Words() == nil || tools[0].HasSymbols() { // of several, one is enough
		return q
	}
	groups := slices.Clone(q.Groups)
	for i, g := range groups {
		groups[i].All = append(slices.Clone(g.All), tools[0])
	}
	q.Groups = groups
	return q
}
