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

// capabilities is what there is to ask at one moment.
type capabilities struct {
	words, trigrams ftsTable
	rebuilding         bool     // state_meta says something of the index
	missingIndex    string   // why words is not all that it could be
	trigramsProbed  bool     // grams was looked at
	minID, maxID    int64    // ids that there are, once asked for
	jsonContent      *fts.Set // see [finder.coded], once asked for
}

// ftsTable is a full-text table as it stands at this moment.
type ftsTable struct {
	table         string // "" where it can not be used
	unindexedRows string // condition on m for messages that it does not hold whole, "" for none
	bracketed     bool   // two spaces follow what was said
}

// capabilityCache is the ground at a catalog's moment, as far as it was looked at.
type capabilityCache struct {
	mu     sync.Mutex
	probed bool
	capabilities
}

// capabilitiesOf gives that of a catalog.
func capabilitiesOf(c *snapshot.Snapshot) *capabilityCache {
	return c.Derived.GetOrCreate(func() any { return &capabilityCache{} }).(*capabilityCache)
}

// cacheCapabilities keeps what was found out for the next question of the same moment.
func (f *executor) cacheCapabilities() {
	if f.capabilityCache != nil {
		f.capabilityCache.mu.Lock()
		f.capabilityCache.probed, f.capabilityCache.capabilities = true, f.capabilities
		f.capabilityCache.mu.Unlock()
	}
}

// probeOnce finds out what the indexes can be asked at this moment. The keys of
// state_meta change while Hermes rebuilds them.
func (f *executor) probeOnce(ctx context.Context) error {
	if k := f.capabilityCache; k != nil {
		k.mu.Lock()
		made, ground := k.probed, k.capabilities
		k.mu.Unlock()
		if made {
			f.capabilities, f.note = ground, ground.missingIndex
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

func (f *executor) probe(ctx context.Context) error {
	marks := map[string]bool{}
	if f.engine.db.Schema.Has("state_meta", "key") {
		err := f.eachRow(ctx, `SELECT key FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`, nil, func(scan func(...any) error) error {
			var key any
			err := scan(&key)
			marks[db.AsText(key)] = true
			return err
		})
		if err != nil {
			return err
		}
	}
	f.rebuilding = marks["fts_rebuild_high_water"] || marks["fts_rebuild_progress"]
	if marks["fts_stale"] {
		f.missingIndex = "Hermes has put its full-text index aside: every message was read"
		return nil
	}
	ddl, ok := f.engine.db.Schema.Tables["messages_fts"]
	if !ok {
		f.missingIndex = "there is no full-text index: every message was read"
		return nil
	}
	f.words.table = "messages_fts"
	absent, err := f.unindexedCount(ctx, "messages_fts")
	if err != nil {
		return err
	}
	var outside []string
	if absent > 0 {
		outside = append(outside, db.NotIndexedCondition("messages_fts"))
		if !marks["fts_rebuild_high_water"] {
			f.missingIndex = fmt.Sprintf("the full-text index lacks %d messages: they were read one by one", absent)
		}
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_name") { // versions 1 to 10
		outside = append(outside, f.toolCallsColumn+" IS NOT NULL OR coalesce("+f.toolNameColumn+", '') <> ''")
	}
	if strings.Contains(ddl, "messages_fts_src") { // storage 3 holds 8,192 characters of a tool result
		outside = append(outside, "m.role = 'tool' AND octet_length(m.content) > 8192")
	}
	f.words.unindexedRows = strings.Join(outside, " OR ")
	return nil
}

// probeTrigrams finds out what the index of trigrams can answer, which few queries
// need.
func (f *executor) probeTrigrams(ctx context.Context) error {
	if f.trigramsProbed || f.words.table == "" {
		return nil
	}
	f.trigramsProbed = true
	ddl, ok := f.engine.db.Schema.Tables["messages_fts_trigram"]
	if !ok {
		return nil
	}
	absent, err := f.unindexedCount(ctx, "messages_fts_trigram")
	if err != nil {
		return err
	}
	f.trigrams.table, f.trigrams.bracketed = "messages_fts_trigram", !db.HasExternalContent(ddl)
	var outside []string
	if absent > 0 { // out of step, or without tools, cron and subagents by design
		outside = append(outside, db.NotIndexedCondition("messages_fts_trigram"))
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_calls") { // versions 10; storage 2 and 3
		outside = append(outside, f.toolCallsColumn+" IS NOT NULL")
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_name") {
		outside = append(outside, "coalesce("+f.toolNameColumn+", '') <> ''")
	}
	f.trigrams.unindexedRows = strings.Join(outside, " OR ")
	f.cacheCapabilities()
	return nil
}

// hasTextLengths reports whether the index of trigrams tells how much it has of each
// message, and has letters as they are written, capitals aside.
func (f *executor) hasTextLengths() bool {
	_, sized := f.engine.db.Schema.Tables[f.trigrams.table+"_docsize"]
	return sized && f.trigrams.bracketed && !strings.Contains(f.engine.db.Schema.Tables[f.trigrams.table], "remove_diacritics")
}

// indexGaps remembers how many messages full-text tables do not know.
type indexGaps struct {
	mu          sync.Mutex
	dataVersion int64 // DataVersion of counts; 0 for none yet
	counts      map[string]int
	counted     map[string]bool // counted before, when nothing was absent
}

// unindexedCount counts the messages that a full-text table does not know. A table
// that knew all of them, and has its triggers, still does: to count a million
// takes half a second.
func (f *executor) unindexedCount(ctx context.Context, table string) (int, error) {
	if _, ok := f.engine.db.Schema.Tables[table+"_docsize"]; !ok {
		return 0, nil
	}
	a := &f.engine.indexGaps
	a.mu.Lock()
	if a.dataVersion != f.dataVersion || a.counts == nil {
		a.dataVersion, a.counts = f.dataVersion, map[string]int{}
	}
	n, known := a.counts[table]
	whole := a.counted[table]
	a.mu.Unlock()
	if known && f.dataVersion != 0 {
		return n, nil
	}
	if whole && !f.rebuilding && f.engine.db.Schema.DeletesFollowed(table) {
		return 0, nil
	}
	err := f.eachRow(ctx, `SELECT CASE WHEN (SELECT count(*) FROM `+table+`_docsize) = (SELECT count(*) FROM messages)
			AND (SELECT max(id) FROM `+table+`_docsize) IS (SELECT max(id) FROM messages) THEN 0
		ELSE (SELECT count(*) FROM messages m WHERE `+db.NotIndexedCondition(table)+`) END`, nil,
		func(scan func(...any) error) error { return scan(&n) })
	if err == nil {
		a.mu.Lock()
		if a.dataVersion == f.dataVersion {
			a.counts[table] = n
		}
		if a.counted == nil {
			a.counted = map[string]bool{}
		}
		a.counted[table] = n == 0
		a.mu.Unlock()
	}
	return n, err
}

// idRange gives the smallest and the greatest id of messages, 0 for none.
func (f *executor) idRange(ctx context.Context) (first, last int64, err error) {
	if f.maxID == 0 {
		err = f.eachRow(ctx, `SELECT (SELECT min(id) FROM messages), (SELECT max(id) FROM messages)`, nil, func(scan func(...any) error) error {
			var a, b any
			err := scan(&a, &b)
			f.minID, f.maxID = db.AsInt(a), db.AsInt(b)
			return err
		})
		if err == nil {
			f.cacheCapabilities()
		}
	}
	return f.minID, f.maxID, err
}

// indexError is an error of a full-text table.
type indexError struct {
	table *ftsTable
	err   error
}

func (e *indexError) Error() string { return e.err.Error() }

func (e *indexError) Unwrap() error { return e.err }

// dropIndex gives up the index that failed and reports whether one did.
func (f *executor) dropIndex(err error) bool {
	e, ok := errors.AsType[*indexError](err)
	if !ok || db.ResultCode(err) == db.SqliteBusy || db.ResultCode(err) == db.SqliteLocked || db.ResultCode(err) == db.SqliteInterr {
		return false
	}
	e.table.table, f.capabilityCache = "", nil
	f.note = "the full-text index is damaged: every message was read"
	return true
}
