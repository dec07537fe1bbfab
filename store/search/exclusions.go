package search

import (
	"cmp"
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Conversations returns a page of the list, as package snapshot does. Where the query
// excludes terms and searches for none (-docker alone), the list leaves out the
// conversations that a search for one of them finds: by any of their messages, a
// title, an id or a source.
func (e *Engine) Conversations(ctx context.Context, list query.ListOptions) (model.ConversationPage, error) {
	terms := list.ExcludedTerms()
	if len(terms) == 0 {
		return e.sessions.Conversations(ctx, list)
	}
	var page model.ConversationPage
	err := e.sessions.ReadSnapshotTx(ctx, func(conn db.Querier, snap *snapshot.Snapshot) error {
		except := snapshot.Exception{Index: snap.Index(list, e.db.Clock()), Numbers: map[int32]bool{}}
		note, err := e.findAny(ctx, conn, snap, terms, &except)
		if err != nil {
			return err
		}
		page, err = except.Conversations(ctx, e.sessions, snap, list)
		if note != "" {
			page.FilterHints = append(page.FilterHints, note)
		}
		return err
	})
	if err != nil {
		return model.ConversationPage{}, e.db.WrapError("search", cmp.Or(ctx.Err(), err))
	}
	return page, nil
}

// findAny adds to found the conversations that a search for any of some terms finds.
// note says which index was of no use.
func (e *Engine) findAny(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, terms []match.Term, found *snapshot.Exception) (note string, err error) {
	var q query.Query
	for _, t := range terms {
		q.Groups = append(q.Groups, match.Group{All: []match.Term{t}})
	}
	if err := e.sessions.ReadMessageSessions(ctx, conn, snap); err != nil {
		return "", err
	}
	h := hitCounter{index: found.Index, hitCounts: e.scorePool.take(len(found.Index.Scopes))}
	defer h.release(&e.scorePool)
	var res model.SearchResults
	if err := e.countMatches(ctx, conn, snap, q, newNameMatcher(q), &h, &res); err != nil {
		return "", err
	}
	for _, n := range h.nonZero {
		found.Numbers[n] = true
	}
	return res.IndexNote, nil
}
