package store

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hermes-sessions/model"
)

// sieve judges conversations by a list query: sources, folder and filters.
type sieve struct {
	query model.ListQuery
	all   bool                           // nothing is asked but the scope
	cheap func(*model.Conversation) bool // what the sessions' rows tell
	deep  func(*model.Conversation) bool // what only messages tell, nil for nothing
	hints []string                       // filters that match nothing in this file, and why
}

// sift makes the judgement of a query over the conversations of a shelf. words
// says that messages are searched too: filters on messages are then about
// those that are found, and not about the conversation.
func (s *Store) sift(ctx context.Context, c *catalog, all *shelf, q model.ListQuery, words bool) (*sieve, error) {
	v := &sieve{query: q}
	var cheap, deep []model.Filter
	for _, f := range q.Filters {
		hint := s.schema.lacks(f)
		if hint != "" && !slices.Contains(v.hints, hint) {
			v.hints = append(v.hints, hint)
		}
		switch {
		case f.OfMessages() && words:
		case s.schema.asksMessages(f) && hint == "":
			deep = append(deep, f)
		default:
			cheap = append(cheap, f)
		}
	}
	lacks := func(f model.Filter) bool { return s.schema.lacks(f) != "" }
	nobody := func(string, model.Filter) bool { return false }
	v.all = len(cheap)+len(deep)+len(q.Sources)+len(q.ExcludeSources) == 0 && q.CWD == ""
	v.cheap = model.Keep(cheap, s.now(), lacks, nobody)
	if len(deep) == 0 {
		return v, nil
	}
	// Messages are read only where all else fits.
	var ids []string
	for _, m := range all.all() {
		if m.Messages > 0 && v.fits(m) {
			ids = append(ids, m.Segments...)
		}
	}
	voices, err := s.voices(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	v.deep = model.Keep(deep, s.now(), lacks, func(id string, f model.Filter) bool {
		return voices[id].says(f)
	})
	return v, nil
}

// keeps tests all that the query asks but the scope.
func (v *sieve) keeps(m *model.Conversation) bool {
	return v.all || v.fits(m) && (v.deep == nil || v.deep(m))
}

// of gives the test for the numbers of conversations, one at a time.
func (v *sieve) of(all *shelf) func(n int32) bool {
	if v.all {
		return func(int32) bool { return true }
	}
	var m model.Conversation
	return func(n int32) bool {
		all.remake(&m, n)
		return v.keeps(&m)
	}
}

// shown says which scopes belong to the answer.
func shown(q model.ListQuery) (shows [model.Everything + 1]bool) {
	for scope := range shows {
		shows[scope] = q.Shows(model.Scope(scope))
	}
	return shows
}

func (v *sieve) fits(m *model.Conversation) bool { return v.query.Admits(m) && v.cheap(m) }

// kept gives the judgement of filters over the conversations that sessions
// belong to.
func (s *Store) kept(ctx context.Context, fs []model.Filter) (func(session string) bool, error) {
	if len(fs) == 0 {
		return func(string) bool { return true }, nil
	}
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.sift(ctx, c, c.shelf, model.ListQuery{Filters: fs}, true)
	if err != nil {
		return nil, err
	}
	return func(id string) bool {
		m, ok := c.conversationOf(id)
		return ok && v.keeps(&m)
	}, nil
}

// lacks says why a file can not answer a filter, "" where it can: an old
// schema has not the column.
func (s schema) lacks(f model.Filter) string {
	missing := func(what string, columns ...string) string {
		for _, c := range columns {
			if table, column, _ := strings.Cut(c, "."); s.has(table, column) {
				return ""
			}
		}
		name := string(f.Field) + ":"
		if f.Field == model.FilterIs || f.Field == model.FilterHas {
			name += f.Value
		}
		return name + " matches nothing: this database does not keep " + what
	}
	switch f.Field {
	case model.FilterModel:
		return missing("models", "sessions.model")
	case model.FilterTitle:
		return missing("titles", "sessions.title")
	case model.FilterCWD:
		return missing("folders", "sessions.cwd")
	case model.FilterBranch:
		return missing("git branches", "sessions.git_branch")
	case model.FilterTool:
		return missing("the names of tools", "messages.tool_name", "messages.tool_calls")
	case model.FilterTokens:
		return missing("token counts", "sessions.input_tokens", "sessions.output_tokens")
	case model.FilterCost:
		return missing("costs", "sessions.estimated_cost_usd", "sessions.actual_cost_usd")
	case model.FilterIs:
		switch f.Value {
		case "pinned":
			return missing("pins", "sessions.pinned")
		case "archived":
			return missing("an archive", "sessions.archived", "sessions.hidden")
		}
	case model.FilterHas:
		switch f.Value {
		case "tool":
			return missing("tool calls", "sessions.tool_call_count", "messages.tool_calls", "messages.tool_name")
		case "reasoning":
			return missing("reasoning", append([]string{"sessions.reasoning_tokens"}, reasoningColumns()...)...)
		}
	}
	return ""
}

func reasoningColumns() []string {
	return []string{"messages.reasoning", "messages.reasoning_content", "messages.reasoning_details", "messages.codex_reasoning_items"}
}

// asksMessages reports whether messages must be read to answer a filter.
func (s schema) asksMessages(f model.Filter) bool {
	return f.OfMessages() || f.Field == model.FilterHas &&
		(f.Value == "reasoning" || f.Value == "tool" && !s.has("sessions", "tool_call_count"))
}

// voice is who speaks in a session's transcript.
type voice struct {
	roles, tools []string
	reasoning    bool
}

func (v voice) says(f model.Filter) bool {
	switch {
	case f.Field == model.FilterHas && f.Value == "tool":
		return len(v.tools) > 0
	case f.Field == model.FilterHas:
		return v.reasoning
	case f.Field == model.FilterTool:
		return model.Only([]model.Filter{f}, "", v.tools)
	}
	return slices.ContainsFunc(v.roles, func(role string) bool { return model.Only([]model.Filter{f}, role, nil) })
}

// choir keeps the voices that were heard.
type choir struct {
	mu     sync.Mutex
	voices map[dressKey]voice
	names  map[string]string // each name in memory once
}

// maxVoices bounds the memory of what was heard.
const maxVoices = 200_000

// voices listens to sessions, in the memory first. What was heard before a
// cancellation is not lost.
func (s *Store) voices(ctx context.Context, c *catalog, ids []string) (map[string]voice, error) {
	heard := make(map[string]voice, len(ids))
	var missing []string
	h := &s.choir
	h.mu.Lock()
	for _, id := range ids {
		if v, ok := h.voices[c.dressKey(id)]; ok {
			heard[id] = v
		} else {
			missing = append(missing, id)
		}
	}
	h.mu.Unlock()
	for chunk := range slices.Chunk(missing, 100) {
		found, err := s.listen(ctx, chunk)
		if corrupt(err) {
			s.note(NoteDamaged) // and these say nothing
			continue
		}
		if err != nil {
			return nil, s.wrap("look through messages", err)
		}
		h.mu.Lock()
		if h.voices == nil || len(h.voices) > maxVoices {
			h.voices, h.names = map[dressKey]voice{}, map[string]string{}
		}
		for _, id := range chunk {
			v := found[id]
			for _, names := range [][]string{v.roles, v.tools} {
				for i, n := range names {
					if _, ok := h.names[n]; !ok {
						h.names[n] = n
					}
					names[i] = h.names[n]
				}
			}
			h.voices[c.dressKey(id)], heard[id] = v, v
		}
		h.mu.Unlock()
	}
	return heard, nil
}

// listen reads who speaks in sessions.
func (s *Store) listen(ctx context.Context, ids []string) (map[string]voice, error) {
	var reasoning []string
	for _, c := range reasoningColumns() {
		if table, column, _ := strings.Cut(c, "."); s.schema.has(table, column) {
			reasoning = append(reasoning, "m."+column+" <> ''")
		}
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	rows, err := s.db.QueryContext(ctx, `SELECT m.session_id, m.role, `+
		s.schema.column("messages", "m", "tool_name")+`, `+s.schema.column("messages", "m", "tool_calls")+`, `+
		`coalesce(`+strings.Join(append(reasoning, "0"), " OR ")+`, 0)
		FROM messages m WHERE m.session_id IN (`+strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")+`)
		AND `+s.schema.said("m")+s.schema.unlessHidden("m")+` AND m.role <> 'session_meta'`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]voice{}
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
		v := found[text(id)]
		add(&v.roles, text(role))
		for _, n := range toolNames(name, calls) {
			add(&v.tools, n)
		}
		v.reasoning = v.reasoning || truth(thought)
		found[text(id)] = v
	}
	return found, rows.Err()
}

// toolNames gives the tools that a message names: the one that answers, or
// those that are called.
func toolNames(name, calls any) []string {
	var names []string
	if n := text(name); n != "" {
		names = append(names, n)
	}
	if stored := text(calls); stored != "" {
		decoded, _ := model.DecodeCalls(stored) // what can not be decoded names nothing
		for _, c := range decoded {
			names = append(names, c.Name)
		}
	}
	return names
}

// withTool adds the tool that a query asks for to its words: messages that name
// it hold it, so the index leaves fewer to be looked at.
func withTool(q model.Query) model.Query {
	var tools []model.Term
	for _, f := range q.Filters {
		if f.Field == model.FilterTool && !f.Not {
			tools = append(tools, model.Term{Text: f.Value, Prefix: f.Prefix})
		}
	}
	if len(tools) != 1 || tools[0].Words() == nil || tools[0].Symbols() { // of several, one is enough
		return q
	}
	groups := slices.Clone(q.Groups)
	for i, g := range groups {
		groups[i].All = append(slices.Clone(g.All), tools[0])
	}
	q.Groups = groups
	return q
}

// by notes by which road an answer was found, once each.
func (f *finder) by(road string) {
	if !slices.Contains(f.route, road) {
		f.route = append(f.route, road)
	}
}
