// Package textfacts reads what the trigram index does not store of messages: which are plain
// ASCII, which name a tool, and how they end. With these facts a match of trigrams is a proof, and
// the lack of one a refutation: a million messages are decided about without reading their texts.
//
// A [Cache] holds them for the messages that queries needed. It never changes an answer.
package textfacts

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// Source is the trigram index in a read transaction.
type Source struct {
	Table               string // the trigram index
	Synced              bool   // the file has the triggers that write each message to the index
	ToolName, ToolCalls string // expressions for these columns of messages m, NULL in files without them

	Tx      db.Querier
	Changes fts.Changes // of the index
}

// Cache caches the facts about the messages of one database. They are read when a
// query first needs them, and again when the message was written to the index since. The
// zero value is empty. It may be used by several goroutines.
type Cache struct {
	version fts.CacheVersion // of the trigram index
	facts   Facts
}

// Facts is facts about messages as the trigram index has them: content, the name of a
// tool and its arguments in one row, with a space after each of the first two.
type Facts struct {
	ReadIDs    idset.Set             // the messages whose facts these are
	PlainASCII idset.Set             // the index has as many trigrams as they have bytes: ASCII without a NUL
	Named      idset.Set             // those with the name of a tool
	names      map[string]bool       // of the tools, up to maxNames
	ByEnding   map[string]*idset.Set // by the last two characters of the row
	OtherEnds  idset.Set             // those whose ending has no set of its own
}

// Most messages share a few names and endings. These numbers bound the memory.
const (
	maxNames      = 64
	maxEndingSets = 32
)

// NamesAny reports whether the name of a tool passes, or may pass.
func (f *Facts) NamesAny(passes func(name string) bool) bool {
	if len(f.names) == maxNames {
		return true
	}
	for name := range f.names {
		if passes(name) {
			return true
		}
	}
	return false
}

// Of returns the facts about the messages of ids. Those that the trigram index does
// not hold are missing from ReadIDs. The answer is the caller's.
func (c *Cache) Of(ctx context.Context, src Source, ids *idset.Set) (*Facts, error) {
	now, ok, err := c.refresh(ctx, src)
	if err != nil {
		return nil, err
	}
	c.version.Lock()
	facts := &Facts{}
	if ok && c.version.IsAt(now) {
		facts = c.facts.restrict(ids)
	}
	c.version.Unlock()
	unread := idset.Difference(ids, &facts.ReadIDs)
	if unread.Empty() {
		return facts, nil
	}
	read, err := src.read(ctx, unread)
	if err != nil {
		return nil, err
	}
	c.version.Lock()
	if ok && c.version.IsAt(now) {
		c.facts.union(read)
	}
	c.version.Unlock()
	facts.union(read.restrict(unread))
	return facts, nil
}

// refresh removes from the cache what was written to the trigram index since it was read;
// see [fts.CacheVersion.Refresh].
func (c *Cache) refresh(ctx context.Context, src Source) (now fts.Version, ok bool, err error) {
	return c.version.Refresh(ctx, src.Changes, func(changed *idset.Set) {
		if changed == nil || !src.Synced {
			c.facts = Facts{}
			return
		}
		c.facts.remove(changed)
	})
}

// read reads the facts about the messages of ids, and about those between them
// where a range is read faster than its parts.
func (src Source) read(ctx context.Context, ids *idset.Set) (*Facts, error) {
	read := &Facts{}
	if snapshot.IsDense(ids) {
		to, ok := ids.Before(idset.MaxRowid + 1)
		for ; ok; to, ok = ids.Before(to - snapshot.RoleReadBatch + 1) {
			if err := src.readLists(ctx, read, `messages m`, ` WHERE m.id > ? AND m.id <= ?`, to-snapshot.RoleReadBatch, to); err != nil {
				return nil, err
			}
		}
	}
	if rest := idset.Difference(ids, &read.ReadIDs); !rest.Empty() {
		return read, src.readLists(ctx, read, `temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, ``, db.JSONList(rest.All()))
	}
	return read, nil
}

// readLists adds to the facts those about the messages m of a FROM clause with a
// condition. SQLite joins the values of a column into one list per batch: a few long
// lists are read many times faster than many short rows.
func (src Source) readLists(ctx context.Context, into *Facts, from, where string, args ...any) error {
	size := func(column string) string { return `coalesce(octet_length(` + column + `), 0)` }
	columns := `group_concat(m.id), group_concat(` + size("m.content") + ` + ` + size(src.ToolName) + ` + ` + size(src.ToolCalls) + `), group_concat(hex(d.sz)),
		group_concat(hex(` + src.ToolName + `)), group_concat(hex(substr(CAST(` + src.ToolCalls + ` AS BLOB), -8)))`
	var lists [5]string
	err := db.EachRow(ctx, src.Tx, `SELECT `+columns+` FROM `+from+` CROSS JOIN `+src.Table+`_docsize d ON d.id = m.id`+where, args, func(r db.Row) {
		for i := range lists {
			lists[i] = r.Text(i)
		}
	})
	if err != nil || lists[0] == "" {
		return err
	}
	return into.addLists(lists)
}

// addLists adds the facts in five lists, separated by commas: ids, sizes in bytes,
// varints with the numbers of trigrams, tool names, and the last bytes of arguments.
// The last three are in hexadecimal.
func (f *Facts) addLists(lists [5]string) error {
	if f.names == nil {
		f.names = map[string]bool{}
	}
	var row [5]string
	var b []byte
	lastName := ""
	for more := true; more; {
		for i := range lists {
			row[i], lists[i], more = strings.Cut(lists[i], ",")
		}
		id, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			return fmt.Errorf("read how messages are written: %w", err)
		}
		f.ReadIDs.Add(id)
		// What SQLite's hex() wrote always decodes. A size that is not a number leaves the
		// message out of PlainASCII, so that nothing is proved of it.
		size, err := strconv.Atoi(row[1])
		if b, _ = hex.AppendDecode(b[:0], []byte(row[2])); err == nil {
			if n, rest := db.TakeVarint(b); len(rest) == 0 && n == size {
				f.PlainASCII.Add(id)
			}
		}
		if row[3] != "" {
			f.Named.Add(id)
			if row[3] != lastName && len(f.names) < maxNames {
				lastName = row[3]
				name, _ := hex.DecodeString(lastName) // from hex(), as above
				f.names[string(name)] = true
			}
		}
		b = endingOf(b[:0], row[3], row[4])
		if ids := f.ByEnding[string(b)]; ids != nil {
			ids.Add(id)
		} else {
			f.ending(string(b)).Add(id)
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

// sets returns the sets of messages whatever their ending.
func (f *Facts) sets() [4]*idset.Set {
	return [...]*idset.Set{&f.ReadIDs, &f.PlainASCII, &f.Named, &f.OtherEnds}
}

// union adds other facts.
func (f *Facts) union(more *Facts) {
	for i, s := range more.sets() {
		f.sets()[i].Union(s)
	}
	if f.names == nil {
		f.names = map[string]bool{}
	}
	for name := range more.names {
		if len(f.names) < maxNames {
			f.names[name] = true
		}
	}
	for ending, ids := range more.ByEnding {
		f.ending(ending).Union(ids)
	}
}

// ending returns the set of an ending, a new one where there are few, else OtherEnds.
func (f *Facts) ending(s string) *idset.Set {
	if f.ByEnding == nil {
		f.ByEnding = map[string]*idset.Set{}
	}
	if f.ByEnding[s] == nil {
		if len(f.ByEnding) == maxEndingSets {
			return &f.OtherEnds
		}
		f.ByEnding[s] = &idset.Set{}
	}
	return f.ByEnding[s]
}

// restrict returns the facts about the messages of ids only.
func (f *Facts) restrict(ids *idset.Set) *Facts {
	some := &Facts{names: maps.Clone(f.names), ByEnding: map[string]*idset.Set{}}
	for i, s := range f.sets() {
		*some.sets()[i] = *idset.Intersection(ids, s)
	}
	for ending, all := range f.ByEnding {
		some.ByEnding[ending] = idset.Intersection(ids, all)
	}
	return some
}

// remove removes the facts about the messages of ids.
func (f *Facts) remove(ids *idset.Set) {
	for _, s := range f.sets() {
		s.Subtract(ids)
	}
	for ending, s := range f.ByEnding {
		if s.Subtract(ids); s.Empty() {
			delete(f.ByEnding, ending)
		}
	}
}

// preparedMessages is the number of ids, the newest, whose messages Prepare reads.
const preparedMessages = 100_000

// Prepare fills the cache with the newest messages up to the id last.
func (c *Cache) Prepare(ctx context.Context, src Source, last int64) error {
	newest, err := src.IDsBetween(ctx, last-preparedMessages+1, last)
	if err == nil {
		_, err = c.Of(ctx, src, newest)
	}
	return err
}

// IDsBetween returns the messages with ids of at least from and at most to that the
// trigram index holds.
func (src Source) IDsBetween(ctx context.Context, from, to int64) (*idset.Set, error) {
	ids := &idset.Set{}
	err := db.EachRow(ctx, src.Tx, `SELECT group_concat(d.id) FROM `+src.Table+`_docsize d WHERE d.id BETWEEN ? AND ?`, []any{from, to}, func(r db.Row) {
		for id := range snapshot.ParseIDList([]byte(r.Text(0))) {
			ids.Add(id)
		}
	})
	return ids, err
}
