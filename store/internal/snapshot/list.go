package snapshot

import (
	"context"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Conversations answers the list. Total and OutOfScope count everything that
// matches, not only the page. Where the query sets FirstPage or RowsOnly and there is no
// snapshot yet of a large database, TotalsSkipped is set, and the totals are those of
// the sessions that were read for the page; the message counts of long sessions are
// then those that their writers noted. All else of a page with RowsOnly equals the
// whole list. With FirstPage other rows may be on it where clocks were set back, or
// where the file stores the last activity apart from the messages.
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
	snap, err := s.CurrentSnapshot(ctx)
	if err != nil {
		return model.ConversationPage{}, err
	}
	all := Exception{Index: snap.Index(q, s.db.Clock())}
	return all.Conversations(ctx, s, snap, q)
}

// Index returns the conversations of a snapshot as a query lists them, at a time.
func (snap *Snapshot) Index(q query.ListOptions, now time.Time) *ConversationIndex {
	if q.EverySession {
		return newConversationIndex(snap, now, true)
	}
	return snap.Conversations
}

// Exception is conversations that a list leaves out, such as those that contain an
// excluded word.
type Exception struct {
	Index   *ConversationIndex // of [Snapshot.Index]
	Numbers map[int32]bool     // in Index
}

// Conversations returns the list of a snapshot without those of the exception.
func (e *Exception) Conversations(ctx context.Context, s *Sessions, snap *Snapshot, q query.ListOptions) (model.ConversationPage, error) {
	f, err := s.NewListFilter(ctx, snap, e.Index, q, false)
	if err != nil {
		return model.ConversationPage{}, err
	}
	page := f.listPage(e.Index, e.Numbers)
	return page, s.AddPreviews(ctx, page.Conversations)
}

// listPage returns the page that the query asks for, without previews and states,
// less some conversations.
func (f *ListFilter) listPage(all *ConversationIndex, except map[int32]bool) model.ConversationPage {
	q := f.query
	page := model.ConversationPage{FilterHints: f.Hints}
	keeps, shows := f.MatcherFor(all), ScopesShown(q)
	var found []int32
	for _, n := range all.Sorted(q.SortOrder()) {
		switch {
		case except[n]:
		case !keeps(n):
		case shows[all.Scopes[n]]:
			found = append(found, n)
		default:
			page.OutOfScope++
		}
	}
	page.Total = len(found)
	if q.PinnedFirst && q.SortOrder() == query.ByActivity {
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
		f.CountFailures(&page.Conversations[i])
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
