// Package filecalls reads which files messages work on, by the arguments of their tool
// calls.
//
// A [Cache] holds them for the messages that queries needed. It never changes an answer.
package filecalls

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model/files"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// Source is a database in a read transaction.
type Source struct {
	Tx db.Querier
	// Changes are those of the word index, nil where it does not follow every change of
	// messages: nothing is cached then.
	Changes fts.Changes
}

// Cache keeps the calls of one database that name files, by message. The zero value is
// empty. It may be used by several goroutines.
type Cache struct {
	version   fts.CacheVersion    // of the word index
	readIDs   idset.Set           // the messages that were read
	byMessage map[int64]callFiles // of these, those that work on files
	texts     map[string]string   // sessions and paths, so that each is in memory once
}

// callFiles has the files of one message.
type callFiles struct {
	session string
	paths   []string // as written in the calls
}

const (
	maxMessages = 200_000 // of Cache.byMessage
	readBatch   = 2_000   // messages that one statement reads; ctx is checked between two
)

// Each calls each for every file that the messages of ids work on, with the session of the
// message and the path, in no order. It may hold the lock of the cache while it does: each
// must not use the cache.
func (c *Cache) Each(ctx context.Context, src Source, ids *idset.Set, each func(session, path string)) error {
	now, ok, err := c.refresh(ctx, src)
	if err != nil {
		return err
	}
	unread := ids
	if ok {
		c.version.Lock()
		if c.version.IsAt(now) {
			unread = idset.Difference(ids, &c.readIDs)
			for id := range idset.Intersection(ids, &c.readIDs).All() {
				c.byMessage[id].each(each)
			}
		}
		c.version.Unlock()
	}
	for batch := range slices.Chunk(unread.Rowids(), readBatch) {
		read, err := src.read(ctx, batch)
		if err != nil {
			return err
		}
		c.version.Lock()
		if ok && c.version.IsAt(now) {
			c.add(batch, read)
		}
		c.version.Unlock()
		for _, f := range read {
			f.each(each)
		}
	}
	return nil
}

// each calls a function for every file of the message.
func (f callFiles) each(call func(session, path string)) {
	for _, path := range f.paths {
		call(f.session, path)
	}
}

// refresh removes from the cache the messages that were written since they were read; see
// [fts.CacheVersion.Refresh].
func (c *Cache) refresh(ctx context.Context, src Source) (now fts.Version, ok bool, err error) {
	if src.Changes == nil {
		return now, false, nil
	}
	return c.version.Refresh(ctx, src.Changes, func(changed *idset.Set) {
		if changed == nil {
			c.readIDs, c.byMessage = idset.Set{}, nil
			return
		}
		c.readIDs.Subtract(changed)
		for id := range changed.All() {
			delete(c.byMessage, id)
		}
	})
}

// add adds the calls of a batch of messages.
func (c *Cache) add(ids []int64, read map[int64]callFiles) {
	if c.byMessage == nil || len(c.byMessage)+len(read) > maxMessages {
		c.readIDs = idset.Set{}
		c.byMessage = map[int64]callFiles{}
		c.texts = map[string]string{}
	}
	for _, id := range ids {
		c.readIDs.Add(id)
	}
	for id, f := range read {
		f.session = c.intern(f.session)
		for i, path := range f.paths {
			f.paths[i] = c.intern(path)
		}
		c.byMessage[id] = f
	}
}

func (c *Cache) intern(text string) string {
	if known, ok := c.texts[text]; ok {
		return known
	}
	text = strings.Clone(text) // it may be a part of long arguments
	c.texts[text] = text
	return text
}

// read reads the files of messages by their ids, without the messages that have none.
func (s Source) read(ctx context.Context, ids []int64) (map[int64]callFiles, error) {
	read := map[int64]callFiles{}
	err := db.EachRow(ctx, s.Tx, `SELECT m.id, m.session_id, m.tool_calls FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE m.tool_calls <> ''`, []any{db.JSONList(slices.Values(ids))}, func(r db.Row) {
		f := callFiles{session: r.Text(1)}
		for _, call := range db.CallsOf(r[2]) {
			for _, use := range files.Of(call) {
				f.paths = append(f.paths, use.Path)
			}
		}
		if len(f.paths) > 0 {
			read[r.Int(0)] = f
		}
	})
	return read, err
}
