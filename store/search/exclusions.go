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

// conversationsWithout returns a page of the list less the conversations that a search for
// one of some terms finds.
func (e *Engine) conversationsWithout(ctx context.Context, list query.ListOptions, terms []match.Term) (page model.ConversationPage, err error) {
	err = e.sessions.ReadSnapshotTx(ctx, func(conn db.Querier, snap *snapshot.Snapshot) error {
		index := snap.Index(list, e.db.Clock())
		found, note, err := e.findAny(ctx, conn, snap, index, terms)
		if err != nil {
			return err
		}
		page, err = e.listSnapshot(ctx, snap, index, list, found)
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

// findAny returns the conversations of an index that a search for any of some terms finds, by
// number. note says which index of the file was of no use.
func (e *Engine) findAny(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, index *snapshot.ConversationIndex, terms []match.Term) (found map[int32]bool, note string, err error) {
	var q query.Query
	for _, t := range terms {
		q.Groups = append(q.Groups, match.Group{All: []match.Term{t}})
	}
	if err := e.sessions.ReadMessageSessions(ctx, conn, snap); err != nil {
		return nil, "", err
	}
	h := hitCounter{index: index, hitCounts: e.scorePool.take(len(index.Scopes))}
	defer h.release(&e.scorePool)
	var res model.SearchResults
	if err := e.countMatches(ctx, conn, snap, q, newNameMatcher(q), &h, &res); err != nil {
		return nil, "", err
	}
	found = map[int32]bool{}
	for _, n := range h.nonZero {
		found[n] = true
	}
	return found, res.IndexNote, nil
}
