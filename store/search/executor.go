package search

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
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
	readCount       int      // as many messages are read without a closer look at the index
	candidates      *fts.Set // the messages that are of interest to trigrams, nil for all
}

// capabilities is what there is to ask at one moment.
type capabilities struct {
	words, trigrams ftsTable
	rebuilt         bool     // state_meta says something of the index
	missingIndex    string   // why words is not all that it could be
	trigramsProbed  bool     // grams was looked at
	minID, maxID    int64    // ids that there are, once asked for
	escapedIDs      *fts.Set // see [finder.coded], once asked for
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

// ftsTable is a full-text table as it stands at this moment.
type ftsTable struct {
	table         string // "" where it can not be used
	unindexedRows string // condition on m for messages that it does not hold whole, "" for none
	bracketed     bool   // two spaces follow what was said
}

func (e *Engine) NewExecutor(q db.Querier, query query.Query, version int64) *executor {
	return &executor{
		engine: e, tx: q, query: query, dataVersion: version, firstID: math.MinInt64, lastID: math.MaxInt64,
		toolNameColumn: e.db.Schema.ColumnOrNull("messages", "m", "tool_name"), toolCallsColumn: e.db.Schema.ColumnOrNull("messages", "m", "tool_calls"),
		readCount: 500,
	}
}

// Messages gives the ids of the matching messages that may be shown.
func (f *executor) Messages(ctx context.Context) (*fts.Set, error) {
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
			return f.FilterMessages(ctx, ids)
		}
		if ctx.Err() != nil || !f.dropIndex(err) {
			return nil, err
		}
	}
}

// hiddenIDs remembers which messages nobody is shown. To ask each hit would
// mean to read to the end of its row, behind its text: the marks stand there.
type hiddenIDs struct {
	mu          sync.Mutex
	dataVersion int64    // DataVersion of rewound; 0 for none yet
	rewound     *fts.Set // taken back, see [schema.said]
	hidden      *fts.Set // scaffolding, marked so when it is written
	lastID      int64    // greatest id looked at for hidden
}

// removeHidden takes the rewound and the hidden messages out of ids.
func (f *executor) removeHidden(ctx context.Context, ids *fts.Set) error {
	sc := f.engine.db.Schema
	if ids.Empty() || !sc.Has("messages", "active") && !sc.Has("messages", "display_kind") {
		return nil
	}
	u := &f.engine.hiddenIDs
	u.mu.Lock()
	version, rewound, hidden, seen := u.dataVersion, u.rewound, u.hidden, u.lastID
	u.mu.Unlock()
	if version == 0 || version != f.dataVersion {
		rewound = &fts.Set{}
		var last int64
		if sc.Has("messages", "active") {
			// The inner question is answered from an index, the outer for few.
			err := f.queryInto(ctx, rewound, `SELECT m.id FROM messages m WHERE m.id IN (SELECT id FROM messages WHERE coalesce(active, 1) <> 1)
				AND NOT `+sc.SaidByPeople("m"))
			if err != nil {
				return err
			}
		}
		if sc.Has("messages", "display_kind") {
			err := f.eachRow(ctx, `SELECT coalesce(max(id), 0) FROM messages`, nil, func(scan func(...any) error) error { return scan(&last) })
			if err != nil {
				return err
			}
			hidden = hidden.Clone() // others may be reading it
			if err := f.queryInto(ctx, hidden, `SELECT m.id FROM messages m WHERE m.id > ? AND m.display_kind = 'hidden'`, seen); err != nil {
				return err
			}
			seen = last
		}
		u.mu.Lock()
		u.dataVersion, u.rewound, u.hidden, u.lastID = f.dataVersion, rewound, hidden, seen
		u.mu.Unlock()
	}
	ids.Subtract(rewound)
	ids.Subtract(hidden)
	return nil
}

// queryInto puts what a query gives into a set.
func (f *executor) queryInto(ctx context.Context, into *fts.Set, query string, args ...any) error {
	var id int64
	return f.eachRow(ctx, query, args, func(scan func(...any) error) error {
		err := scan(&id)
		into.Add(id)
		return err
	})
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
	f.rebuilt = marks["fts_rebuild_high_water"] || marks["fts_rebuild_progress"]
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
	if whole && !f.rebuilt && f.engine.db.Schema.DeletesFollowed(table) {
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

// searchIndexes finds with the indexes that are left.
func (f *executor) searchIndexes(ctx context.Context) (*fts.Set, error) {
	if f.words.table == "" {
		_, ids, err := f.ReadAndMatch(ctx, f.query, "1", nil)
		return ids, err
	}
	ids, err := f.searchGroups(ctx)
	if err != nil {
		return nil, err
	}
	if f.words.unindexedRows != "" {
		seen, found, err := f.ReadAndMatch(ctx, f.query, f.words.unindexedRows, nil)
		if err != nil {
			return nil, err
		}
		ids.Subtract(seen)
		ids.Union(found)
	}
	return ids, nil
}

// searchGroups finds what the indexes hold. Each alternative with symbols is looked
// at by itself, and what none of them is sure of is read.
func (f *executor) searchGroups(ctx context.Context) (*fts.Set, error) {
	var plain, symbols []match.Group
	for _, g := range f.query.Groups {
		if len(splitByWords(g.All))+len(splitByWords(g.Not)) == 0 {
			plain = append(plain, g)
		} else {
			symbols = append(symbols, g)
		}
	}
	ids, unsure := &fts.Set{}, &fts.Set{}
	if q, ok := compileGroups(plain); ok {
		var err error
		if ids, err = f.matchTable(ctx, &f.words, q); err != nil {
			return nil, err
		}
	} else {
		for _, g := range plain {
			found, err := f.searchGroup(ctx, g)
			if err != nil {
				return nil, err
			}
			ids.Union(found)
		}
	}
	for _, g := range symbols {
		found, err := f.searchGroup(ctx, g)
		if err != nil {
			return nil, err
		}
		sure, rest, err := f.verifyGroup(ctx, g, found)
		if err != nil {
			return nil, err
		}
		ids.Union(sure)
		unsure.Union(rest)
	}
	unsure.Subtract(ids)
	_, read, err := f.ReadAndMatch(ctx, f.query, "", unsure)
	if err != nil {
		return nil, err
	}
	ids.Union(read)
	return ids, nil
}

// splitByWords gives the terms that have symbols at their words.
func splitByWords(terms []match.Term) (with []match.Term) {
	for _, t := range terms {
		if t.Words() != nil && t.HasSymbols() {
			with = append(with, t)
		}
	}
	return with
}

// verifyGroup parts the messages of one alternative by whether the symbols of its
// terms stand at their words: of those an index of words knows nothing. The
// index of trigrams says which surely have them. It says of others that they
// can not; of the rest, unsure, the texts tell.
func (f *executor) verifyGroup(ctx context.Context, g match.Group, ids *fts.Set) (sure, unsure *fts.Set, err error) {
	unsure = ids
	sure = ids.Clone()
	f.candidates = unsure // which will be fewer and fewer
	defer func() { f.candidates = nil }()
	for _, t := range splitByWords(g.All) { // must have all of them
		can, ok, err := f.boundaryCandidates(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			unsure.Intersect(can)
			sure.Intersect(can)
		}
		if sure.Empty() {
			continue
		}
		if sure, err = f.proveVerbatim(ctx, t, sure); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range splitByWords(g.Not) { // must have none, and most have not
		if sure.Empty() {
			break
		}
		may, err := f.matchTable(ctx, &f.words, termPhrase(t))
		if err != nil {
			return nil, nil, err
		}
		can, ok, err := f.boundaryCandidates(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			may.Intersect(can)
		}
		if may.Intersect(sure); may.Len() > f.readCount {
			if err := f.refute(ctx, t, may); err != nil {
				return nil, nil, err
			}
			has, err := f.proveVerbatim(ctx, t, may)
			if err != nil {
				return nil, nil, err
			}
			unsure.Subtract(has)
		}
		sure.Subtract(may)
	}
	unsure.Subtract(sure)
	for _, t := range splitByWords(g.All) {
		if unsure.Len() <= f.readCount {
			break
		}
		if err := f.refute(ctx, t, unsure); err != nil {
			return nil, nil, err
		}
	}
	return sure, unsure, nil
}

// refute takes messages out of unsure that surely do not have a term, where that
// is one word of ASCII with symbols behind it. Of messages that are plain, see
// [textFacts], and have no escapes of JSON, the index of trigrams has all that there
// is to know: they have it behind what is in no word, or begin with it. Without
// this every message that has the word, and another one that ends so, is read:
// "a." would take ten times as long.
func (f *executor) refute(ctx context.Context, t match.Term, unsure *fts.Set) error {
	odd := func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }
	if t.HasLeading() || len(t.Words()) != 1 || strings.ContainsFunc(t.Text, odd) || !f.hasTextLengths() {
		return nil
	}
	w, err := f.textFactsOf(ctx, unsure)
	if err != nil {
		return err
	}
	absent := &w.withoutEscapes
	for _, q := range []ftsQuery{contains(`\u`, nil), atStart(t.Text[:min(3, len(t.Text))]), followedBy(separatorRunes(), t.Text)} {
		can, ok, err := f.matchTrigrams(ctx, q)
		if err != nil || !ok {
			return err
		}
		absent.Subtract(can)
	}
	unsure.Subtract(absent)
	return nil
}

// boundaryCandidates gives the messages that may have a term with its symbols: those in
// which symbols stand next to a letter as they do in the term, those that may
// have it as JSON spells it, and those that the trigrams do not hold whole. ok
// is false where no index tells.
func (f *executor) boundaryCandidates(ctx context.Context, t match.Term) (can *fts.Set, ok bool, err error) {
	if err := f.probeTrigrams(ctx); err != nil {
		return nil, false, err
	}
	edges, symbols := t.Boundaries()
	if can, ok, err = f.anyBoundary(ctx, edges); err != nil || !ok {
		return nil, false, err
	}
	inJSON, err := f.escapedWith(ctx, symbols)
	if err != nil {
		return nil, false, err
	}
	can.Union(inJSON)
	return can, true, nil
}

// anyBoundary gives the messages in which characters stand next to one another as
// some edges have them. ok is false where the index of trigrams does not tell.
func (f *executor) anyBoundary(ctx context.Context, edges []match.Boundary) (ids *fts.Set, ok bool, err error) {
	var of []ftsQuery
	for _, e := range edges {
		if e.Fits == nil && !endsInsideText(e.Text) || strings.Contains(e.Text, "\ufffd") {
			return nil, false, nil
		}
		of = append(of, contains(e.Text, e.Fits))
	}
	return f.matchTrigrams(ctx, anyOf(of...))
}

// escapedWith gives the messages that may have some symbols as JSON spells them, and
// those that the trigrams do not hold whole.
func (f *executor) escapedWith(ctx context.Context, symbols []rune) (*fts.Set, error) {
	var of []ftsQuery
	for _, symbol := range symbols {
		of = append(of, phrase(escapeRune(symbol), true))
	}
	ids, err := f.matchTable(ctx, &f.words, anyOf(of...))
	if err != nil {
		return nil, err
	}
	coded, err := f.escapedMessages(ctx)
	if err != nil {
		return nil, err
	}
	ids.Union(coded)
	return ids, nil
}

// proveVerbatim gives those of some messages that surely have a term, as far as
// the index of trigrams tells of any: those with its text, where that is ASCII
// and its first word begins there, and where it ends with a symbol, or at a
// word's end unless that may go on. Between its words stands what is typed
// there, or one space, as between most.
func (f *executor) proveVerbatim(ctx context.Context, t match.Term, among *fts.Set) (sure *fts.Set, err error) {
	odd := func(r rune) bool { return r >= utf8.RuneSelf }
	escape := strings.Contains(t.Text, `\u`) // may be read as another character
	sure = &fts.Set{}
	if !f.hasTextLengths() || escape || strings.ContainsFunc(t.Text, odd) {
		return sure, nil
	}
	texts := []string{t.Text}
	if spaced := t.Normalized(); !strings.EqualFold(spaced, t.Text) {
		texts = append(texts, spaced)
	}
	for _, text := range texts {
		ids, ok, err := f.havingText(ctx, t, text)
		if err != nil || !ok {
			return sure, err
		}
		whole, err := f.withinOneColumn(ctx, fts.Intersection(ids, among), text)
		if err != nil {
			return nil, err
		}
		sure.Union(whole)
	}
	return sure, nil
}

// havingText gives the messages that have a text of ASCII, which is that of a
// term, where the term's first word begins and its last one may end. ok is false
// where the index of trigrams does not tell.
func (f *executor) havingText(ctx context.Context, t match.Term, text string) (ids *fts.Set, ok bool, err error) {
	ends, careful := endsOf(t)
	if t.HasLeading() {
		ids, ok, err = f.matchTrigrams(ctx, contains(text, ends))
	} else {
		ids, ok, err = f.matchTrigrams(ctx, followedBy(separatorRunes(), text))
	}
	if err != nil || !ok || careful == nil {
		return ids, ok, err
	}
	escapes, ok, err := f.matchTrigrams(ctx, contains(`\u`, nil))
	if err != nil || !ok {
		return nil, false, err
	}
	coded := fts.Intersection(ids, escapes)
	ids = fts.Difference(ids, escapes)
	if t.HasLeading() && !coded.Empty() {
		found, ok, err := f.matchTrigrams(ctx, contains(text, careful))
		if err != nil || !ok {
			return nil, false, err
		}
		ids.Union(fts.Intersection(found, coded))
	}
	return ids, true, nil
}

// endsOf tells which three characters may end the text of a term, the last of
// them behind it: ends in messages without escapes of JSON, careful in those with
// some. nil is for any; careful is nil only where escapes make no difference.
func endsOf(t match.Term) (ends, careful func(three []byte) bool) {
	switch {
	case !t.HasTrailing() && !t.Prefix:
		ends = func(three []byte) bool {
			r, _ := utf8.DecodeLastRune(three)
			return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
		careful = func(three []byte) bool { return ends(three) && three[len(three)-1] != '\\' }
	case strings.HasSuffix(t.Text, `\`): // of no escape
		careful = func(three []byte) bool {
			last := three[len(three)-1]
			return last != 'u' && last != '\\'
		}
	}
	return ends, careful
}

// separatorRunes gives the characters of ASCII that are in no word.
func separatorRunes() (all []rune) {
	for c := byte(1); c < utf8.RuneSelf; c++ {
		if !inASCIIWord(c) {
			all = append(all, rune(c))
		}
	}
	return all
}

// withinOneColumn gives those of some messages in which a text of ASCII, found by the
// index of trigrams, surely stands as it is. They have no NUL, and no space of
// the text is the one which the index has between what is said, a tool's name
// and its arguments.
func (f *executor) withinOneColumn(ctx context.Context, ids *fts.Set, s string) (*fts.Set, error) {
	w, err := f.withoutNUL(ctx, ids)
	if err != nil {
		return nil, err
	}
	ids = &w.readIDs
	if !strings.Contains(s, " ") {
		return ids, nil
	}
	ids.Subtract(&w.unusual)
	nameless := ids.Clone()
	for name, named := range w.byToolName {
		nameless.Subtract(named)
		switch {
		case spansColumns(s, name, false):
			ids.Subtract(named)
		case spansColumns(s, name, true):
			ids.Subtract(fts.Intersection(named, &w.withToolCalls))
		}
	}
	if spansColumns(s, "", true) {
		ids.Subtract(nameless)
	}
	return ids, nil
}

// spansColumns reports whether a text may only be one where the index has what is
// said, a tool's name and its arguments one after the other, with a space
// between them.
func spansColumns(s, tool string, calls bool) bool {
	s, tool = strings.ToLower(s), strings.ToLower(tool)
	for i := range len(s) {
		if s[i] != ' ' {
			continue
		}
		before, after, name := s[:i], s[i+1:], tool+" "
		if strings.HasPrefix(name, after) || strings.HasPrefix(after, name) || calls && tool != "" && strings.HasSuffix(tool, before) {
			return true
		}
	}
	return false
}

// matchTrigrams asks the index of trigrams by its pages, as far as messages are of
// interest. ok is false where these do not tell of all messages.
func (f *executor) matchTrigrams(ctx context.Context, q ftsQuery) (ids *fts.Set, ok bool, err error) {
	if f.trigrams.table == "" || f.trigrams.unindexedRows != "" || !f.trigrams.bracketed {
		return nil, false, nil
	}
	return f.matchByIndex(ctx, &f.trigrams, q, f.candidates)
}

// endsInsideText reports whether a text has always another character behind it: JSON's
// brackets end a row, or what is no text where JSON was cut off.
func endsInsideText(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !strings.ContainsRune(`]}"`+"\ufffd", last)
}

// wholeQuery gives the query as one question to messages_fts; ok is false where
// a term of it needs another route.
func (f *executor) wholeQuery() (q ftsQuery, ok bool) { return compileGroups(f.query.Groups) }

// compileGroups makes the question that the full-text indexes are asked for some
// alternatives of the query.
func compileGroups(alternatives []match.Group) (q ftsQuery, ok bool) {
	var groups []ftsQuery
	for _, g := range alternatives {
		words, stretches := splitTerms(g.All)
		without, more := splitTerms(g.Not)
		if len(stretches)+len(more) > 0 {
			return ftsQuery{}, false
		}
		groups = append(groups, excluding(allWords(words), without))
	}
	return anyOf(groups...), len(groups) > 0
}

// searchGroup finds the messages of one alternative, set by set.
func (f *executor) searchGroup(ctx context.Context, g match.Group) (*fts.Set, error) {
	words, stretches := splitTerms(g.All)
	without, more := splitTerms(g.Not)
	ids := &fts.Set{}
	if len(words) > 0 {
		var err error
		if ids, err = f.matchTable(ctx, &f.words, excluding(allWords(words), without)); err != nil {
			return nil, err
		}
	}
	for i, t := range stretches {
		first := i == 0 && len(words) == 0
		if !first && ids.Empty() {
			return ids, nil
		}
		found, err := f.searchSubstring(ctx, t)
		if err != nil {
			return nil, err
		}
		if !first {
			found.Intersect(ids)
		}
		ids = found
	}
	if len(words) == 0 && len(without) > 0 {
		var none []ftsQuery
		for _, t := range without {
			none = append(none, termPhrase(t))
		}
		found, err := f.matchTable(ctx, &f.words, anyOf(none...))
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	for _, t := range more {
		found, err := f.searchSubstring(ctx, t)
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	return ids, nil
}

// splitTerms parts terms into those looked for as words and the others.
func splitTerms(terms []match.Term) (words, stretches []match.Term) {
	for _, t := range terms {
		if t.Words() != nil {
			words = append(words, t)
		} else {
			stretches = append(stretches, t)
		}
	}
	return words, stretches
}

// searchSubstring finds the messages that hold a text anywhere.
func (f *executor) searchSubstring(ctx context.Context, t match.Term) (*fts.Set, error) {
	if err := f.probeTrigrams(ctx); err != nil {
		return nil, err
	}
	ids, outside, err := f.stretchByIndex(ctx, t)
	if err != nil {
		return nil, err
	}
	if outside != "" {
		// LIKE stops at a NUL. Multimodal content begins with one; behind one in
		// the middle of a text only words are found.
		where := `(` + outside + `) AND (m.content LIKE ?1 ESCAPE '\' OR ` + f.toolNameColumn + ` LIKE ?1 ESCAPE '\'
			OR ` + f.toolCallsColumn + ` LIKE ?1 ESCAPE '\' OR m.content < char(1))`
		_, found, err := f.ReadAndMatch(ctx, singleTerm(t), where, nil, likePattern(t.Text))
		if err != nil {
			return nil, err
		}
		ids.Union(found)
	}
	if esc := toEscaped(t.Text); esc != t.Text {
		found, err := f.matchTable(ctx, &f.words, phrase(esc, true))
		if err != nil {
			return nil, err
		}
		if found.Subtract(ids); utf8.RuneCountInString(t.Text) > 1 {
			// Each character is a word, and words may have something between them.
			if found, err = f.withoutGaps(ctx, t, found); err != nil {
				return nil, err
			}
		}
		ids.Union(found)
	}
	return ids, nil
}

// stretchByIndex finds the messages that hold a text anywhere as it is typed, by
// the index of trigrams: from three characters on by the text itself, shorter
// texts by what stands around them. outside is the condition on m for messages of
// which the index does not tell, "1" for all and "" for none.
func (f *executor) stretchByIndex(ctx context.Context, t match.Term) (ids *fts.Set, outside string, err error) {
	var ok bool
	short := utf8.RuneCountInString(t.Text) < 3
	switch {
	case f.trigrams.table != "" && !short:
		ids, err = f.matchTable(ctx, &f.trigrams, phrase(t.Text, false))
		return ids, f.trigrams.unindexedRows, err
	case matchesVerbatim(strings.ReplaceAll(t.Text, `\`, "")):
		ids, ok, err = f.shortStretch(ctx, t)
	case short:
		ids, ok, err = f.searchEscaped(ctx, t.Text)
	}
	if err == nil && !ok {
		return &fts.Set{}, "1", nil
	}
	return ids, "", err
}

// shortStretch finds the messages that hold a text of one or two characters which
// is stored as it is typed, backslashes aside. ok is false where the index of
// trigrams does not tell.
func (f *executor) shortStretch(ctx context.Context, t match.Term) (found *fts.Set, ok bool, err error) {
	found, ok, err = f.substringByTrigrams(ctx, t.Text)
	if err != nil || !ok || t.Text[0] >= utf8.RuneSelf { // other scripts as JSON spells them are found by their escapes
		return found, ok, err
	}
	unsure, err := f.escapedMessages(ctx)
	if err != nil {
		return nil, false, err
	}
	if strings.HasSuffix(t.Text, `\`) { // may only spell another character
		sure, _, err := f.matchTrigrams(ctx, contains(t.Text, func(three []byte) bool {
			// The u of an escape may stand behind it, or one more before that.
			return len(three) > len(t.Text) && three[len(t.Text)] != 'u' && three[len(t.Text)] != '\\'
		}))
		if err != nil {
			return nil, false, err
		}
		unsure = unsure.Clone()
		unsure.Union(found)
		unsure.Subtract(sure)
		found = sure
	}
	if _, unsure, err = f.ReadAndMatch(ctx, singleTerm(t), "", unsure); err != nil {
		return nil, false, err
	}
	found.Union(unsure)
	return found, true, nil
}

// substringByTrigrams gives the messages that have one or two characters, by the index of
// trigrams. Where they can end JSON, it is remembered how messages end.
func (f *executor) substringByTrigrams(ctx context.Context, s string) (ids *fts.Set, ok bool, err error) {
	of := contains(s, nil)
	if endsInsideText(s) {
		return f.matchTrigrams(ctx, of)
	}
	if ids, ok, err = f.matchTrigrams(ctx, of); err != nil || !ok || len([]rune(s)) > 2 {
		return nil, false, err
	}
	rest, err := f.idsBetween(ctx, f.firstID, f.lastID)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(ids)
	w, err := f.textFactsOf(ctx, rest)
	if err != nil {
		return nil, false, err
	}
	rest.Subtract(&w.readIDs)
	rest.Union(&w.unusual)
	for end, found := range w.byEnding {
		if strings.Contains(end, s) {
			ids.Union(found)
		}
	}
	var escapes []ftsQuery // of what JSON has no need to escape, but may
	for _, r := range s {
		escapes = append(escapes, phrase(escapeRune(r), true))
	}
	found, err := f.matchTable(ctx, &f.words, anyOf(escapes...))
	if err != nil {
		return nil, false, err
	}
	rest.Union(found)
	rest.Subtract(ids)
	_, found, err = f.ReadAndMatch(ctx, singleTerm(match.Term{Text: s}), "", rest)
	ids.Union(found)
	return ids, true, err
}

// singleTerm is the query for one term.
func singleTerm(t match.Term) query.Query {
	return query.Query{Groups: []match.Group{{All: []match.Term{t}}}}
}

// matchesVerbatim reports whether a text is stored as it is typed, but for the case of
// its ASCII letters: JSON spells a backslash in several ways, other letters may
// have more forms than two, and U+FFFD stands for what is no text.
func matchesVerbatim(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == '\\' || r == utf8.RuneError || r|1 == 0xffff || 0x7f <= r && (r < 0xa0 || unicode.SimpleFold(r) != r || unicode.Is(unicode.Latin, r))
	})
}

// likePattern makes a LIKE pattern that no text with s in it fails. LIKE knows the
// case of ASCII letters only.
func likePattern(s string) string {
	var b strings.Builder
	b.WriteByte('%')
	for _, r := range s {
		switch {
		case r == '%' || r == '_' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 0x80 && unicode.IsLetter(r) && unicode.SimpleFold(r) != r:
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('%')
	return b.String()
}

// matchTable asks a full-text table. The set is the caller's.
func (f *executor) matchTable(ctx context.Context, x *ftsTable, q ftsQuery) (*fts.Set, error) {
	if ids, ok, err := f.matchByIndex(ctx, x, q, nil); ok || err != nil {
		return ids, err
	}
	f.addStep("SQLite's full-text index " + x.table)
	query := `SELECT rowid FROM ` + x.table + ` WHERE ` + x.table + ` MATCH ?`
	args := []any{q.matchExpression()}
	if f.hasIDRange() {
		query += ` AND rowid BETWEEN ? AND ?`
		args = append(args, f.firstID, f.lastID)
	}
	ids := &fts.Set{}
	if err := f.queryInto(ctx, ids, query, args...); err != nil {
		return nil, &indexError{x, err}
	}
	return ids, nil
}

func (f *executor) hasIDRange() bool { return f.firstID > math.MinInt64 || f.lastID < math.MaxInt64 }

// ReadAndMatch looks into messages themselves: those of ids or, with where, those that
// satisfy it. seen are all that were read, found those that match.
func (f *executor) ReadAndMatch(ctx context.Context, query query.Query, where string, ids *fts.Set, args ...any) (seen, found *fts.Set, err error) {
	seen, found = &fts.Set{}, &fts.Set{}
	if where == "" && ids.Empty() {
		return seen, found, nil
	}
	from := `messages m WHERE ` + where
	if where == "" {
		f.addStep("symbols by reading what the index found")
		from, args = fromIDs(ids.All())
	} else {
		f.addStep("reading messages that no index answers for")
		if f.hasIDRange() {
			from = `messages m WHERE (` + where + `) AND m.id BETWEEN ` + strconv.FormatInt(f.firstID, 10) + ` AND ` + strconv.FormatInt(f.lastID, 10)
		}
	}
	// Whoever has nothing to do looks into what was read: the one who reads, and
	// another beside.
	work, late := make(chan []messageText), &fts.Set{}
	err = db.Parallel(func() error {
		defer close(work)
		m := match.NewMatcher(query.Groups)
		var some []messageText
		size := 0
		look := func() {
			select {
			case work <- some:
			default:
				matchTexts(m, some, found)
			}
			some, size = nil, 0
		}
		err := f.eachText(ctx, f.tx, from, args, func(b messageText) {
			seen.Add(b.id)
			some = append(some, b)
			if size += len(b.content) + len(b.toolCalls); size > secondReaderShare {
				look()
			}
		})
		matchTexts(m, some, found)
		return err
	}, func() error {
		m := match.NewMatcher(query.Groups)
		for some := range work {
			matchTexts(m, some, late)
		}
		return nil
	})
	found.Union(late)
	return seen, found, err
}

// secondReaderShare is how many bytes of texts are worth waking somebody for.
const secondReaderShare = 32 << 10

// messageText is what is searched of a message.
type messageText struct {
	id                           int64
	content, toolName, toolCalls string
}

func (b messageText) matches(m *match.Matcher) bool {
	return m.Match(Unescape(b.content), b.toolName, Unescape(b.toolCalls))
}

// matchTexts adds those of some messages that match.
func matchTexts(m *match.Matcher, some []messageText, to *fts.Set) {
	for _, b := range some {
		if b.matches(m) {
			to.Add(b.id)
		}
	}
}

// fromIDs are some messages m, for a FROM.
func fromIDs(ids iter.Seq[int64]) (from string, args []any) {
	return `json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE 1`, []any{db.JsonList(ids)}
}

// eachText hands over what is searched of messages.
func (f *executor) eachText(ctx context.Context, q db.Querier, from string, args []any, each func(messageText)) error {
	var id int64
	var content, name, calls any
	return eachRowOf(ctx, q, `SELECT m.id, m.content, `+f.toolNameColumn+`, `+f.toolCallsColumn+` FROM `+from, args, func(scan func(...any) error) error {
		err := scan(&id, &content, &name, &calls)
		if err == nil {
			each(messageText{id, db.AsText(content), db.AsText(name), db.AsText(calls)})
		}
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
