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

// textFactsCache remembers how messages are written, as far as the index of trigrams
// does not tell. It is read of a message when it matters for the first time, and
// again when the index was told anything of it.
type textFactsCache struct {
	mu           sync.Mutex
	indexVersion fts.Version // of the index, when what follows was right
	textFacts
}

// textFacts is what was read of messages. Their parts stand behind one another in
// the index: what is said, a tool's name and its arguments, with a space after
// each of the first two.
type textFacts struct {
	readIDs       fts.Set             // all of them
	plainASCII    fts.Set             // of these the index has every byte: they are ASCII, and no NUL is among it
	withoutNULs   fts.Set             // of the others these were found to have no NUL either
	withNULs      fts.Set             // and these to have one
	withToolCalls fts.Set             // these have arguments
	byToolName    map[string]*fts.Set // by the tool's name, where there is one
	byEnding      map[string]*fts.Set // by the last two characters
	uncategorized fts.Set             // names or ends of these are of too many kinds
}

// Of most messages the names and the ends are of a few kinds. These bound what
// others take.
const (
	maxToolNameSets = 64
	maxEndingSets   = 32
)

// textFactsOf tells how some messages are written; of those that the index of
// trigrams does not hold nothing is known. The answer is the caller's.
func (f *executor) textFactsOf(ctx context.Context, ids *fts.Set) (*textFacts, error) {
	w := &f.engine.textFacts
	now, ok, err := f.refreshTextFacts(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	got := &textFacts{}
	if ok && w.indexVersion.Equal(now) {
		got = w.restrict(ids)
	}
	w.mu.Unlock()
	unread := fts.Difference(ids, &got.readIDs)
	if unread.Empty() {
		return got, nil
	}
	read, err := f.readTextFacts(ctx, unread)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	if ok && w.indexVersion.Equal(now) { // else somebody has seen another moment since
		w.union(read)
	}
	w.mu.Unlock()
	got.union(read.restrict(unread))
	return got, nil
}

// factsWithoutNUL tells how some messages are written that have no NUL: what the index
// of trigrams knows to follow one another does. The answer is the caller's.
func (f *executor) factsWithoutNUL(ctx context.Context, ids *fts.Set) (*textFacts, error) {
	w, err := f.textFactsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	unread := fts.Difference(&w.readIDs, &w.plainASCII)
	unread.Subtract(&w.withoutNULs)
	if unread.Subtract(&w.withNULs); !unread.Empty() {
		if err := f.readAfterNUL(ctx, w, unread); err != nil {
			return nil, err
		}
	}
	ids = w.plainASCII.Clone()
	ids.Union(&w.withoutNULs)
	return w.restrict(ids), nil
}

// readAfterNUL puts into w which of some messages have a NUL, and remembers it.
func (f *executor) readAfterNUL(ctx context.Context, w *textFacts, ids *fts.Set) error {
	now, ok, err := f.refreshTextFacts(ctx)
	if err != nil {
		return err
	}
	read := &textFacts{}
	has := func(column string) string { return `coalesce(instr(CAST(` + column + ` AS BLOB), x'00'), 0)` }
	from, args := fromIDs(ids.All())
	err = f.eachRow(ctx, `SELECT group_concat(m.id), group_concat(CASE WHEN `+has("m.content")+` + `+has(f.toolNameColumn)+` + `+has(f.toolCallsColumn)+` THEN m.id END) FROM `+from, args,
		func(scan func(...any) error) error {
			var all, torn any
			err := scan(&all, &torn)
			for id := range snapshot.ParseIDList([]byte(db.AsText(all))) {
				read.withoutNULs.Add(id)
			}
			for id := range snapshot.ParseIDList([]byte(db.AsText(torn))) {
				read.withNULs.Add(id)
			}
			return err
		})
	if err != nil {
		return err
	}
	read.withoutNULs.Subtract(&read.withNULs)
	of := &f.engine.textFacts
	of.mu.Lock()
	if ok && of.indexVersion.Equal(now) {
		of.union(read)
	}
	of.mu.Unlock()
	w.union(read)
	return nil
}

// refreshTextFacts drops what is remembered of messages that the index of trigrams
// was told of since, all of it at a moment that is past, and gives the moment. ok
// is false where that index can not be read.
func (f *executor) refreshTextFacts(ctx context.Context) (now fts.Version, ok bool, err error) {
	w := &f.engine.textFacts
	w.mu.Lock()
	as := w.indexVersion
	w.mu.Unlock()
	now, changed, ok, err := f.changedSince(ctx, &f.trigrams, as)
	if err != nil || !ok {
		return now, false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.indexVersion.Equal(now) || !w.indexVersion.Equal(as): // right, or somebody else's
	case changed == nil || !f.engine.db.Schema.DeletesFollowed(f.trigrams.table):
		w.indexVersion, w.textFacts = now, textFacts{}
	default:
		w.indexVersion = now
		w.remove(changed)
	}
	return now, true, nil
}

// readTextFacts reads how messages are written: of some, or of all that lie
// between them where that is quicker.
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
		return read, f.readFactLists(ctx, read, `json_each(?) j CROSS JOIN messages m ON m.id = j.value`, ``, db.JsonList(rest.All()))
	}
	return read, nil
}

// readFactLists reads of messages what is remembered of them.
func (f *executor) readFactLists(ctx context.Context, into *textFacts, from, where string, args ...any) error {
	// A few long lists are read many times faster than many short rows.
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

// addLists takes in lists of ids, sizes in bytes, numbers of trigrams, names and the
// ends of arguments, of which all but the ids and the sizes are in hexadecimal.
func (w *textFacts) addLists(lists [5]string) error {
	named := map[string]*fts.Set{} // by the name in hexadecimal
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
		w.readIDs.Add(id)
		size, err := strconv.Atoi(row[1])
		if b, _ = hex.AppendDecode(b[:0], []byte(row[2])); err == nil {
			if n, rest := db.TakeVarint(b); len(rest) == 0 && n == size {
				w.plainASCII.Add(id)
			}
		}
		if row[3] != "" {
			if named[row[3]] == nil {
				name, _ := hex.DecodeString(row[3])
				named[row[3]] = w.setFor(&w.byToolName, string(name), maxToolNameSets)
			}
			named[row[3]].Add(id)
		}
		if row[4] != "" {
			w.withToolCalls.Add(id)
		}
		b = endingOf(b[:0], row[3], row[4])
		if ids := w.byEnding[string(b)]; ids != nil {
			ids.Add(id)
		} else {
			w.setFor(&w.byEnding, string(b), maxEndingSets).Add(id)
		}
	}
	return nil
}

// endingOf appends the last two characters of a message as the index has it, by a
// tool's name and the end of its arguments in hexadecimal.
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

func (w *textFacts) union(more *textFacts) {
	w.readIDs.Union(&more.readIDs)
	w.plainASCII.Union(&more.plainASCII)
	w.withoutNULs.Union(&more.withoutNULs)
	w.withNULs.Union(&more.withNULs)
	w.withToolCalls.Union(&more.withToolCalls)
	w.uncategorized.Union(&more.uncategorized)
	for name, ids := range more.byToolName {
		w.setFor(&w.byToolName, name, maxToolNameSets).Union(ids)
	}
	for end, ids := range more.byEnding {
		w.setFor(&w.byEnding, end, maxEndingSets).Union(ids)
	}
}

// setFor gives the set of a kind, that of odd ones where there are too many.
func (w *textFacts) setFor(of *map[string]*fts.Set, kind string, most int) *fts.Set {
	if ids := (*of)[kind]; ids != nil {
		return ids
	}
	if len(*of) == most {
		return &w.uncategorized
	}
	if *of == nil {
		*of = map[string]*fts.Set{}
	}
	ids := &fts.Set{}
	(*of)[kind] = ids
	return ids
}

// restrict gives what is known of some messages.
func (w *textFacts) restrict(ids *fts.Set) *textFacts {
	both := func(of map[string]*fts.Set) map[string]*fts.Set {
		some := make(map[string]*fts.Set, len(of))
		for kind, all := range of {
			if s := fts.Intersection(ids, all); !s.Empty() {
				some[kind] = s
			}
		}
		return some
	}
	return &textFacts{
		readIDs: *fts.Intersection(ids, &w.readIDs), plainASCII: *fts.Intersection(ids, &w.plainASCII), withoutNULs: *fts.Intersection(ids, &w.withoutNULs), withNULs: *fts.Intersection(ids, &w.withNULs),
		withToolCalls: *fts.Intersection(ids, &w.withToolCalls), uncategorized: *fts.Intersection(ids, &w.uncategorized),
		byToolName: both(w.byToolName), byEnding: both(w.byEnding),
	}
}

// remove drops what is known of some messages.
func (w *textFacts) remove(ids *fts.Set) {
	for _, s := range []*fts.Set{&w.readIDs, &w.plainASCII, &w.withoutNULs, &w.withNULs, &w.withToolCalls, &w.uncategorized} {
		s.Subtract(ids)
	}
	for _, of := range []map[string]*fts.Set{w.byToolName, w.byEnding} {
		for kind, s := range of {
			if s.Subtract(ids); s.Empty() {
				delete(of, kind)
			}
		}
	}
}

// textFactsBatch is how many messages are read before anybody asks for them.
const textFactsBatch = 100_000

// prepareTextFacts reads how the newest messages are written, up to the last.
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

// idsBetween gives the messages that the index of trigrams holds, from one to another.
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
