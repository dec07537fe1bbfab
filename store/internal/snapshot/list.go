package snapshot

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Conversations answers the list. Total and Hidden count everything that
// matches, whatever the page holds, unless the query can do without and the
// database is a large one that was not listed yet: then the page is Partial,
// and the totals are those of what had to be read for it. Who has some
// thousand messages is then believed to have as many as its writer counted.
// All else in a page with RowsOnly is exactly that of the whole list. With
// Glance others may stand on it where clocks were set back, or where the file
// keeps apart from the messages when a session was last active.
func (s *Sessions) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	if q.FirstPage || q.RowsOnly {
		page, ok, err := s.firstPage(ctx, q)
		if err != nil {
			return model.ConversationPage{}, err
		}
		if ok {
			return page, s.AddPreviews(ctx, page.Conversations)
		}
	}
	c, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return model.ConversationPage{}, err
	}
	shelf := c.Conversations
	if q.EverySession {
		shelf = NewConversationIndex(c, s.db.Clock(), true)
	}
	v, err := s.NewListFilter(ctx, c, shelf, q, false)
	if err != nil {
		return model.ConversationPage{}, err
	}
	page := v.listPage(shelf)
	return page, s.AddPreviews(ctx, page.Conversations)
}

// listPage picks what is asked for, previews and states left open.
func (v *ListFilter) listPage(all *ConversationIndex) model.ConversationPage {
	q := v.query
	page := model.ConversationPage{FilterHints: v.Hints}
	keeps, shows := v.MatcherFor(all), ScopesShown(q)
	var found []int32
	for _, n := range all.Sorted(q.Order) {
		switch {
		case !keeps(n):
		case shows[all.Scopes[n]]:
			found = append(found, n)
		default:
			page.OutOfScope++
		}
	}
	page.Total = len(found)
	if q.PinnedFirst && q.Order == query.ByActivity {
		found = all.pinnedToFront(found)
	}
	from := min(max(q.Offset, 0), len(found))
	found = found[from:]
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	page.Conversations = make([]model.Conversation, len(found))
	for i, n := range found {
		page.Conversations[i] = all.Conversation(n)
	}
	return page
}

// pinnedToFront puts what is pinned before all others. A conversation is as its
// tip is, so only those with a pinned session are looked at.
func (h *ConversationIndex) pinnedToFront(in []int32) []int32 {
	pinned := map[int32]bool{}
	for i := range h.Sessions.rows {
		if h.Sessions.rows[i].pinned {
			n := h.ConversationOf(int32(i))
			pinned[n] = h.Conversation(n).Pinned
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
