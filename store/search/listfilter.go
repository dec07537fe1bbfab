package search

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/internal/snapshot"
)

// listFilter judges conversations by a list query: sources, folder and filters.
type listFilter struct {
	query      query.ListOptions
	acceptsAll bool                           // only the scope restricts the list
	bySession  func(*model.Conversation) bool // by the rows of the sessions
	byMessages func(*model.Conversation) bool // by their messages, nil when no filter needs these
	failures   []query.Filter                 // that conversations with failed calls pass
	failed     map[string]sessionroles.Failures
	hints      []string // filters that match nothing in this file, and why
}

// missingNotes says how many conversations that a filter asks for are in no row any more, ""
// for none: what the user noted outlives them.
func missingNotes(snap *snapshot.Snapshot, f query.Filter) string {
	n := f.Known.Missing(func(root string) bool { _, there := snap.Position(root); return there })
	switch {
	case n == 0 || f.Not:
		return ""
	case n == 1:
		return "1 noted conversation no longer exists; the command notes lists it"
	}
	return model.Quantity(n, "noted conversation") + " no longer exist; the command notes lists them"
}

// newListFilter returns the filter of a list query over the conversations of an index.
// With words, messages are searched too: filters on messages then apply to each message
// that matches, and not to the conversation.
func (e *Engine) newListFilter(ctx context.Context, snap *snapshot.Snapshot, all *snapshot.ConversationIndex, q query.ListOptions, words bool) (*listFilter, error) {
	v := &listFilter{query: q}
	var cheap, deep []query.Filter
	for _, f := range q.Filters {
		hint := CannotFilter(e.db.Schema, f)
		if f.Field == query.FieldIs && f.Value == "expiring" {
			hint = e.db.Retention().String()
		}
		if hint == "" && f.OnNotes() && !snap.IsPart() {
			hint = missingNotes(snap, f)
		}
		if hint != "" && !slices.Contains(v.hints, hint) {
			v.hints = append(v.hints, hint)
		}
		switch {
		case f.Field == query.FieldText: // see [Engine.Conversations]
		case f.OnMessages() && words:
		case filterNeedsMessages(e.db.Schema, f) && hint == "":
			deep = append(deep, f)
		default:
			cheap = append(cheap, f)
		}
	}
	lacks := func(f query.Filter) bool { return CannotFilter(e.db.Schema, f) != "" }
	withFile, err := e.sessionsWithFiles(ctx, snap, cheap, lacks)
	if err != nil {
		return nil, err
	}
	v.acceptsAll = len(cheap)+len(deep)+len(q.Sources)+len(q.ExcludeSources) == 0 && q.CWD+q.Workspace == ""
	v.bySession = query.Predicate(cheap, e.db.Clock(), lacks, func(id string, f query.Filter) bool { return withFile[f][id] })
	if len(deep) == 0 {
		return v, nil
	}
	// Messages are read only of conversations that pass all else.
	var ids []string
	for _, m := range all.All() {
		if m.Messages > 0 && v.matchesBySession(m) {
			ids = append(ids, m.Segments...)
		}
	}
	var roles map[string]sessionroles.Roles
	var failed map[string]sessionroles.Failures
	if slices.ContainsFunc(deep, sessionroles.IsFailure) {
		if failed, err = e.FailuresOf(ctx, snap, ids); err != nil {
			return nil, err
		}
		v.failed = failed
		for _, f := range deep {
			if sessionroles.IsFailure(f) && !f.Not {
				v.failures = append(v.failures, f)
			}
		}
	}
	if slices.ContainsFunc(deep, func(f query.Filter) bool { return !sessionroles.IsFailure(f) }) {
		if roles, err = e.sessionRolesOf(ctx, snap, ids); err != nil {
			return nil, err
		}
	}
	v.byMessages = query.Predicate(deep, e.db.Clock(), lacks, func(id string, f query.Filter) bool {
		if sessionroles.IsFailure(f) {
			return failed[id].Passes(f)
		}
		return roles[id].Passes(f)
	})
	return v, nil
}

// sessionsWithFiles returns the sessions that pass each filter file:, by the filter without
// its negation.
func (e *Engine) sessionsWithFiles(ctx context.Context, snap *snapshot.Snapshot, fs []query.Filter, lacks func(query.Filter) bool) (map[query.Filter]map[string]bool, error) {
	found := map[query.Filter]map[string]bool{}
	for _, f := range fs {
		if f.Field != query.FieldFile || lacks(f) {
			continue
		}
		f.Not = false
		ids, err := e.sessionsWithFile(ctx, snap, f)
		if err != nil {
			return nil, e.db.WrapError("read messages of", err)
		}
		found[f] = ids
	}
	return found, nil
}

// sessionRolesOf returns the roles of sessions of a snapshot.
func (e *Engine) sessionRolesOf(ctx context.Context, snap *snapshot.Snapshot, ids []string) (map[string]sessionroles.Roles, error) {
	return e.sessionRoles.Of(ctx, e.db, ids, snap.PreviewKey)
}

// countFailures sets how many failed calls of a conversation the filters are about.
func (f *listFilter) countFailures(m *model.Conversation) {
	m.Failed = sessionroles.CountFailures(f.failures, f.failed, m.Segments)
}

// matches tests everything except the scope.
func (f *listFilter) matches(m *model.Conversation) bool {
	return f.acceptsAll || f.matchesBySession(m) && (f.byMessages == nil || f.byMessages(m))
}

// matcher returns the test for the numbers of conversations, one at a time.
func (f *listFilter) matcher(all *snapshot.ConversationIndex) func(n int32) bool {
	if f.acceptsAll {
		return func(int32) bool { return true }
	}
	return all.Matcher(f.matches)
}

// matchesBySession tests what needs no messages: the origin, and filters on the rows of the sessions.
func (f *listFilter) matchesBySession(m *model.Conversation) bool {
	return f.query.AdmitsOrigin(m) && f.bySession(m)
}

// roleFilterPredicate returns the predicate of filters over the conversations that
// sessions belong to.
func (e *Engine) roleFilterPredicate(ctx context.Context, fs []query.Filter) (keeps func(session string) bool, hints []string, err error) {
	if len(fs) == 0 {
		return func(string) bool { return true }, nil, nil
	}
	snap, err := e.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, err := e.newListFilter(ctx, snap, snap.Conversations, query.ListOptions{Filters: fs}, true)
	if err != nil {
		return nil, nil, err
	}
	return func(id string) bool {
		m, ok := snap.ConversationOf(id)
		return ok && f.matches(&m)
	}, f.hints, nil
}

// scopeWithMost returns the scope with the most hidden hits, the first of equals.
func scopeWithMost(hidden [model.ScopeAll + 1]int) model.Scope {
	best := model.ScopeConversations
	for scope := model.ScopeConversations; scope <= model.ScopeAll; scope++ {
		if hidden[scope] > hidden[best] {
			best = scope
		}
	}
	return best
}
