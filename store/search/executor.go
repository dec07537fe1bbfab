package search

import (
	"context"
	"math"
	"slices"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// executor finds the messages that match one query inside one snapshot, by the
// routes that the file's full-text index allows (store/README.md#fts-layouts):
//
//   - words and phrases by messages_fts;
//   - text in scripts without spaces by messages_fts_trigram from three
//     characters on, else by LIKE;
//   - the same text as JSON spells it, \uXXXX, by messages_fts, where each
//     escape is a word (store/README.md#q2);
//   - messages that an index does not hold, or not whole, by reading them.
//
// Every route gives the same answer to the same question.
type executor struct {
	engine *Engine
	tx     db.Querier
	query  query.Query

	dataVersion int64 // DataVersion from before the snapshot
	firstID     int64 // ids looked at
	lastID      int64
	capabilities
	capabilityCache *capabilityCache // of the same moment, nil where there is none
	statements      db.Querier       // q with statements that are kept, once asked for
	note            string           // which index was of no use, "" if all were
	plan            []string         // by which roads the answer was found
	toolNameColumn  string           // columns of m that old files may lack
	toolCallsColumn string
	readThreshold       int      // as many messages are read without a closer look at the index
	candidates      *fts.Set // the messages that are of interest to trigrams, nil for all
}

func (e *Engine) newExecutor(q db.Querier, query query.Query, version int64) *executor {
	return &executor{
		engine: e, tx: q, query: query, dataVersion: version, firstID: math.MinInt64, lastID: math.MaxInt64,
		toolNameColumn: e.db.Schema.ColumnOrNull("messages", "m", "tool_name"), toolCallsColumn: e.db.Schema.ColumnOrNull("messages", "m", "tool_calls"),
		readThreshold: 500,
	}
}

// messages gives the ids of the matching messages that may be shown.
func (f *executor) messages(ctx context.Context) (*fts.Set, error) {
	if f.query.FiltersOnly() {
		return &fts.Set{}, nil
	}
	defer func(asked query.Query) { f.query = asked }(f.query)
	f.query = snapshot.AddToolTerm(f.query)
	if err := f.probeOnce(ctx); err != nil {
		return nil, err
	}
	for {
		ids, err := f.searchIndexes(ctx)
		if err == nil {
			if err := f.removeHidden(ctx, ids); err != nil {
				return nil, err
			}
			return f.filterMessages(ctx, ids)
		}
		if ctx.Err() != nil || !f.dropIndex(err) {
			return nil, err
		}
	}
}

// addStep notes by which road an answer was found, once each.
func (f *executor) addStep(road string) {
	if !slices.Contains(f.plan, road) {
		f.plan = append(f.plan, road)
	}
}

func (f *executor) hasIDRange() bool { return f.firstID > math.MinInt64 || f.lastID < math.MaxInt64 }

// queryInto puts what a query gives into a set.
func (f *executor) queryInto(ctx context.Context, into *fts.Set, query string, args ...any) error {
	var id int64
	return f.eachRow(ctx, query, args, func(scan func(...any) error) error {
		err := scan(&id)
		into.Add(id)
		return err
	})
}

// eachRow runs a query and hands over its rows one by one.
func (f *executor) eachRow(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	return eachRowOf(ctx, f.tx, query, args, row)
}

func eachRowOf(ctx context.Context, q db.Querier, query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
