package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/analysis"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/ftsquery"
)

// errIncomplete says that a part of the sessions lacks some that were requested of it.
var errIncomplete = errors.New("more sessions are needed")

// minPartSessions is how many sessions a part may have in any file, and
// maxPartFraction the fraction of a large file that it may have: reading one session
// with its family costs as much as reading four of all sessions.
const (
	minPartSessions = 1_000
	maxPartFraction = 8
)

// searchUnprepared answers a query while all sessions, or the sessions of all messages,
// have not been read. ok is false where they have been, or are needed. With FirstPage
// they never are: of many messages the newest are searched, and RowsOnly is set.
func (e *Engine) searchUnprepared(ctx context.Context, q query.Query, list query.ListOptions) (res model.SearchResults, ok bool, err error) {
	snap := e.sessions.CachedSnapshot()
	firstPage := list.FirstPage && list.Limit > 0 && list.Offset <= 0
	// The filter file: needs all sessions.
	withFile := slices.ContainsFunc(list.Filters, func(f query.Filter) bool { return f.Field == query.FieldFile })
	if withFile || e.db.IndexesBypassed.Load() || snap != nil && (!firstPage || snap.MessageSessions.Load() != nil) {
		return res, false, nil
	}
	if res, ok, err = e.searchPart(ctx, q, list, false); !ok && err == nil && firstPage {
		res, ok, err = e.searchPart(ctx, q, list, true)
	}
	return res, ok && (res.Conversations > 0 || !res.RowsOnly), err // "nothing found" must be certain
}

// searchPart answers a query where few messages match: it reads the sessions of these, and
// those with a name that matches. ok is false where all sessions have to be read. The answer
// is the one that [Engine.search] gives with all sessions: it is called with the sessions read
// so far, again and again, until every message that it finds is in one of them.
//
// With newestOnly it searches only the newest of many messages, and no closest
// conversations. The answer then has rows without counts.
func (e *Engine) searchPart(ctx context.Context, q query.Query, list query.ListOptions, newestOnly bool) (res model.SearchResults, ok bool, err error) {
	skipped := newestOnly && list.Closest
	list.Closest = list.Closest && !newestOnly
	var first *firstRows
	if !newestOnly {
		first = newFirstRows(list)
	}
	err = e.db.ReadTx(ctx, func(conn db.Querier) error {
		version := e.db.SameVersion(ctx, conn)
		if (version == 0 || e.partVersion.Swap(version) != version) && e.sessions.CachedSnapshot() == nil {
			e.sessions.DropRoles() // without a map it is not known which messages were deleted
		}
		if !newestOnly && first == nil {
			if err := e.newExecutor(conn, q, version).checkPart(ctx, false); err != nil {
				return err
			}
		}
		snap, err := e.sessions.NewPart(ctx, conn, version, newestOnly)
		var plan []string // of the first call: a later one may take steps of it from caches
		for err == nil {
			res, err = e.search(ctx, conn, snap, first, q, list)
			if plan == nil {
				plan = res.Plan
			}
			if res.Plan = plan; !errors.Is(err, errIncomplete) {
				if snap.WasCut() {
					removeCounts(&res)
				}
				res.RowsOnly = res.RowsOnly || snap.WasCut() || skipped && res.Conversations <= query.ClosestUpTo
				return err
			}
			if snap.Requested() > max(minPartSessions, snap.SessionCount()/maxPartFraction) {
				return snapshot.ErrPart
			}
			k := capabilitiesOf(snap)
			if snap, err = e.sessions.ExtendPart(ctx, conn, snap); err == nil {
				snap.Derived.GetOrCreate(func() any { return k })
			}
		}
		return err
	})
	switch {
	case err == nil:
		return res, true, nil
	case ctx.Err() == nil && (errors.Is(err, snapshot.ErrPart) || db.IsCorrupt(err)):
		return model.SearchResults{}, false, nil
	}
	return model.SearchResults{}, false, cmp.Or(ctx.Err(), err)
}

// checkPart estimates, before any message is looked up, whether the words of the query are
// in more messages than a part may look up, and returns [snapshot.ErrPart] then: the work
// of a part that gives up half-way is wasted. The closest conversations need the messages
// of every word.
func (ex *executor) checkPart(ctx context.Context, closest bool) error {
	if err := ex.probeOnce(ctx); err != nil || ex.words.table == "" {
		return err
	}
	_, last, err := ex.idRange(ctx)
	if err != nil || last <= maxPartMessages { // all of a small file is read as fast
		return err
	}
	ix := &ex.engine.indexes
	if err := ix.lock(ctx); err != nil {
		return err
	}
	defer ix.unlock()
	x, err := ix.refreshed(ctx, ex, ex.words.table, last)
	if err != nil {
		return ctx.Err() // the search says why the index cannot be read
	}
	messages, most := 0, partMessages(last)
	for _, g := range ex.query.Groups {
		if !closest && len(g.All) > 1 { // together they may stand in few
			continue
		}
		for _, t := range g.All {
			if e, ok := ftsquery.Term(t).IndexExpression(x); ok && t.Words() != nil && !analysis.IsFunctionWord(strings.ToLower(t.Text)) {
				messages += x.EstimateRows(ctx, e, most)
			}
			if messages > most {
				return snapshot.ErrPart
			}
		}
	}
	return nil
}

// removeCounts removes what only the search of all messages counts. A conversation with
// a message that matches has one hit.
func removeCounts(res *model.SearchResults) {
	res.Hits = 0
	res.HiddenHits = 0
	res.HiddenConversations = 0
	res.HiddenScope = 0
	res.Conversations = len(res.Matches)
	for i := range res.Matches {
		res.Matches[i].Hits = min(res.Matches[i].Hits, 1)
	}
}
