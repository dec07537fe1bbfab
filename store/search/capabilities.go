package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// capabilities is what the full-text tables of a file can answer inside one read
// transaction (store/README.md#fts-layouts). What few queries need is filled in
// when it is first needed.
type capabilities struct {
	words, trigrams ftsTable // messages_fts and messages_fts_trigram
	rebuilding      bool     // Hermes is rebuilding the index
	missingIndex    string   // why words cannot answer for every message, "" when it can
	lacksMessages   bool     // words does not have every message
	trigramsProbed  bool     // trigrams is filled in
	minID, maxID    int64    // of all messages; maxID is 0 until they are read
	jsonContent     *fts.Set // see [executor.jsonContentIDs], nil until it is read
}

// ftsTable is what a full-text table can be used for.
type ftsTable struct {
	table         string // "" when it cannot be used
	unindexedRows string // condition on m for messages that it does not hold whole, "" for none
	oneColumn     bool   // a row is content, tool name and tool calls, with a space after each of the first two
}

// capabilityCache holds the capabilities in the read transaction of a snapshot.
type capabilityCache struct {
	mu     sync.Mutex
	probed bool
	capabilities
}

// capabilitiesOf returns the cache that belongs to a snapshot. It goes when the
// snapshot goes.
func capabilitiesOf(c *snapshot.Snapshot) *capabilityCache {
	return c.Derived.GetOrCreate(func() any { return &capabilityCache{} }).(*capabilityCache)
}

// cacheCapabilities stores the capabilities for the next search of the same snapshot.
func (f *executor) cacheCapabilities() {
	if f.capabilityCache != nil {
		f.capabilityCache.mu.Lock()
		f.capabilityCache.probed, f.capabilityCache.capabilities = true, f.capabilities
		f.capabilityCache.mu.Unlock()
	}
}

// probeOnce fills in the capabilities, from the cache of the snapshot where it has
// them. All are read in one transaction: the marks in state_meta change while Hermes
// rebuilds the index.
func (f *executor) probeOnce(ctx context.Context) error {
	if k := f.capabilityCache; k != nil {
		k.mu.Lock()
		probed, cached := k.probed, k.capabilities
		k.mu.Unlock()
		if probed {
			f.capabilities, f.note = cached, cached.missingIndex
			return nil
		}
	}
	err := f.probe(ctx)
	f.note = f.missingIndex
	if err == nil {
		f.cacheCapabilities()
	}
	return err
}

// probe reads what messages_fts can answer: whether Hermes has disabled it, which
// messages it lacks, and which texts its layout leaves out.
func (f *executor) probe(ctx context.Context) error {
	marks := map[string]bool{}
	if f.engine.db.Schema.Has("state_meta", "key") {
		err := db.EachRow(ctx, f.tx, `SELECT key FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`, nil, func(r db.Row) {
			marks[r.Text(0)] = true
		})
		if err != nil {
			return err
		}
	}
	f.rebuilding = marks["fts_rebuild_high_water"] || marks["fts_rebuild_progress"]
	if marks["fts_stale"] {
		f.missingIndex = "Hermes has set its full-text index aside: every message was read"
		return nil
	}
	ddl, ok := f.engine.db.Schema.Tables["messages_fts"]
	if !ok {
		f.missingIndex = "there is no full-text index: every message was read"
		return nil
	}
	if odd := unknownLayout("messages_fts", ddl); odd != "" {
		f.missingIndex = "the full-text index is of an unknown kind (" + odd + "): every message was read"
		return nil
	}
	f.words.table = "messages_fts"
	missing, err := f.unindexedCount(ctx, "messages_fts")
	if err != nil {
		return err
	}
	var unindexed []string
	if f.lacksMessages = missing > 0; f.lacksMessages {
		unindexed = append(unindexed, db.NotIndexedCondition("messages_fts"))
		if !marks["fts_rebuild_high_water"] {
			f.missingIndex = fmt.Sprintf("the full-text index lacks %d messages: they were read one by one", missing)
		}
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_name") { // versions 1 to 10
		unindexed = append(unindexed, f.toolCallsColumn+" IS NOT NULL OR coalesce("+f.toolNameColumn+", '') <> ''")
	}
	if strings.Contains(ddl, "messages_fts_src") { // storage 3 holds 8,192 characters of a tool result
		unindexed = append(unindexed, "m.role = 'tool' AND octet_length(m.content) > 8192")
	}
	f.words.unindexedRows = strings.Join(unindexed, " OR ")
	return nil
}

// probeTrigrams fills in what messages_fts_trigram can answer. Few queries need it.
func (f *executor) probeTrigrams(ctx context.Context) error {
	if f.trigramsProbed || f.words.table == "" {
		return nil
	}
	f.trigramsProbed = true
	ddl, ok := f.engine.db.Schema.Tables["messages_fts_trigram"]
	if !ok || unknownLayout("messages_fts_trigram", ddl) != "" {
		return nil
	}
	missing, err := f.unindexedCount(ctx, "messages_fts_trigram")
	if err != nil {
		return err
	}
	f.trigrams.table, f.trigrams.oneColumn = "messages_fts_trigram", !db.HasExternalContent(ddl)
	var unindexed []string
	if missing > 0 { // out of step, or without tools, cron and subagents by design
		unindexed = append(unindexed, db.NotIndexedCondition("messages_fts_trigram"))
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_calls") { // version 10; storage 2 and 3
		unindexed = append(unindexed, f.toolCallsColumn+" IS NOT NULL")
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_name") {
		unindexed = append(unindexed, "coalesce("+f.toolNameColumn+", '') <> ''")
	}
	f.trigrams.unindexedRows = strings.Join(unindexed, " OR ")
	f.cacheCapabilities()
	return nil
}

// hasTextLengths reports whether the trigram index stores the length of each row,
// from which [textfacts.Facts] are read, and keeps the accents of letters.
func (f *executor) hasTextLengths() bool {
	_, sized := f.engine.db.Schema.Tables[f.trigrams.table+"_docsize"]
	return sized && f.trigrams.oneColumn && !strings.Contains(f.engine.db.Schema.Tables[f.trigrams.table], "remove_diacritics")
}

// indexGaps caches how many messages each full-text table lacks.
type indexGaps struct {
	mu          sync.Mutex
	dataVersion int64           // DataVersion that counts were read at, 0 for none yet
	counts      map[string]int  // by table
	complete    map[string]bool // tables that lacked no message when they were last counted
}

// unindexedCount returns how many messages a full-text table lacks. A table that was
// complete and has its triggers is complete still, and is not counted again: a
// million messages take half a second.
func (f *executor) unindexedCount(ctx context.Context, table string) (int, error) {
	if _, ok := f.engine.db.Schema.Tables[table+"_docsize"]; !ok {
		return 0, nil
	}
	gaps := &f.engine.indexGaps
	gaps.mu.Lock()
	if gaps.dataVersion != f.dataVersion || gaps.counts == nil {
		gaps.dataVersion, gaps.counts = f.dataVersion, map[string]int{}
	}
	n, cached := gaps.counts[table]
	complete := gaps.complete[table]
	gaps.mu.Unlock()
	if cached && f.dataVersion != 0 {
		return n, nil
	}
	if complete && !f.rebuilding && f.engine.db.Schema.HasSyncTriggers(table) {
		return 0, nil
	}
	lacks, err := db.QueryValue(ctx, f.tx, `SELECT CASE WHEN (SELECT count(*) FROM `+table+`_docsize) = (SELECT count(*) FROM messages)
			AND (SELECT max(id) FROM `+table+`_docsize) IS (SELECT max(id) FROM messages) THEN 0
		ELSE (SELECT count(*) FROM messages m WHERE `+db.NotIndexedCondition(table)+`) END`)
	if n = int(db.AsInt(lacks)); err == nil {
		gaps.mu.Lock()
		if gaps.dataVersion == f.dataVersion {
			gaps.counts[table] = n
		}
		if gaps.complete == nil {
			gaps.complete = map[string]bool{}
		}
		gaps.complete[table] = n == 0
		gaps.mu.Unlock()
	}
	return n, err
}

// idRange returns the smallest and the greatest id of all messages, 0 for none.
func (f *executor) idRange(ctx context.Context) (first, last int64, err error) {
	if f.maxID == 0 {
		err = db.EachRow(ctx, f.tx, `SELECT (SELECT min(id) FROM messages), (SELECT max(id) FROM messages)`, nil, func(r db.Row) {
			f.minID, f.maxID = r.Int(0), r.Int(1)
		})
		if err == nil {
			f.cacheCapabilities()
		}
	}
	return f.minID, f.maxID, err
}

// indexError is an error that FTS5 returned for a full-text table.
type indexError struct {
	table *ftsTable
	err   error
}

// Error returns the text of FTS5's error.
func (e *indexError) Error() string { return e.err.Error() }

// Unwrap returns FTS5's error.
func (e *indexError) Unwrap() error { return e.err }

// dropIndex leaves the full-text table out of the rest of the search whose error
// err is. It reports false when err is of another kind, or says that the file is
// locked or the call was interrupted.
func (f *executor) dropIndex(err error) bool {
	e, ok := errors.AsType[*indexError](err)
	if !ok || db.ResultCode(err) == db.SQLiteBusy || db.ResultCode(err) == db.SQLiteLocked || db.ResultCode(err) == db.SQLiteInterrupt {
		return false
	}
	e.table.table, f.capabilityCache = "", nil
	f.note = "the full-text index is damaged: every message was read"
	return true
}
