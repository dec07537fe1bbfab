package search

import (
	"context"
	"math"
	"slices"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/unindexed"
)

// executor finds the messages that match one query inside one read transaction.
// It serves one goroutine. Whatever the indexes of the file can answer, the result is
// the one that reading every message would give.
type executor struct {
	engine *Engine
	tx     db.Querier
	query  query.Query

	dataVersion int64 // DataVersion from before the transaction
	firstID     int64 // ids of messages that are searched
	lastID      int64
	capabilities
	capabilityCache *capabilityCache // of the same snapshot, nil for none
	statements      db.Querier       // tx with cached statements, nil until an index is read
	note            string           // which index was of no use, "" when each was
	plan            []string         // the steps that led to the answer
	toolNameColumn  string           // columns of m that old files lack, NULL there
	toolCallsColumn string
	mostTexts       int                     // up to so many texts are read while a key waits for its rows, 0 for all
	onlyNewestTexts bool                    // of texts that no index holds whole the newest are read
	cut             bool                    // not all texts were read that had to be
	borders         map[match.Term]evidence // what besideScript has found
	view            *unindexed.View         // see unindexedTexts, which sets viewed
	viewed          bool
	candidates      *idset.Set // the trigram index is searched for these messages only, nil for all
}

// newExecutor returns an executor for a query in a read transaction. version is the
// DataVersion from before the transaction, 0 when it is not known: then nothing
// that depends on it is taken from a cache.
func (e *Engine) newExecutor(conn db.Querier, q query.Query, version int64) *executor {
	return &executor{
		engine: e, tx: conn, query: q, dataVersion: version, firstID: math.MinInt64, lastID: math.MaxInt64,
		toolNameColumn: e.db.Schema.ColumnOrNull("messages", "m", "tool_name"), toolCallsColumn: e.db.Schema.ColumnOrNull("messages", "m", "tool_calls"),
	}
}

// messages returns the ids of the messages that match and may be shown. The set is
// the caller's. An index that proves damaged on the way is left out, and the
// search starts again without it.
func (ex *executor) messages(ctx context.Context) (*idset.Set, error) {
	if ex.query.FiltersOnly() {
		return &idset.Set{}, nil
	}
	defer func(asked query.Query) { ex.query = asked }(ex.query)
	ex.query = addToolTerm(ex.query)
	if err := ex.probeOnce(ctx); err != nil {
		return nil, err
	}
	for {
		ids, err := ex.searchIndexes(ctx)
		if err == nil {
			if err := ex.removeHidden(ctx, ids); err != nil {
				return nil, err
			}
			return messageFilters{ex}.apply(ctx, ids)
		}
		if ctx.Err() != nil || !ex.dropIndex(err) {
			return nil, err
		}
	}
}

// addStep notes a step that led to the answer, each once. `search --explain` and
// the tests show them.
func (ex *executor) addStep(step string) {
	if !slices.Contains(ex.plan, step) {
		ex.plan = append(ex.plan, step)
	}
}

// hasIDRange reports whether only some ids are searched.
func (ex *executor) hasIDRange() bool { return ex.firstID > math.MinInt64 || ex.lastID < math.MaxInt64 }

// queryInto adds the ids that a statement returns to a set.
func (ex *executor) queryInto(ctx context.Context, into *idset.Set, query string, args ...any) error {
	return db.EachRow(ctx, ex.tx, query, args, func(r db.Row) { into.Add(r.Int(0)) })
}
