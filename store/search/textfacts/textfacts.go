// Package textfacts reads what the trigram index does not store of messages: which
// are plain ASCII, which have a NUL, the names of their tools, and how they end. With
// these facts a match of trigrams is a proof.
//
// A [Cache] holds them for the messages that queries needed. It never changes an answer.
package textfacts

import (
	"context"
	"encoding/hex"
	"fmt"
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
	ReadIDs       idset.Set             // the messages whose facts these are
	PlainASCII    idset.Set             // the index has as many trigrams as they have bytes: ASCII without a NUL
	withoutNULs   idset.Set             // others that are known to have no NUL
	withNULs      idset.Set             // others that are known to have one
	WithToolCalls idset.Set             // those with arguments of tools
	ByToolName    map[string]*idset.Set // those with a tool, by its name
	ByEnding      map[string]*idset.Set // all, by the last two characters of the row
	Uncategorized idset.Set             // those whose name or ending has no set of its own
}

// Most messages share a few names and endings. The first ones have a set of their own, up
// to these numbers, which bound the memory.
const (
	maxToolNameSets = 64
	maxEndingSets   = 32
)

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

// WithoutNUL returns the facts about those messages of ids that have no NUL. In
// these, characters that are neighbors in the trigram index are neighbors in the
// text. The answer is the caller's.
func (c *Cache) WithoutNUL(ctx context.Context, src Source, ids *idset.Set) (*Facts, error) {
	facts, err := c.Of(ctx, src, ids)
	if err != nil {
		return nil, err
	}
	unread := idset.Difference(&facts.ReadIDs, &facts.PlainASCII)
	unread.Subtract(&facts.withoutNULs)
	if unread.Subtract(&facts.withNULs); !unread.Empty() {
		if err := c.readNULs(ctx, src, facts, unread); err != nil {
			return nil, err
		}
	}
	ids = facts.PlainASCII.Clone()
	ids.Union(&facts.withoutNULs)
	return facts.restrict(ids), nil
}

// readNULs reads which messages of ids have a NUL, into facts and the cache.
func (c *Cache) readNULs(ctx context.Context, src Source, facts *Facts, ids *idset.Set) error {
	now, ok, err := c.refresh(ctx, src)
	if err != nil {
		return err
	}
	read := &Facts{}
	has := func(column string) string { return `coalesce(instr(CAST(` + column + ` AS BLOB), x'00'), 0)` }
	err = db.EachRow(ctx, src.Tx, `SELECT group_concat(m.id), group_concat(CASE WHEN `+has("m.content")+` + `+has(src.ToolName)+` + `+has(src.ToolCalls)+` THEN m.id END) FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(ids.All())}, func(r db.Row) {
		for id := range snapshot.ParseIDList([]byte(r.Text(0))) {
			read.withoutNULs.Add(id)
		}
		for id := range snapshot.ParseIDList([]byte(r.Text(1))) {
			read.withNULs.Add(id)
		}
	})
	if err != nil {
		return err
	}
	read.withoutNULs.Subtract(&read.withNULs)
	c.version.Lock()
	if ok && c.version.IsAt(now) {
		c.facts.union(read)
	}
	c.version.Unlock()
	facts.union(read)
	return nil
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
	named := map[string]*idset.Set{} // by name in hexadecimal
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
			if named[row[3]] == nil {
				name, _ := hex.DecodeString(row[3]) // from hex(), as above
				named[row[3]] = f.setFor(&f.ByToolName, string(name), maxToolNameSets)
			}
			named[row[3]].Add(id)
		}
		if row[4] != "" {
			f.WithToolCalls.Add(id)
		}
		b = endingOf(b[:0], row[3], row[4])
		if ids := f.ByEnding[string(b)]; ids != nil {
			ids.Add(id)
		} else {
			f.setFor(&f.ByEnding, string(b), maxEndingSets).Add(id)
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

// union adds other facts.
func (f *Facts) union(more *Facts) {
	f.ReadIDs.Union(&more.ReadIDs)
	f.PlainASCII.Union(&more.PlainASCII)
	f.withoutNULs.Union(&more.withoutNULs)
	f.withNULs.Union(&more.withNULs)
	f.WithToolCalls.Union(&more.WithToolCalls)
	f.Uncategorized.Union(&more.Uncategorized)
	for name, ids := range more.ByToolName {
		f.setFor(&f.ByToolName, name, maxToolNameSets).Union(ids)
	}
	for ending, ids := range more.ByEnding {
		f.setFor(&f.ByEnding, ending, maxEndingSets).Union(ids)
	}
}

// setFor returns the set of a name or an ending, a new one where there are fewer than
// most, else Uncategorized.
func (f *Facts) setFor(sets *map[string]*idset.Set, key string, most int) *idset.Set {
	if ids := (*sets)[key]; ids != nil {
		return ids
	}
	if len(*sets) == most {
		return &f.Uncategorized
	}
	if *sets == nil {
		*sets = map[string]*idset.Set{}
	}
	ids := &idset.Set{}
	(*sets)[key] = ids
	return ids
}

// restrict returns the facts about the messages of ids only.
func (f *Facts) restrict(ids *idset.Set) *Facts {
	restricted := func(sets map[string]*idset.Set) map[string]*idset.Set {
		some := make(map[string]*idset.Set, len(sets))
		for key, all := range sets {
			if s := idset.Intersection(ids, all); !s.Empty() {
				some[key] = s
			}
		}
		return some
	}
	return &Facts{
		ReadIDs: *idset.Intersection(ids, &f.ReadIDs), PlainASCII: *idset.Intersection(ids, &f.PlainASCII), withoutNULs: *idset.Intersection(ids, &f.withoutNULs), withNULs: *idset.Intersection(ids, &f.withNULs),
		WithToolCalls: *idset.Intersection(ids, &f.WithToolCalls), Uncategorized: *idset.Intersection(ids, &f.Uncategorized),
		ByToolName: restricted(f.ByToolName), ByEnding: restricted(f.ByEnding),
	}
}

// remove removes the facts about the messages of ids.
func (f *Facts) remove(ids *idset.Set) {
	for _, s := range []*idset.Set{&f.ReadIDs, &f.PlainASCII, &f.withoutNULs, &f.withNULs, &f.WithToolCalls, &f.Uncategorized} {
		s.Subtract(ids)
	}
	for _, sets := range []map[string]*idset.Set{f.ByToolName, f.ByEnding} {
		for key, s := range sets {
			if s.Subtract(ids); s.Empty() {
				delete(sets, key)
			}
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
