package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"hermes-sessions/store/ftsindex"
)

// writings remembers how messages are written, as far as the index of trigrams
// does not tell. It is read of a message when it matters for the first time, and
// again when the index was told anything of it.
type writings struct {
	mu sync.Mutex
	as ftsindex.Moment // of the index, when what follows was right
	written
}

// written is what was read of messages. Their parts stand behind one another in
// the index: what is said, a tool's name and its arguments, with a space after
// each of the first two.
type written struct {
	known ftsindex.Set             // all of them
	plain ftsindex.Set             // of these the index has every byte: they are ASCII, and no NUL is among it
	whole ftsindex.Set             // of the others these were found to have no NUL either
	torn  ftsindex.Set             // and these to have one
	calls ftsindex.Set             // these have arguments
	names map[string]*ftsindex.Set // by the tool's name, where there is one
	ends  map[string]*ftsindex.Set // by the last two characters
	odd   ftsindex.Set             // names or ends of these are of too many kinds
}

// Of most messages the names and the ends are of a few kinds. These bound what
// others take.
const (
	mostNames = 64
	mostEnds  = 32
)

func (w *written) union(more *written) {
	w.known.Union(&more.known)
	w.plain.Union(&more.plain)
	w.whole.Union(&more.whole)
	w.torn.Union(&more.torn)
	w.calls.Union(&more.calls)
	w.odd.Union(&more.odd)
	for name, ids := range more.names {
		w.into(&w.names, name, mostNames).Union(ids)
	}
	for end, ids := range more.ends {
		w.into(&w.ends, end, mostEnds).Union(ids)
	}
}

// into gives the set of a kind, that of odd ones where there are too many.
func (w *written) into(of *map[string]*ftsindex.Set, kind string, most int) *ftsindex.Set {
	if ids := (*of)[kind]; ids != nil {
		return ids
	}
	if len(*of) == most {
		return &w.odd
	}
	if *of == nil {
		*of = map[string]*ftsindex.Set{}
	}
	ids := &ftsindex.Set{}
	(*of)[kind] = ids
	return ids
}

// about gives what is known of some messages.
func (w *written) about(ids *ftsindex.Set) *written {
	both := func(of map[string]*ftsindex.Set) map[string]*ftsindex.Set {
		some := make(map[string]*ftsindex.Set, len(of))
		for kind, all := range of {
			if s := ftsindex.Both(ids, all); !s.Empty() {
				some[kind] = s
			}
		}
		return some
	}
	return &written{
		known: *ftsindex.Both(ids, &w.known), plain: *ftsindex.Both(ids, &w.plain), whole: *ftsindex.Both(ids, &w.whole), torn: *ftsindex.Both(ids, &w.torn),
		calls: *ftsindex.Both(ids, &w.calls), odd: *ftsindex.Both(ids, &w.odd),
		names: both(w.names), ends: both(w.ends),
	}
}

// forget drops what is known of some messages.
func (w *written) forget(ids *ftsindex.Set) {
	for _, s := range []*ftsindex.Set{&w.known, &w.plain, &w.whole, &w.torn, &w.calls, &w.odd} {
		s.Subtract(ids)
	}
	for _, of := range []map[string]*ftsindex.Set{w.names, w.ends} {
		for kind, s := range of {
			if s.Subtract(ids); s.Empty() {
				delete(of, kind)
			}
		}
	}
}

// measured reports whether the index of trigrams tells how much it has of each
// message, and has letters as they are written, capitals aside.
func (f *finder) measured() bool {
	_, sized := f.s.schema.tables[f.grams.table+"_docsize"]
	return sized && f.grams.padded && !strings.Contains(f.s.schema.tables[f.grams.table], "remove_diacritics")
}

// writtenAhead is how many messages are read before anybody asks for them.
const writtenAhead = 100_000

// writeAhead reads how the newest messages are written, up to the last.
func (f *finder) writeAhead(ctx context.Context, last int64) error {
	if !f.measured() || f.grams.outside != "" {
		return nil
	}
	newest, err := f.held(ctx, last-writtenAhead+1, last)
	if err == nil {
		_, err = f.writing(ctx, newest)
	}
	return err
}

// held gives the messages that the index of trigrams holds, from one to another.
func (f *finder) held(ctx context.Context, from, to int64) (*ftsindex.Set, error) {
	ids := &ftsindex.Set{}
	err := f.each(ctx, `SELECT group_concat(d.id) FROM `+f.grams.table+`_docsize d WHERE d.id BETWEEN ? AND ?`, []any{from, to}, func(scan func(...any) error) error {
		var all any
		err := scan(&all)
		for id := range idsIn([]byte(text(all))) {
			ids.Add(id)
		}
		return err
	})
	return ids, err
}

// writing tells how some messages are written; of those that the index of
// trigrams does not hold nothing is known. The answer is the caller's.
func (f *finder) writing(ctx context.Context, ids *ftsindex.Set) (*written, error) {
	w := &f.s.writings
	now, ok, err := f.catchUpWriting(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	got := &written{}
	if ok && w.as.Same(now) {
		got = w.about(ids)
	}
	w.mu.Unlock()
	unread := ftsindex.Without(ids, &got.known)
	if unread.Empty() {
		return got, nil
	}
	read, err := f.readWriting(ctx, unread)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	if ok && w.as.Same(now) { // else somebody has seen another moment since
		w.union(read)
	}
	w.mu.Unlock()
	got.union(read.about(unread))
	return got, nil
}

// unbroken tells how some messages are written that have no NUL: what the index
// of trigrams knows to follow one another does. The answer is the caller's.
func (f *finder) unbroken(ctx context.Context, ids *ftsindex.Set) (*written, error) {
	w, err := f.writing(ctx, ids)
	if err != nil {
		return nil, err
	}
	unread := ftsindex.Without(&w.known, &w.plain)
	unread.Subtract(&w.whole)
	if unread.Subtract(&w.torn); !unread.Empty() {
		if err := f.readNULs(ctx, w, unread); err != nil {
			return nil, err
		}
	}
	ids = w.plain.Clone()
	ids.Union(&w.whole)
	return w.about(ids), nil
}

// readNULs puts into w which of some messages have a NUL, and remembers it.
func (f *finder) readNULs(ctx context.Context, w *written, ids *ftsindex.Set) error {
	now, ok, err := f.catchUpWriting(ctx)
	if err != nil {
		return err
	}
	read := &written{}
	has := func(column string) string { return `coalesce(instr(CAST(` + column + ` AS BLOB), x'00'), 0)` }
	from, args := these(ids.All())
	err = f.each(ctx, `SELECT group_concat(m.id), group_concat(CASE WHEN `+has("m.content")+` + `+has(f.name)+` + `+has(f.calls)+` THEN m.id END) FROM `+from, args,
		func(scan func(...any) error) error {
			var all, torn any
			err := scan(&all, &torn)
			for id := range idsIn([]byte(text(all))) {
				read.whole.Add(id)
			}
			for id := range idsIn([]byte(text(torn))) {
				read.torn.Add(id)
			}
			return err
		})
	if err != nil {
		return err
	}
	read.whole.Subtract(&read.torn)
	of := &f.s.writings
	of.mu.Lock()
	if ok && of.as.Same(now) {
		of.union(read)
	}
	of.mu.Unlock()
	w.union(read)
	return nil
}

// catchUpWriting drops what is remembered of messages that the index of trigrams
// was told of since, all of it at a moment that is past, and gives the moment. ok
// is false where that index can not be read.
func (f *finder) catchUpWriting(ctx context.Context) (now ftsindex.Moment, ok bool, err error) {
	w := &f.s.writings
	w.mu.Lock()
	as := w.as
	w.mu.Unlock()
	now, changed, ok, err := f.since(ctx, &f.grams, as)
	if err != nil || !ok {
		return now, false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.as.Same(now) || !w.as.Same(as): // right, or somebody else's
	case changed == nil || !f.s.schema.mirrored(f.grams.table):
		w.as, w.written = now, written{}
	default:
		w.as = now
		w.forget(changed)
	}
	return now, true, nil
}

// readWriting reads how messages are written: of some, or of all that lie
// between them where that is quicker.
func (f *finder) readWriting(ctx context.Context, ids *ftsindex.Set) (*written, error) {
	read := &written{}
	if dense(ids) {
		to, ok := ids.Before(ftsindex.MaxRow + 1)
		for ; ok; to, ok = ids.Before(to - hearAtOnce + 1) {
			if err := f.readParts(ctx, read, `messages m`, ` WHERE m.id > ? AND m.id <= ?`, to-hearAtOnce, to); err != nil {
				return nil, err
			}
		}
	}
	if rest := ftsindex.Without(ids, &read.known); !rest.Empty() {
		return read, f.readParts(ctx, read, `json_each(?) j CROSS JOIN messages m ON m.id = j.value`, ``, list(rest.All()))
	}
	return read, nil
}

// readParts reads of messages what is remembered of them.
func (f *finder) readParts(ctx context.Context, into *written, from, where string, args ...any) error {
	// A few long lists are read many times faster than many short rows.
	size := func(column string) string { return `coalesce(octet_length(` + column + `), 0)` }
	columns := `group_concat(m.id), group_concat(` + size("m.content") + ` + ` + size(f.name) + ` + ` + size(f.calls) + `), group_concat(hex(d.sz)),
		group_concat(hex(` + f.name + `)), group_concat(hex(substr(CAST(` + f.calls + ` AS BLOB), -8)))`
	var lists [5]any
	return f.each(ctx, `SELECT `+columns+` FROM `+from+` CROSS JOIN `+f.grams.table+`_docsize d ON d.id = m.id`+where, args, func(scan func(...any) error) error {
		if err := scan(&lists[0], &lists[1], &lists[2], &lists[3], &lists[4]); err != nil || lists[0] == nil {
			return err
		}
		return into.read([5]string{text(lists[0]), text(lists[1]), text(lists[2]), text(lists[3]), text(lists[4])})
	})
}

// read takes in lists of ids, sizes in bytes, numbers of trigrams, names and the
// ends of arguments, of which all but the ids and the sizes are in hexadecimal.
func (w *written) read(lists [5]string) error {
	named := map[string]*ftsindex.Set{} // by the name in hexadecimal
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
		w.known.Add(id)
		size, err := strconv.Atoi(row[1])
		if b, _ = hex.AppendDecode(b[:0], []byte(row[2])); err == nil {
			if n, rest := takeVarint(b); len(rest) == 0 && n == size {
				w.plain.Add(id)
			}
		}
		if row[3] != "" {
			if named[row[3]] == nil {
				name, _ := hex.DecodeString(row[3])
				named[row[3]] = w.into(&w.names, string(name), mostNames)
			}
			named[row[3]].Add(id)
		}
		if row[4] != "" {
			w.calls.Add(id)
		}
		b = lastTwo(b[:0], row[3], row[4])
		if ids := w.ends[string(b)]; ids != nil {
			ids.Add(id)
		} else {
			w.into(&w.ends, string(b), mostEnds).Add(id)
		}
	}
	return nil
}

// lastTwo appends the last two characters of a message as the index has it, by a
// tool's name and the end of its arguments in hexadecimal.
func lastTwo(b []byte, name, calls string) []byte {
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
