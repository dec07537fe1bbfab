package search

import (
	"context"
	"errors"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/failures"
	"hermes-sessions/store/search/ftsquery"
)

// FailuresOf returns the failed calls of sessions of a snapshot.
func (e *Engine) FailuresOf(ctx context.Context, snap *snapshot.Snapshot, ids []string) (map[string]sessionroles.Failures, error) {
	failed := make(map[string]sessionroles.Failures, len(ids))
	if e.sessionRoles.Missing(ids, snap.PreviewKey) > e.ReadFailuresUpTo {
		all, ok, err := e.FailedResults(ctx)
		if err != nil {
			return nil, e.db.WrapError("read messages of", err)
		}
		if ok {
			var unsure []string // their calls have the names
			for _, id := range ids {
				if all[id][""] > 0 {
					unsure = append(unsure, id)
				} else if all[id] != nil {
					failed[id] = all[id]
				}
			}
			ids = unsure
		}
	}
	roles, err := e.sessionRolesOf(ctx, snap, ids)
	if err != nil {
		return nil, err
	}
	for id, r := range roles {
		failed[id] = r.Failed
	}
	return failed, nil
}

// FailedResults counts, by session and tool, the results of tools that report a failure and
// may be shown. The tool is "" where the result does not name it. ok is false when the word
// index cannot tell which results these may be.
func (e *Engine) FailedResults(ctx context.Context) (counts map[string]sessionroles.Failures, ok bool, err error) {
	counts = map[string]sessionroles.Failures{}
	err = e.db.PairTx(ctx, func(conn, parallel db.Querier) error {
		ex := e.newExecutor(conn, query.Query{}, e.db.SameVersion(ctx, conn))
		err := ex.probeOnce(ctx)
		if err != nil || ex.words.table == "" || ex.lacksMessages || !e.db.Schema.HasSyncTriggers(ex.words.table) {
			return err
		}
		var all map[int64]failures.Result
		all, ok, err = e.failures.All(ctx, ex.failureSource(parallel))
		if err != nil || !ok {
			return err
		}
		ids := &idset.Set{}
		for id := range all {
			ids.Add(id)
		}
		if err := ex.removeHidden(ctx, ids); err != nil {
			return err
		}
		for id := range ids.All() {
			r := all[id]
			counts[r.Session] = counts[r.Session].With(r.Tool)
		}
		return nil
	})
	switch {
	case err == nil || ctx.Err() != nil:
		return counts, ok, ctx.Err()
	case db.IsCorrupt(err) || isIndexError(err): // the results are read one by one, around the damage
		return nil, false, nil
	}
	return nil, false, err
}

// failureSource returns the database to package failures.
func (ex *executor) failureSource(parallel db.Querier) failures.Source {
	return failures.Source{
		ToolName: ex.toolNameColumn, Tx: ex.tx, ParallelTx: parallel,
		Changes: ex.changesOf(&ex.words),
		Words: func(ctx context.Context, q ftsquery.Query) (*idset.Set, bool, error) {
			ids, ok, err := ex.matchByIndex(ctx, &ex.words, q, nil)
			if ok {
				roles := ex.engine.sessions.RoleSets.Read()
				ids.Subtract(idset.Difference(&roles.ReadIDs, &roles.FromTools))
			}
			return ids, ok, err
		},
		Trigrams: func(ctx context.Context, q ftsquery.Query) (*idset.Set, bool, error) {
			if err := ex.probeTrigrams(ctx); err != nil {
				return nil, false, err
			}
			return ex.matchTrigrams(ctx, q)
		},
	}
}

// isIndexError reports whether err is of a full-text index.
func isIndexError(err error) bool {
	_, ok := errors.AsType[*indexError](err)
	return ok
}
