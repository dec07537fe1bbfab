package search

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/snapshot"
)

// Conversations answers the list. Total and OutOfScope count everything that
// matches, not only the page. Where the query sets FirstPage or RowsOnly and there is no
// snapshot yet of a large database, TotalsSkipped is set, and the totals are those of
// the sessions that were read for the page; the message counts of long sessions are
// then those that their writers noted. All else of a page with RowsOnly equals the
// whole list. With FirstPage other rows may be on it where clocks were set back, or
// where the file stores the last activity apart from the messages.
//
// Where the query excludes terms and searches for none (-docker alone), the list leaves out
// the conversations that a search for one of them finds: by any of their messages, a
// title, an id or a source.
func (e *Engine) Conversations(ctx context.Context, list query.ListOptions) (model.ConversationPage, error) {
	page, ok, err := e.sessions.FirstPage(ctx, list)
	if ok || err != nil {
		return page, err
	}
	if terms := list.ExcludedTerms(); len(terms) > 0 {
		return e.conversationsWithout(ctx, list, terms)
	}
	snap, err := e.sessions.RecentSnapshot(ctx)
	if err != nil {
		return model.ConversationPage{}, err
	}
	return e.listSnapshot(ctx, snap, snap.Index(list, e.db.Clock()), list, nil)
}

// listSnapshot returns the list of a snapshot, with previews, less some conversations of the
// index.
func (e *Engine) listSnapshot(ctx context.Context, snap *snapshot.Snapshot, index *snapshot.ConversationIndex, list query.ListOptions, except map[int32]bool) (model.ConversationPage, error) {
	f, err := e.newListFilter(ctx, snap, index, list, false)
	if err != nil {
		return model.ConversationPage{}, err
	}
	keeps := f.matcher(index)
	page := index.Page(list, func(n int32) bool { return !except[n] && keeps(n) })
	page.FilterHints = f.hints
	for i := range page.Conversations {
		f.countFailures(&page.Conversations[i])
	}
	if list.NoPreviews {
		return page, nil
	}
	return page, e.sessions.AddPreviews(ctx, page.Conversations)
}
