package search

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/ftsquery"
)

// capabilities is what the full-text tables of a file can answer inside one read
// transaction (store/README.md#fts-layouts). What few queries need is filled in
// when it is first needed.
type capabilities struct {
	words, trigrams ftsTable   // messages_fts and messages_fts_trigram
	rebuilding      bool       // Hermes is rebuilding the index
	missingIndex    string     // why words cannot answer for every message, "" when it can
	lacksMessages   bool       // words does not have every message
	trigramsProbed  bool       // trigrams is filled in
	minID, maxID    int64      // of all messages; maxID is 0 until they are read
	jsonContent     *idset.Set // see [executor.jsonContentIDs], nil until it is read
}

// ftsTable is what a full-text table can be used for.
type ftsTable struct {
	table         string // "" when it cannot be used
	unindexedRows string // condition on m for messages that it does not hold, or not all columns of, "" for none
	cutRows       string // condition on m for messages of which it holds the beginning, "" for none
	oneColumn     bool   // a row is content, tool name and tool calls, with a space after each of the first two
}

// isWhole reports whether the table holds all texts of all messages.
func (x ftsTable) isWhole() bool { return x.unindexedRows == "" && x.cutRows == "" }

// capabilityCache holds the capabilities in the read transaction of a snapshot.
type capabilityCache struct {
	mu     sync.Mutex
	probed bool
	capabilities
}

// capabilitiesOf returns the cache that belongs to a snapshot. It goes when the
// snapshot goes.
func capabilitiesOf(snap *snapshot.Snapshot) *capabilityCache {
	return snap.Derived.GetOrCreate(func() any { return &capabilityCache{} }).(*capabilityCache)
}

// cacheCapabilities stores the capabilities for the next search of the same snapshot.
func (ex *executor) cacheCapabilities() {
	if ex.capabilityCache != nil {
		ex.capabilityCache.mu.Lock()
		ex.capabilityCache.probed, ex.capabilityCache.capabilities = true, ex.capabilities
		ex.capabilityCache.mu.Unlock()
	}
}

// damagedIndex is said of an answer that was found without an index.
const damagedIndex = "the full-text index is damaged: every message was read"

// probeOnce fills in the capabilities, from the cache of the snapshot where it has
// them. All are read in one transaction: the marks in state_meta change while Hermes
// rebuilds the index.
func (ex *executor) probeOnce(ctx context.Context) error {
	if k := ex.capabilityCache; k != nil {
		k.mu.Lock()
		probed, cached := k.probed, k.capabilities
		k.mu.Unlock()
		if probed {
			ex.capabilities, ex.note = cached, cached.missingIndex
			return nil
		}
	}
	err := ex.probe(ctx)
	ex.note = ex.missingIndex
	if err == nil {
		ex.cacheCapabilities()
	}
	return err
}

// probe reads what messages_fts can answer: whether Hermes has disabled it, which
// messages it lacks, and which texts its layout leaves out.
func (ex *executor) probe(ctx context.Context) error {
	marks := map[string]bool{}
	if ex.engine.db.Schema.Has("state_meta", "key") {
		err := db.EachRow(ctx, ex.tx, `SELECT key FROM state_meta WHERE key LIKE 'fts\_%' ESCAPE '\'`, nil, func(r db.Row) {
			marks[r.Text(0)] = true
		})
		if err != nil {
			return err
		}
	}
	ex.rebuilding = marks["fts_rebuild_high_water"] || marks["fts_rebuild_progress"]
	if marks["fts_stale"] {
		ex.missingIndex = "Hermes has set its full-text index aside: every message was read"
		return nil
	}
	ddl, ok := ex.engine.db.Schema.Tables["messages_fts"]
	if !ok {
		ex.missingIndex = "there is no full-text index: every message was read"
		return nil
	}
	if odd := unknownLayout("messages_fts", ddl); odd != "" {
		ex.missingIndex = "the full-text index is of an unknown kind (" + odd + "): every message was read"
		return nil
	}
	ex.words.table = "messages_fts"
	missing, err := ex.unindexedCount(ctx, "messages_fts")
	if db.IsCorrupt(err) { // damage of the messages shows when they are read
		ex.words.table, ex.missingIndex = "", damagedIndex
		ex.engine.db.AddNote(model.NoteFTSDamaged)
		return nil
	}
	if err != nil {
		return err
	}
	var unindexed []string
	if ex.lacksMessages = missing > 0; ex.lacksMessages {
		unindexed = append(unindexed, db.NotIndexedCondition("messages_fts"))
		if !marks["fts_rebuild_high_water"] {
			ex.missingIndex = "the full-text index lacks " + model.Quantity(missing, "message") + ": read without it"
		}
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_name") { // versions 1 to 10
		unindexed = append(unindexed, ex.toolCallsColumn+" IS NOT NULL OR coalesce("+ex.toolNameColumn+", '') <> ''")
	}
	if strings.Contains(ddl, "messages_fts_src") { // storage 3 holds 8,192 characters of a tool result
		ex.words.cutRows = "m.role = 'tool' AND octet_length(m.content) > 8192"
	}
	ex.words.unindexedRows = strings.Join(unindexed, " OR ")
	if !ex.rebuilding && !ex.engine.textsFound.Load() {
		if !ex.findsTexts(ctx) {
			ex.words.table = ""
			ex.missingIndex = "the full-text index does not hold the texts of the messages: every message was read"
		} else if ctx.Err() == nil {
			ex.engine.textsFound.Store(true)
		}
	}
	return ctx.Err()
}

// findsTexts reports whether the word index finds one of its oldest messages and one of its
// newest by a word of theirs. An index can be in order and hold other texts, or none. What
// cannot be read or has no word in plain ASCII proves nothing.
func (ex *executor) findsTexts(ctx context.Context) bool {
	defer func(first, last int64) { ex.firstID, ex.lastID = first, last }(ex.firstID, ex.lastID)
	ex.firstID, ex.lastID = math.MinInt64, math.MaxInt64
	table := ex.words.table
	if ex.engine.db.Schema.Tables[table+"_docsize"] == "" {
		return true
	}
	for _, order := range []string{"ASC", "DESC"} {
		var id int64
		word := ""
		_ = db.EachRow(ctx, ex.tx, `SELECT m.id, substr(m.content, 1, 200) FROM `+table+`_docsize d CROSS JOIN messages m ON m.id = d.id
			WHERE typeof(m.content) = 'text' ORDER BY d.id `+order+` LIMIT 3`, nil, func(r db.Row) {
			if word == "" {
				id, word = r.Int(0), longestWord(r.Text(1))
			}
		})
		if word == "" {
			continue
		}
		among := &idset.Set{}
		among.Add(id)
		q := ftsquery.Phrase(word, false)
		if ids, ok, err := ex.matchByIndex(ctx, &ex.words, q, among); err != nil || ok && ids.Has(id) {
			continue
		}
		found := false
		err := db.EachRow(ctx, ex.tx, `SELECT 1 FROM `+table+` WHERE `+table+` MATCH ? AND rowid = ?`, []any{q.MatchExpression(), id}, func(db.Row) { found = true })
		if err == nil && !found {
			return false
		}
	}
	return true
}

// longestWord returns the longest word of a text that may be cut at its end, of those with
// only ASCII in and around them.
func longestWord(text string) (longest string) {
	separates := func(r rune) bool { return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	foreign := func(r rune) bool { return r >= utf8.RuneSelf }
	for word := range strings.FieldsFuncSeq(text[:strings.LastIndexFunc(text, separates)+1], separates) {
		if len(word) > len(longest) && !strings.ContainsFunc(word, foreign) {
			longest = word
		}
	}
	return longest
}

// probeTrigrams fills in what messages_fts_trigram can answer. Few queries need it.
func (ex *executor) probeTrigrams(ctx context.Context) error {
	if ex.trigramsProbed || ex.words.table == "" {
		return nil
	}
	ex.trigramsProbed = true
	ddl, ok := ex.engine.db.Schema.Tables["messages_fts_trigram"]
	if !ok || unknownLayout("messages_fts_trigram", ddl) != "" {
		return nil
	}
	missing, err := ex.unindexedCount(ctx, "messages_fts_trigram")
	if db.IsCorrupt(err) {
		ex.missingIndex, ex.note = damagedIndex, damagedIndex
		ex.engine.db.AddNote(model.NoteFTSDamaged)
		return nil
	}
	if err != nil {
		return err
	}
	ex.trigrams.table, ex.trigrams.oneColumn = "messages_fts_trigram", !db.HasExternalContent(ddl)
	var unindexed []string
	if missing > 0 { // out of step, or without tools, cron and subagents by design
		unindexed = append(unindexed, db.NotIndexedCondition("messages_fts_trigram"))
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_calls") { // version 10; storage 2 and 3
		unindexed = append(unindexed, ex.toolCallsColumn+" IS NOT NULL")
	}
	if db.HasExternalContent(ddl) && !strings.Contains(ddl, "tool_name") {
		unindexed = append(unindexed, "coalesce("+ex.toolNameColumn+", '') <> ''")
	}
	ex.trigrams.unindexedRows = strings.Join(unindexed, " OR ")
	ex.cacheCapabilities()
	return nil
}

// hasTextLengths reports whether the trigram index stores the length of each row,
// from which [textfacts.Facts] are read, and keeps the accents of letters.
func (ex *executor) hasTextLengths() bool {
	_, sized := ex.engine.db.Schema.Tables[ex.trigrams.table+"_docsize"]
	return sized && ex.trigrams.oneColumn && !strings.Contains(ex.engine.db.Schema.Tables[ex.trigrams.table], "remove_diacritics")
}

// indexGaps caches how many messages each full-text table lacks.
type indexGaps struct {
	mu          sync.Mutex
	dataVersion int64           // DataVersion that counts were read at, 0 for none yet
	counts      map[string]int  // by table
	complete    map[string]bool // tables that lacked no message when they were last counted
}

// unindexedCount returns how many messages a full-text table lacks. A table that was
// complete and has its triggers is complete still, and is not counted again.
func (ex *executor) unindexedCount(ctx context.Context, table string) (int, error) {
	if _, ok := ex.engine.db.Schema.Tables[table+"_docsize"]; !ok {
		return 0, nil
	}
	gaps := &ex.engine.indexGaps
	gaps.mu.Lock()
	if gaps.dataVersion != ex.dataVersion || gaps.counts == nil {
		gaps.dataVersion, gaps.counts = ex.dataVersion, map[string]int{}
	}
	n, cached := gaps.counts[table]
	complete := gaps.complete[table]
	gaps.mu.Unlock()
	if cached && ex.dataVersion != 0 {
		return n, nil
	}
	if complete && !ex.rebuilding && ex.engine.db.Schema.HasSyncTriggers(table) {
		return 0, nil
	}
	// SQLite finds min and max at the ends of a table only where each is asked for alone. The
	// messages have to be counted only where some were deleted.
	rows := `(SELECT count(*) FROM ` + table + `_docsize)`
	lacks, err := db.QueryValue(ctx, ex.tx, `SELECT CASE WHEN (SELECT min(id) FROM messages) IS (SELECT min(id) FROM `+table+`_docsize)
			AND (SELECT max(id) FROM messages) IS (SELECT max(id) FROM `+table+`_docsize)
			AND (`+rows+` = (SELECT max(id) FROM messages) - (SELECT min(id) FROM messages) + 1 OR `+rows+` = (SELECT count(*) FROM messages)) THEN 0
		ELSE (SELECT count(*) FROM messages m WHERE `+db.NotIndexedCondition(table)+`) END`)
	if n = int(db.AsInt(lacks)); err == nil {
		gaps.mu.Lock()
		if gaps.dataVersion == ex.dataVersion {
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

// idRange returns the smallest and the greatest id of all messages, 0 for none: of the
// table and of its index, since a damaged table may end before messages that it has.
func (ex *executor) idRange(ctx context.Context) (first, last int64, err error) {
	if ex.maxID == 0 {
		ends := `SELECT (SELECT min(id) FROM messages) first, (SELECT max(id) FROM messages) last`
		if indexed := ex.words.table + "_docsize"; ex.engine.db.Schema.Tables[indexed] != "" {
			ends = `SELECT min(first), max(last) FROM (` + ends + ` UNION ALL SELECT (SELECT min(id) FROM ` + indexed + `), (SELECT max(id) FROM ` + indexed + `))`
		}
		err = db.EachRow(ctx, ex.tx, ends, nil, func(r db.Row) {
			ex.minID, ex.maxID = r.Int(0), r.Int(1)
		})
		if err == nil {
			ex.cacheCapabilities()
		}
	}
	return ex.minID, ex.maxID, err
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
func (ex *executor) dropIndex(err error) bool {
	e, ok := errors.AsType[*indexError](err)
	if !ok || db.ResultCode(err) == db.SQLiteBusy || db.ResultCode(err) == db.SQLiteLocked || db.ResultCode(err) == db.SQLiteInterrupt {
		return false
	}
	e.table.table, ex.capabilityCache = "", nil
	ex.note = damagedIndex
	return true
}
