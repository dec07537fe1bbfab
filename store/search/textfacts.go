package search

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// textFactsCache caches the facts about messages that the trigram index does not
// store. They are read when a query first needs them, and again when the message
// was written to the index since.
type textFactsCache struct {
	mu           sync.Mutex
	indexVersion fts.Version // version of the trigram index that the facts were read at
	textFacts
}

// textFacts is facts about messages as the trigram index has them: content, the name
// of a tool and its arguments in one row, with a space after each of the first two.
// They make a match of trigrams a proof, see [executor.proveVerbatim].
type textFacts struct {
	readIDs       fts.Set             // the messages whose facts these are
	plainASCII    fts.Set             // the index has as many trigrams as they have bytes: ASCII without a NUL
	withoutNULs   fts.Set             // others that have no NUL either, as far as it was looked up
	withNULs      fts.Set             // others that have one
	withToolCalls fts.Set             // they have arguments of tools
	byToolName    map[string]*fts.Set // the name of their tool → they, where they have one
	byEnding      map[string]*fts.Set // the last two characters of their rows → they
	uncategorized fts.Set             // the name or the ending has no set of its own
}

// Most messages share a few names and endings. These are how many have a set of
// their own, which bounds the memory.
const (
	maxToolNameSets = 64
	maxEndingSets   = 32
)

// textFactsOf gives the facts about some messages. Those that the trigram index does
// not hold are missing from readIDs. The answer is the caller's.
func (f *executor) textFactsOf(ctx context.Context, ids *fts.Set) (*textFacts, error) {
	cache := &f.engine.textFacts
	now, ok, err := f.refreshTextFacts(ctx)
	if err != nil {
		return nil, err
	}
	cache.mu.Lock()
	facts := &textFacts{}
	if ok && cache.indexVersion.Equal(now) {
		facts = cache.restrict(ids)
	}
	cache.mu.Unlock()
	unread := fts.Difference(ids, &facts.readIDs)
	if unread.Empty() {
		return facts, nil
	}
	read, err := f.readTextFacts(ctx, unread)
	if err != nil {
		return nil, err
	}
	cache.mu.Lock()
	if ok && cache.indexVersion.Equal(now) { // else another search has moved the cache on
		cache.union(read)
	}
	cache.mu.Unlock()
	facts.union(read.restrict(unread))
	return facts, nil
}

// factsWithoutNUL gives the facts about those of some messages that have no NUL. In
// these, characters that are neighbors in the trigram index are neighbors in the
// text. The answer is the caller's.
func (f *executor) factsWithoutNUL(ctx context.Context, ids *fts.Set) (*textFacts, error) {
	facts, err := f.textFactsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	unread := fts.Difference(&facts.readIDs, &facts.plainASCII)
	unread.Subtract(&facts.withoutNULs)
	if unread.Subtract(&facts.withNULs); !unread.Empty() {
		if err := f.readNULs(ctx, facts, unread); err != nil {
			return nil, err
		}
	}
	ids = facts.plainASCII.Clone()
	ids.Union(&facts.withoutNULs)
	return facts.restrict(ids), nil
}

// readNULs reads which of some messages have a NUL, into facts and the cache.
func (f *executor) readNULs(ctx context.Context, facts *textFacts, ids *fts.Set) error {
	now, ok, err := f.refreshTextFacts(ctx)
	if err != nil {
		return err
	}
	read := &textFacts{}
	has := func(column string) string { return `coalesce(instr(CAST(` + column + ` AS BLOB), x'00'), 0)` }
	from, args := fromIDs(ids.All())
	err = f.eachRow(ctx, `SELECT group_concat(m.id), group_concat(CASE WHEN `+has("m.content")+` + `+has(f.toolNameColumn)+` + `+has(f.toolCallsColumn)+` THEN m.id END) FROM `+from, args,
		func(scan func(...any) error) error {
			var all, withNUL any
			err := scan(&all, &withNUL)
			for id := range snapshot.ParseIDList([]byte(db.AsText(all))) {
				read.withoutNULs.Add(id)
			}
			for id := range snapshot.ParseIDList([]byte(db.AsText(withNUL))) {
				read.withNULs.Add(id)
			}
			return err
		})
	if err != nil {
		return err
	}
	read.withoutNULs.Subtract(&read.withNULs)
	cache := &f.engine.textFacts
	cache.mu.Lock()
	if ok && cache.indexVersion.Equal(now) {
		cache.union(read)
	}
	cache.mu.Unlock()
	facts.union(read)
	return nil
}

// refreshTextFacts removes from the cache what was written to the trigram index
// since, or everything when the changed messages are not known, and gives the version of the
// index now. ok is false when the index cannot be read.
func (f *executor) refreshTextFacts(ctx context.Context) (now fts.Version, ok bool, err error) {
	cache := &f.engine.textFacts
	cache.mu.Lock()
	as := cache.indexVersion
	cache.mu.Unlock()
	now, changed, ok, err := f.changedSince(ctx, &f.trigrams, as)
	if err != nil || !ok {
		return now, false, err
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	switch {
	case cache.indexVersion.Equal(now) || !cache.indexVersion.Equal(as): // current, or another search has changed it
	case changed == nil || !f.engine.db.Schema.HasSyncTriggers(f.trigrams.table):
		cache.indexVersion, cache.textFacts = now, textFacts{}
	default:
		cache.indexVersion = now
		cache.remove(changed)
	}
	return now, true, nil
}

// readTextFacts reads the facts about some messages, and about those between them
// where a range is read faster than its parts.
func (f *executor) readTextFacts(ctx context.Context, ids *fts.Set) (*textFacts, error) {
	read := &textFacts{}
	if snapshot.IsDense(ids) {
		to, ok := ids.Before(fts.MaxRowid + 1)
		for ; ok; to, ok = ids.Before(to - snapshot.RoleReadBatch + 1) {
			if err := f.readFactLists(ctx, read, `messages m`, ` WHERE m.id > ? AND m.id <= ?`, to-snapshot.RoleReadBatch, to); err != nil {
				return nil, err
			}
		}
	}
	if rest := fts.Difference(ids, &read.readIDs); !rest.Empty() {
		return read, f.readFactLists(ctx, read, `json_each(?) j CROSS JOIN messages m ON m.id = j.value`, ``, db.JSONList(rest.All()))
	}
	return read, nil
}

// readFactLists adds to the facts those about the messages m of a FROM clause with a
// condition. SQLite joins the values of a column into one list per batch: a few long
// lists are read many times faster than many short rows.
func (f *executor) readFactLists(ctx context.Context, into *textFacts, from, where string, args ...any) error {
	size := func(column string) string { return `coalesce(octet_length(` + column + `), 0)` }
	columns := `group_concat(m.id), group_concat(` + size("m.content") + ` + ` + size(f.toolNameColumn) + ` + ` + size(f.toolCallsColumn) + `), group_concat(hex(d.sz)),
		group_concat(hex(` + f.toolNameColumn + `)), group_concat(hex(substr(CAST(` + f.toolCallsColumn + ` AS BLOB), -8)))`
	var lists [5]any
	return f.eachRow(ctx, `SELECT `+columns+` FROM `+from+` CROSS JOIN `+f.trigrams.table+`_docsize d ON d.id = m.id`+where, args, func(scan func(...any) error) error {
		if err := scan(&lists[0], &lists[1], &lists[2], &lists[3], &lists[4]); err != nil || lists[0] == nil {
			return err
		}
		return into.addLists([5]string{db.AsText(lists[0]), db.AsText(lists[1]), db.AsText(lists[2]), db.AsText(lists[3]), db.AsText(lists[4])})
	})
}

// addLists adds the facts in five lists, separated by commas: ids, sizes in bytes,
// varints with the numbers of trigrams, tool names, and the last bytes of arguments.
// The last three are in hexadecimal.
func (t *textFacts) addLists(lists [5]string) error {
	named := map[string]*fts.Set{} // by name in hexadecimal
	var row [5]string
	var b []byte
	for more := true; more; {
		for i := range lists {
			row[i], lists[i], more = strings.Cut(lists[i], ",")
		}
		id, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			return fmt.Errorf("read how messages are written: %w", err)
		}
		t.readIDs.Add(id)
		// What SQLite's hex() wrote always decodes; a message without a size proves nothing.
		size, err := strconv.Atoi(row[1])
		if b, _ = hex.AppendDecode(b[:0], []byte(row[2])); err == nil {
			if n, rest := db.TakeVarint(b); len(rest) == 0 && n == size {
				t.plainASCII.Add(id)
			}
		}
		if row[3] != "" {
			if named[row[3]] == nil {
				name, _ := hex.DecodeString(row[3]) // from hex(), as above
				named[row[3]] = t.setFor(&t.byToolName, string(name), maxToolNameSets)
			}
			named[row[3]].Add(id)
		}
		if row[4] != "" {
			t.withToolCalls.Add(id)
		}
		b = endingOf(b[:0], row[3], row[4])
		if ids := t.byEnding[string(b)]; ids != nil {
			ids.Add(id)
		} else {
			t.setFor(&t.byEnding, string(b), maxEndingSets).Add(id)
		}
	}
	return nil
}

// endingOf appends the last two characters of a message in the trigram index to b.
// name is the name of its tool and calls the last bytes of its arguments, both in
// hexadecimal as SQLite's hex() gives it, which always decodes.
func endingOf(b []byte, name, calls string) []byte {
	if n := len(calls); n >= 4 && calls[n-4] < '8' && calls[n-2] < '8' { // ASCII
		b, _ = hex.AppendDecode(b, []byte(calls[n-4:]))
		return b
	}
	b = append(b, ' ')
	b, _ = hex.AppendDecode(b, []byte(name+"20"+calls))
	_, one := utf8.DecodeLastRune(b)
	_, two := utf8.DecodeLastRune(b[:len(b)-one])
	return []byte(string([]rune(string(b[len(b)-one-two:]))))
}

// union adds the facts about other messages.
func (t *textFacts) union(more *textFacts) {
	t.readIDs.Union(&more.readIDs)
	t.plainASCII.Union(&more.plainASCII)
	t.withoutNULs.Union(&more.withoutNULs)
	t.withNULs.Union(&more.withNULs)
	t.withToolCalls.Union(&more.withToolCalls)
	t.uncategorized.Union(&more.uncategorized)
	for name, ids := range more.byToolName {
		t.setFor(&t.byToolName, name, maxToolNameSets).Union(ids)
	}
	for ending, ids := range more.byEnding {
		t.setFor(&t.byEnding, ending, maxEndingSets).Union(ids)
	}
}

// setFor gives the set of a name or an ending, a new one where there are fewer than
// most, else uncategorized.
func (t *textFacts) setFor(sets *map[string]*fts.Set, key string, most int) *fts.Set {
	if ids := (*sets)[key]; ids != nil {
		return ids
	}
	if len(*sets) == most {
		return &t.uncategorized
	}
	if *sets == nil {
		*sets = map[string]*fts.Set{}
	}
	ids := &fts.Set{}
	(*sets)[key] = ids
	return ids
}

// restrict gives the facts about some messages only.
func (t *textFacts) restrict(ids *fts.Set) *textFacts {
	restricted := func(sets map[string]*fts.Set) map[string]*fts.Set {
		some := make(map[string]*fts.Set, len(sets))
		for key, all := range sets {
			if s := fts.Intersection(ids, all); !s.Empty() {
				some[key] = s
			}
		}
		return some
	}
	return &textFacts{
		readIDs: *fts.Intersection(ids, &t.readIDs), plainASCII: *fts.Intersection(ids, &t.plainASCII), withoutNULs: *fts.Intersection(ids, &t.withoutNULs), withNULs: *fts.Intersection(ids, &t.withNULs),
		withToolCalls: *fts.Intersection(ids, &t.withToolCalls), uncategorized: *fts.Intersection(ids, &t.uncategorized),
		byToolName: restricted(t.byToolName), byEnding: restricted(t.byEnding),
	}
}

// remove removes the facts about some messages.
func (t *textFacts) remove(ids *fts.Set) {
	for _, s := range []*fts.Set{&t.readIDs, &t.plainASCII, &t.withoutNULs, &t.withNULs, &t.withToolCalls, &t.uncategorized} {
		s.Subtract(ids)
	}
	for _, sets := range []map[string]*fts.Set{t.byToolName, t.byEnding} {
		for key, s := range sets {
			if s.Subtract(ids); s.Empty() {
				delete(sets, key)
			}
		}
	}
}

// textFactsBatch is of how many messages Prepare reads the facts.
const textFactsBatch = 100_000

// prepareTextFacts fills the cache with the newest messages up to the id last.
func (f *executor) prepareTextFacts(ctx context.Context, last int64) error {
	if !f.hasTextLengths() || f.trigrams.unindexedRows != "" {
		return nil
	}
	newest, err := f.idsBetween(ctx, last-textFactsBatch+1, last)
	if err == nil {
		_, err = f.textFactsOf(ctx, newest)
	}
	return err
}

// idsBetween gives the messages with ids from one to another that the trigram index
// holds.
func (f *executor) idsBetween(ctx context.Context, from, to int64) (*fts.Set, error) {
	ids := &fts.Set{}
	err := f.eachRow(ctx, `SELECT group_concat(d.id) FROM `+f.trigrams.table+`_docsize d WHERE d.id BETWEEN ? AND ?`, []any{from, to}, func(scan func(...any) error) error {
		var all any
		err := scan(&all)
		for id := range snapshot.ParseIDList([]byte(db.AsText(all))) {
			ids.Add(id)
		}
		return err
	})
	return ids, err
}
