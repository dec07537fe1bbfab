package snapshot

import (
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Index returns the conversations of a snapshot as a query lists them, at a time.
func (snap *Snapshot) Index(q query.ListOptions, now time.Time) *ConversationIndex {
	if q.EverySession {
		return newConversationIndex(snap, now, true)
	}
	return snap.Conversations
}

// Matcher returns a test of conversations as one of their numbers, one at a time.
func (ix *ConversationIndex) Matcher(test func(*model.Conversation) bool) func(n int32) bool {
	var m model.Conversation
	return func(n int32) bool {
		ix.fill(&m, n)
		return test(&m)
	}
}

// ScopesShown says which scopes belong to the answer.
func ScopesShown(q query.ListOptions) (shows [model.ScopeAll + 1]bool) {
	for scope := range shows {
		shows[scope] = q.ShowsScope(model.Scope(scope))
	}
	return shows
}

// Page returns the page that a query asks for of the conversations that are kept, without
// previews. What the query says of sources and filters is up to keeps.
func (ix *ConversationIndex) Page(q query.ListOptions, keeps func(n int32) bool) (page model.ConversationPage) {
	shows := ScopesShown(q)
	var found []int32
	for _, n := range ix.Sorted(q.SortOrder()) {
		switch {
		case !keeps(n):
		case shows[ix.Scopes[n]]:
			found = append(found, n)
		default:
			page.OutOfScope++
		}
	}
	page.Total = len(found)
	if q.PinnedFirst && q.SortOrder() == query.ByActivity {
		found = ix.pinnedToFront(found)
	}
	from := min(max(q.Offset, 0), len(found))
	found = found[from:]
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	page.Conversations = make([]model.Conversation, len(found))
	for i, n := range found {
		page.Conversations[i] = ix.Conversation(n)
	}
	return page
}

// pinnedToFront moves pinned conversations to the front. A conversation is pinned if
// its tip is, so only those with a pinned session are checked.
func (ix *ConversationIndex) pinnedToFront(in []int32) []int32 {
	pinned := map[int32]bool{}
	for i := range ix.Sessions.Live() {
		if ix.Sessions.Pinned(i) {
			n := ix.ConversationOf(int32(i))
			pinned[n] = ix.Conversation(n).Pinned
		}
	}
	if len(pinned) == 0 {
		return in
	}
	out := make([]int32, 0, len(in))
	for _, first := range []bool{true, false} {
		for _, n := range in {
			if pinned[n] == first {
				out = append(out, n)
			}
		}
	}
	return out
}
